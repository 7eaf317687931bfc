//! How the databases go about the statements on many entries: by an index, each of them, and without
//! putting more in order than a page.

use std::env;

use diesel::connection::SimpleConnection;
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_types::{Integer, Text};
use diesel_migrations::MigrationHarness;
use domain::access::Operator;
use domain::clock::Timestamp;
use domain::id::{OrganisationId, ProjectId};
use domain::keyval::{EntryAddress, EntryFilter, KeyFilter, KeyvalScope};
use domain::lock::{Lock, Mode};
use domain::organisation::{Organisation, OrganisationRepository};
use domain::project::{Project, ProjectRepository};
use domain::testing::ResolveClaim as _;
use uuid::Uuid;

use super::range::{Order, Range};
use super::{accesses, deletes, looks};
use crate::engine::db::OwnDb;
use crate::engine::tx::Tx;
use crate::migrations;
use crate::sql::id::id_of_text;
use crate::sql::statement::Statement;

const OPERATOR: Operator = Operator::of_this_installation();

/// Twenty users with a thousand entries each, all of the owner `$owner` in the project of that id.
const ENTRIES: &str = "INSERT INTO keyval_entries (project_id, owner_id, user_id, type, key, id, created_at, \
    updated_at, accessed_at, value) SELECT $owner, $owner, 'u' || (n % 20), 't' || (n % 3), \
    'k' || n, $owner, 0, 0, 0, '1' FROM $numbers";

/// A database in memory.
pub(crate) fn sqlite() -> OwnDb {
    let mut sqlite = SqliteConnection::establish(":memory:").unwrap();
    sqlite.run_pending_migrations(migrations::SQLITE).unwrap();
    OwnDb::Sqlite(sqlite)
}

/// Tables that are forgotten with the connection.
pub(crate) fn postgres() -> OwnDb {
    let Ok(server) = env::var("BOTYARD_TEST_POSTGRES_URL") else {
        panic!("there is no PostgreSQL: run the tests with `cargo xtask test`");
    };
    let mut postgres = PgConnection::establish(&server).unwrap();
    postgres.begin_test_transaction().unwrap();
    let schema = "CREATE SCHEMA plans; SET LOCAL search_path TO plans";
    postgres.batch_execute(schema).unwrap();
    postgres.run_pending_migrations(migrations::POSTGRES).unwrap();
    OwnDb::Pg(postgres)
}

/// Fills a database; returns the right to a project's entries.
fn fill(db: &mut OwnDb) -> KeyvalScope {
    let created_at = Timestamp::from_millis(0);
    let [organisation_id, id] = [1, 2].map(Uuid::from_u128);
    let organisation_id = OrganisationId::from_uuid(organisation_id);
    let organisation = Organisation { id: organisation_id, name: String::new(), created_at };
    let id = ProjectId::from_uuid(id);
    let project = Project { id, organisation_id, name: String::new(), created_at };
    let mut tx = Tx::new(db.lend(), Mode::Write);
    tx.insert_organisation(OPERATOR, &organisation).unwrap();
    tx.insert_project(OPERATOR, &project).unwrap();
    let scope = OPERATOR.project(&project).resolve(&mut tx, Lock::None).unwrap().1;
    let owner = id_of_text(db.lend().dialect(), &format!("'{id}'"));
    let entries = ENTRIES.replace("$owner", &owner);
    match db {
        OwnDb::Sqlite(db) => {
            let numbers = "(WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 \
                           FROM numbers WHERE n < 20000) SELECT n FROM numbers)";
            db.batch_execute(&entries.replace("$numbers", numbers)).unwrap();
        }
        OwnDb::Pg(db) => {
            let entries = entries.replace("$numbers", "generate_series(1, 20000) AS n");
            // A statement that is kept prepared is planned without its values.
            let generic = "SET LOCAL plan_cache_mode = force_generic_plan";
            db.batch_execute(&format!("{entries}; ANALYZE keyval_entries; {generic}")).unwrap();
        }
    }
    (&scope).into()
}

