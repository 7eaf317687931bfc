//! Whether anything in a database has changed, without reading all of it.

use crate::database::Sql;

/// PostgreSQL has no counter of its own that sees one database only and at once. A sequence is not undone
/// with a transaction: changes that are rolled back count as well, and no transaction waits for another.
const COUNTER: &str = "CREATE SEQUENCE __changes; \
     CREATE FUNCTION __note_change() RETURNS trigger LANGUAGE plpgsql \
     AS $$ BEGIN PERFORM nextval('public.__changes'); RETURN NULL; END $$";

impl Sql {
    /// Begins to count changes, where the database does not do so by itself.
    ///
    /// # Panics
    /// If it counts already.
    #[track_caller]
    pub fn count_changes(&self) {
        if self.is_sqlite() {
            return;
        }
        self.batch(COUNTER);
        for table in self.tables() {
            self.batch(&format!(
                "CREATE TRIGGER __changed AFTER INSERT OR UPDATE OR DELETE ON {table} \
                 FOR EACH ROW EXECUTE FUNCTION __note_change(); \
                 CREATE TRIGGER __emptied AFTER TRUNCATE ON {table} \
                 FOR EACH STATEMENT EXECUTE FUNCTION __note_change()"
            ));
        }
    }

    /// A number that is another one after a row of whatever table was changed and committed, in whatever
    /// column, by another connection than this one. It may also grow when nothing has changed in the end, and
    /// on PostgreSQL it grows before the commit.
    ///
    /// # Panics
    /// If changes are not [counted](Self::count_changes).
    #[must_use]
    #[track_caller]
    pub fn changes(&self) -> i64 {
        self.number(if self.is_sqlite() {
            "SELECT data_version AS value FROM pragma_data_version"
        } else {
            "SELECT last_value + is_called::int AS value FROM __changes"
        })
    }
}
