//! What a tenant has in the database.

use crate::tenant::Tenant;

impl Tenant<'_> {
    /// Every row of this tenant, in every table: equal as long as nothing has changed. When a token
    /// or a key-value entry was last used does not count, nor how far a job is, which goes on meanwhile.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let sql = self.app().sql();
        let mut rows = Vec::new();
        // What is done on the command line is no tenant's, and neither is the installation.
        let of_no_tenant = ["audit_entries", "installation"];
        for table in
            sql.tables().into_iter().filter(|table| !of_no_tenant.contains(&table.as_str()))
        {
            let (column, owner) = match table.as_str() {
                "organisations" => ("id", self.organisation().id.to_string()),
                "projects" => ("id", self.project().id.to_string()),
                // A table without it fails here: all that a tenant has carries the project.
                _ => ("project_id", self.project().id.to_string()),
            };
            let condition = format!("{column} = '{owner}'");
            let own = sql.rows(&table, &condition, &["last_used_at", "accessed_at", "position"]);
            rows.extend(own.into_iter().map(|row| format!("{table} {row}")));
        }
        Snapshot(rows)
    }
}

/// What a tenant had at some moment.
#[derive(PartialEq, Eq)]
pub struct Snapshot(Vec<String>);

impl Snapshot {
    /// The rows as texts, the name of the table in front.
    #[must_use]
    pub fn rows(&self) -> &[String] {
        &self.0
    }

    /// The same but for what is about tokens, which a test may mint meanwhile.
    #[must_use]
    pub fn rows_but_tokens(&self) -> Vec<&String> {
        let is_of_token =
            |row: &&String| row.starts_with("tokens ") || row.contains("token.minted");
        self.0.iter().filter(|row| !is_of_token(row)).collect()
    }

    /// Asserts that the tenant has what it had.
    ///
    /// # Panics
    /// If it has not; the text names the rows that came and went.
    #[track_caller]
    pub fn assert_unchanged(&self, tenant: &Tenant<'_>) {
        let after = tenant.snapshot();
        let without = |one: &Self, other: &Self| {
            let rows = one.0.iter().filter(|row| !other.0.contains(row));
            rows.cloned().collect::<Vec<_>>()
        };
        let (gone, new) = (without(self, &after), without(&after, self));
        assert!(gone.is_empty() && new.is_empty(), "gone: {gone:#?}\nnew: {new:#?}");
    }
}

impl std::fmt::Debug for Snapshot {
    /// A whole snapshot is too much to read.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} rows", self.0.len())
    }
}
