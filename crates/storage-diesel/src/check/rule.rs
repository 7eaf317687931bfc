//! What a rule is.

use diesel::prelude::*;
use diesel::sql_types::{Nullable, Text};
use domain::id::{JobId, ProjectId};
use domain::job::JobKind;

use super::finding::{Finding, Findings, READ, Repair};
use super::sql::text_of;
use crate::engine::db::{Db, Dialect, on_db};

/// What a statement of a rule finds.
#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Nullable<Text>)]
    project: Option<String>,
    #[diesel(sql_type = Text)]
    id: String,
    /// What the sentence says in its place `{}`.
    #[diesel(sql_type = Text)]
    detail: String,
}

/// How a finding is repaired.
pub(super) enum Cure {
    None,
    /// By a job of this kind whose subject is what was found.
    Job(JobKind),
    Retry,
    Discard,
}

/// Something that holds of all rows.
pub(super) struct Rule {
    pub(super) kind: &'static str,
    pub(super) sentence: &'static str,
    /// Selects `project`, `id` and `detail`.
    pub(super) statement: String,
    pub(super) cure: Cure,
}

impl Rule {
    pub(super) fn check(&self, db: &mut Db<'_>, findings: &mut Findings) -> QueryResult<()> {
        let query = format!("{} LIMIT {READ}", self.statement);
        let rows: Vec<Row> = on_db!(db, db => diesel::sql_query(query).load(db))?;
        for Row { project, id, detail } in rows {
            let repair = match &self.cure {
                Cure::None => None,
                Cure::Job(kind) => Some(Repair::Queue { kind: kind.clone(), subject: id.clone() }),
                Cure::Retry => JobId::parse(&id).map(Repair::Retry),
                Cure::Discard => JobId::parse(&id).map(Repair::Discard),
            };
            let project = project.as_deref().and_then(ProjectId::parse);
            let sentence = self.sentence.replace("{}", &detail);
            findings.push(Finding { kind: self.kind, id, project, sentence, repair });
        }
        Ok(())
    }
}

/// A rule about rows of a table that has `project_id`. `detail` is an expression that makes a text.
pub(super) fn rule(
    dialect: Dialect,
    (kind, sentence): (&'static str, &'static str),
    (id, detail): (&str, &str),
    from: &str,
    cure: Cure,
) -> Rule {
    let (project, id) = (text_of(dialect, "it.project_id"), text_of(dialect, id));
    let statement =
        format!("SELECT {project} AS project, {id} AS id, CAST({detail} AS TEXT) AS detail {from}");
    Rule { kind, sentence, statement, cure }
}
