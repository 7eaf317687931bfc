//! Key-value entries in numbers that take too long to store one by one, and defects in them.

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use domain::StorageError;
use domain::access::{OwnerClaim, ProjectClaim};
use domain::clock::Timestamp;
use domain::id::ProjectId;
use domain::keyval::{Access, EntryAddress, EntryFilter, KeyFilter};
use domain::lock::Lock;
use domain::project::Project;
use domain::testing::ResolveClaim as _;
use storage_diesel::{DatabaseUrl, DieselStore};
use uuid::Uuid;

use crate::databases::{
    Database, OPERATOR, each_database, organisation, read, storage_error, write,
};

/// More entries with a prefix than are put in order for a page.
const MANY: i64 = 30_000;

/// A project with many entries of its own, whose keys are their numbers behind a `k`.
fn populate(database: &Database) -> (DieselStore, OwnerClaim) {
    let store = database.open();
    let organisation = organisation(1);
    let project = Project {
        id: ProjectId::from_uuid(Uuid::from_u128(2)),
        organisation_id: organisation.id,
        name: "Project".to_owned(),
        created_at: Timestamp::from_millis(0),
    };
    let claim: ProjectClaim = OPERATOR.project(&project);
    write(&store, move |tx| {
        tx.insert_organisation(OPERATOR, &organisation)?;
        Ok(tx.insert_project(OPERATOR, &project)?)
    })
    .unwrap();
    let owner = database.id(claim.project_id());
    database.execute(&format!(
        "INSERT INTO keyval_entries (owner_id, user_id, type, key, id, project_id, created_at, \
         updated_at, accessed_at, value) WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL \
         SELECT n + 1 FROM numbers WHERE n < {MANY}) SELECT {owner}, 'u' || (n % 50), \
         't' || (n % 3), 'k' || n, {owner}, {owner}, 0, 0, 0, n FROM numbers"
    ));
    (store, OwnerClaim::Project(claim))
}

/// The addresses of all that a filter means, page by page.
fn listed(store: &DieselStore, claim: &OwnerClaim, filter: &EntryFilter) -> Vec<EntryAddress> {
    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let (page, next) = page(store, claim, filter, after, 1_000);
        seen.extend(page);
        match next {
            Some(next) => after = Some(next),
            None => return seen,
        }
    }
}

/// The addresses of a page, and where to go on.
fn page(
    store: &DieselStore,
    claim: &OwnerClaim,
    filter: &EntryFilter,
    after: Option<EntryAddress>,
    limit: u32,
) -> (Vec<EntryAddress>, Option<EntryAddress>) {
    let (claim, filter) = (claim.clone(), filter.clone());
    let page = read(store, move |tx| {
        let scope = claim.resolve(tx, Lock::None)?;
        Ok(tx.entries(&scope, &filter, after.as_ref(), limit)?)
    });
    let (entries, next) = page.unwrap();
    (entries.into_iter().map(|found| found.entry.address).collect(), next)
}

fn many_entries_of_a_prefix_are_listed_in_order(database: Database) {
    let (store, claim) = populate(&database);
    let mut all: Vec<_> = (1..=MANY)
        .map(|n| EntryAddress {
            user_id: format!("u{}", n % 50),
            entry_type: format!("t{}", n % 3),
            key: format!("k{n}"),
        })
        .collect();
    all.sort();
    for (user_id, entry_type, prefix) in [
        (None, None, "k"),
        (None, None, "k1"),
        (Some("u7"), None, "k"),
        (None, Some("t2"), "k"),
        (Some("u7"), Some("t2"), "k2"),
        (None, None, "k_"),
    ] {
        let [user_id, entry_type] = [user_id, entry_type].map(|text| text.map(str::to_owned));
        let filter = EntryFilter { user_id, entry_type, key: KeyFilter::Prefix(prefix.to_owned()) };
        let expected: Vec<_> = all.iter().filter(|at| filter.matches(at)).cloned().collect();
        assert_eq!(listed(&store, &claim, &filter), expected, "{filter:?}");
    }
}

