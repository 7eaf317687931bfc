//! Projects in the database.

use diesel::prelude::*;
use domain::StorageError;
use domain::access::{Operator, ProjectClaim};
use domain::clock::Timestamp;
use domain::id::{OrganisationId, ProjectId};
use domain::lock::Lock;
use domain::project::{Project, ProjectRepository};

use crate::engine::db::on_db;
use crate::engine::tx::{Tx, decode, find_locked};
use crate::sql::schema::projects;

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = projects)]
struct ProjectRow {
    id: String,
    organisation_id: String,
    name: String,
    created_at: i64,
}

impl TryFrom<ProjectRow> for Project {
    type Error = StorageError;

    fn try_from(row: ProjectRow) -> Result<Self, StorageError> {
        let organisation_id = OrganisationId::parse(&row.organisation_id);
        Ok(Self {
            id: decode("projects.id", &row.id, ProjectId::parse(&row.id))?,
            organisation_id: decode("projects.organisation_id", &row.id, organisation_id)?,
            name: row.name,
            created_at: Timestamp::from_millis(row.created_at),
        })
    }
}

impl ProjectRepository for Tx<'_> {
    fn claimed_project(
        &mut self,
        claim: &ProjectClaim,
        lock: Lock,
    ) -> Result<Option<Project>, StorageError> {
        let query = projects::table
            .filter(projects::organisation_id.eq(claim.organisation_id().to_string()))
            .filter(projects::id.eq(claim.project_id().to_string()));
        let row = find_locked!(self, lock, query, ProjectRow)?;
        row.map(Project::try_from).transpose()
    }

    fn insert_project(&mut self, _: Operator, project: &Project) -> Result<(), StorageError> {
        let row = ProjectRow {
            id: project.id.to_string(),
            organisation_id: project.organisation_id.to_string(),
            name: project.name.clone(),
            created_at: project.created_at.millis(),
        };
        self.change_one(
            "inserting a project",
            |db| on_db!(db, db => diesel::insert_into(projects::table).values(row).execute(db)),
        )
    }

    fn project(&mut self, _: Operator, id: ProjectId) -> Result<Option<Project>, StorageError> {
        let query = projects::table.filter(projects::id.eq(id.to_string()));
        let row = self.query(
            |db| on_db!(db, db => query.select(ProjectRow::as_select()).get_result(db).optional()),
        )?;
        row.map(Project::try_from).transpose()
    }

    fn projects(
        &mut self,
        _: Operator,
        organisation: Option<OrganisationId>,
    ) -> Result<Vec<Project>, StorageError> {
        let all = projects::table.order(projects::id);
        let rows = match organisation {
            None => {
                self.query(|db| on_db!(db, db => all.select(ProjectRow::as_select()).load(db)))?
            }
            Some(id) => {
                let some = all.filter(projects::organisation_id.eq(id.to_string()));
                self.query(|db| on_db!(db, db => some.select(ProjectRow::as_select()).load(db)))?
            }
        };
        rows.into_iter().map(Project::try_from).collect()
    }
}
