//! The stages of a bot: `{bot}/stages[/{stageId}]`.

use actix_web::http::Method;
use domain::id::StageId;
use domain::input::ViewField;
use domain::stage::{CreateStage, Stage, StageFields, UpdateStage};
use serde_json::{Value, json};

use crate::body::{BodySize, HttpBody, Json};
use crate::openapi::bot_resource::{BotResource, BotResourceView};
use crate::pipeline::call::Call;
use crate::pipeline::handler::{changes, reads};
use crate::pipeline::operation::{Operation, on_bot};
use crate::pipeline::path_param::PathParam;
use crate::pipeline::query::NoQuery;
use crate::pipeline::scopes::{StagesRead, StagesWrite};
use crate::pipeline::target::{OnBot, OnSubresource};
use crate::problem::Problem;
use crate::reply::{Deleted, List, ListParams, Searchable, TaggedAnswer};

/// A stage, by its `_id`.
pub(crate) struct StageParam;

impl PathParam for StageParam {
    const NAME: &'static str = "stageId";
    const DESCRIPTION: &'static str = "The `_id` of a stage.";

    type Value = StageId;
}

type StageView = BotResourceView<Stage>;

type OnStage<S> = OnSubresource<S, StageParam>;

/// The operations on stages.
pub(crate) fn operations() -> Vec<Operation> {
    let (all, one) = ("/stages", "/stages/{stageId}");
    let listed = ("listStages", "Lists the stages of the bot, oldest first");
    let created = ("createStage", "Creates a stage");
    let got = ("getStage", "Returns the stage");
    let updated = ("updateStage", "Changes the fields that the body names");
    let deleted = ("deleteStage", "Deletes the stage; its skills stay");
    let operations = [
        on_bot(Method::GET, all, listed, reads(list)),
        on_bot(Method::POST, all, created, changes(create, TaggedAnswer::<StageView>::of)),
        on_bot(Method::GET, one, got, reads(get)),
        on_bot(Method::PUT, one, updated, changes(update, TaggedAnswer::<StageView>::of))
            .map(Operation::takes_if_match),
        on_bot(Method::DELETE, one, deleted, changes(delete, Deleted::answer))
            .map(Operation::takes_if_match),
    ];
    operations.into_iter().flatten().collect()
}

async fn list(
    call: Call<OnBot<StagesRead>, ListParams<Stage>>,
) -> Result<List<StageView>, Problem> {
    List::found(call.query, call.target.claim, &call.botyard.stages, &call.botyard.events).await
}

impl Searchable for Stage {
    const SEARCH: &'static str = "Only what has this in its name or title, in whichever case.";
}

async fn create(
    call: Call<OnBot<StagesWrite>, NoQuery, Json<CreateStage>>,
) -> Result<Stage, Problem> {
    Ok(call.botyard.stages.create(&call.target.claim, call.body.0).await?)
}

async fn get(call: Call<OnStage<StagesRead>>) -> Result<TaggedAnswer<StageView>, Problem> {
    let stage = call.botyard.stages.get(&call.target.claim, call.target.id).await?;
    Ok(TaggedAnswer::of(stage))
}

async fn update(
    call: Call<OnStage<StagesWrite>, NoQuery, Json<UpdateStage>>,
) -> Result<Stage, Problem> {
    Ok(call.botyard.stages.update(&call.target.claim, call.target.id, call.body.0).await?)
}

async fn delete(call: Call<OnStage<StagesWrite>>) -> Result<StageId, Problem> {
    Ok(call.botyard.stages.delete(&call.target.claim, call.target.id).await?)
}

impl HttpBody for CreateStage {
    const SIZE: BodySize = BodySize::Json;

    fn example() -> Value {
        json!({"title": "Welcome", "skills": ["greeting"], "enterJS": "show('welcome')"})
    }
}

impl HttpBody for UpdateStage {
    const SIZE: BodySize = BodySize::Json;

    fn example() -> Value {
        json!({"hidden": true, "skills": ["greeting", "goodbye"]})
    }
}

impl BotResource for Stage {
    const NAME: &'static str = "Stage";
    const DESCRIPTION: &'static str = "A stage as clients see it.";

    fn fields() -> Vec<ViewField> {
        StageFields::describe()
    }
}
