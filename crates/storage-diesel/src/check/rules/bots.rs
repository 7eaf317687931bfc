//! Rules about bots and what is theirs alone.

use domain::bot::{REMOVE_CONFIG, TEARDOWN_BOT};
use domain::user::REMOVE_USERS;

use crate::check::rule::{Cure, Rule, rule};
use crate::check::sql::{Jobs, without_job};
use crate::engine::db::Dialect;
use crate::tables::bot_rows::OF_CONTENT;

pub(super) fn rules(dialect: Dialect) -> Vec<Rule> {
    vec![
        rule(
            dialect,
            ("bot_without_config", "the bot's configuration is missing, or a part of it"),
            ("it.id", "''"),
            "FROM bots AS it WHERE it.large_config IS NOT NULL AND NOT EXISTS (SELECT 1 FROM large_configs AS large \
             WHERE large.project_id = it.project_id AND large.id = it.large_config \
             AND large.bytes = (SELECT sum(octet_length(part.content)) FROM large_config_parts AS part \
             WHERE part.project_id = large.project_id AND part.id = large.id))",
            Cure::None,
        ),
        rule(
            dialect,
            ("config_count", "the large configuration counts other bots than it has ({})"),
            ("it.id", "it.bots || ' instead of ' || coalesce(used.bots, 0)"),
            "FROM large_configs AS it LEFT JOIN (SELECT project_id, large_config, count(*) AS bots FROM bots \
             WHERE large_config IS NOT NULL GROUP BY project_id, large_config) AS used \
             ON used.project_id = it.project_id AND used.large_config = it.id \
             WHERE it.bots <> coalesce(used.bots, 0)",
            Cure::None,
        ),
        rule(
            dialect,
            ("config_unused", "no bot has the large configuration, and no job removes it"),
            ("it.id", "''"),
            &format!(
                "FROM large_configs AS it WHERE it.bots = 0 AND {}",
                without_job(dialect, &REMOVE_CONFIG, "it.id", Jobs::All)
            ),
            Cure::Job(REMOVE_CONFIG),
        ),
        rule(
            dialect,
            ("content_count", "the bot counts more or less content than it has ({})"),
            (
                "it.id",
                "coalesce(counted.bytes, 0) || ' instead of ' || coalesce(there.bytes, 0) || ' bytes'",
            ),
            &format!(
                "FROM bots AS it LEFT JOIN bot_contents AS counted \
                 ON counted.project_id = it.project_id AND counted.bot_id = it.id \
                 LEFT JOIN (SELECT project_id, bot_id, sum(bytes) AS bytes FROM ( \
                 SELECT project_id, bot_id, size AS bytes FROM skills UNION ALL \
                 SELECT project_id, bot_id, size FROM stages UNION ALL \
                 SELECT project_id, bot_id, size FROM fusion_views UNION ALL \
                 SELECT project_id, bot_id, {OF_CONTENT} FROM visual_blocks) AS rows_of_bot \
                 GROUP BY project_id, bot_id) AS there \
                 ON there.project_id = it.project_id AND there.bot_id = it.id \
                 WHERE coalesce(counted.bytes, 0) <> coalesce(there.bytes, 0)"
            ),
            Cure::None,
        ),
        rule(
            dialect,
            ("bot_without_teardown", "the bot was deleted, but no job removes what it had"),
            ("it.id", "''"),
            &format!(
                "FROM bots AS it WHERE it.deleted_at IS NOT NULL AND {}",
                without_job(dialect, &TEARDOWN_BOT, "it.id", Jobs::All)
            ),
            Cure::Job(TEARDOWN_BOT),
        ),
        rule(
            dialect,
            ("token_of_deleted_bot", "the token's bot was deleted, but the token is not revoked"),
            ("it.id", "''"),
            "FROM tokens AS it JOIN bots AS b ON b.project_id = it.project_id AND b.id = it.bot_id \
             WHERE b.deleted_at IS NOT NULL AND it.revoked_at IS NULL",
            Cure::None,
        ),
        rule(
            dialect,
            (
                "users_without_removal",
                "users of the bot were deleted, but no job removes what they had ({})",
            ),
            ("it.bot_id", "count(*)"),
            &format!(
                "FROM users AS it JOIN bots AS b ON b.project_id = it.project_id AND b.id = it.bot_id \
                 WHERE it.deleted_at IS NOT NULL AND b.deleted_at IS NULL AND {} GROUP BY it.project_id, it.bot_id",
                without_job(dialect, &REMOVE_USERS, "it.bot_id", Jobs::All)
            ),
            Cure::Job(REMOVE_USERS),
        ),
        rule(
            dialect,
            ("entry_without_bot", "key-value entries belong to this bot, which is not there ({})"),
            ("it.owner_id", "it.entries"),
            "FROM (SELECT project_id, owner_id, count(*) AS entries FROM keyval_entries \
             GROUP BY project_id, owner_id) AS it WHERE it.owner_id <> it.project_id AND NOT EXISTS \
             (SELECT 1 FROM bots AS b WHERE b.project_id = it.project_id AND b.id = it.owner_id)",
            Cure::None,
        ),
    ]
}
