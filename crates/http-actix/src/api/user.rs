//! The users of a bot: `/api/external/useraccess/…`, for bot tokens only.

use actix_web::http::Method;
use domain::access::{BotClaim, Scheme, UsersClaim};
use domain::clock::Timestamp;
use domain::free_fields::FreeFields;
use domain::id::{BotId, ProjectId, UserId};
use domain::user::{
    BotOfOrganisation, CreateUser, DeleteUsers, ResetStats, UpdateUser, User, UserService,
    UserStats,
};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::openapi::schema::{AdditionalProperties, ObjectBuilder, OneOfBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::api::supervisor::UserParam;
use crate::body::{BodySize, HttpBody, Json};
use crate::openapi::schema::View;
use crate::pipeline::call::Call;
use crate::pipeline::handler::{changes, reads};
use crate::pipeline::operation::{Operation, operation};
use crate::pipeline::path_param::PathParam;
use crate::pipeline::query::NoQuery;
use crate::pipeline::scopes::NoScope;
use crate::pipeline::target::{OnBot, OnSubresource};
use crate::problem::Problem;
use crate::reply::{
    DeletedCount, List, ListParams, Nested, Paging, Searchable, Source, TaggedAnswer,
};

/// A user, by the guestId.
pub(crate) struct GuestParam;

impl PathParam for GuestParam {
    const NAME: &'static str = "guestId";
    const DESCRIPTION: &'static str = "The guestId of a user of the bot.";

    type Value = String;
}

/// The operations on users.
pub(crate) fn operations() -> Vec<Operation> {
    let path = |rel: &str| format!("/api/external/useraccess{rel}");
    let (all, one, stats) = (path("/users"), path("/user"), path("/resetstats"));
    let (of_guest, of_id) = (path("/user/byGuestId/{guestId}"), path("/user/byId/{userId}"));
    let of_organisation = path("/user/usersinorg");
    let reset = ("resetUserStats", "Sets the numbers of a user back to 0");
    let created = ("createUser", "Creates a user");
    let updated =
        ("updateUser", "Changes the members that the body names; null removes a free one");
    let by_guest = ("getUserByGuestId", "Returns the user with this guestId, or null");
    let by_its_id = ("getUser", "Returns the user with this _id, or null");
    let in_organisation = (
        "listUsersInOrganisation",
        "Lists the active bots of the token's organisation with their users, oldest first",
    );
    let listed = ("listUsers", "Lists the users of the bot, oldest first");
    let deleted = (
        "deleteUsers",
        "Deletes users, with their history and what is kept under their _id, and returns how many",
    );
    Vec::from([
        operation(
            Scheme::Bot,
            Method::POST,
            &stats,
            reset,
            changes(reset_stats, TaggedAnswer::<UserView>::of),
        ),
        operation(
            Scheme::Bot,
            Method::POST,
            &one,
            created,
            changes(create, TaggedAnswer::<UserView>::of),
        ),
        operation(
            Scheme::Bot,
            Method::PUT,
            &one,
            updated,
            changes(update, TaggedAnswer::<UserView>::of),
        )
        .takes_if_match(),
        operation(Scheme::Bot, Method::GET, &of_guest, by_guest, reads(by_guest_id)),
        operation(Scheme::Bot, Method::GET, &of_id, by_its_id, reads(by_id)),
        operation(Scheme::Bot, Method::GET, &of_organisation, in_organisation, reads(list_by_bot)),
        operation(Scheme::Bot, Method::GET, &all, listed, reads(list)),
        operation(
            Scheme::Bot,
            Method::DELETE,
            &all,
            deleted,
            changes(delete, DeletedCount::answer),
        )
        .without_timeout(),
    ])
}

async fn reset_stats(
    call: Call<OnBot<NoScope>, NoQuery, Json<ResetStats>>,
) -> Result<User, Problem> {
    Ok(call.botyard.users.reset_stats(&call.target.claim, call.body.0).await?)
}

async fn create(call: Call<OnBot<NoScope>, NoQuery, Json<CreateUser>>) -> Result<User, Problem> {
    Ok(call.botyard.users.create(&call.target.claim, call.body.0).await?)
}

async fn update(call: Call<OnBot<NoScope>, NoQuery, Json<UpdateUser>>) -> Result<User, Problem> {
    Ok(call.botyard.users.update(&call.target.claim, call.body.0).await?)
}

async fn by_guest_id(
    call: Call<OnSubresource<NoScope, GuestParam>>,
) -> Result<TaggedAnswer<MaybeUserView>, Problem> {
    let user = call.botyard.users.by_guest_id(&call.target.claim, call.target.id).await?;
    Ok(TaggedAnswer::of_any(user, MaybeUserView::from))
}

async fn by_id(
    call: Call<OnSubresource<NoScope, UserParam>>,
) -> Result<TaggedAnswer<MaybeUserView>, Problem> {
    let user = call.botyard.users.by_id(&call.target.claim, call.target.id).await?;
    Ok(TaggedAnswer::of_any(user, MaybeUserView::from))
}

async fn list(call: Call<OnBot<NoScope>, ListParams<User>>) -> Result<List<UserView>, Problem> {
    List::found(call.query, call.target.claim, &call.botyard.users, &call.botyard.events).await
}

impl Searchable for User {
    const SEARCH: &'static str = "Only users with this in `guestId` or `name`, in whichever case.";
}

async fn list_by_bot(
    call: Call<OnBot<NoScope>, Paging<BotId>>,
) -> Result<List<BotOfOrganisationView>, Problem> {
    let users = &call.botyard.users;
    let bots = Source::new(users, call.target.claim, UserService::bots_of_organisation);
    List::of_nested(call.query, bots, with_users).await
}

async fn delete(call: Call<OnBot<NoScope>, NoQuery, Json<DeleteUsers>>) -> Result<u64, Problem> {
    Ok(call.botyard.users.delete(&call.target.claim, call.body.0).await?)
}

/// A bot whose users are read as they are sent.
fn with_users(
    users: &UserService,
    _: &BotClaim,
    (bot, claim): (BotOfOrganisation, UsersClaim),
) -> Nested<BotOfOrganisationView> {
    let users = Source::new(users, claim, UserService::page_in_organisation);
    Nested::new(&BotHead::from(bot), "users", users, UserView::from)
}

impl HttpBody for ResetStats {
    const SIZE: BodySize = BodySize::Json;

    fn example() -> Value {
        json!({"userId": "019fac84-7c7a-7b12-8d2e-4ff87c7cd0ae"})
    }
}

impl HttpBody for CreateUser {
    const SIZE: BodySize = BodySize::Metadata;

    fn example() -> Value {
        json!({"guestId": "guest-1042", "name": "Ada", "language": "en", "tags": ["beta"]})
    }
}

impl HttpBody for UpdateUser {
    const SIZE: BodySize = BodySize::Metadata;

    fn example() -> Value {
        json!({
            "userId": "019fac84-7c7a-7b12-8d2e-4ff87c7cd0ae",
            "name": "Ada Lovelace",
            "tags": null,
        })
    }
}

impl HttpBody for DeleteUsers {
    const SIZE: BodySize = BodySize::Json;

    fn example() -> Value {
        json!({"userIds": ["019fac84-7c7a-7b12-8d2e-4ff87c7cd0ae"]})
    }
}

/// A user as clients see it. The free members stand beside the others.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UserView {
    #[serde(rename = "_id")]
    id: UserId,
    bot_id: BotId,
    guest_id: String,
    #[serde(flatten)]
    fields: FreeFields,
    stats: UserStats,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl From<User> for UserView {
    fn from(user: User) -> Self {
        Self {
            id: user.id,
            bot_id: user.bot_id,
            guest_id: user.guest_id,
            fields: user.fields,
            stats: user.stats,
            created_at: user.created_at,
            updated_at: user.updated_at,
        }
    }
}

/// A user as clients see it; all other members are free.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "the fields are read by the derived schema")]
struct UserFrame {
    #[schema(rename = "_id", format = Uuid)]
    id: String,
    #[schema(format = Uuid)]
    bot_id: String,
    /// What the chat runtime calls the user.
    guest_id: String,
    /// What the user has used since the last reset.
    stats: StatsView,
    #[schema(format = DateTime)]
    created_at: String,
    #[schema(format = DateTime)]
    updated_at: String,
}

impl ToSchema for UserView {
    fn name() -> std::borrow::Cow<'static, str> {
        "User".into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((StatsView::name().into_owned(), StatsView::schema()));
    }
}

