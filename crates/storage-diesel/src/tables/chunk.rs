//! Chunks of documents in the database.

#[cfg(feature = "postgres")]
mod bulk;

use diesel::dsl::exists;
use diesel::prelude::*;
use domain::StorageError;
use domain::access::{Operator, ProjectScope};
use domain::document::{Chunk, ChunkRepository, ExtractedChunk};
use domain::id::{ExtractionId, ProjectId};

use crate::engine::db::{Db, on_db};
use crate::engine::tx::{Tx, all_stored, broken, decode, number};
use crate::sql::columns::{IdColumn, Stored};
use crate::sql::json::{from_optional_json, to_optional_json};
use crate::sql::schema::{chunks, documents};
use crate::sql::statement::Statement;
use crate::tables::bot_rows::fitting;

/// How many bytes a row takes in SQLite beside its text and headings, and with its place in the index.
const ROW: i64 = 200;
/// How many bytes a removed row counts for, regardless of its size: that is not read.
const REMOVED: i64 = 4 << 10;

/// A chunk, without its project and its extraction: they are the same for all rows of a statement, which
/// names them once.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = chunks, treat_none_as_default_value = false)]
struct ChunkRow {
    id: IdColumn,
    number: i64,
    char_start: i64,
    char_end: i64,
    page: Option<i64>,
    size: i64,
    heading: Option<String>,
    text: String,
}

impl TryFrom<ChunkRow> for Chunk {
    type Error = StorageError;

    fn try_from(row: ChunkRow) -> Result<Self, StorageError> {
        let id = row.id;
        let heading = from_optional_json("chunks.heading", id, row.heading.as_deref())?;
        let page = |page: i64| decode("chunks.page", id, page.try_into().ok());
        Ok(Self {
            id: Stored::from_column(id),
            index: decode("chunks.number", id, row.number.try_into().ok())?,
            extracted: ExtractedChunk {
                char_start: decode("chunks.char_start", id, row.char_start.try_into().ok())?,
                char_end: decode("chunks.char_end", id, row.char_end.try_into().ok())?,
                page: row.page.map(page).transpose()?,
                heading: heading.unwrap_or_default(),
                text: row.text,
            },
        })
    }
}

fn row(chunk: &Chunk) -> Result<ChunkRow, StorageError> {
    let ExtractedChunk { text, char_start, char_end, page, heading } = &chunk.extracted;
    let heading = Some(heading).filter(|heading| !heading.is_empty());
    let heading = to_optional_json("chunks.heading", heading)?;
    let size = text.len() + heading.as_ref().map_or(0, String::len);
    Ok(ChunkRow {
        id: chunk.id.to_column(),
        number: chunk.index.into(),
        char_start: number(*char_start)?,
        char_end: number(*char_end)?,
        page: page.map(i64::from),
        size: number(size as u64)?,
        heading,
        text: text.clone(),
    })
}

impl ChunkRepository for Tx<'_> {
    fn chunks(
        &mut self,
        scope: &ProjectScope,
        of: ExtractionId,
        after: Option<u32>,
        limit: u32,
    ) -> Result<(Vec<Chunk>, Option<u32>), StorageError> {
        let of_extraction = chunks::table
            .filter(chunks::project_id.eq(scope.project_id().to_column()))
            .filter(chunks::extraction_id.eq(of.to_column()))
            .order(chunks::number);
        let sizes = of_extraction
            .filter(chunks::number.gt(after.map_or(-1, i64::from)))
            .limit(i64::from(limit) + 1)
            .select((chunks::number, chunks::size));
        let mut sizes: Vec<(i64, i64)> = self.query(|db| on_db!(db, db => sizes.load(db)))?;
        let room = fitting(sizes.iter().map(|(_, size)| *size)).min(limit as usize);
        let is_cut = room < sizes.len();
        sizes.truncate(room);
        self.reserve_memory(sizes.iter().map(|(_, size)| size).sum())?;
        let (Some((first, _)), Some((last, _))) = (sizes.first(), sizes.last()) else {
            return Ok((Vec::new(), None));
        };
        let query = of_extraction.filter(chunks::number.between(first, last));
        let rows =
            self.query(|db| on_db!(db, db => query.select(ChunkRow::as_select()).load(db)))?;
        let found: Vec<_> = rows.into_iter().map(Chunk::try_from).collect::<Result<_, _>>()?;
        let next = found.last().filter(|_| is_cut).map(|chunk| chunk.index);
        Ok((found, next))
    }

    fn insert_chunks(
        &mut self,
        scope: &ProjectScope,
        of: ExtractionId,
        chunks: &[Chunk],
    ) -> Result<(), StorageError> {
        let rows: Vec<_> = chunks.iter().map(row).collect::<Result<_, _>>()?;
        let (project_id, extraction_id) = (scope.project_id().to_column(), of.to_column());
        let inserted = self.query(|db| match db {
            #[cfg(feature = "postgres")]
            Db::Pg(db) => bulk::insert(db, (project_id, extraction_id), &rows),
            // There is no round trip to save.
            #[cfg(feature = "sqlite")]
            Db::Sqlite(db) => rows.iter().try_fold(0, |inserted, row| {
                let place =
                    (chunks::project_id.eq(project_id), chunks::extraction_id.eq(extraction_id));
                let insert = diesel::insert_into(chunks::table).values((place, row));
                Ok(inserted + insert.execute(&mut **db)?)
            }),
        })?;
        self.record_bulk(rows.iter().map(|row| ROW.saturating_add(row.size)).sum());
        all_stored("chunks", inserted, rows.len())
    }

    fn remove_unused_chunks(
        &mut self,
        _: Operator,
        project: ProjectId,
        of: ExtractionId,
        limit: u32,
    ) -> Result<u32, StorageError> {
        let (project, of) = (project.to_column(), of.to_column());
        let users = documents::table
            .filter(documents::project_id.eq(project))
            .filter(documents::chunks_of.eq(of));
        let used = diesel::select(exists(users));
        if self.query(|db| on_db!(db, db => used.get_result::<bool>(db)))? {
            return Ok(0);
        }
        let removal: Statement<()> = Statement::new("DELETE FROM chunks WHERE project_id = ")
            .bind(project)
            .sql(" AND extraction_id = ")
            .bind(of)
            .sql(
                " AND number <= (SELECT max(number) FROM (SELECT number FROM chunks \
                 WHERE project_id = ",
            )
            .bind(project)
            .sql(" AND extraction_id = ")
            .bind(of)
            .sql(" ORDER BY number LIMIT ")
            .bind(i64::from(limit))
            .sql(") AS few)");
        let removed = self.query(|db| on_db!(db, db => removal.execute(db)))?;
        let removed =
            u32::try_from(removed).map_err(|_| broken("more chunks removed than asked for"))?;
        self.record_bulk(REMOVED.saturating_mul(removed.into()));
        Ok(removed)
    }
}
