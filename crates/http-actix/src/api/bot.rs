//! The bot itself: `/api/external/bot` and `/api/external/projectapi/bots[/{botId}]`.

use actix_web::http::Method;
use domain::access::{Scheme, ScopeSet, Token};
use domain::bot::{
    BotConfig, BotWithTokens, CreateBot, DeleteBot, DeleteMode, DuplicateBot, UpdateBot,
    delete_mode,
};
use domain::clock::Timestamp;
use domain::entity_tag::Tagged as _;
use domain::id::{BotId, ProjectId, TokenId};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::body::{BodySize, HttpBody, Json, JsonOrNothing};
use crate::openapi::choice::{DeleteModeSchema, ScopeSchema};
use crate::openapi::schema::{Schemas, View, of_view};
use crate::pipeline::call::Call;
use crate::pipeline::handler::{changes, reads};
use crate::pipeline::large_answer;
use crate::pipeline::operation::{Operation, on_bot, operation};
use crate::pipeline::query::{NoQuery, Query, QueryParams};
use crate::pipeline::scopes::{BotRead, BotWrite};
use crate::pipeline::target::{OnBot, OnProject};
use crate::problem::Problem;
use crate::reply::{Answer, List, ListParams, Searchable, TaggedAnswer, WithTag, Written};

/// The operations on bots.
pub(crate) fn operations() -> Vec<Operation> {
    let bots = "/api/external/projectapi/bots";
    let mut operations = Vec::from([
        operation(
            Scheme::Project,
            Method::GET,
            bots,
            ("listBots", "Lists the bots of the project"),
            reads(list),
        ),
        operation(
            Scheme::Project,
            Method::POST,
            bots,
            ("createBot", "Creates a bot in the project"),
            changes(create, TaggedAnswer::<BotView>::of),
        ),
    ]);
    operations.extend(on_bot(Method::GET, "", ("getBot", "Returns the bot"), reads(get)));
    operations.extend(
        on_bot(
            Method::PUT,
            "",
            ("updateBot", "Changes the fields that the body names"),
            changes(update, TaggedAnswer::<BotView>::of),
        )
        .map(Operation::takes_if_match),
    );
    operations.extend(
        on_bot(
            Method::DELETE,
            "",
            ("deleteBot", "Deletes the bot for good, archives it, or puts it into the trash"),
            changes(delete, Answer::<BotDeleted>::of),
        )
        .map(Operation::takes_if_match),
    );
    operations.extend(
        on_bot(
            Method::POST,
            "/duplicate",
            ("duplicateBot", "Copies the bot within its project"),
            changes(duplicate, TaggedAnswer::<BotView>::of),
        )
        .map(Operation::takes_if_match),
    );
    operations
}

async fn list(
    call: Call<OnProject<BotRead>, ListParams<BotWithTokens>>,
) -> Result<List<BotView>, Problem> {
    List::found(call.query, call.target.claim, &call.botyard.bots, &call.botyard.events).await
}

impl Searchable for BotWithTokens {
    const SEARCH: &'static str = "Only what has this in its name, in whichever case.";
}

async fn create(
    call: Call<OnProject<BotWrite>, NoQuery, Json<CreateBot>>,
) -> Result<BotWithTokens, Problem> {
    Ok(call.botyard.bots.create(&call.target.claim, call.body.0).await?)
}

async fn get(call: Call<OnBot<BotRead>>) -> Result<WithTag<Written<BotView>>, Problem> {
    let (bots, claim, answers) = (&call.botyard.bots, &call.target.claim, &call.app.bot_answers);
    let key = (claim.project_id(), claim.bot_id());
    // The version is taken before the look-up, so that a change in between makes the answer void.
    let version = bots.version(claim);
    let now = call.botyard.now();
    if let Some((body, tag)) = version.and_then(|version| answers.find(key, version, now)) {
        return Ok(WithTag::new(Written::again(body), tag));
    }
    let bot = bots.get(claim).await?;
    let until = bot.first_token_end();
    let write = move || (bot.entity_tag(), Written::of(&BotView::from(bot)));
    let (tag, written) = large_answer::write(write).await?;
    let written = written?;
    if let Some(version) = version {
        answers.keep(key, version, until, (written.body(), tag));
    }
    Ok(WithTag::new(written, tag))
}

async fn update(
    call: Call<OnBot<BotWrite>, NoQuery, Json<UpdateBot>>,
) -> Result<BotWithTokens, Problem> {
    Ok(call.botyard.bots.update(&call.target.claim, call.body.0).await?)
}

async fn delete(
    call: Call<OnBot<BotWrite>, DeleteQuery, JsonOrNothing<DeleteBot>>,
) -> Result<(BotId, DeleteMode), Problem> {
    let mode = delete_mode(call.body.0.mode, call.query.mode)?;
    Ok(call.botyard.bots.delete(&call.target.claim, mode).await?)
}

