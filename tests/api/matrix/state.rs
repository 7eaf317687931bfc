//! Everything that the database holds, as text: tables that come later are in it by themselves.
//!
//! Reading all of it takes time, so a counter of changes says first whether there is anything to compare.

use std::cell::RefCell;
use std::collections::BTreeSet;

use botyard_tests::waiting::{eventually, until};
use botyard_tests::{Database, TestApp};

use super::verdict::{Verdict, shortened};

/// When a token or an entry was last used is noted in the background, whatever the answer was, and so is how far a webhook
/// is.
const WITHOUT: [&str; 5] = ["last_used_at", "accessed_at", "cursor", "held_by", "failing_since"];

/// What is sent to webhooks is sent again by itself.
const NOT_COMPARED: &str = "webhook_deliveries";

/// Clean-ups come again and again by themselves, a minute after users were deleted it is looked whether anything of them
/// is left, and webhooks wait for what happens.
const JOBS_COMPARED: &str = "(SELECT * FROM jobs WHERE kind NOT IN ('clean_up', 'remove_users', 'deliver_webhook')) AS jobs";

/// Jobs that are being done, or will be without anybody asking, and events that have no number yet.
const AT_WORK: &str = "SELECT COUNT(*) + (SELECT COUNT(*) FROM events WHERE number < 0) AS value FROM jobs \
     WHERE state = 'running' \
     OR kind IN ('teardown_bot', 'crawl', 'remove_page_set', 'extract', 'remove_chunks') \
     OR (kind = 'sweep_blobs' AND attempt = 0)";

/// A query for every row of every table, and what it gave last.
pub struct Everything {
    query: String,
    /// The rows, and the count of changes at which they were read.
    known: RefCell<Option<(i64, State)>>,
}

impl Everything {
    /// The tables and columns are those of the database's own catalogue.
    pub fn of(app: &TestApp) -> Self {
        let tables = app.sql().tables().into_iter().filter(|table| table != NOT_COMPARED);
        let tables = tables.map(|table| {
            let row = match app.database() {
                Database::Sqlite => sqlite_row(app, &table),
                Database::Postgres => {
                    let without = WITHOUT.map(|column| format!(" - '{column}'")).concat();
                    format!("(to_jsonb({table}){without})::text")
                }
            };
            let rows = if table == "jobs" { JOBS_COMPARED } else { &table };
            format!("SELECT '{table} ' || {row} AS value FROM {rows}")
        });
        let query = tables.collect::<Vec<_>>().join(" UNION ALL ");
        assert!(!query.is_empty(), "the database has no tables");
        app.sql().count_changes();
        Self { query, known: RefCell::default() }
    }

    /// The rows that there are now.
    ///
    /// What the server does by itself after an answer is not of that answer: a deleted bot is torn
    /// down, a crawl is done, and leftovers are swept once at the start.
    pub fn now(&self, app: &TestApp) -> State {
        until("the server has nothing to do", || app.sql().number(AT_WORK) == 0);
        State(app.sql().texts(&self.query).into_iter().collect())
    }

    /// That `cell` holds and leaves the database as it was.
    pub fn unchanged_by(&self, app: &TestApp, cell: impl FnOnce() -> Verdict) -> Verdict {
        let changes = self.read(app);
        let verdict = cell();
        if app.sql().changes() == changes {
            return verdict;
        }
        // Something has changed, if only when a token was last used: the rows say what.
        let before = self.known.take();
        self.read(app);
        let change = match (&*self.known.borrow(), before) {
            (Some((_, now)), Some((_, before))) => now.is_still(&before),
            (None, _) | (_, None) => Err("the rows were not read".to_owned()),
        };
        match (verdict, change) {
            (Err(violation), Err(change)) => Err(format!("{violation}; {change}")),
            (verdict, change) => verdict.and(change),
        }
    }

    /// Makes sure that the rows of now are known; returns the count of changes at which they were read.
    fn read(&self, app: &TestApp) -> i64 {
        let mut known = self.known.borrow_mut();
        if let Some((changes, _)) = &*known
            && *changes == app.sql().changes()
        {
            return *changes;
        }
        eventually("nothing changes while everything is read", || {
            let changes = app.sql().changes();
            let state = self.now(app);
            (app.sql().changes() == changes).then(|| {
                *known = Some((changes, state));
                changes
            })
        })
    }
}

/// A row of a SQLite table as an expression.
fn sqlite_row(app: &TestApp, table: &str) -> String {
    let columns = format!("SELECT name AS value FROM pragma_table_info('{table}')");
    let columns = app.sql().texts(&columns).into_iter();
    let columns = columns.filter(|column| !WITHOUT.contains(&column.as_str()));
    let columns = columns.map(|column| {
        let id = app.sql().text_of(&column);
        format!(
            "'{column} ' || CASE WHEN typeof({column}) = 'blob' AND length({column}) = 16 \
             THEN {id} ELSE quote({column}) END"
        )
    });
    columns.collect::<Vec<_>>().join(" || ' ' || ")
}

/// The rows of all tables at one moment, or some of them.
pub struct State(BTreeSet<String>);

impl State {
    /// The rows in which `own`, an id, does not stand, and those in which `other` does.
    pub fn beyond(self, own: &str, other: &str) -> [Self; 2] {
        let of_other = self.0.iter().filter(|row| row.contains(other)).cloned().collect();
        let mut beyond = self;
        beyond.0.retain(|row| !row.contains(own));
        [beyond, Self(of_other)]
    }

    /// Whether there is no row at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// That the rows are those of an earlier moment.
    pub fn is_still(&self, before: &Self) -> Verdict {
        let came = self.0.difference(&before.0).map(|row| format!("+ {}", shortened(row)));
        let went = before.0.difference(&self.0).map(|row| format!("- {}", shortened(row)));
        let changes: Vec<_> = went.chain(came).collect();
        if changes.is_empty() {
            return Ok(());
        }
        Err(format!("expected no change in the database, got\n    {}", changes.join("\n    ")))
    }
}