/// The steps of a plan.
fn plan<T>(db: &mut OwnDb, statement: Statement<T>) -> Vec<String> {
    match db {
        OwnDb::Sqlite(db) => {
            type PlanRow = (i32, i32, i32, String);
            let explain =
                statement.behind::<(Integer, Integer, Integer, Text)>("EXPLAIN QUERY PLAN ");
            let steps: Vec<PlanRow> = explain.load(db).unwrap();
            steps.into_iter().map(|(.., text)| text).collect()
        }
        OwnDb::Pg(db) => {
            let text = diesel::debug_query::<Pg, _>(&statement).to_string();
            let sql = text.split(" -- binds").next().unwrap();
            let values = vec!["NULL"; sql.matches('$').count()].join(", ");
            db.batch_execute(&format!("PREPARE statement AS {sql}")).unwrap();
            let explain = format!("EXPLAIN EXECUTE statement ({values})");
            let steps = Statement::<Text>::new(explain).load(db).unwrap();
            db.batch_execute("DEALLOCATE statement").unwrap();
            steps
        }
    }
}

/// What is expected of a plan: what SQLite says of the index, and which columns PostgreSQL compares
/// in it.
struct Expected {
    sqlite: &'static str,
    postgres: &'static [&'static str],
    sorts: bool,
}

fn check<T>(db: &mut OwnDb, what: &str, statement: Statement<T>, expected: &Expected) {
    let Expected { sqlite, postgres, sorts } = expected;
    let is_sqlite = matches!(db, OwnDb::Sqlite(_));
    let plan = plan(db, statement);
    let has = |text: &str| plan.iter().any(|step| step.contains(text));
    let scans_all = has("SCAN keyval_entries") || has("Seq Scan");
    assert!(!scans_all, "{what}: {plan:#?}");
    assert!(*sorts || !(has("TEMP B-TREE") || has("Sort")), "{what}: {plan:#?}");
    if is_sqlite {
        assert!(has(sqlite), "{what}: {plan:#?}");
    } else {
        let index = |step: &&String| step.contains("Index Cond");
        let serves = |step: &String| postgres.iter().all(|text| step.contains(text));
        assert!(plan.iter().filter(index).any(serves), "{what}: {plan:#?}");
    }
}

fn filter(user_id: Option<&str>, entry_type: Option<&str>, key: KeyFilter) -> EntryFilter {
    let [user_id, entry_type] = [user_id, entry_type].map(|text| text.map(str::to_owned));
    EntryFilter { user_id, entry_type, key }
}

fn address(user_id: &str, entry_type: &str, key: &str) -> EntryAddress {
    let [user_id, entry_type, key] = [user_id, entry_type, key].map(str::to_owned);
    EntryAddress { user_id, entry_type, key }
}

