//! Key-value entries: `/api/external/keyval…` for those of a bot, `/api/external/projectapi/keyval…`
//! for those of a project itself. Whose they are is a matter of the [`target`] alone.

mod query;
mod target;
mod view;

use actix_web::http::Method;
use domain::Botyard;
use domain::access::OwnerClaim;
use domain::error::DomainError;
use domain::keyval::{
    BulkDelete, EntryAddress, EntryFilter, EntryOfGuest, KeyvalService, PutEntry,
};
use serde_json::{Value, json};

use crate::body::{BodySize, HttpBody, Json};
use crate::pipeline::call::Call;
use crate::pipeline::handler::{changes, reads};
use crate::pipeline::operation::{Operation, in_both_schemes};
use crate::pipeline::query::NoQuery;
use crate::problem::Problem;
use crate::reply::{Answer, DeletedCount, List, Paging, Source, TaggedAnswer};
use query::{DeleteOfUser, KeepPermanent, ListAll, ListOfUser};
use target::{All, EntryPath, OfUser, OnKeyval};
use view::{EntryDeletedView, EntryView};

/// Where the entries of a bot and those of a project are.
const BASES: [&str; 2] = ["/api/external/keyval", "/api/external/projectapi/keyval"];

/// The operations on key-value entries.
pub(crate) fn operations() -> Vec<Operation> {
    let (all, bulk, user, one) = ("", "/bulk-delete", "/{userId}", "/{userId}/{type}/{key}");
    let listed = ("listKeyvalEntries", "Lists entries, by userId, type and key");
    let listed_of_user =
        ("listKeyvalEntriesOfUser", "Lists the entries of one userId, by type and key");
    let deleted_of_user = (
        "deleteKeyvalEntriesOfUser",
        "Deletes entries of one userId, and returns how many were deleted",
    );
    let deleted_in_bulk = (
        "bulkDeleteKeyvalEntries",
        "Deletes the entries to which all members of the body apply, and returns how many were deleted",
    );
    let got = ("getKeyvalEntry", "Returns the entry; reading it counts as an access");
    let put = ("putKeyvalEntry", "Stores a value, whether there is an entry already or not");
    let deleted = ("deleteKeyvalEntry", "Deletes the entry");
    let operations = [
        in_both_schemes(BASES, Method::GET, all, listed, reads(list)),
        in_both_schemes(
            BASES,
            Method::POST,
            bulk,
            deleted_in_bulk,
            changes(bulk_delete, DeletedCount::answer),
        )
        .map(Operation::without_timeout),
        in_both_schemes(BASES, Method::GET, user, listed_of_user, reads(list_of_user)),
        in_both_schemes(
            BASES,
            Method::DELETE,
            user,
            deleted_of_user,
            changes(delete_of_user, DeletedCount::answer),
        )
        .map(Operation::without_timeout),
        in_both_schemes(BASES, Method::GET, one, got, reads(get)),
        in_both_schemes(BASES, Method::PUT, one, put, changes(store, stored))
            .map(Operation::takes_if_none_match),
        in_both_schemes(
            BASES,
            Method::DELETE,
            one,
            deleted,
            changes(delete, Answer::<EntryDeletedView>::of),
        )
        .map(Operation::takes_if_match),
    ];
    operations.into_iter().flatten().collect()
}

async fn list(call: Call<OnKeyval<All>, ListAll>) -> Result<List<EntryView>, Problem> {
    let ListAll { filter, paging } = call.query;
    listed(&call.botyard, &call.target, filter, paging).await
}

async fn list_of_user(
    call: Call<OnKeyval<OfUser>, ListOfUser>,
) -> Result<List<EntryView>, Problem> {
    let ListOfUser { keys, paging } = call.query;
    let filter = keys.of_user(call.target.id.user_id.clone());
    listed(&call.botyard, &call.target, filter, paging).await
}

async fn listed<P: EntryPath>(
    botyard: &Botyard,
    on: &OnKeyval<P>,
    filter: EntryFilter,
    paging: Paging<EntryAddress>,
) -> Result<List<EntryView>, Problem> {
    let entries = Source::new(&botyard.keyval, (on.claim.clone(), filter), page);
    List::seen_as(paging, entries, on.view()).await
}

async fn page(
    keyval: &KeyvalService,
    (claim, filter): &(OwnerClaim, EntryFilter),
    after: Option<EntryAddress>,
    limit: u32,
) -> Result<(Vec<EntryOfGuest>, Option<EntryAddress>), DomainError> {
    keyval.page(claim, filter, after, limit).await
}

async fn bulk_delete(call: Call<OnKeyval<All>, NoQuery, Json<BulkDelete>>) -> Result<u64, Problem> {
    let Json(request) = call.body;
    let (filter, keep) = (request.filter(), request.keep_permanent);
    Ok(call.botyard.keyval.bulk_delete(&call.target.claim, filter, keep).await?)
}

async fn delete_of_user(call: Call<OnKeyval<OfUser>, DeleteOfUser>) -> Result<u64, Problem> {
    let DeleteOfUser { keys, keep_permanent } = call.query;
    let filter = keys.of_user(call.target.id.user_id);
    Ok(call.botyard.keyval.bulk_delete(&call.target.claim, filter, keep_permanent).await?)
}

async fn get(call: Call<OnKeyval<EntryAddress>>) -> Result<TaggedAnswer<EntryView>, Problem> {
    let view = call.target.view();
    let found = call.botyard.keyval.get(&call.target.claim, call.target.id).await?;
    Ok(TaggedAnswer::seen_as(found, view))
}

async fn store(
    call: Call<OnKeyval<EntryAddress>, NoQuery, Json<PutEntry>>,
) -> Result<EntryOfGuest, Problem> {
    Ok(call.botyard.keyval.put(&call.target.claim, call.target.id, call.body.0).await?)
}

fn stored(stored: EntryOfGuest) -> TaggedAnswer<EntryView> {
    TaggedAnswer::seen_as(stored, |stored| stored.entry.into())
}

async fn delete(
    call: Call<OnKeyval<EntryAddress>, KeepPermanent>,
) -> Result<EntryAddress, Problem> {
    let KeepPermanent(keep_permanent) = call.query;
    Ok(call.botyard.keyval.delete(&call.target.claim, call.target.id, keep_permanent).await?)
}

impl HttpBody for PutEntry {
    const SIZE: BodySize = BodySize::Keyval;

    fn example() -> Value {
        json!({"value": {"step": 3, "answers": ["yes", "no"]}})
    }
}

impl HttpBody for BulkDelete {
    const SIZE: BodySize = BodySize::Json;

    fn example() -> Value {
        json!({"userId": "guest-17", "type": "progress", "keyPrefix": "course-", "keepPermanent": true})
    }
}
