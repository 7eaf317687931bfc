//! What is damaged for the tests of `botyard check`: rows of each kind, and files.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use botyard_tests::{Database, Installation};

use super::setup::NOBODY;

const OTHER: &str = "0190c7a0-2222-7222-8333-444455556666";
const INCOMPLETE: &str = "0190c7a0-2222-7222-8333-444455556663";
pub(super) const WEBHOOK: &str = "0190c7a0-3333-7222-8333-444455556666";

/// The files of all blobs, sorted.
pub(super) fn files(installation: &Installation) -> Vec<PathBuf> {
    fn below(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("the folder of files") {
            let path = entry.expect("an entry").path();
            if path.is_dir() { below(&path, found) } else { found.push(path) }
        }
    }
    let mut found = Vec::new();
    below(&installation.data_dir().join("blobs"), &mut found);
    found.sort();
    found
}

/// Disables the constraints of the database for the connection of the test.
pub(super) fn disable_constraints(installation: &Installation) {
    let sql = installation.sql();
    let _ = match installation.database() {
        Database::Sqlite => sql.execute("PRAGMA foreign_keys = OFF"),
        Database::Postgres => sql.execute("SET session_replication_role = replica"),
    };
}

/// One id of the rows for which a condition holds.
#[track_caller]
fn one(installation: &Installation, column: &str, from: &str) -> String {
    let sql = installation.sql();
    let column = sql.text_of(column);
    let found = sql.texts(&format!("SELECT {column} AS value FROM {from} ORDER BY 1"));
    found.first().unwrap_or_else(|| panic!("no {from}")).clone()
}

/// A configuration of which two bytes are missing; returns its id.
fn incomplete_config(installation: &Installation, project: &str) -> String {
    let (sql, id) = (installation.sql(), installation.sql().id(INCOMPLETE));
    // Without constraints, the triggers of PostgreSQL do not count the bot that gets it.
    let bots = i32::from(installation.database() == Database::Postgres);
    for statement in [
        format!(
            "INSERT INTO large_configs (id, project_id, bytes, bots) VALUES ({id}, {project}, 4, {bots})"
        ),
        format!(
            "INSERT INTO large_config_parts (id, project_id, number, content) VALUES ({id}, {project}, 0, '{{}}')"
        ),
    ] {
        let _ = sql.execute(&statement);
    }
    id
}