fn every_run_is_looked_up_in_an_index(mut db: OwnDb) {
    let prefix = |text: &str| KeyFilter::Prefix(text.to_owned());
    let is = |text: &str| KeyFilter::Is(text.to_owned());
    let at = address("u12", "t1", "k7012");
    let all = filter(None, None, KeyFilter::Any);
    let scope = fill(&mut db);
    let db = &mut db;
    let mut run =
        |what, filter: &EntryFilter, order, after: Option<&EntryAddress>, sqlite, postgres| {
            let range = Range::of(&scope, filter, order).after(after).unwrap();
            let expected = Expected { sqlite, postgres, sorts: false };
            let page = looks::page(db.lend().dialect(), &range, 500);
            check(db, what, page, &expected);
            let addresses = deletes::addresses(db.lend().dialect(), &range, 500);
            check(db, what, addresses, &expected);
            let accesses = deletes::accesses(db.lend().dialect(), &range);
            check(db, what, accesses, &expected);
            if order == Order::Key && after.is_none() {
                let count = looks::count(db.lend().dialect(), &range);
                check(db, what, count, &expected);
            }
            if matches!(db, OwnDb::Sqlite(_)) {
                let batch = range.up_to(&address("u12", "t1", "k7032"));
                let delete = deletes::delete(db.lend().dialect(), &batch);
                let plan = plan(db, delete);
                assert!(plan.iter().all(|step| step.starts_with("SEARCH")), "{what}: {plan:#?}");
            }
        };
    run(
        "everything",
        &all,
        Order::Address,
        None,
        "(project_id=? AND owner_id=?)",
        &["project_id =", "owner_id ="],
    );
    run(
        "the next page of everything",
        &all,
        Order::Address,
        Some(&at),
        "(project_id=? AND owner_id=? AND (user_id,type,key)>(?,?,?))",
        &["project_id =", "owner_id =", "ROW(user_id, type, key) > ROW("],
    );
    run(
        "the next page of a user",
        &filter(Some("u12"), None, KeyFilter::Any),
        Order::Address,
        Some(&at),
        "(project_id=? AND owner_id=? AND user_id=? AND (type,key)>(?,?))",
        &["project_id =", "owner_id =", "user_id =", "ROW(type, key) > ROW("],
    );
    run(
        "a prefix of a user and type",
        &filter(Some("u12"), Some("t1"), prefix("k70")),
        Order::Address,
        None,
        "(project_id=? AND owner_id=? AND user_id=? AND type=? AND key>? AND key<?)",
        &["user_id =", "type =", "key >= ", "key < "],
    );
    run(
        "a prefix",
        &filter(None, None, prefix("k7_%")),
        Order::Key,
        None,
        "keyval_entries_of_key (project_id=? AND owner_id=? AND key>? AND key<?)",
        &["project_id =", "owner_id =", "key >= ", "key < "],
    );
    run(
        "what comes next of a prefix",
        &filter(None, None, prefix("k70")),
        Order::Key,
        Some(&at),
        "keyval_entries_of_key (project_id=? AND owner_id=? AND (key,user_id,type)>(?,?,?) AND key<?)",
        &["project_id =", "owner_id =", "ROW(key, user_id, type) > ROW(", "key < "],
    );
    run(
        "a key of whomever",
        &filter(None, None, is("k7012")),
        Order::Key,
        Some(&at),
        "keyval_entries_of_key (project_id=? AND owner_id=? AND key=? AND (user_id,type)>(?,?))",
        &["project_id =", "owner_id =", "key = "],
    );
}

fn a_page_of_keys_is_put_in_order_without_reading_the_others(mut db: OwnDb) {
    let scope = fill(&mut db);
    let db = &mut db;
    for (filter, after) in [
        (filter(None, None, KeyFilter::Prefix("k70".to_owned())), None),
        (filter(Some("u12"), None, KeyFilter::Prefix("k7".to_owned())), Some("k7012")),
    ] {
        let range = Range::of(&scope, &filter, Order::Key);
        let after = after.map(|key| address("u12", "t1", key));
        let page = looks::sorted(db.lend().dialect(), &range, after.as_ref(), 500);
        let expected = Expected {
            sqlite: "keyval_entries_of_key (project_id=? AND owner_id=? AND key>? AND key<?",
            postgres: &["project_id =", "owner_id =", "key >= ", "key < "],
            sorts: true,
        };
        check(db, "a page in order", page, &expected);
    }
}

fn what_no_index_knows_is_looked_for_in_the_order_of_pages(mut db: OwnDb) {
    let scope = fill(&mut db);
    let db = &mut db;
    let prefix = || KeyFilter::Prefix("k7".to_owned());
    for filter in [
        filter(None, Some("t1"), KeyFilter::Any),
        filter(None, Some("t1"), prefix()),
        filter(None, None, prefix()),
    ] {
        let range = Range::of(&scope, &filter, Order::Address);
        let range = range.after(Some(&address("u12", "t1", "k7012"))).unwrap();
        let expected = Expected {
            sqlite: "(project_id=? AND owner_id=? AND (user_id,type,key)>(?,?,?))",
            postgres: &["project_id =", "owner_id =", "ROW(user_id, type, key) > ROW("],
            sorts: false,
        };
        let look = looks::among_first(db.lend().dialect(), &range, 500, 20_000);
        check(db, "a look", look, &expected);
        let last = looks::last_of_first(db.lend().dialect(), &range, 20_000);
        check(db, "the last of a look", last, &expected);
    }
}

