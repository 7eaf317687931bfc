//! What a supervisor may read: `/api/external/supervisor/…`, for bot tokens only.

use actix_web::http::Method;
use domain::access::{BotClaim, Scheme};
use domain::batch::Batch;
use domain::clock::{TimeCursor, Timestamp};
use domain::error::DomainError;
use domain::history::{HistoryItem, Role, SupervisorChat, SupervisorService};
use domain::id::{HistoryItemId, UserId};
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::user::UserView;
use crate::openapi::choice::RoleSchema;
use crate::pipeline::call::Call;
use crate::pipeline::handler::reads;
use crate::pipeline::operation::{Operation, operation};
use crate::pipeline::path_param::PathParam;
use crate::pipeline::scopes::SupervisorRead;
use crate::pipeline::target::{OnBot, OnSubresource};
use crate::problem::Problem;
use crate::reply::{List, Nested, Paging, Source};

/// A user, by the `_id`.
pub(crate) struct UserParam;

impl PathParam for UserParam {
    const NAME: &'static str = "userId";
    const DESCRIPTION: &'static str = "The `_id` of a user of the bot.";

    type Value = UserId;
}

/// The operations of supervisors.
pub(crate) fn operations() -> Vec<Operation> {
    let path = |rel: &str| format!("/api/external/supervisor{rel}");
    let (all, one, of_users) = (path("/chats"), path("/chats/{userId}"), path("/users"));
    let listed = (
        "listSupervisorChats",
        "Lists the chats that a supervisor may read, the one with the latest message first",
    );
    let got = ("getSupervisorChat", "Returns what a supervisor may read of one user");
    let users = (
        "listSupervisorUsers",
        "Lists the users with a history item that a supervisor may read, oldest first",
    );
    Vec::from([
        operation(Scheme::Bot, Method::GET, &all, listed, reads(list)),
        operation(Scheme::Bot, Method::GET, &one, got, reads(get)),
        operation(Scheme::Bot, Method::GET, &of_users, users, reads(list_users)),
    ])
}

async fn list(
    call: Call<OnBot<SupervisorRead>, Paging<TimeCursor<UserId>>>,
) -> Result<List<ChatView>, Problem> {
    let chats = Source::new(&call.botyard.supervisor, call.target.claim, SupervisorService::chats);
    List::of_nested(call.query, chats, with_items).await
}

async fn get(
    call: Call<OnSubresource<SupervisorRead, UserParam>>,
) -> Result<Nested<ChatView>, Problem> {
    let supervisor = &call.botyard.supervisor;
    let chat = supervisor.chat(&call.target.claim, call.target.id).await?;
    with_items(supervisor, &call.target.claim, chat).start().await
}

async fn list_users(
    call: Call<OnBot<SupervisorRead>, Paging<TimeCursor<UserId>>>,
) -> Result<List<UserView>, Problem> {
    let users = Source::new(&call.botyard.supervisor, call.target.claim, SupervisorService::users);
    List::of(call.query, users).await
}

/// A chat whose items are read as they are sent.
fn with_items(
    supervisor: &SupervisorService,
    claim: &BotClaim,
    chat: SupervisorChat,
) -> Nested<ChatView> {
    let items = Source::new(supervisor, (claim.clone(), chat.user_id), items);
    Nested::new(&ChatHead::from(chat), "items", items, ChatItemView::from)
}

async fn items(
    supervisor: &SupervisorService,
    (claim, user): &(BotClaim, UserId),
    after: Option<TimeCursor<HistoryItemId>>,
    limit: u32,
) -> Result<Batch<HistoryItem>, DomainError> {
    supervisor.items(claim, *user, after, limit).await
}

/// What a supervisor may read of one user.
#[derive(Serialize, ToSchema)]
#[schema(as = SupervisorChat)]
pub(crate) struct ChatView {
    #[serde(flatten)]
    #[schema(inline)]
    head: ChatHead,
    /// What was said, oldest first.
    items: Vec<ChatItemView>,
}

/// A chat without its items.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SupervisorChatHead)]
struct ChatHead {
    /// The user's `_id`.
    #[schema(value_type = String, format = Uuid)]
    user_id: UserId,
    /// The user's guestId.
    guest_id: String,
    /// When the latest item was written; `null` if there is none.
    #[schema(value_type = Option<String>, format = DateTime)]
    last_at: Option<Timestamp>,
}

impl From<SupervisorChat> for ChatHead {
    fn from(chat: SupervisorChat) -> Self {
        Self { user_id: chat.user_id, guest_id: chat.guest_id, last_at: chat.last_at }
    }
}

/// An item of a chat.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SupervisorChatItem)]
struct ChatItemView {
    #[serde(rename = "_id")]
    #[schema(value_type = String, format = Uuid)]
    id: HistoryItemId,
    /// Who said it.
    #[schema(value_type = RoleSchema)]
    role: Role,
    /// What was said.
    text: String,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
}

impl From<HistoryItem> for ChatItemView {
    fn from(item: HistoryItem) -> Self {
        Self { id: item.id, role: item.role, text: item.text, created_at: item.created_at }
    }
}
