//! Rows that no service of this version makes: what newer and older ones leave, and defects.

mod documents;

use std::slice;
use std::sync::Arc;

use domain::access::BotClaim;
use domain::blob::{SWEEP_BLOBS, Sha256};
use domain::bot::{Bot, DeleteMode};
use domain::clock::Timestamp;
use domain::crawl::{FoundPage, Page, PageState};
use domain::error::Resource;
use domain::feedback::{Feedback, FeedbackFilter, FeedbackOrder, Rating};
use domain::free_fields::FreeFields;
use domain::history::{HistoryItem, HistoryKind, Role};
use domain::id::{FeedbackId, HistoryItemId, PageId, UsageStatisticId, UserId};
use domain::input::{Input, InputSettings, Valid};
use domain::job::{Job, Queue, StepOutcome};
use domain::list::ListQuery;
use domain::lock::{Lock, Mode};
use domain::store::{BoxedUnit, Outcome, Store as _};
use domain::testing::{MemoryBlobs, ResolveClaim as _, SeededEntropy, SetClock, TrustingArchives};
use domain::usage::{Day, DayRange, UsageAmounts, UsageKey, UsageKind, UsageStatistic};
use domain::user::{User, UserStats};
use domain::{Botyard, DomainError, StorageError};
use storage_diesel::{DatabaseUrl, DieselStore, Options};
use store_suite::wait;
use uuid::Uuid;

use crate::databases::{Database, OPERATOR, each_database, storage_error, write};

/// The services on a database, with one bot.
pub struct Setting {
    pub database: Database,
    pub store: Arc<DieselStore>,
    pub botyard: Botyard,
    pub bot: Bot,
    pub claim: BotClaim,
}

impl Setting {
    pub fn on(database: Database) -> Self {
        Self::with(database, Options::default(), "")
    }

