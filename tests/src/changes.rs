//! Which tables of a database have changed, without reading them.

use std::collections::BTreeMap;

use crate::database::Sql;

/// Columns whose changes are not counted: when a token or an entry was last used is recorded in the background, whatever
/// the answer was, and so is how far a webhook is.
pub const UNCOUNTED_COLUMNS: [&str; 5] =
    ["last_used_at", "accessed_at", "cursor", "blocked_by", "failing_since"];

/// What is sent to webhooks is sent again in the background.
pub const UNCOUNTED_TABLE: &str = "webhook_deliveries";

/// Jobs that come in the background: clean-ups again and again, a minute after users were deleted a look whether
/// anything of them is left, and webhooks wait for what happens.
pub const UNCOUNTED_JOBS: [&str; 3] = ["clean_up", "remove_users", "deliver_webhook"];

/// A row for each change. Nothing is updated, so that no transaction waits for another.
const POSTGRES: &str = "CREATE TABLE __changes (id BIGSERIAL, name TEXT COLLATE \"C\" NOT NULL); \
     CREATE INDEX __changes_of_tables ON __changes (name, id); \
     CREATE FUNCTION __note_change() RETURNS trigger LANGUAGE plpgsql \
     AS $$ BEGIN INSERT INTO public.__changes (name) VALUES (TG_TABLE_NAME); RETURN NULL; END $$";
const SQLITE: &str =
    "CREATE TABLE __changes (name TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID";

/// How many changes were counted of each table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changes(BTreeMap<String, i64>);

impl Changes {
    /// Whether a table has changed since.
    #[must_use]
    pub fn are_of(&self, table: &str, since: &Self) -> bool {
        self.0.get(table) != since.0.get(table)
    }
}

impl Sql {
    /// Begins to count changes.
    ///
    /// # Panics
    /// If they are counted already.
    #[track_caller]
    pub fn count_changes(&self) {
        let is_sqlite = self.is_sqlite();
        self.batch(if is_sqlite { SQLITE } else { POSTGRES });
        for table in self.tables().iter().filter(|table| *table != UNCOUNTED_TABLE) {
            let columns = self.columns(table).into_iter();
            let columns: Vec<_> =
                columns.filter(|column| !UNCOUNTED_COLUMNS.contains(&column.as_str())).collect();
            let differs = if is_sqlite { "IS NOT" } else { "IS DISTINCT FROM" };
            let differs =
                columns.iter().map(|column| format!("OLD.{column} {differs} NEW.{column}"));
            let differs = differs.collect::<Vec<_>>().join(" OR ");
            let changes = [
                ("INSERT", "NEW", "true"),
                ("UPDATE", "NEW", &*differs),
                ("DELETE", "OLD", "true"),
            ];
            let triggers = changes.map(|(change, row, counts)| {
                let counts = if table == "jobs" {
                    let kinds = UNCOUNTED_JOBS.join("', '");
                    format!("({counts}) AND {row}.kind NOT IN ('{kinds}')")
                } else {
                    counts.to_owned()
                };
                let note = if is_sqlite {
                    format!(
                        "BEGIN UPDATE __changes SET count = count + 1 WHERE name = '{table}'; END"
                    )
                } else {
                    "EXECUTE FUNCTION __note_change()".to_owned()
                };
                format!(
                    "CREATE TRIGGER __{change}_{table} AFTER {change} ON {table} \
                     FOR EACH ROW WHEN ({counts}) {note};"
                )
            });
            self.batch(&triggers.concat());
            self.batch(&if is_sqlite {
                format!("INSERT INTO __changes VALUES ('{table}', 0)")
            } else {
                format!(
                    "CREATE TRIGGER __truncate_{table} AFTER TRUNCATE ON {table} \
                     FOR EACH STATEMENT EXECUTE FUNCTION __note_change()"
                )
            });
        }
    }

    /// The count of each table. It is another one after a row of the table was changed and committed, in any column that
    /// is counted.
    ///
    /// # Panics
    /// If changes are not [counted](Self::count_changes).
    #[must_use]
    #[track_caller]
    pub fn changes(&self) -> Changes {
        let counts = self.texts(if self.is_sqlite() {
            "SELECT name || ' ' || count AS value FROM __changes"
        } else {
            "SELECT tablename || ' ' || coalesce((SELECT max(id) FROM __changes WHERE name = tablename::text), 0) AS value \
             FROM pg_tables WHERE schemaname = 'public' AND NOT starts_with(tablename, '__')"
        });
        assert!(!counts.is_empty(), "changes are not counted");
        let counts = counts.iter().map(|count| {
            let (table, count) = count.split_once(' ').expect("a table and a number");
            (table.to_owned(), count.parse().expect("a number"))
        });
        Changes(counts.collect())
    }

    /// How many transactions of others are open that change something.
    #[must_use]
    #[track_caller]
    pub fn open_changes(&self) -> i64 {
        if self.is_sqlite() {
            // Their counts can't be seen before the commit.
            return 0;
        }
        self.number(
            "SELECT count(*) AS value FROM pg_stat_activity \
             WHERE datname = current_database() AND backend_xid IS NOT NULL AND pid <> pg_backend_pid()",
        )
    }
}
