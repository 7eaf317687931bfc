//! How the databases go about the lists of what comes of a bot's use: each page is looked up in the
//! index that is there for it, in its order, whatever comes before the page.

mod bots;
mod crawls;
mod documents;
mod events;
mod jobs;
mod kept;
mod lists;
mod webhooks;

use std::collections::BTreeSet;
use std::mem;
use std::sync::{Arc, Mutex};

use diesel::connection::{InstrumentationEvent, SimpleConnection};
use diesel::prelude::*;
use diesel::sql_types::Text;
use domain::StorageError;
use domain::access::{BotClaim, BotScope, Operator, ProjectScope};
use domain::bot::{Bot, BotConfig, BotKind, BotRepository, BotState};
use domain::changelog::{Action, ChangedResource, ChangelogFilter, ChangelogRepository};
use domain::clock::{TimeCursor, TimeRange, Timestamp};
use domain::feedback::{FeedbackFilter, FeedbackOrder, FeedbackRepository, Rating};
use domain::history::HistoryRepository;
use domain::id::{
    BotId, ChangelogEntryId, FeedbackId, HistoryItemId, OrganisationId, ProjectId, UserId,
};
use domain::lock::{Lock, Mode};
use domain::organisation::{Organisation, OrganisationRepository};
use domain::project::{Project, ProjectRepository};
use domain::testing::ResolveClaim as _;
use domain::usage::{Day, DayRange, UsageRepository};
use domain::user::UserRepository;
use uuid::Uuid;

use crate::engine::db::OwnDb;
use crate::engine::tx::Tx;
use crate::tables::keyval::plans::{postgres, sqlite};

const OPERATOR: Operator = Operator::of_this_installation();
const ID: Uuid = Uuid::from_u128(1);
const EPOCH: Timestamp = Timestamp::from_millis(0);

/// A database with one bot, and the statements that were run on it.
struct Watched {
    db: OwnDb,
    scope: BotScope,
    statements: Arc<Mutex<Vec<String>>>,
    /// Statements that the connection keeps prepared.
    kept: Arc<Mutex<BTreeSet<String>>>,
    claim: BotClaim,
}