    /// As [`Self::on`], with these options and further members of the bot.
    pub fn with(database: Database, options: Options, members: &str) -> Self {
        let store = Arc::new(database.open_with(options));
        let clock = Arc::new(SetClock::at(1_000));
        let entropy = Arc::new(SeededEntropy::new(1));
        let botyard = Botyard::builder(store.clone(), clock.clone(), entropy)
            .blobs(Arc::new(MemoryBlobs::new(clock)))
            .archives(Arc::new(TrustingArchives))
            .build();
        let organisation = wait(botyard.organisations.create(OPERATOR, "Organisation")).unwrap();
        let project = wait(botyard.projects.create(OPERATOR, organisation.id, "Project")).unwrap();
        let request = body(&format!(r#"{{"name":"Bot"{members}}}"#));
        let bot = wait(botyard.bots.create(&OPERATOR.project(&project), request)).unwrap().bot;
        let claim = OPERATOR.bot(organisation.id, &bot);
        Self { database, store, botyard, bot, claim }
    }
}

pub fn body<B: Input>(json: &str) -> Valid<B> {
    B::parse(json.as_bytes(), &InputSettings::default()).unwrap()
}

/// Checks that what reads a column of a table names it once there is something unreadable in it.
fn each_is_a_defect(
    database: &Database,
    read_all: impl Fn() -> Result<(), DomainError>,
    columns: &[(&str, &str, &str)],
) {
    assert_eq!(read_all(), Ok(()));
    for (table, column, bad) in columns {
        database.execute(&format!(
            "CREATE TABLE kept AS SELECT {column} AS good FROM {table}; \
             UPDATE {table} SET {column} = {bad}"
        ));
        let error = storage_error(read_all());
        let names_it = |text: &str| text.contains(column);
        assert!(matches!(&error, StorageError::Broken(text) if names_it(text)), "{error}");
        database.execute(&format!(
            "UPDATE {table} SET {column} = (SELECT good FROM kept); DROP TABLE kept"
        ));
    }
    assert_eq!(read_all(), Ok(()));
}

/// A kind that only newer code knows is neither done nor shown, and keeps nothing else from being
/// done.
fn jobs_of_unknown_kinds_are_left_alone(database: Database) {
    let setting = Setting::on(database);
    let id = Uuid::from_u128(1);
    let unknown = format!(
        "INSERT INTO jobs (id, kind, subject, state, attempt, failures, run_at, created_at) \
         VALUES ({}, 'of_tomorrow', '', 'queued', 0, 0, 0, 0)",
        setting.database.id(id)
    );
    setting.database.execute(&unknown);
    let known = Job::new(Uuid::from_u128(2), SWEEP_BLOBS, "", Timestamp::from_millis(500));
    let stored = known.clone();
    write(&setting.store, move |tx| Ok(tx.insert_job(&stored)?)).unwrap();
    let jobs = &setting.botyard.jobs;
    assert_eq!(wait(jobs.page(OPERATOR, None, 1)), Ok(vec![known.clone()]));
    let missing = DomainError::NotFound(Resource::Job);
    assert_eq!(wait(jobs.retry(OPERATOR, domain::id::JobId::from_uuid(id))), Err(missing));
    let claimed = wait(jobs.claim(OPERATOR, Queue::Maintenance)).unwrap().unwrap();
    assert_eq!(claimed.id, known.id);
    assert_eq!(wait(jobs.claim(OPERATOR, Queue::Maintenance)), Ok(None));
    assert_eq!(setting.database.count("jobs WHERE kind = 'of_tomorrow' AND state = 'queued'"), 1);
}

/// Code that does not know the column finds a deleted bot in the trash. Whatever it does there, the
/// bot does not come back.
fn older_code_takes_a_deleted_bot_for_trash(database: Database) {
    let setting = Setting::on(database);
    let botyard = &setting.botyard;
    wait(botyard.bots.delete(&setting.claim, DeleteMode::Delete)).unwrap();
    assert_eq!(setting.database.count("bots WHERE state = 'trashed' AND deleted_at = 1000"), 1);
    setting.database.execute("UPDATE bots SET state = 'active'");
    let missing = DomainError::NotFound(Resource::Bot);
    assert_eq!(wait(botyard.bots.get(&setting.claim)), Err(missing.clone()));
    assert_eq!(wait(botyard.bots.restore(OPERATOR, setting.bot.id)), Err(missing));
    let job = wait(botyard.jobs.claim(OPERATOR, Queue::Maintenance)).unwrap().unwrap();
    let step = || wait(botyard.jobs.step(OPERATOR, &job)).unwrap();
    // The changelog entry of its creation goes first.
    assert_eq!([step(), step()], [StepOutcome::Continue, StepOutcome::Done]);
    assert_eq!(setting.database.count("bots"), 0);
}

/// A column that holds what it must not is reported as a defect, whichever it is.
fn unreadable_columns_are_defects(database: Database) {
    let Setting { database, botyard, claim, .. } = Setting::on(database);
    let skill = body(r#"{"name":"n","skillId":"s","params":[{}],"toolCallAnswer":["a"]}"#);
    wait(botyard.skills.create(&claim, skill)).unwrap();
    wait(botyard.stages.create(&claim, body(r#"{"name":"n","skills":["s"]}"#))).unwrap();
    wait(botyard.visual_blocks.put(&claim, body(r#"{"name":"n","content":1}"#))).unwrap();
    let view = body(r#"{"type":"h5p","title":"t"}"#);
    let view = wait(botyard.fusion.create(&claim, view)).unwrap();
    let upload = async {
        let mut upload = botyard.fusion.begin_upload(&claim, view.id).await?;
        upload.write(b"PK\x03\x04").await?;
        upload.finish(None).await
    };
    wait(upload).unwrap();
    let read_all = || {
        [
            wait(botyard.skills.page(&claim, &ListQuery::default(), None, 9)).map(|_| ()),
            wait(botyard.stages.page(&claim, &ListQuery::default(), None, 9)).map(|_| ()),
            wait(botyard.visual_blocks.page(&claim, None, 9)).map(|_| ()),
            wait(botyard.fusion.page(&claim, &ListQuery::default(), None, 9)).map(|_| ()),
        ]
    };
    let all_is_well = [Ok(()), Ok(()), Ok(()), Ok(())];
    assert_eq!(read_all(), all_is_well);
    for (table, column, bad) in [
        ("skills", "params", "[{]"),
        ("skills", "tool_call_answer", "[1]"),
        ("skills", "answer_mode", "never"),
        ("stages", "skills", "{}"),
        ("visual_blocks", "content", ""),
        ("fusion_views", "metadata", "[]"),
        ("fusion_views", "file_sha256", "no hash"),
    ] {
        database.execute(&format!(
            "CREATE TABLE kept AS SELECT {column} AS good FROM {table}; \
             UPDATE {table} SET {column} = '{bad}'"
        ));
        let failed: Vec<_> = read_all().into_iter().filter(Result::is_err).collect();
        assert_eq!(failed.len(), 1, "{table}.{column}");
        for failure in failed {
            let error = storage_error(failure);
            // Where a column has a type of its own, diesel names it without its table.
            let names_it = |text: &str| text.contains(column);
            assert!(matches!(&error, StorageError::Broken(text) if names_it(text)), "{error}");
        }
        database.execute(&format!(
            "UPDATE {table} SET {column} = (SELECT good FROM kept); DROP TABLE kept"
        ));
    }
    assert_eq!(read_all(), all_is_well);
}

/// As with content, so with what comes of a bot's use.
fn unreadable_columns_of_use_are_defects(database: Database) {
    let Setting { database, store, claim, .. } = Setting::on(database);
    let at = Timestamp::from_millis(1);
    let id = Uuid::from_u128(1);
    let user_id = UserId::from_uuid(id);
    let user = User {
        id: user_id,
        bot_id: claim.bot_id(),
        guest_id: "g".to_owned(),
        fields: FreeFields::default(),
        stats: UserStats::default(),
        created_at: at,
        updated_at: at,
    };
    let item = HistoryItem {
        id: HistoryItemId::from_uuid(id),
        bot_id: claim.bot_id(),
        user_id,
        role: Role::User,
        kind: HistoryKind::Message,
        supervisor_enabled: true,
        text: String::new(),
        created_at: at,
    };
    let usage = UsageStatistic {
        id: UsageStatisticId::from_uuid(id),
        bot_id: claim.bot_id(),
        of: UsageKey {
            day: Day::parse("2026-01-01").unwrap(),
            kind: UsageKind::ChatCompletion,
            model: "m".to_owned(),
        },
        amounts: UsageAmounts::default(),
    };
    let feedback = Feedback {
        id: FeedbackId::from_uuid(id),
        bot_id: claim.bot_id(),
        message_id: "m".to_owned(),
        user_id: None,
        guest_id: None,
        rating: Rating::Up,
        comment: None,
        question: None,
        answer: None,
        created_at: at,
    };
    let of_bot = claim.clone();
    let stored = write(&store, move |tx| {
        let scope = of_bot.resolve(tx, Lock::None)?.1;
        tx.insert_user(&scope, &user)?;
        tx.insert_history_item(&scope, &item)?;
        tx.add_usage(&scope, &usage)?;
        Ok(tx.insert_feedback(&scope, &feedback)?)
    });
    assert_eq!(stored, Ok(()));
    let read_all = || {
        let claim = claim.clone();
        write(&store, move |tx| {
            let scope = claim.resolve(tx, Lock::None)?.1;
            tx.users(&scope, false, None, 9)?;
            tx.chat_items(&scope, user_id, None, 9)?;
            tx.usage(&scope, DayRange::default(), None, 9)?;
            Ok(tx
                .feedback(&scope, FeedbackFilter::default(), FeedbackOrder::OldestFirst, None, 9)
                .map(|_| ())?)
        })
    };
    each_is_a_defect(
        &database,
        read_all,
        &[
            ("users", "fields", "'[]'"),
            ("users", "tokens", "-1"),
            ("history_items", "role", "'nobody'"),
            ("usage_statistics", "day", "'2026-02-30'"),
            ("usage_statistics", "kind", "'chat'"),
            ("usage_statistics", "requests", "-1"),
            ("feedback_entries", "rating", "'best'"),
        ],
    );
}

/// As with content, so with crawls and their pages.
fn unreadable_columns_of_crawls_are_defects(database: Database) {
    let Setting { database, store, botyard, claim, .. } = Setting::on(database);
    let request = body(r#"{"url":"http://site.example/"}"#);
    let crawl = wait(botyard.crawls.create(&claim, request)).unwrap();
    let url = crawl.url.clone();
    let state = PageState::Pending;
    let found = FoundPage { number: 0, url, depth: 0, state, content_hash: None };
    let page = Page {
        id: PageId::from_uuid(Uuid::from_u128(1)),
        number: 0,
        url: crawl.url.clone(),
        title: None,
        depth: 0,
        status_code: Some(200),
        content: Some(String::new()),
        content_hash: Some(Sha256::from_bytes([0; 32])),
        scraped_at: Timestamp::from_millis(1),
        error: None,
    };
    let (of_bot, set) = (claim.clone(), crawl.page_set_id);
    let stored = write(&store, move |tx| {
        let scope = of_bot.resolve(tx, Lock::None)?.1;
        tx.add_found_pages(&scope, set, slice::from_ref(&found))?;
        Ok(tx.write_pages(&scope, set, slice::from_ref(&page))?)
    });
    assert_eq!(stored, Ok(()));
    let read_all = || {
        let crawls = wait(botyard.crawls.page(&claim, &ListQuery::default(), None, 9)).map(|_| ());
        let pages = wait(botyard.crawls.pages(&claim, crawl.id, None, 9));
        crawls.and(pages.map(|_| ()))
    };
    each_is_a_defect(
        &database,
        read_all,
        &[
            ("website_crawls", "url", "'ftp://site.example/'"),
            ("website_crawls", "error", "'nothing'"),
            ("website_crawls", "bytes", "-1"),
            ("pages", "url", "'site.example'"),
            ("pages", "status_code", "100000"),
            (
                "pages",
                "content_hash",
                "'z234567890123456789012345678901234567890123456789012345678901234'",
            ),
        ],
    );
}

/// Checks that a configuration in this column is reported as a defect if it can't be read.
fn a_configuration_is_a_defect(setting: &Setting, (table, column): (&str, &str)) {
    let read = || {
        let claim = setting.claim.clone();
        // Unlike a unit that reads, one that writes sees at once what another process has changed.
        write(&setting.store, move |tx| claim.resolve(tx, Lock::None).map(|_| ()))
    };
    let columns = ["'{'", r#"'{"temperature":"warm"}'"#].map(|bad| (table, column, bad));
    each_is_a_defect(&setting.database, read, &columns);
}

fn unreadable_configurations_are_defects(database: Database) {
    a_configuration_is_a_defect(&Setting::on(database), ("bots", "config"));
}

/// Members that make a configuration so long that it has rows of its own.
fn large_configuration() -> String {
    format!(r#","botInstruction":"{}""#, "x".repeat(100 << 10))
}

fn unreadable_large_configurations_are_defects(database: Database) {
    let setting = Setting::with(database, Options::default(), &large_configuration());
    a_configuration_is_a_defect(&setting, ("large_config_parts", "content"));
}

/// On PostgreSQL, only units that read see one state of the database: in others it may have been replaced meanwhile, so
/// they are run again until that can't be the reason.
fn a_large_configuration_that_is_missing_is_a_defect_or_was_replaced(database: Database) {
    let setting = Setting::with(database, Options::default(), &large_configuration());
    let is_postgres = matches!(setting.database.url(), DatabaseUrl::Postgres(_));
    // One that no bot has any more goes bit by bit.
    let being_removed = "UPDATE large_config_parts SET content = '{'";
    setting.database.execute("UPDATE large_configs SET bots = 0");
    for missing in [being_removed, "DELETE FROM large_config_parts"] {
        setting.database.execute(missing);
        for (mode, may_be_replaced) in [(Mode::Write, is_postgres), (Mode::Read, false)] {
            let claim = setting.claim.clone();
            let unit: BoxedUnit = Box::new(move |tx| {
                Ok(Box::new(tx.live_bot(&claim, Lock::None)?.is_some()) as Outcome)
            });
            let project = Some(setting.bot.project_id);
            let error = storage_error(wait(setting.store.run(mode, project, unit)).map(drop));
            let is_expected = if may_be_replaced {
                matches!(&error, StorageError::Contended(text) if text.contains("was replaced"))
            } else {
                matches!(&error, StorageError::Broken(text) if text.contains("is missing"))
            };
            assert!(is_expected, "{missing}, {mode:?}: {error:?}");
        }
    }
}

/// Nothing of that reads the configuration, which would take long for each of the units.
fn a_bot_goes_whatever_its_configuration_is(database: Database) {
    let setting = Setting::with(database, Options::default(), &large_configuration());
    setting.database.execute("UPDATE large_config_parts SET content = '{'");
    let Setting { botyard, claim, bot, .. } = &setting;
    wait(botyard.bots.delete(claim, DeleteMode::Trash)).unwrap();
    assert_eq!(wait(botyard.bots.list_all(OPERATOR, bot.project_id)).unwrap().len(), 1);
    wait(botyard.bots.restore(OPERATOR, bot.id)).unwrap();
    wait(botyard.bots.delete(claim, DeleteMode::Delete)).unwrap();
    let job = wait(botyard.jobs.claim(OPERATOR, Queue::Maintenance)).unwrap().unwrap();
    while wait(botyard.jobs.step(OPERATOR, &job)).unwrap() == StepOutcome::Continue {}
    assert_eq!(setting.database.count("bots"), 0);
}

each_database! {
    a_large_configuration_that_is_missing_is_a_defect_or_was_replaced,
    a_bot_goes_whatever_its_configuration_is,
    jobs_of_unknown_kinds_are_left_alone,
    older_code_takes_a_deleted_bot_for_trash,
    unreadable_columns_are_defects,
    unreadable_configurations_are_defects,
    unreadable_large_configurations_are_defects,
    unreadable_columns_of_use_are_defects,
    unreadable_columns_of_crawls_are_defects,
}