/// Entries of a type of its own, behind more others than a page looks at.
fn far_entries_are_found(database: Database) {
    let (store, claim) = populate(&database);
    let OwnerClaim::Project(owner) = &claim else { panic!("they are a project's") };
    let owner = database.id(owner.project_id());
    database.execute(&format!(
        "INSERT INTO keyval_entries (owner_id, user_id, type, key, id, project_id, created_at, \
         updated_at, accessed_at, value) WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL \
         SELECT n + 1 FROM numbers WHERE n < {MANY}) SELECT {owner}, CASE WHEN n <= {FEW} \
         THEN 'v' ELSE 'a' END, 'far', CASE WHEN n <= {FEW} THEN 'm' ELSE 'l' END || n, \
         {owner}, {owner}, 0, 0, 0, n FROM numbers",
        MANY = 2 * MANY,
        FEW = 20_100,
    ));
    let of_key = |key| EntryFilter { key, ..EntryFilter::default() };
    let of_type = |entry_type: &str, filter| EntryFilter {
        entry_type: Some(entry_type.to_owned()),
        ..filter
    };
    let prefix = || of_key(KeyFilter::Prefix("m".to_owned()));
    let mut far: Vec<_> = (1..=20_100).map(|n| format!("m{n}")).collect();
    far.sort();
    for filter in [prefix(), of_type("far", prefix())] {
        // A page of them is full after one call.
        let (found, next) = page(&store, &claim, &filter, None, 3);
        assert_eq!(found.iter().map(|at| &at.key).collect::<Vec<_>>(), ["m1", "m10", "m100"]);
        assert_eq!(next.as_ref(), found.last());
        let found = listed(&store, &claim, &filter);
        assert!(found.iter().map(|at| &at.key).eq(&far), "{filter:?}");
    }
    // Nothing leads to a type: it is looked for bit by bit.
    for (filter, count) in [
        (of_type("t1", EntryFilter::default()), 10_000),
        (of_type("none", EntryFilter::default()), 0),
        (of_type("none", prefix()), 0),
    ] {
        let (found, next) = page(&store, &claim, &filter, None, 3);
        assert_eq!(found, []);
        assert_eq!(next.is_some(), filter.key == KeyFilter::Any, "{filter:?}");
        assert_eq!(listed(&store, &claim, &filter).len(), count);
    }
}

/// A unit that holds an entry does not keep the times of other entries from being written, and the unit
/// that writes them does not wait for it.
#[test]
fn no_unit_waits_on_postgres_for_entries_that_others_hold() {
    let database = Database::postgres();
    let (store, claim) = populate(&database);
    let accesses = |at| {
        let claim = claim.clone();
        let recorded = write(&store, move |tx| {
            let scope = claim.resolve(tx, Lock::None)?;
            // The third is not there, the fifth was read later than this already.
            let keys = ["k50", "k100", "k150!", "k150", "k200"].into_iter();
            let accesses: Vec<_> = keys
                .map(|key| {
                    let number = key.trim_start_matches('k').parse().unwrap_or(0);
                    let address = EntryAddress {
                        user_id: "u0".to_owned(),
                        entry_type: format!("t{}", number % 3),
                        key: key.to_owned(),
                    };
                    let at = if key == "k200" { 0 } else { at };
                    Access { scope, address, at: Timestamp::from_millis(at) }
                })
                .collect();
            Ok(tx.record_accesses(&accesses)?)
        });
        recorded.unwrap()
    };
    let recorded = |at: i64| {
        ["k50", "k100", "k150", "k200"].map(|key| {
            database.count(&format!("keyval_entries WHERE key = '{key}' AND accessed_at = {at}"))
        })
    };
    let DatabaseUrl::Postgres(url) = database.url() else { panic!("it is PostgreSQL") };
    let mut other = PgConnection::establish(url).unwrap();
    let hold = "BEGIN; UPDATE keyval_entries SET value = '7' WHERE key IN ('k100', 'k200')";
    other.batch_execute(hold).unwrap();
    assert_eq!(accesses(7), [1]);
    assert_eq!(recorded(7), [1, 0, 1, 0]);
    other.batch_execute("COMMIT").unwrap();
    assert!(accesses(8).is_empty());
    assert_eq!(recorded(8), [1, 1, 1, 0]);
}

fn unreadable_entries_are_defects(database: Database) {
    let (store, claim) = populate(&database);
    database.execute("UPDATE keyval_entries SET value = '{' WHERE key = 'k7'");
    let of_user = EntryFilter { user_id: Some("u7".to_owned()), ..EntryFilter::default() };
    let failure = storage_error(read(&store, move |tx| {
        let scope = claim.resolve(tx, Lock::None)?;
        Ok(tx.entries(&scope, &of_user, None, 9_000)?)
    }));
    let names_it = |text: &str| text.contains("keyval_entries.value");
    assert!(matches!(&failure, StorageError::Broken(text) if names_it(text)), "{failure}");
}

each_database! {
    many_entries_of_a_prefix_are_listed_in_order,
    far_entries_are_found,
    unreadable_entries_are_defects,
}
