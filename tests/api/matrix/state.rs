//! Everything that the database holds, as text: tables that come later are in it by themselves.
//!
//! Reading all of it takes time, so changes are counted, and only tables that have changed are read again.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use botyard_tests::waiting::{eventually, until};
use botyard_tests::{
    Changes, Database, TestApp, UNCOUNTED_COLUMNS, UNCOUNTED_JOBS, UNCOUNTED_TABLE,
};

use super::verdict::{Verdict, shortened};

/// Events that have no number yet.
const UNNUMBERED: &str = "SELECT COUNT(*) AS value FROM events WHERE number < 0";

/// Jobs that a server is doing, or will do without anybody asking.
const AT_WORK: &str = "SELECT COUNT(*) AS value FROM jobs WHERE state = 'running' \
     OR kind IN ('teardown_bot', 'crawl', 'remove_page_set', 'extract', 'remove_chunks') \
     OR (kind = 'sweep_blobs' AND attempt = 0)";

/// Whether nothing more will change by itself. Whatever is counted can be seen once no transaction is open.
fn is_idle(app: &TestApp) -> bool {
    let is_at_work = !app.is_in_process() && app.sql().number(AT_WORK) > 0;
    !is_at_work && app.sql().number(UNNUMBERED) == 0 && app.sql().open_changes() == 0
}

/// The jobs that do not come in the background.
fn jobs_compared() -> String {
    format!("(SELECT * FROM jobs WHERE kind NOT IN ('{}')) AS jobs", UNCOUNTED_JOBS.join("', '"))
}

/// Every row of every table, and how it is read.
pub struct Everything {
    /// Of each table, the query for its rows.
    queries: BTreeMap<String, String>,
    /// What was read last, and how often each table had changed then.
    known: RefCell<Option<(Changes, State)>>,
}

impl Everything {
    /// The tables and columns are those of the database's own catalogue.
    pub fn of(app: &TestApp) -> Self {
        let tables = app.sql().tables().into_iter().filter(|table| table != UNCOUNTED_TABLE);
        let queries = tables.map(|table| {
            let row = match app.database() {
                Database::Sqlite => sqlite_row(app, &table),
                Database::Postgres => {
                    let without = UNCOUNTED_COLUMNS.map(|column| format!(" - '{column}'")).concat();
                    format!("(to_jsonb({table}){without})::text")
                }
            };
            let rows = if table == "jobs" { jobs_compared() } else { table.clone() };
            let query = format!("SELECT '{table} ' || {row} AS value FROM {rows}");
            (table, query)
        });
        let queries: BTreeMap<_, _> = queries.collect();
        assert!(!queries.is_empty(), "the database has no tables");
        app.sql().count_changes();
        Self { queries, known: RefCell::default() }
    }

    /// The rows that there are now.
    ///
    /// What the server does by itself after an answer is not of that answer: a deleted bot is torn
    /// down, a crawl is done, and leftovers are swept once at the start.
    pub fn now(&self, app: &TestApp) -> State {
        self.read(app).1
    }

    /// That `cell` holds and changes no table.
    pub fn unchanged_by(&self, app: &TestApp, cell: impl FnOnce() -> Verdict) -> Verdict {
        until("there is nothing to do", || is_idle(app));
        let before = app.sql().changes();
        let verdict = cell();
        let after = app.sql().changes();
        let changed: Vec<_> =
            self.queries.keys().filter(|table| after.are_of(table, &before)).collect();
        if changed.is_empty() {
            return verdict;
        }
        let change = format!("expected no change in the database, got one of {changed:?}");
        Err(verdict.err().map_or(change.clone(), |violation| format!("{violation}; {change}")))
    }

    /// The rows of now, and the changes that were counted until then.
    fn read(&self, app: &TestApp) -> (Changes, State) {
        let mut known = self.known.borrow_mut();
        if let Some(known) = &*known
            && app.sql().changes() == known.0
        {
            return known.clone();
        }
        let read = eventually("nothing changes while everything is read", || {
            let changes = app.sql().changes();
            until("there is nothing to do", || is_idle(app));
            let tables = self.queries.iter().map(|(table, query)| {
                let rows = known.as_ref().filter(|known| !changes.are_of(table, &known.0));
                let rows = rows.and_then(|known| known.1.0.get(table).cloned());
                let read = || Rc::new(app.sql().texts(query).into_iter().collect());
                (table.clone(), rows.unwrap_or_else(read))
            });
            let state = State(tables.collect());
            (app.sql().changes() == changes).then_some((changes, state))
        });
        *known = Some(read.clone());
        read
    }
}

/// A row of a SQLite table as an expression.
fn sqlite_row(app: &TestApp, table: &str) -> String {
    let columns = format!("SELECT name AS value FROM pragma_table_info('{table}')");
    let columns = app.sql().texts(&columns).into_iter();
    let columns = columns.filter(|column| !UNCOUNTED_COLUMNS.contains(&column.as_str()));
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
#[derive(Clone)]
pub struct State(BTreeMap<String, Rc<BTreeSet<String>>>);

impl State {
    /// The rows in which `own`, an id, does not stand, and those in which `other` does.
    pub fn beyond(&self, own: &str, other: &str) -> [Self; 2] {
        [self.only(|row| !row.contains(own)), self.only(|row| row.contains(other))]
    }

    fn only(&self, is_meant: impl Fn(&str) -> bool) -> Self {
        let tables = self.0.iter().map(|(table, rows)| {
            let rows = rows.iter().filter(|row| is_meant(row)).cloned();
            (table.clone(), Rc::new(rows.collect()))
        });
        Self(tables.collect())
    }

    /// Whether there is no row at all.
    pub fn is_empty(&self) -> bool {
        self.0.values().all(|rows| rows.is_empty())
    }

    /// That the rows are those of an earlier moment.
    pub fn is_still(&self, before: &Self) -> Verdict {
        let mut changes = Vec::new();
        for (table, rows) in &self.0 {
            let earlier = &before.0[table];
            if !Rc::ptr_eq(rows, earlier) {
                changes.extend(earlier.difference(rows).map(|row| format!("- {}", shortened(row))));
                changes.extend(rows.difference(earlier).map(|row| format!("+ {}", shortened(row))));
            }
        }
        if changes.is_empty() {
            return Ok(());
        }
        Err(format!("expected no change in the database, got\n    {}", changes.join("\n    ")))
    }
}
