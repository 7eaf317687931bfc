//! Rules about the rows of files and about those that refer to them. Whether the files are there is not a question to
//! the database.

use domain::blob::REMOVE_BLOB;

use crate::check::rule::{Cure, Rule, rule};
use crate::check::sql::{Jobs, text_of, without_job};
use crate::engine::db::Dialect;

const OTHER_FILE: (&str, &str) =
    ("file_facts", "its size or hash is another than that of its file {}");
const GOING: (&str, &str) = ("file_being_removed", "its file {} is being removed");

pub(super) fn rules(dialect: Dialect) -> Vec<Rule> {
    let differing = |table: &str, size: &str, sha256: &str| {
        format!(
            "FROM {table} JOIN blobs AS b ON b.project_id = it.project_id AND b.id = it.blob_id \
             WHERE it.{size} <> b.size OR it.{sha256} <> b.sha256"
        )
    };
    let removed = |table: &str| {
        format!(
            "FROM {table} JOIN blobs AS b ON b.project_id = it.project_id AND b.id = it.blob_id \
             WHERE b.state = 'deleting'"
        )
    };
    let blob = text_of(dialect, "it.blob_id");
    let (views, documents) = ("fusion_views AS it", "documents AS it");
    let unused = format!(
        "FROM blobs AS it WHERE NOT EXISTS (SELECT 1 FROM fusion_views AS v \
         WHERE v.project_id = it.project_id AND v.blob_id = it.id) AND NOT EXISTS (SELECT 1 FROM documents AS d \
         WHERE d.project_id = it.project_id AND d.blob_id = it.id) AND {}",
        without_job(dialect, &REMOVE_BLOB, "it.id", Jobs::All)
    );
    vec![
        rule(
            dialect,
            OTHER_FILE,
            ("it.id", &blob),
            &differing(views, "file_size", "file_sha256"),
            Cure::None,
        ),
        rule(
            dialect,
            OTHER_FILE,
            ("it.id", &blob),
            &differing(documents, "size", "sha256"),
            Cure::None,
        ),
        rule(dialect, GOING, ("it.id", &blob), &removed(views), Cure::None),
        rule(dialect, GOING, ("it.id", &blob), &removed(documents), Cure::None),
        rule(
            dialect,
            ("file_unused", "nothing refers to the file, but no job removes it"),
            ("it.id", "''"),
            &unused,
            Cure::Job(REMOVE_BLOB),
        ),
    ]
}
