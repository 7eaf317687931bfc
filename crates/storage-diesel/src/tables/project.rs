//! Projects in the database.

use diesel::prelude::*;
use domain::StorageError;
use domain::access::{Operator, ProjectClaim};
use domain::clock::Timestamp;
use domain::id::{OrganisationId, ProjectId};
use domain::lock::Lock;
use domain::project::{Project, ProjectRepository};

use crate::engine::db::on_db;
use crate::engine::tx::{Tx, find_locked};
use crate::sql::columns::{IdColumn, Stored};
use crate::sql::row_macros::table_row;
use crate::sql::schema::projects;
use crate::tables::bot_rows::after;

table_row! {
    ProjectRow of Project in projects {
        id: ProjectId,
        organisation_id: OrganisationId,
        name: String,
        created_at: Timestamp,
    }
}

impl ProjectRepository for Tx<'_> {
    fn claimed_project(
        &mut self,
        claim: &ProjectClaim,
        lock: Lock,
    ) -> Result<Option<Project>, StorageError> {
        let query = projects::table
            .filter(projects::organisation_id.eq(claim.organisation_id().to_column()))
            .filter(projects::id.eq(claim.project_id().to_column()));
        let row = find_locked!(self, lock, query, ProjectRow)?;
        Ok(row.map(Project::from))
    }

    fn insert_project(&mut self, _: Operator, project: &Project) -> Result<(), StorageError> {
        let row = ProjectRow::of(project);
        self.change_one(
            "inserting a project",
            |db| on_db!(db, db => diesel::insert_into(projects::table).values(row).execute(db)),
        )
    }

    fn project(&mut self, _: Operator, id: ProjectId) -> Result<Option<Project>, StorageError> {
        let query = projects::table.filter(projects::id.eq(id.to_column()));
        let row = self.query(
            |db| on_db!(db, db => query.select(ProjectRow::as_select()).get_result(db).optional()),
        )?;
        Ok(row.map(Project::from))
    }

    fn project_after(
        &mut self,
        _: Operator,
        id: Option<ProjectId>,
    ) -> Result<Option<ProjectId>, StorageError> {
        let next = projects::table
            .filter(projects::id.gt(after(id)))
            .order(projects::id)
            .limit(1)
            .select(projects::id);
        let found: Option<IdColumn> =
            self.query(|db| on_db!(db, db => next.get_result(db).optional()))?;
        Ok(found.map(Stored::from_column))
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
                let some = all.filter(projects::organisation_id.eq(id.to_column()));
                self.query(|db| on_db!(db, db => some.select(ProjectRow::as_select()).load(db)))?
            }
        };
        Ok(rows.into_iter().map(Project::from).collect())
    }
}
