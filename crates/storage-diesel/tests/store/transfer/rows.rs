//! Rows of every table, as SQL, and what a database file has.

use diesel::prelude::*;
use diesel::sql_types::Text;
use storage_diesel::DatabaseUrl;
use storage_diesel::transfer::TABLES;
use uuid::Uuid;

use crate::databases::Database;

/// An identifier by number.
pub fn id(number: u128) -> Uuid {
    Uuid::from_u128(number)
}

/// Rows of every table, with what could be lost: quotes, other scripts, line breaks, the largest numbers, nothing.
pub fn of_every_table(database: &Database) -> String {
    let id = |number| database.id(id(number));
    let (organisation, project, bot, other_bot) = (id(1), id(2), id(3), id(4));
    let (large, stage, blob, user, set, document) = (id(5), id(6), id(7), id(8), id(9), id(10));
    let (extraction, new) = (id(11), id(12));
    let (hash, digest) = ("0123456789abcdef".repeat(4), "00ff7f80".repeat(8));
    let digest = match database.url() {
        DatabaseUrl::Sqlite(_) => format!("x'{digest}'"),
        DatabaseUrl::Postgres(_) => format!("'\\x{digest}'::bytea"),
    };
    let odd = "'Ünö ''\"\\ 🤖\n\t%_'";
    let long = format!("'{}'", "Zeile\n".repeat(60_000));
    let (least, most) = (i64::MIN + 1, i64::MAX);
    format!(
        "INSERT INTO organisations (id, name, created_at) VALUES ({organisation}, {odd}, {least});
        INSERT INTO projects (id, organisation_id, name, created_at) VALUES ({project}, {organisation}, '', {most});
        INSERT INTO large_configs (id, project_id, bytes) VALUES ({large}, {project}, 360005);
        INSERT INTO large_config_parts (id, project_id, number, content) VALUES ({large}, {project}, 0, {long}),
            ({large}, {project}, 1, 'Zeile');
        INSERT INTO bots (id, project_id, name, kind, state, large_config, created_at, updated_at, deleted_at, config)
            VALUES ({bot}, {project}, {odd}, 'regular', 'active', {large}, 1, 2, NULL, '{{}}'),
            ({other_bot}, {project}, 'b', 'regular', 'trashed', {large}, 1, 2, 3, '{{}}');
        INSERT INTO tokens (id, organisation_id, project_id, owner, bot_id, digest, last_four, name, scopes, read_only,
            created_at, expires_at) VALUES ({new}, {organisation}, {project}, 'bot', {bot}, {digest}, 'abcd', 't',
            'bot:read', TRUE, 1, 5);
        INSERT INTO changelog_entries (id, project_id, bot_id, at, action, resource, resource_id, changes)
            VALUES ({new}, {project}, {bot}, 1, 'update', 'bot', 'x', '[]');
        INSERT INTO skills (id, project_id, bot_id, name, skill_id, enabled, content, answer_mode, size, created_at,
            updated_at) VALUES ({new}, {project}, {bot}, {odd}, 's', FALSE, {long}, 'm', 1, 1, 1);
        INSERT INTO stages (id, project_id, bot_id, title, name, hidden, footer, size, created_at, updated_at, skills)
            VALUES ({stage}, {project}, {bot}, 't', 'n', NULL, TRUE, 1, 1, 1, '[\"s\"]');
        INSERT INTO stage_scripts (stage_id, project_id, bot_id, enter_js) VALUES ({stage}, {project}, {bot}, {long});
        INSERT INTO visual_blocks (id, project_id, bot_id, name, content, created_at, updated_at)
            VALUES ({new}, {project}, {bot}, 'v', '{{}}', 1, 1);
        INSERT INTO blobs (id, project_id, kind, sha256, size, state, created_at)
            VALUES ({blob}, {project}, 'package', '{hash}', 1, 'present', 1);
        INSERT INTO fusion_views (id, project_id, bot_id, type, title, blob_id, file_name, file_mime_type, file_size,
            file_sha256, file_entries, file_uploaded_at, size, created_at, updated_at, metadata) VALUES ({new},
            {project}, {bot}, 'web', 't', {blob}, {odd}, 'application/zip', 1, '{hash}', 1, 1, 1, 1, 1, '{{}}');
        INSERT INTO bot_contents (project_id, bot_id, bytes) VALUES ({project}, {bot}, 2053);
        WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 2500)
            INSERT INTO keyval_entries (project_id, owner_id, user_id, type, key, id, created_at, updated_at,
            accessed_at, value) SELECT {project}, CASE number % 2 WHEN 0 THEN {bot} ELSE {project} END, {odd}, 't',
            'key ' || number, {new}, number, number, number, '\"' || number || '\"' FROM numbers;
        INSERT INTO max_age_rules (id, project_id, key_pattern, max_age_seconds, position, created_at, updated_at)
            VALUES ({new}, {project}, '*', 0.1, '[]', 1, 1);
        INSERT INTO users (id, project_id, bot_id, guest_id, messages, tokens, supervised, chat_at, created_at,
            updated_at, fields) VALUES ({user}, {project}, {bot}, {odd}, 1, {most}, TRUE, 1, 1, 1, '{{}}');
        INSERT INTO history_items (id, project_id, bot_id, user_id, role, kind, supervisor_enabled, created_at, text)
            VALUES ({new}, {project}, {bot}, {user}, 'user', 'message', TRUE, 1, {odd});
        INSERT INTO usage_statistics (id, project_id, bot_id, day, kind, model, requests, input_tokens, output_tokens,
            characters, seconds, cost) VALUES ({new}, {project}, {bot}, '2026-11-25', 'k', {odd}, 1, 2, 3, 4, 1e300,
            0.1);
        INSERT INTO feedback_entries (id, project_id, bot_id, message_id, rating, created_at, comment)
            VALUES ({new}, {project}, {bot}, 'm', 'up', 1, {odd});
        INSERT INTO page_sets (id, project_id, created_at, sealed_at) VALUES ({set}, {project}, 1, 2);
        INSERT INTO pages (id, project_id, page_set_id, number, url, depth, state, size, content_hash, scraped_at,
            content) VALUES (NULL, {project}, {set}, 1, 'https://b.test', 1, 'alias', 0, NULL, NULL, NULL),
            ({new}, {project}, {set}, 0, 'https://a.test', 0, 'done', 1, '{hash}', 1, {long});
        INSERT INTO website_crawls (id, project_id, bot_id, page_set_id, url, depth, name, active, status,
            pages_scraped, pages_failed, sitemaps_read, bytes, finished_at, created_at, updated_at) VALUES ({new},
            {project}, {bot}, {set}, 'https://a.test', 1, {odd}, TRUE, 'finished', 1, 0, TRUE, 1, 1, 1, 1);
        INSERT INTO chunks (id, project_id, extraction_id, number, char_start, char_end, page, size, text)
            VALUES ({new}, {project}, {extraction}, 0, 0, 1, NULL, 1, {odd});
        INSERT INTO documents (id, project_id, blob_id, file_name, mime_type, size, sha256, extraction_id,
            extraction_status, extraction_finished_at, chunks_of, chunk_count, created_at, updated_at, settings)
            VALUES ({document}, {project}, {blob}, {odd}, 'text/plain', 1, '{hash}', {extraction}, 'finished', 1,
            {extraction}, 1, 1, 1, '{{}}');
        INSERT INTO bot_documents (id, project_id, bot_id, document_id, created_at, updated_at)
            VALUES ({new}, {project}, {bot}, {document}, 1, 1);
        INSERT INTO jobs (id, kind, subject, project_id, state, attempt, failures, run_at, leased_until, last_error,
            created_at) VALUES ({new}, 'crawl', 'x', {project}, 'running', 1, 0, 1, 2, {odd}, 1),
            ({bot}, 'sweep_blobs', '*', NULL, 'queued', 1, 0, 1, NULL, NULL, 1);
        INSERT INTO idempotent_requests (project_id, token_id, key, id, target, lease_until, bot_id, body, entity_tag,
            answer, bytes) VALUES ({project}, {new}, 'a', {new}, 'x', 1, {bot}, 'x', 'x', {odd}, 1),
            ({project}, {new}, 'b', {bot}, 'x', 1, NULL, NULL, NULL, NULL, 1);
        INSERT INTO imports (project_id, sha256, bot_id, records, is_complete, updated_at)
            VALUES ({project}, 'a', {bot}, {most}, true, {least}), ({project}, 'b', {bot}, 1, false, 2);
        INSERT INTO events (project_id, number, id, at, type, bot_id, resource_id, actor_token_id, actor_scheme, data)
            VALUES ({project}, 1, {new}, 1, 'bot.created', {bot}, 'x', {new}, 'bot', '{{}}'),
            ({project}, 2, {bot}, 1, 'keyval.expired', NULL, {odd}, NULL, NULL, '{{}}'),
            ({project}, -5, {large}, 1, 'bot.updated', {bot}, 'x', NULL, NULL, '{{}}');
        INSERT INTO tickets (digest, project_id, scheme, token, expires_at)
            VALUES ({digest}, {project}, 'bot', {digest}, 1);
        INSERT INTO webhooks (id, project_id, url, types, bot_ids, description, enabled, disabled_reason, failing_since,
            secret, previous_secret, previous_until, cursor, blocked_by, created_at, updated_at) VALUES ({new}, {project},
            'https://a.test', '[]', '[]', {odd}, FALSE, 'gone', 1, {digest}, {digest}, 1, {most}, {new}, 1, 1),
            ({bot}, {project}, 'https://a.test', '[]', NULL, NULL, TRUE, NULL, NULL, {digest}, NULL, NULL, 0, NULL, 1, 1);
        INSERT INTO webhook_deliveries (webhook_id, id, project_id, event_number, event_id, event_type, status, attempts,
            failures, next_attempt_at) VALUES ({new}, {new}, {project}, 1, {new}, 'bot.created', 'waiting', '[]', 0, 1),
            ({new}, {bot}, {project}, 2, {new}, 'bot.created', 'failed', '[]', 1, NULL);
        INSERT INTO audit_entries (id, at, command, uid, user_name, sudo_user, host, resource, subject)
            VALUES ({new}, 1, 'token mint', 1000, {odd}, NULL, 'host', 'token', 'x');
        INSERT INTO installation (number, id, marked_at, encryption_key) VALUES (1, {new}, 1, '00010203fcfdfeff');"
    )
}