/// That a bot has no entries is known without a scan of those of others.
#[test]
fn a_bot_is_deleted_on_sqlite_without_a_scan_of_all_entries() {
    type Columns = (Integer, Text, Integer, Integer);
    type PlanRow = (i32, String, i32, i32);
    let mut db = sqlite();
    let OwnDb::Sqlite(db) = &mut db else { panic!("it is SQLite") };
    // The table and its index.
    let pages = "SELECT rootpage FROM sqlite_schema WHERE tbl_name = 'keyval_entries'";
    let pages: Vec<i32> = Statement::<Integer>::new(pages).load(db).unwrap();
    // The steps of its triggers and references are among them.
    let delete = "EXPLAIN DELETE FROM bots WHERE project_id = '' AND id = ''";
    let steps: Vec<PlanRow> = Statement::<Columns>::new(delete).load(db).unwrap();
    let (mut open, mut looks, mut scans) = (Vec::new(), 0, 0);
    for (_, step, at, page) in steps {
        match step.as_str() {
            "OpenRead" if pages.contains(&page) => {
                open.push(at);
                looks += 1;
            }
            // The next part of the program counts its cursors anew.
            "OpenRead" => open.retain(|known| *known != at),
            "Rewind" if open.contains(&at) => scans += 1,
            _ => {}
        }
    }
    assert!(looks > 0 && scans == 0, "{looks} {scans}");
}

#[test]
fn a_bot_is_deleted_on_postgres_without_a_scan_of_all_entries() {
    let mut db = postgres();
    fill(&mut db);
    // As the reference looks for them.
    let look: Statement<Integer> = Statement::new("SELECT 1 FROM ONLY keyval_entries x WHERE ")
        .bind("project")
        .sql(" = project_id AND ")
        .bind("bot")
        .sql(" = bot_id FOR KEY SHARE OF x");
    let steps = plan(&mut db, look);
    let is_found = steps.iter().any(|step| step.contains("keyval_entries_of_bot"));
    assert!(is_found, "{steps:#?}");
}

fn entries_that_are_named_are_looked_up_one_by_one(mut db: OwnDb) {
    let scope = fill(&mut db);
    let db = &mut db;
    let members = r#"[["p","o","u","t","k",1]]"#.to_owned();
    let expected = Expected {
        sqlite: "(project_id=? AND owner_id=? AND user_id=? AND type=? AND key=?)",
        postgres: &["project_id =", "owner_id =", "user_id =", "type =", "key ="],
        sorts: true,
    };
    if matches!(db, OwnDb::Pg(_)) {
        let lock = deletes::lock(db.lend().dialect(), &members);
        check(db, "locks", lock, &expected);
        let lock = accesses::lock_free(db.lend().dialect(), &members);
        check(db, "locks that can be had", lock, &expected);
        let waiting = accesses::waiting(db.lend().dialect(), &members);
        check(db, "accesses that are later", waiting, &expected);
    }
    let heads = looks::named_heads(db.lend().dialect(), &scope, &members);
    check(db, "heads", heads, &expected);
    let sizes = looks::named_sizes(db.lend().dialect(), &scope, &members);
    check(db, "sizes", sizes, &expected);
    let set = accesses::set(db.lend().dialect(), members.clone());
    check(db, "accesses", set, &expected);
    let delete =
        deletes::delete_members(db.lend().dialect(), &scope, members, Some(("accessed_at < ", 1)));
    check(db, "deletes", delete, &expected);
}

macro_rules! on_both_databases {
    ($($case:ident,)+) => {$(
        mod $case {
            #[test]
            fn sqlite() {
                super::$case(super::sqlite());
            }

            #[test]
            fn postgres() {
                super::$case(super::postgres());
            }
        }
    )+};
}

on_both_databases! {
    every_run_is_looked_up_in_an_index,
    a_page_of_keys_is_put_in_order_without_reading_the_others,
    what_no_index_knows_is_looked_for_in_the_order_of_pages,
    entries_that_are_named_are_looked_up_one_by_one,
}
