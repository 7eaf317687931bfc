//! The stages of a bot: `{rel}/stages[/{stageId}]`.

use actix_web::http::Method;
use domain::clock::Timestamp;
use domain::id::{BotId, StageId};
use domain::stage::{CreateStage, Stage, UpdateStage};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::body::{BodySize, HttpBody, Json};
use crate::pipeline::call::Call;
use crate::pipeline::operation::{Operation, on_bot};
use crate::pipeline::query::NoQuery;
use crate::pipeline::scopes::{StagesRead, StagesWrite};
use crate::pipeline::target::{OnBot, OnPart, PathParam};
use crate::problem::Problem;
use crate::reply::{Answer, Deleted, List, Paging};

/// A stage, by its `_id`.
pub(crate) struct StageParam;

impl PathParam for StageParam {
    const NAME: &'static str = "stageId";
}

type OnStage<S> = OnPart<S, StageParam>;

/// The operations on stages.
pub(crate) fn operations() -> Vec<Operation> {
    let (all, one) = ("/stages", "/stages/{stageId}");
    let listed = ("listStages", "Lists the stages of the bot, oldest first");
    let created = ("createStage", "Creates a stage");
    let got = ("getStage", "Returns the stage");
    let updated = ("updateStage", "Changes the fields that the body names");
    let deleted = ("deleteStage", "Deletes the stage; its skills stay");
    let operations = [
        on_bot(Method::GET, all, listed, list),
        on_bot(Method::POST, all, created, create),
        on_bot(Method::GET, one, got, get),
        on_bot(Method::PUT, one, updated, update),
        on_bot(Method::DELETE, one, deleted, delete),
    ];
    operations.into_iter().flatten().collect()
}

async fn list(call: Call<OnBot<StagesRead>, Paging<StageId>>) -> Result<List<StageView>, Problem> {
    let (stages, claim) = (call.botyard.stages.clone(), call.on.claim);
    let fetch = move |after, limit| {
        let (stages, claim) = (stages.clone(), claim.clone());
        async move { stages.page(&claim, after, limit).await }
    };
    List::by(call.query, fetch, |stage| stage.id, StageView::from).await
}

async fn create(
    call: Call<OnBot<StagesWrite>, NoQuery, Json<CreateStage>>,
) -> Result<Answer<StageView>, Problem> {
    let stage = call.botyard.stages.create(&call.on.claim, call.body.0).await?;
    Ok(Answer(stage.into()))
}

async fn get(call: Call<OnStage<StagesRead>>) -> Result<Answer<StageView>, Problem> {
    let stage = call.botyard.stages.get(&call.on.claim, call.on.id).await?;
    Ok(Answer(stage.into()))
}

async fn update(
    call: Call<OnStage<StagesWrite>, NoQuery, Json<UpdateStage>>,
) -> Result<Answer<StageView>, Problem> {
    let stage = call.botyard.stages.update(&call.on.claim, call.on.id, call.body.0).await?;
    Ok(Answer(stage.into()))
}

async fn delete(call: Call<OnStage<StagesWrite>>) -> Result<Answer<Deleted>, Problem> {
    let id = call.botyard.stages.delete(&call.on.claim, call.on.id).await?;
    Ok(Answer(Deleted::of(id)))
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

/// A stage as clients see it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Stage)]
pub(crate) struct StageView {
    #[serde(rename = "_id")]
    #[schema(value_type = String, format = Uuid)]
    id: StageId,
    #[schema(value_type = String, format = Uuid)]
    bot_id: BotId,
    title: String,
    name: String,
    hidden: Option<bool>,
    footer: Option<bool>,
    force_skills: Option<bool>,
    /// The `skillId`s of its skills, in their order.
    skills: Option<Vec<String>>,
    #[serde(rename = "enterJS")]
    enter_js: Option<String>,
    #[serde(rename = "exitJS")]
    exit_js: Option<String>,
    #[serde(rename = "preConditionJS")]
    pre_condition_js: Option<String>,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    #[schema(value_type = String, format = DateTime)]
    updated_at: Timestamp,
}

impl From<Stage> for StageView {
    fn from(stage: Stage) -> Self {
        Self {
            id: stage.id,
            bot_id: stage.bot_id,
            title: stage.title,
            name: stage.name,
            hidden: stage.hidden,
            footer: stage.footer,
            force_skills: stage.force_skills,
            skills: stage.skills,
            enter_js: stage.enter_js,
            exit_js: stage.exit_js,
            pre_condition_js: stage.pre_condition_js,
            created_at: stage.created_at,
            updated_at: stage.updated_at,
        }
    }
}