impl Watched {
    fn new(mut db: OwnDb) -> Self {
        let organisation_id = OrganisationId::from_uuid(ID);
        let name = String::new();
        let organisation =
            Organisation { id: organisation_id, name: name.clone(), created_at: EPOCH };
        let project =
            Project { id: ProjectId::from_uuid(ID), organisation_id, name, created_at: EPOCH };
        let bot = Bot {
            id: BotId::from_uuid(ID),
            project_id: project.id,
            kind: BotKind::Regular,
            state: BotState::Active,
            config: BotConfig::default(),
            created_at: EPOCH,
            updated_at: EPOCH,
        };
        let statements = Arc::<Mutex<Vec<String>>>::default();
        let kept = Arc::<Mutex<BTreeSet<String>>>::default();
        let (seen, prepared) = (statements.clone(), kept.clone());
        let watch = move |event: InstrumentationEvent<'_>| {
            if let InstrumentationEvent::StartQuery { query, .. } = &event {
                let query = query.to_string();
                let sql = query.split(" -- binds").next().unwrap_or_default();
                seen.lock().unwrap().push(sql.to_owned());
            }
            if let InstrumentationEvent::CacheQuery { sql, .. } = event {
                prepared.lock().unwrap().insert(sql.to_owned());
            }
        };
        match &mut db {
            OwnDb::Pg(db) => db.set_instrumentation(watch),
            OwnDb::Sqlite(db) => db.set_instrumentation(watch),
        }
        let mut tx = Tx::new(db.lend(), Mode::Write);
        tx.insert_organisation(OPERATOR, &organisation).unwrap();
        tx.insert_project(OPERATOR, &project).unwrap();
        let (_, of_project) = OPERATOR.project(&project).resolve(&mut tx, Lock::None).unwrap();
        tx.insert_bot(&of_project, &bot, None).unwrap();
        let claim = OPERATOR.bot(organisation_id, &bot);
        let scope = claim.resolve(&mut tx, Lock::None).unwrap().1;
        if let OwnDb::Pg(db) = &mut db {
            // PostgreSQL plans by how many rows there are, and most tables are empty: it would
            // choose to read them whole and to sort what is there. And a statement that is kept
            // prepared is planned without its values.
            let settings = "SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off; \
                            SET LOCAL enable_bitmapscan = off; \
                            SET LOCAL plan_cache_mode = force_generic_plan";
            db.batch_execute(&format!("{}; ANALYZE users; {settings}", users(&bot))).unwrap();
        }
        Self { db, scope, statements, kept, claim }
    }

    /// The right to the project of the bot.
    fn project(&mut self) -> ProjectScope {
        let project = Project {
            id: self.scope.project_id(),
            organisation_id: self.scope.organisation_id(),
            name: String::new(),
            created_at: EPOCH,
        };
        let claim = OPERATOR.project(&project);
        claim.resolve(&mut Tx::new(self.db.lend(), Mode::Read), Lock::None).unwrap().1
    }

    /// The plans of the statements of a call.
    fn plan<T>(
        &mut self,
        call: impl FnOnce(&mut Tx<'_>, &BotScope) -> Result<T, StorageError>,
    ) -> String {
        self.statements.lock().unwrap().clear();
        call(&mut Tx::new(self.db.lend(), Mode::Read), &self.scope).unwrap();
        let statements = mem::take(&mut *self.statements.lock().unwrap());
        statements.iter().map(|statement| self.explain(statement)).collect()
    }

    fn explain(&mut self, statement: &str) -> String {
        let steps: Vec<PlanStep> = match &mut self.db {
            OwnDb::Pg(db) => {
                let values = vec!["NULL"; statement.matches('$').count()].join(", ");
                let values = if values.is_empty() { values } else { format!("({values})") };
                let types = if statement.contains("unnest(") { ARRAYS } else { "" };
                db.batch_execute(&format!("PREPARE statement {types} AS {statement}")).unwrap();
                let explain = format!("EXPLAIN EXECUTE statement {values}");
                let steps: Vec<PgStep> = diesel::sql_query(explain).load(db).unwrap();
                db.batch_execute("DEALLOCATE statement").unwrap();
                steps.into_iter().map(|PgStep { text }| PlanStep { text }).collect()
            }
            OwnDb::Sqlite(db) => {
                diesel::sql_query(format!("EXPLAIN QUERY PLAN {statement}")).load(db).unwrap()
            }
        };
        steps.into_iter().map(|step| step.text + "\n").collect()
    }

    /// Checks that a call looks its rows up in an index, and that it sorts nothing. SQLite names the
    /// index and its columns in one, PostgreSQL in two places.
    fn check<T>(
        &mut self,
        call: impl FnOnce(&mut Tx<'_>, &BotScope) -> Result<T, StorageError>,
        sqlite: &str,
        postgres: [&str; 2],
    ) {
        let plan = self.plan(call);
        assert!(!plan.contains("TEMP B-TREE") && !plan.contains("Sort"), "{plan}");
        let is_found = match self.db {
            OwnDb::Sqlite(_) => plan.contains(sqlite),
            OwnDb::Pg(_) => postgres.iter().all(|text| plan.contains(text)),
        };
        assert!(is_found, "{sqlite}: {plan}");
    }
}

#[derive(QueryableByName)]
struct PlanStep {
    #[diesel(sql_type = Text, column_name = "detail")]
    text: String,
}

#[derive(QueryableByName)]
struct PgStep {
    #[diesel(sql_type = Text, column_name = "QUERY PLAN")]
    text: String,
}

/// Puts many users below a bot.
fn users(Bot { id, project_id, .. }: &Bot) -> String {
    format!(
        "INSERT INTO users (id, project_id, bot_id, guest_id, messages, tokens, supervised, \
         created_at, updated_at, fields) SELECT CAST(lpad(to_hex(n), 8, '0') || '-0000-7000-8000-000000000000' AS UUID), '{project_id}', '{id}', 'g' || n, 0, 0, \
         n % 2 = 0, n, n, '{{}}' FROM generate_series(1, 5000) AS n"
    )
}

/// What is bound where pages are written. Other statements tell by themselves what is bound to them.
const ARRAYS: &str = "(BIGINT[], UUID[], TEXT[], BIGINT[], BIGINT[], BIGINT[], TEXT[], BIGINT[], \
                      TEXT[], TEXT[], TEXT[])";

fn time_cursor<I>(id: I) -> Option<TimeCursor<I>> {
    Some(TimeCursor { at: EPOCH, id })
}

fn every_look_up_has_its_index(db: OwnDb) {
    let mut watched = Watched::new(db);
    let user = UserId::from_uuid(ID);
    let later = "ROW(created_at, id) > ROW(";
    watched.check(
        |tx, scope| tx.users(scope, false, time_cursor(user), 9),
        "users_in_order (project_id=? AND bot_id=? AND (created_at,id)>(?,?))",
        ["using users_in_order", later],
    );
    watched.check(
        |tx, scope| tx.users(scope, true, time_cursor(user), 9),
        "users_supervised (project_id=? AND bot_id=? AND (created_at,id)>(?,?))",
        ["using users_supervised", later],
    );
    watched.check(
        |tx, scope| tx.user_of_guest(scope, "guest"),
        "users_guests (project_id=? AND bot_id=? AND guest_id=?)",
        ["using users_guests", "guest_id = "],
    );
    watched.check(
        |tx, scope| tx.deleted_user(scope),
        "users_deleted (project_id=? AND bot_id=?)",
        ["using users_deleted", "bot_id = "],
    );
    watched.check(
        |tx, scope| tx.chats(scope, time_cursor(user), 9),
        "users_in_chat (project_id=? AND bot_id=? AND chat_at>? AND (chat_at,id)<(?,?))",
        ["using users_in_chat", "ROW(chat_at, id) < ROW("],
    );
    let after = time_cursor(HistoryItemId::from_uuid(ID));
    watched.check(
        |tx, scope| tx.chat_items(scope, user, after, 9),
        "history_items_in_chat (project_id=? AND bot_id=? AND user_id=? AND (created_at,id)>(?,?))",
        ["using history_items_in_chat", later],
    );
    let after = time_cursor(FeedbackId::from_uuid(ID));
    let oldest_first = FeedbackOrder::OldestFirst;
    watched.check(
        |tx, scope| tx.feedback(scope, FeedbackFilter::default(), oldest_first, after, 9),
        "feedback_entries_in_order (project_id=? AND bot_id=? AND (created_at,id)>(?,?) AND created_at<?)",
        ["using feedback_entries_in_order", later],
    );
    let (newest_first, earlier) = (FeedbackOrder::NewestFirst, "ROW(created_at, id) < ROW(");
    watched.check(
        |tx, scope| tx.feedback(scope, FeedbackFilter::default(), newest_first, after, 9),
        "feedback_entries_in_order (project_id=? AND bot_id=? AND created_at>? AND (created_at,id)<(?,?))",
        ["Scan Backward using feedback_entries_in_order", earlier],
    );
    let rated = FeedbackFilter { rating: Some(Rating::Down), ..FeedbackFilter::default() };
    let by_rating =
        "project_id=? AND bot_id=? AND rating=? AND (created_at,id)>(?,?) AND created_at<?";
    watched.check(
        |tx, scope| tx.feedback(scope, rated, oldest_first, after, 9),
        &format!("feedback_entries_by_rating ({by_rating})"),
        ["using feedback_entries_by_rating", later],
    );
    let by_rating =
        "project_id=? AND bot_id=? AND rating=? AND created_at>? AND (created_at,id)<(?,?)";
    watched.check(
        |tx, scope| tx.feedback(scope, rated, newest_first, after, 9),
        &format!("feedback_entries_by_rating ({by_rating})"),
        ["Scan Backward using feedback_entries_by_rating", earlier],
    );
    let days = DayRange { from: Day::parse("2026-01-01"), to: Day::parse("2026-01-31") };
    let usage = "project_id=? AND bot_id=? AND (day,kind,model)>(?,?,?) AND day<?";
    watched.check(
        |tx, scope| tx.usage(scope, days, None, 9),
        &format!("sqlite_autoindex_usage_statistics_2 ({usage})"),
        ["ROW(day, kind, model) > ROW(", "day <= "],
    );
    let before = Some(ChangelogEntryId::from_uuid(ID));
    for counted in ["changelog_entries_of_users", "changelog_entries_of_others"] {
        watched.check(
            |tx, scope| tx.changelog(scope, ChangelogFilter::default(), before, 9),
            &format!("COVERING INDEX {counted} (project_id=? AND bot_id=?)"),
            [&format!("Index Only Scan Backward using {counted}"), "bot_id = "],
        );
    }
    let filter = ChangelogFilter {
        resource: Some(ChangedResource::Skill),
        action: Some(Action::Delete),
        times: TimeRange { from: Some(EPOCH), to: Some(EPOCH) },
    };
    let plan = watched.plan(|tx, scope| tx.changelog(scope, filter, before, 9));
    let index = "changelog_entries_of_others";
    let covering = match watched.db {
        OwnDb::Sqlite(_) => {
            format!("COVERING INDEX {index} (project_id=? AND bot_id=? AND id>? AND id<?)")
        }
        OwnDb::Pg(_) => format!("Index Only Scan Backward using {index}"),
    };
    // One finds the oldest entry that is kept, and one those that match.
    let found = match watched.db {
        OwnDb::Sqlite(_) => 1,
        OwnDb::Pg(_) => 2,
    };
    assert_eq!(plan.matches(&covering).count(), found, "{plan}");
    assert!(!plan.contains("TEMP B-TREE"), "{plan}");
    watched.check(
        |tx, scope| tx.delete_users(scope, &[user], EPOCH),
        "sqlite_autoindex_users_1 (project_id=? AND bot_id=? AND id=?)",
        ["using users_pkey", "id = ANY"],
    );
    watched.check(
        |tx, scope| tx.remove_history_of_user(scope, user, 9),
        "history_items_of_user (project_id=? AND bot_id=? AND user_id=?)",
        ["using history_items_of_user", "user_id = "],
    );
}

#[test]
fn on_sqlite() {
    every_look_up_has_its_index(sqlite());
}

#[test]
fn on_postgres() {
    every_look_up_has_its_index(postgres());
}
