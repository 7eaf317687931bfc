//! Which tables of a database have changed, without reading them.

use std::collections::BTreeMap;

use crate::database::Sql;

/// A sequence for each table. It is not undone with a transaction: changes that are rolled back count as well, and no
/// transaction waits for another.
const POSTGRES: &str = "CREATE FUNCTION __note_change() RETURNS trigger LANGUAGE plpgsql \
     AS $$ BEGIN PERFORM nextval('public.__changes_of_' || TG_TABLE_NAME); RETURN NULL; END $$";
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
        for table in self.tables() {
            self.batch(&if is_sqlite {
                let on = |change: &str| {
                    format!(
                        "CREATE TRIGGER __{change}_{table} AFTER {change} ON {table} BEGIN \
                         UPDATE __changes SET count = count + 1 WHERE name = '{table}'; END; "
                    )
                };
                let triggers = ["INSERT", "UPDATE", "DELETE"].map(on).concat();
                format!("INSERT INTO __changes VALUES ('{table}', 0); {triggers}")
            } else {
                format!(
                    "CREATE SEQUENCE __changes_of_{table}; \
                     CREATE TRIGGER __changed AFTER INSERT OR UPDATE OR DELETE ON {table} \
                     FOR EACH ROW EXECUTE FUNCTION __note_change(); \
                     CREATE TRIGGER __emptied AFTER TRUNCATE ON {table} \
                     FOR EACH STATEMENT EXECUTE FUNCTION __note_change()"
                )
            });
        }
    }

    /// The count of each table. It is another one after a row of the table was changed and committed, in any column.
    /// It may also grow when nothing has changed in the end, and on PostgreSQL it grows before the commit.
    ///
    /// # Panics
    /// If changes are not [counted](Self::count_changes).
    #[must_use]
    #[track_caller]
    pub fn changes(&self) -> Changes {
        let counts = self.texts(if self.is_sqlite() {
            "SELECT name || ' ' || count AS value FROM __changes"
        } else {
            "SELECT substr(sequencename, length('__changes_of_') + 1) || ' ' || coalesce(last_value, 0) \
             AS value FROM pg_sequences WHERE starts_with(sequencename, '__changes_of_')"
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
