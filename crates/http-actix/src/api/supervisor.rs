//! What a supervisor may read: `/api/external/supervisor/…`, for bot tokens only.

use actix_web::http::Method;
use domain::access::{BotClaim, Scheme};
use domain::clock::{Moment, Timestamp};
use domain::history::{HistoryItem, Role, SupervisorChat, SupervisorService};
use domain::id::{HistoryItemId, UserId};
use domain::user::User;
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::user::UserView;
use crate::pipeline::call::Call;
use crate::pipeline::operation::{Operation, operation};
use crate::pipeline::scopes::SupervisorRead;
use crate::pipeline::target::{OnBot, OnPart, PathParam};
use crate::problem::Problem;
use crate::reply::{List, Nested, Paging};

/// A user, by the `_id`.
pub(crate) struct UserParam;

impl PathParam for UserParam {
    const NAME: &'static str = "userId";
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
        operation(Scheme::Bot, Method::GET, &all, listed, list),
        operation(Scheme::Bot, Method::GET, &one, got, get),
        operation(Scheme::Bot, Method::GET, &of_users, users, list_users),
    ])
}

async fn list(
    call: Call<OnBot<SupervisorRead>, Paging<Moment<UserId>>>,
) -> Result<List<ChatView>, Problem> {
    let (supervisor, claim) = (call.botyard.supervisor.clone(), call.on.claim);
    let (of_items, claim_of_items) = (supervisor.clone(), claim.clone());
    let fetch = move |after, limit| {
        let (supervisor, claim) = (supervisor.clone(), claim.clone());
        async move { supervisor.chats(&claim, after, limit).await }
    };
    let key = |chat: &SupervisorChat| Moment {
        // Only the chat of one user can be without items.
        at: chat.last_at.unwrap_or_default(),
        id: chat.user_id,
    };
    let object = move |chat| with_items(&of_items, &claim_of_items, chat);
    List::of_nested(call.query, fetch, key, object).await
}

async fn get(call: Call<OnPart<SupervisorRead, UserParam>>) -> Result<Nested<ChatView>, Problem> {
    let supervisor = &call.botyard.supervisor;
    let chat = supervisor.chat(&call.on.claim, call.on.id).await?;
    with_items(supervisor, &call.on.claim, chat).start().await
}

async fn list_users(
    call: Call<OnBot<SupervisorRead>, Paging<Moment<UserId>>>,
) -> Result<List<UserView>, Problem> {
    let (supervisor, claim) = (call.botyard.supervisor.clone(), call.on.claim);
    let fetch = move |after, limit| {
        let (supervisor, claim) = (supervisor.clone(), claim.clone());
        async move { supervisor.users(&claim, after, limit).await }
    };
    let key = |user: &User| Moment { at: user.created_at, id: user.id };
    List::by(call.query, fetch, key, UserView::from).await
}

/// A chat whose items are read as they are sent.
fn with_items(
    supervisor: &SupervisorService,
    claim: &BotClaim,
    chat: SupervisorChat,
) -> Nested<ChatView> {
    let (supervisor, claim, user) = (supervisor.clone(), claim.clone(), chat.user_id);
    let fetch = move |after, limit| {
        let (supervisor, claim) = (supervisor.clone(), claim.clone());
        async move { supervisor.items(&claim, user, after, limit).await }
    };
    let key = |item: &HistoryItem| Moment { at: item.created_at, id: item.id };
    Nested::new(&ChatHead::from(chat), "items", fetch, key, ChatItemView::from)
}

/// What a supervisor may read of one user.
#[derive(Serialize, ToSchema)]
#[schema(as = SupervisorChat)]
pub(crate) struct ChatView {
    #[serde(flatten)]
    head: ChatHead,
    /// Oldest first.
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
    #[schema(value_type = String)]
    role: Role,
    text: String,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
}

impl From<HistoryItem> for ChatItemView {
    fn from(item: HistoryItem) -> Self {
        Self { id: item.id, role: item.role, text: item.text, created_at: item.created_at }
    }
}