/// Damages of the database, each with the kind by which it is found. Ids that are not behind `id = ` are made by `id`.
pub(super) fn damages(installation: &Installation) -> Vec<(&'static str, String)> {
    let id = |text: &str| installation.sql().id(text);
    let project = one(installation, "project_id", "website_crawls");
    let finished = one(installation, "bot_id", "website_crawls WHERE status = 'finished'");
    let hidden = one(installation, "id", "bots WHERE state = 'archived'");
    let spare = one(installation, "id", "bots WHERE state = 'trashed'");
    let first = |table: &str| one(installation, "id", table);
    let (document, view) = (first("documents"), first("fusion_views WHERE blob_id IS NOT NULL"));
    let of_document = one(installation, "blob_id", &format!("documents WHERE id = '{document}'"));
    let extracted = one(
        installation,
        "id",
        &format!("documents WHERE extraction_status = 'finished' AND id <> {}", id(&document)),
    );
    let (project, nobody, other) = (id(&project), id(NOBODY), id(OTHER));
    let incomplete = incomplete_config(installation, &project);
    vec![
        (
            "file_unused",
            format!(
                "UPDATE fusion_views SET blob_id = NULL, file_name = NULL, file_mime_type = NULL, file_size = NULL, \
             file_sha256 = NULL, file_entries = NULL, file_uploaded_at = NULL WHERE blob_id = \
             (SELECT blob_id FROM fusion_views WHERE id = '{view}')"
            ),
        ),
        ("file_facts", format!("UPDATE documents SET size = size + 1 WHERE id = '{document}'")),
        (
            "file_being_removed",
            format!("UPDATE blobs SET state = 'deleting' WHERE id = '{of_document}'"),
        ),
        (
            "chunk_count",
            format!("UPDATE documents SET chunk_count = chunk_count + 1 WHERE id = '{document}'"),
        ),
        (
            "event_missing",
            format!(
                "DELETE FROM events WHERE project_id = {project} AND number = (SELECT max(number) - 1 FROM events \
             WHERE project_id = {project})"
            ),
        ),
        (
            "extraction_without_job",
            format!(
                "UPDATE documents SET extraction_status = 'queued', extraction_id = {nobody} WHERE id = '{extracted}'"
            ),
        ),
        (
            "chunks_unused",
            format!(
                "INSERT INTO chunks (id, project_id, extraction_id, number, char_start, char_end, size, text) \
             VALUES ({nobody}, {project}, {other}, 0, 0, 1, 1, 'a')"
            ),
        ),
        (
            "page_set_unused",
            format!(
                "INSERT INTO page_sets (id, project_id, created_at) VALUES ({nobody}, {project}, 1)"
            ),
        ),
        (
            "page_set_open",
            format!(
                "UPDATE page_sets SET sealed_at = NULL WHERE id = (SELECT page_set_id FROM website_crawls \
             WHERE status = 'finished' AND bot_id = '{finished}')"
            ),
        ),
        (
            "crawl_without_job",
            format!(
                "INSERT INTO page_sets (id, project_id, created_at) VALUES ({other}, {project}, 1)"
            ),
        ),
        (
            "crawl_without_job",
            format!(
                "INSERT INTO website_crawls (id, project_id, bot_id, page_set_id, url, depth, name, active, status, \
             pages_scraped, pages_failed, bytes, created_at, updated_at) VALUES ({nobody}, {project}, {}, {other}, \
             'http://127.0.0.1/', 0, 'Crawl', TRUE, 'queued', 0, 0, 0, 1, 1)",
                id(&finished)
            ),
        ),
        (
            "webhook_without_job",
            format!(
                "INSERT INTO webhooks (id, project_id, url, types, enabled, secret, cursor, created_at, updated_at) \
             VALUES ({}, {project}, 'http://127.0.0.1/', '[]', FALSE, {}, 0, 1, 1)",
                id(WEBHOOK),
                if installation.database() == Database::Sqlite { "x''" } else { "''" }
            ),
        ),
        (
            "users_without_removal",
            format!("UPDATE users SET deleted_at = 1 WHERE bot_id = '{finished}'"),
        ),
        ("bot_without_teardown", format!("UPDATE bots SET deleted_at = 1 WHERE id = '{hidden}'")),
        (
            "token_of_deleted_bot",
            format!(
                "INSERT INTO tokens (id, organisation_id, project_id, owner, bot_id, digest, last_four, name, scopes, \
             read_only, created_at) SELECT {nobody}, organisation_id, id, 'bot', {}, {}, 'abcd', 'Token', '', FALSE, 1 \
             FROM projects WHERE id = {project}",
                id(&hidden),
                if installation.database() == Database::Sqlite {
                    "zeroblob(32)"
                } else {
                    "decode(repeat('00', 32), 'hex')"
                },
            ),
        ),
        (
            "bot_without_config",
            format!("UPDATE bots SET large_config = {incomplete} WHERE id = '{spare}'"),
        ),
        (
            "config_count",
            format!(
                "INSERT INTO large_configs (id, project_id, bytes, bots) VALUES ({other}, {project}, 1, 5)"
            ),
        ),
        (
            "config_unused",
            format!(
                "INSERT INTO large_configs (id, project_id, bytes, bots) VALUES ({nobody}, {project}, 1, 0)"
            ),
        ),
        (
            "content_count",
            format!("UPDATE bot_contents SET bytes = bytes + 1 WHERE bot_id = '{spare}'"),
        ),
        (
            "entry_without_bot",
            format!(
                "INSERT INTO keyval_entries (project_id, owner_id, user_id, type, key, id, created_at, updated_at, \
             accessed_at, value) VALUES ({project}, {nobody}, 'u', 't', 'k', {nobody}, 1, 1, 1, '1')"
            ),
        ),
        (
            "foreign_key",
            format!(
                "INSERT INTO max_age_rules (id, project_id, key_pattern, max_age_seconds, created_at, updated_at) \
             VALUES ({nobody}, {nobody}, '*', 1, 1, 1)"
            ),
        ),
        (
            "job_failed",
            format!(
                "INSERT INTO jobs (id, kind, subject, state, attempt, failures, run_at, created_at) \
             VALUES ({nobody}, 'teardown_bot', '{NOBODY}', 'failed', 1, 1, 1, 1)"
            ),
        ),
        (
            "job_without_subject",
            format!(
                "INSERT INTO jobs (id, kind, subject, state, attempt, failures, run_at, created_at) \
             VALUES ({other}, 'remove_blob', '{OTHER}', 'queued', 0, 0, 1, 1)"
            ),
        ),
    ]
}

/// Damages files: one is removed, one grows, one changes, and one without a row is added. Those of damaged rows stay.
pub(super) fn damage_files(installation: &Installation) {
    let of_others = "SELECT blob_id AS id FROM documents WHERE NOT EXISTS \
         (SELECT 1 FROM blobs WHERE blobs.id = documents.blob_id AND state = 'deleting')";
    let id = installation.sql().text_of("id");
    let whole =
        installation.sql().texts(&format!("SELECT {id} AS value FROM ({of_others}) AS others"));
    let mut files = files(installation);
    files.retain(|file| whole.iter().any(|id| file.to_string_lossy().ends_with(id.as_str())));
    let [gone, longer, changed, ..] = &files[..] else { panic!("too few files: {files:?}") };
    fs::remove_file(gone).expect("it goes");
    let bytes = fs::read(longer).expect("a file");
    fs::write(longer, [&bytes[..], b"!"].concat()).expect("it grows");
    let mut bytes = fs::read(changed).expect("a file");
    bytes[0] ^= 1;
    fs::write(changed, bytes).expect("it changes");
    let name = changed.file_name().expect("a name").to_string_lossy();
    let (hash, _) = name.split_once('-').expect("a hash");
    let unknown = changed.with_file_name(format!("{hash}-{NOBODY}"));
    fs::write(&unknown, b"nobody's").expect("a file");
    let now = fs::metadata(&unknown).and_then(|file| file.modified()).expect("its time");
    let long_ago = now - Duration::from_secs(3 * 60 * 60);
    File::options()
        .write(true)
        .open(unknown)
        .expect("a file")
        .set_modified(long_ago)
        .expect("its time");
}