#[derive(QueryableByName)]
struct Line {
    #[diesel(sql_type = Text)]
    line: String,
}

fn lines(database: &Database, query: &str) -> Vec<String> {
    let query = diesel::sql_query(query);
    let lines: Vec<Line> = match database.url() {
        DatabaseUrl::Sqlite(path) => {
            query.load(&mut SqliteConnection::establish(path.to_str().unwrap()).unwrap())
        }
        DatabaseUrl::Postgres(_) => query.load(&mut database.connect()),
    }
    .unwrap();
    lines.into_iter().map(|line| line.line).collect()
}

/// Every row of a file of SQLite, with every column in it, written by SQLite itself.
pub fn of_file(database: &Database) -> Vec<String> {
    let of_table = |table: &storage_diesel::transfer::Table| {
        let cells: Vec<_> =
            table.columns.iter().map(|column| format!("quote(\"{}\")", column.name)).collect();
        let (name, cells) = (table.name, cells.join(" || ',' || "));
        lines(database, &format!("SELECT '{name}: ' || {cells} AS line FROM {name} ORDER BY line"))
    };
    TABLES.iter().flat_map(of_table).collect()
}

/// Every index and trigger.
pub fn indexes(database: &Database) -> Vec<String> {
    let query = match database.url() {
        DatabaseUrl::Sqlite(_) => {
            "SELECT type || ' ' || name || ' ' || coalesce(sql, '') AS line FROM sqlite_schema ORDER BY line"
        }
        DatabaseUrl::Postgres(_) => {
            "SELECT indexdef AS line FROM pg_indexes WHERE schemaname = 'public' UNION ALL \
             SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal ORDER BY line"
        }
    };
    lines(database, query)
}
