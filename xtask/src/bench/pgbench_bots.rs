//! What requests of bots have PostgreSQL do, as scripts of pgbench.

use anyhow::{Context as _, Result, anyhow};
use serde_json::{Value, json};

use crate::bench::content::Bot;
use crate::bench::request::{Request, Response, VARIES};
use crate::bench::server::{Botyard, CONFIG_BYTES};
use crate::bench::setting::WRITERS;

/// Tables like those of the bots and of the changelog, but for references and triggers. Each connection has a bot with
/// a configuration of the usual size.
pub const TABLES: &str = "CREATE TABLE bench_bots (LIKE bots INCLUDING ALL);
CREATE TABLE bench_changelog (LIKE changelog_entries INCLUDING ALL);
INSERT INTO bench_bots (id, project_id, name, kind, state, created_at, updated_at, config)
SELECT CAST('00000000-0000-7000-8000-' || lpad(CAST(n AS TEXT), 12, '0') AS UUID),
    '00000000-0000-7000-8000-000000000002', 'Measured', 'regular', 'active', 1700000000000, 1700000000000,
    '{\"name\":\"Measured\",\"botInstruction\":\"' || repeat('Answer in a friendly tone. ', 53) || '\"}'
FROM generate_series(0, 63) AS n;
";

/// Changes the bot of each connection: looks at it under a lock, stores it, and adds an entry to the changelog.
pub const CHANGE: &str = r#"\set temperature random(0, 999)
BEGIN;
SELECT id, project_id, kind, state, config, large_config, created_at, updated_at, deleted_at, name FROM bench_bots
WHERE project_id = '00000000-0000-7000-8000-000000000002'
    AND id = CAST('00000000-0000-7000-8000-' || lpad(CAST(:client_id AS TEXT), 12, '0') AS UUID)
    AND state = 'active' AND kind = 'regular' AND deleted_at IS NULL
FOR NO KEY UPDATE;
UPDATE bench_bots SET state = 'active', large_config = NULL, updated_at = 1700000000001, deleted_at = NULL,
    name = 'Measured',
    config = '{"name":"Measured","temperature":' || :temperature || '.5,"botInstruction":"'
        || repeat('Answer in a friendly tone. ', 53) || '"}'
WHERE project_id = '00000000-0000-7000-8000-000000000002'
    AND id = CAST('00000000-0000-7000-8000-' || lpad(CAST(:client_id AS TEXT), 12, '0') AS UUID)
    AND deleted_at IS NULL;
INSERT INTO bench_changelog (id, project_id, bot_id, at, actor_token_id, actor_name, actor_scheme, action, resource,
    resource_id, changes)
VALUES (gen_random_uuid(), '00000000-0000-7000-8000-000000000002',
    CAST('00000000-0000-7000-8000-' || lpad(CAST(:client_id AS TEXT), 12, '0') AS UUID), 1700000000001,
    '00000000-0000-7000-8000-000000000003', 'Sample project token', 'APIKeyHeaderProject', 'update', 'bot',
    '00000000-0000-7000-8000-000000000004', '[{"field":"temperature","from":0.5,"to":' || :temperature || '.5}]');
COMMIT;
"#;

/// Looks up this bot and its tokens.
pub fn reading(bot: &Response) -> Result<String> {
    let bot: Value = serde_json::from_str(&bot.body).context("the bot")?;
    let id = |name| {
        let id = bot.get(name).and_then(Value::as_str);
        id.ok_or_else(|| anyhow!("the bot has no {name}"))
    };
    let (id, project) = (id("_id")?, id("projectId")?);
    Ok(format!(
        "SELECT id, project_id, kind, state, config, large_config, created_at, updated_at, deleted_at, name FROM bots
WHERE project_id = '{project}' AND id = '{id}' AND state = 'active' AND kind = 'regular' AND deleted_at IS NULL;
SELECT id, organisation_id, project_id, owner, bot_id, digest, last_four, name, scopes, read_only, created_at,
    expires_at, revoked_at, last_used_at
FROM tokens WHERE project_id = '{project}' AND bot_id = '{id}' AND revoked_at IS NULL
    AND (expires_at IS NULL OR expires_at > 1700000000000)
ORDER BY id;
"
    ))
}

/// Requests of which each one changes a bot. They go to one for each connection.
pub fn writing(server: &Botyard) -> Result<Request> {
    let instruction: String =
        "Answer in a friendly tone. ".chars().cycle().take(CONFIG_BYTES).collect();
    let body = json!({ "name": "Measured", "botInstruction": instruction });
    let bot = || Ok(Bot::create_with(server, &server.project, &body)?.path(""));
    let bots = (0..WRITERS).map(|_| bot()).collect::<Result<_>>()?;
    let body = format!(r#"{{"temperature":{VARIES}}}"#);
    Ok(Request { body: Some(body), ..server.project_request("PUT", bots) })
}
