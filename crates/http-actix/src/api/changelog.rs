//! The changelog of a bot: `{bot}/changelog`.

use actix_web::http::Method;
use domain::access::{Actor, BotClaim, Scheme};
use domain::batch::Batch;
use domain::changelog::{
    Action, ChangedResource, ChangelogEntry, ChangelogFilter, ChangelogService,
};
use domain::clock::Timestamp;
use domain::error::DomainError;
use domain::id::{BotId, ChangelogEntryId, TokenId};
use domain::json::Json;
use serde::Serialize;
use utoipa::ToSchema;

use crate::openapi::choice::{ActionSchema, ChangedResourceSchema, SchemeSchema};
use crate::pipeline::call::Call;
use crate::pipeline::handler::reads;
use crate::pipeline::operation::{Operation, on_bot};
use crate::pipeline::query::{Query, QueryParams};
use crate::pipeline::scopes::ChangelogRead;
use crate::pipeline::target::OnBot;
use crate::problem::Problem;
use crate::reply::{Columns, Paging, Source, Tabular, TabularList};

/// The operations on changelogs.
pub(crate) fn operations() -> Vec<Operation> {
    let summary = "Lists the latest changes of the bot, newest first";
    on_bot(Method::GET, "/changelog", ("listChangelog", summary), reads(list)).into()
}

async fn list(
    call: Call<OnBot<ChangelogRead>, Tabular<ChangelogQuery>>,
) -> Result<TabularList<ChangelogEntryView>, Problem> {
    let Tabular { format, counts, query: ChangelogQuery { filter, paging } } = call.query;
    let (changelog, claim) = (&call.botyard.changelog, call.target.claim);
    let total = if counts { changelog.count(&claim, filter).await? } else { None };
    let entries = Source::new(changelog, (claim, filter), page);
    Ok(TabularList::of(format, paging, entries).await?.with_total(total))
}

async fn page(
    changelog: &ChangelogService,
    (claim, filter): &(BotClaim, ChangelogFilter),
    before: Option<ChangelogEntryId>,
    limit: u32,
) -> Result<Batch<ChangelogEntry>, DomainError> {
    changelog.page(claim, *filter, before, limit).await
}

/// Which entries, and which page of them.
struct ChangelogQuery {
    filter: ChangelogFilter,
    paging: Paging<ChangelogEntryId>,
}

impl Query for ChangelogQuery {
    fn read(params: &mut QueryParams) -> Self {
        let (resources, actions) = (ChangedResource::WORDS, Action::WORDS);
        let description = "Only entries about this resource.";
        let resource = params.word("resource", resources, ChangedResource::parse, description);
        let description = "Only entries with this action.";
        let action = params.word("action", actions, Action::parse, description);
        let filter = ChangelogFilter { resource, action, times: params.times() };
        Self { filter, paging: Paging::read(params) }
    }
}

/// A change as clients see it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChangelogEntry)]
pub(crate) struct ChangelogEntryView {
    #[serde(rename = "_id")]
    #[schema(value_type = String, format = Uuid)]
    id: ChangelogEntryId,
    #[schema(value_type = String, format = Uuid)]
    bot_id: BotId,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
    /// The token that made the change; `null` for an operator.
    actor: Option<ActorView>,
    /// What was done.
    #[schema(value_type = ActionSchema)]
    action: Action,
    /// What it was done to.
    #[schema(value_type = ChangedResourceSchema)]
    resource: ChangedResource,
    /// The `_id` of what was changed.
    resource_id: String,
    /// Each field that changed.
    #[schema(value_type = Vec<FieldChangeView>)]
    changes: Json,
}

/// A field that changed.
#[derive(ToSchema)]
#[schema(as = FieldChange)]
#[expect(dead_code, reason = "the fields are read by the derived schema")]
struct FieldChangeView {
    /// Its name.
    field: String,
    /// The value before; `null` for none. One of over 2 000 characters is cut and marked; `***` stands
    /// for a secret, and for every value of a user.
    #[schema(value_type = Value)]
    from: Json,
    /// The value after, as `from` has it.
    #[schema(value_type = Value)]
    to: Json,
}

/// Who made a change.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Actor)]
struct ActorView {
    /// The `_id` of the token.
    #[schema(value_type = String, format = Uuid)]
    token_id: TokenId,
    /// What the token was called at that time.
    name: String,
    /// What the token is bound to.
    #[schema(value_type = SchemeSchema)]
    scheme: Scheme,
}

impl Columns for ChangelogEntryView {
    const NAMES: &'static [&'static str] =
        &["_id", "botId", "at", "actor", "action", "resource", "resourceId", "changes"];
}

impl From<Actor> for ActorView {
    fn from(actor: Actor) -> Self {
        Self { token_id: actor.token_id, name: actor.name, scheme: actor.scheme }
    }
}

impl From<ChangelogEntry> for ChangelogEntryView {
    fn from(entry: ChangelogEntry) -> Self {
        Self {
            id: entry.id,
            bot_id: entry.bot_id,
            at: entry.at,
            actor: entry.actor.map(ActorView::from),
            action: entry.action,
            resource: entry.resource,
            resource_id: entry.resource_id,
            changes: entry.changes,
        }
    }
}