async fn duplicate(
    call: Call<OnBot<BotWrite>, NoQuery, JsonOrNothing<DuplicateBot>>,
) -> Result<BotWithTokens, Problem> {
    Ok(call.botyard.bots.duplicate(&call.target.claim, call.body.0).await?)
}

/// The mode of a delete, in the query instead of the body.
struct DeleteQuery {
    mode: Option<DeleteMode>,
}

impl Query for DeleteQuery {
    fn read(params: &mut QueryParams) -> Self {
        let description = "How the bot is deleted, if the body does not say so.";
        Self { mode: params.word("mode", DeleteMode::WORDS, DeleteMode::parse, description) }
    }
}

impl HttpBody for CreateBot {
    const SIZE: BodySize = BodySize::Bot;

    fn example() -> Value {
        json!({"name": "Ada", "botInstruction": "Answer kindly.", "temperature": 0.7})
    }
}

impl HttpBody for UpdateBot {
    const SIZE: BodySize = BodySize::Bot;

    fn example() -> Value {
        json!({"temperature": 0.2, "tagList": ["support"], "websearch": true})
    }
}

impl HttpBody for DeleteBot {
    const SIZE: BodySize = BodySize::Json;

    fn example() -> Value {
        json!({"mode": "archive"})
    }
}

impl HttpBody for DuplicateBot {
    const SIZE: BodySize = BodySize::Json;

    fn example() -> Value {
        json!({"name": "Ada's twin"})
    }
}

/// A bot as clients see it: its configuration, flat, beside what they can't set.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BotView {
    #[serde(rename = "_id")]
    id: BotId,
    project_id: ProjectId,
    archived: bool,
    this_is_trash: bool,
    created_at: Timestamp,
    updated_at: Timestamp,
    api_keys: Vec<ApiKey>,
    #[serde(flatten)]
    config: BotConfig,
}

impl From<BotWithTokens> for BotView {
    fn from(BotWithTokens { bot, tokens }: BotWithTokens) -> Self {
        Self {
            id: bot.id,
            project_id: bot.project_id,
            archived: bot.state.is_archived(),
            this_is_trash: bot.state.is_trash(),
            created_at: bot.created_at,
            updated_at: bot.updated_at,
            api_keys: tokens.into_iter().map(ApiKey::from).collect(),
            config: bot.config,
        }
    }
}

/// What clients see of a bot's token.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ApiKey {
    #[serde(rename = "_id")]
    #[schema(value_type = String, format = Uuid)]
    id: TokenId,
    /// What it was called when it was minted.
    name: String,
    /// All but the prefix and the last four characters is masked.
    #[schema(example = "byb_****3f9a")]
    key: String,
    /// What it may do.
    #[schema(value_type = Vec<ScopeSchema>)]
    scopes: ScopeSet,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// When it is not valid any more; `null` for never.
    #[schema(value_type = Option<String>, format = DateTime)]
    expires_at: Option<Timestamp>,
}

impl From<Token> for ApiKey {
    fn from(token: Token) -> Self {
        Self {
            id: token.id,
            key: token.masked(),
            name: token.name,
            scopes: token.scopes,
            created_at: token.created_at,
            expires_at: token.expires_at,
        }
    }
}

/// That a bot was deleted, and how.
#[derive(Serialize, ToSchema)]
pub(crate) struct BotDeleted {
    #[serde(rename = "_id")]
    #[schema(value_type = String, format = Uuid)]
    id: BotId,
    /// How it was deleted.
    #[schema(value_type = DeleteModeSchema)]
    mode: DeleteMode,
}

impl From<(BotId, DeleteMode)> for BotDeleted {
    fn from((id, mode): (BotId, DeleteMode)) -> Self {
        Self { id, mode }
    }
}

/// A bot as clients see it.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "the fields are read by the derived schema")]
struct BotFrame {
    #[schema(rename = "_id", value_type = String, format = Uuid)]
    id: String,
    #[schema(format = Uuid)]
    project_id: String,
    /// Whether it was archived; never of a bot that the API shows.
    archived: bool,
    /// Whether it is in the trash; never of a bot that the API shows.
    this_is_trash: bool,
    #[schema(format = DateTime)]
    created_at: String,
    #[schema(format = DateTime)]
    updated_at: String,
    /// Its tokens that are valid now, oldest first.
    api_keys: Vec<ApiKey>,
}

impl ToSchema for BotView {
    fn name() -> std::borrow::Cow<'static, str> {
        "Bot".into()
    }

    fn schemas(schemas: &mut Schemas) {
        <ApiKey as View>::components(schemas);
        for field in BotConfig::describe() {
            of_view(&field, schemas);
        }
    }
}

impl PartialSchema for BotView {
    fn schema() -> RefOr<Schema> {
        let mut schema = BotFrame::schema();
        if let RefOr::T(Schema::Object(object)) = &mut schema {
            for field in BotConfig::describe() {
                let member = of_view(&field, &mut Schemas::new());
                object.properties.insert(field.name.to_owned(), member);
                object.required.push(field.name.to_owned());
            }
        }
        schema
    }
}
