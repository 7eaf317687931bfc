//! The skills of a bot: `{bot}/skills[/{skillId}]`.

use actix_web::http::Method;
use domain::id::SkillId;
use domain::input::ViewField;
use domain::skill::{CreateSkill, Skill, SkillFields, UpdateSkill};
use serde_json::{Value, json};

use crate::body::{BodySize, HttpBody, Json};
use crate::openapi::bot_resource::{BotResource, BotResourceView};
use crate::pipeline::call::Call;
use crate::pipeline::handler::{changes, reads};
use crate::pipeline::operation::{Operation, on_bot};
use crate::pipeline::path_param::PathParam;
use crate::pipeline::query::NoQuery;
use crate::pipeline::scopes::{SkillsRead, SkillsWrite};
use crate::pipeline::target::{OnBot, OnSubresource};
use crate::problem::Problem;
use crate::reply::{Deleted, List, ListParams, Searchable, TaggedAnswer};

/// A skill, by its `skillId` or its `_id`.
pub(crate) struct SkillParam;

impl PathParam for SkillParam {
    const NAME: &'static str = "skillId";
    const DESCRIPTION: &'static str = "The `skillId` of a skill, or its `_id`.";

    type Value = String;
}

type SkillView = BotResourceView<Skill>;

type OnSkill<S> = OnSubresource<S, SkillParam>;

/// The operations on skills.
pub(crate) fn operations() -> Vec<Operation> {
    let (all, one) = ("/skills", "/skills/{skillId}");
    let listed = ("listSkills", "Lists the skills of the bot, oldest first");
    let created = ("createSkill", "Creates a skill");
    let got = ("getSkill", "Returns the skill with this skillId or _id");
    let updated =
        ("updateSkill", "Changes the fields that the body names; stages follow a new skillId");
    let deleted = (
        "deleteSkill",
        "Deletes the skill and its visual blocks, and takes it out of every stage that has it",
    );
    let operations = [
        on_bot(Method::GET, all, listed, reads(list)),
        on_bot(Method::POST, all, created, changes(create, TaggedAnswer::<SkillView>::of))
            .map(|operation| operation.extra_statuses(&[409])),
        on_bot(Method::GET, one, got, reads(get)),
        on_bot(Method::PUT, one, updated, changes(update, TaggedAnswer::<SkillView>::of))
            .map(|operation| operation.takes_if_match().extra_statuses(&[409])),
        on_bot(Method::DELETE, one, deleted, changes(delete, Deleted::answer))
            .map(Operation::takes_if_match),
    ];
    operations.into_iter().flatten().collect()
}

async fn list(
    call: Call<OnBot<SkillsRead>, ListParams<Skill>>,
) -> Result<List<SkillView>, Problem> {
    List::found(call.query, call.target.claim, &call.botyard.skills, &call.botyard.events).await
}

impl Searchable for Skill {
    const SEARCH: &'static str = "Only what has this in its name, in whichever case.";
}

async fn create(
    call: Call<OnBot<SkillsWrite>, NoQuery, Json<CreateSkill>>,
) -> Result<Skill, Problem> {
    Ok(call.botyard.skills.create(&call.target.claim, call.body.0).await?)
}

async fn get(call: Call<OnSkill<SkillsRead>>) -> Result<TaggedAnswer<SkillView>, Problem> {
    let skill = call.botyard.skills.get(&call.target.claim, call.target.id).await?;
    Ok(TaggedAnswer::of(skill))
}

async fn update(
    call: Call<OnSkill<SkillsWrite>, NoQuery, Json<UpdateSkill>>,
) -> Result<Skill, Problem> {
    Ok(call.botyard.skills.update(&call.target.claim, call.target.id, call.body.0).await?)
}

async fn delete(call: Call<OnSkill<SkillsWrite>>) -> Result<SkillId, Problem> {
    Ok(call.botyard.skills.delete(&call.target.claim, call.target.id).await?)
}

impl HttpBody for CreateSkill {
    const SIZE: BodySize = BodySize::Json;

    fn example() -> Value {
        json!({
            "name": "Greeting",
            "skillId": "greeting",
            "content": "If the user says hello, greet back.",
            "toolCallAnswer": ["Hello!", "Good day!"],
            "answerMode": "random",
        })
    }
}

impl HttpBody for UpdateSkill {
    const SIZE: BodySize = BodySize::Json;

    fn example() -> Value {
        json!({"enabled": false, "description": "Paused during the holidays."})
    }
}

impl BotResource for Skill {
    const NAME: &'static str = "Skill";
    const DESCRIPTION: &'static str = "A skill as clients see it.";

    fn fields() -> Vec<ViewField> {
        SkillFields::describe()
    }
}