impl PartialSchema for UserView {
    /// Every other member is free.
    fn schema() -> RefOr<Schema> {
        let mut frame = UserFrame::schema();
        if let RefOr::T(Schema::Object(object)) = &mut frame {
            let free = AdditionalProperties::<Schema>::FreeForm(true);
            object.additional_properties = Some(Box::new(free));
        }
        frame
    }
}

/// What a user has used since the last reset.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase", as = UserStats)]
#[expect(dead_code, reason = "the fields are read by the derived schema")]
struct StatsView {
    /// How many messages the user wrote.
    messages: u64,
    /// How many tokens that took.
    tokens: u64,
    /// When the user wrote last; `null` for never.
    #[schema(format = DateTime)]
    last_active_at: Option<String>,
    /// When the numbers were set to 0 last; `null` for never.
    #[schema(format = DateTime)]
    reset_at: Option<String>,
}

/// A user, or `null` if there is none.
#[derive(Serialize)]
#[serde(transparent)]
pub(crate) struct MaybeUserView(Option<UserView>);

impl From<Option<User>> for MaybeUserView {
    fn from(user: Option<User>) -> Self {
        Self(user.map(UserView::from))
    }
}

impl View for MaybeUserView {
    fn reference() -> RefOr<Schema> {
        let null = ObjectBuilder::new().schema_type(Type::Null);
        OneOfBuilder::new().item(UserView::reference()).item(null).into()
    }

    fn components(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        UserView::components(schemas);
    }
}

/// A bot of the organisation with its users.
#[derive(Serialize, ToSchema)]
#[schema(as = BotWithUsers)]
pub(crate) struct BotOfOrganisationView {
    #[serde(flatten)]
    #[schema(inline)]
    head: BotHead,
    /// Its users, oldest first.
    users: Vec<UserView>,
}

/// A bot of the organisation without its users.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = BotOfOrganisation)]
struct BotHead {
    /// The bot.
    #[schema(value_type = String, format = Uuid)]
    bot_id: BotId,
    /// What people call the bot.
    name: String,
    #[schema(value_type = String, format = Uuid)]
    project_id: ProjectId,
}

impl From<BotOfOrganisation> for BotHead {
    fn from(bot: BotOfOrganisation) -> Self {
        Self { bot_id: bot.id, name: bot.name, project_id: bot.project_id }
    }
}
