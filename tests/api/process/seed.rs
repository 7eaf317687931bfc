//! `botyard seed`, `botyard serve --seed`, and the lines to copy and paste that they print.

use std::net::SocketAddr;

use botyard_tests::{Installation, audit, each_database};
use s3_server::S3Server;
use serde_json::Value;

use super::command::{botyard, run};
use super::setup::{BOT, BOTS, members, migrated, organisation, text};
use super::wire::Wire;

/// Every row there is, but those in which the server keeps what it does by itself.
fn rows(installation: &Installation) -> Vec<Vec<String>> {
    let sql = installation.sql();
    let tables = sql.tables().into_iter().filter(|table| table != "jobs");
    tables.map(|table| sql.rows(&table, "TRUE", &["last_used_at"])).collect()
}

/// How many rows there are of this.
fn count(installation: &Installation, of: &str) -> i64 {
    installation.sql().number(&format!("SELECT count(*) AS value FROM {of}"))
}

/// The header and the URL of each printed `curl` line.
fn curl_lines(printed: &str) -> Vec<(String, String)> {
    let lines = printed.lines().filter_map(|line| line.strip_prefix("curl -H '"));
    lines
        .map(|line| {
            let (header, url) = line.split_once("' ").expect("a header and a URL");
            (header.to_owned(), url.to_owned())
        })
        .collect()
}

/// Does what `curl` would do with such a line; returns the body.
fn copy_and_paste(address: SocketAddr, (header, url): &(String, String)) -> Value {
    let path = url.strip_prefix(&format!("http://{address}")).expect("the server's own address");
    let mut wire = Wire::open(address).expect("the server listens");
    wire.send("GET", path, std::slice::from_ref(header), None).expect("it is sent");
    wire.read("GET", path).expect("an answer").ok()
}

each_database! {
    fn the_seed_fills_every_corner(database: Database) {
        let installation = migrated(database);
        let seeded = botyard(&installation, &["seed", "--json"]).json();
        assert_eq!(members(&seeded), ["botIds", "documents", "organisationId", "projectId", "tokens", "webhook"]);
        assert_eq!(seeded["botIds"].as_array().map(Vec::len), Some(6));
        let schemes: Vec<_> = seeded["tokens"]
            .as_array()
            .unwrap()
            .iter()
            .map(|token| {
                assert_eq!(members(token), ["name", "scheme", "token"]);
                assert!(audit::has_token(&text(&token["token"])), "{token}");
                text(&token["scheme"])
            })
            .collect();
        assert_eq!(schemes, ["APIKeyHeaderProject", "APIKeyHeader", "APIKeyHeader"]);
        let read_only = "SELECT count(*) AS value FROM tokens WHERE read_only = ";
        let yes = if database == botyard_tests::Database::Sqlite { "1" } else { "true" };
        assert_eq!(installation.sql().number(&format!("{read_only}{yes}")), 1);
    }

    fn the_bots_that_can_be_seen_have_content_of_every_kind(database: Database) {
        let installation = Installation::new(database);
        let settings = [("FUSION__PACKAGE_TYPES", "h5p,own-type,scorm")];
        run(installation.command(&settings).arg("seed")).done();
        let live = "bots WHERE state = 'active' AND kind = 'regular'";
        assert_eq!(count(&installation, live), 2);
        let of_users = format!(
            "keyval_entries, users WHERE keyval_entries.user_id = {} \
             AND keyval_entries.bot_id = users.bot_id",
            installation.sql().text_of("users.id")
        );
        for (of, each) in [
            ("skills", 4),
            ("skills WHERE answer_mode = 'sequence' AND enabled = TRUE", 1),
            ("skills WHERE answer_mode = 'sequenceloop'", 1),
            ("skills WHERE answer_mode = 'random' AND params IS NOT NULL", 1),
            ("skills WHERE enabled = FALSE", 1),
            ("skills WHERE tool_call_answer IS NOT NULL", 2),
            ("stages", 3),
            ("stages WHERE hidden = TRUE", 1),
            ("stage_scripts WHERE enter_js IS NOT NULL", 1),
            ("visual_blocks, skills WHERE visual_blocks.name = 'ifthen_' || skills.skill_id \
              AND visual_blocks.bot_id = skills.bot_id", 4),
            ("fusion_views", 4),
            ("fusion_views WHERE type = 'own-type'", 1),
            ("fusion_views WHERE blob_id IS NOT NULL", 2),
            ("fusion_views WHERE type = 'link-list' AND blob_id IS NULL", 1),
            ("website_crawls WHERE status = 'finished' AND pages_scraped = 6", 1),
            ("page_sets WHERE sealed_at IS NOT NULL", 1),
            ("pages", 7),
            ("pages WHERE content LIKE '%| Monday to Friday |%' AND title = 'Opening hours'", 1),
            ("pages WHERE content LIKE '%cookies%' OR content LIKE '%storeroom%'", 0),
            ("pages WHERE depth = 2", 2),
            ("pages WHERE error = 'disallowed' AND content IS NULL", 1),
            ("users", 3),
            ("users WHERE tokens > 0", 2),
            ("users WHERE reset_at IS NOT NULL", 1),
            ("users WHERE chat_at IS NOT NULL", 2),
            ("users WHERE fields = '{}'", 1),
            ("history_items", 8),
            ("history_items WHERE kind = 'socketEvent'", 1),
            ("history_items WHERE supervisor_enabled = FALSE", 1),
            ("history_items WHERE role = 'supervisor'", 1),
            ("usage_statistics", 5),
            ("usage_statistics WHERE kind = 'speechSynthesis' AND characters > 0", 1),
            ("usage_statistics WHERE kind = 'avatarVideo' AND seconds > 0", 1),
            ("feedback_entries", 3),
            ("feedback_entries WHERE rating = 'up'", 1),
            ("feedback_entries WHERE rating = 'down' AND comment IS NOT NULL", 1),
            ("feedback_entries WHERE rating = 'none' AND user_id IS NULL", 1),
            (of_users.as_str(), 6),
            ("keyval_entries WHERE bot_id IS NOT NULL AND key LIKE '!%'", 3),
        ] {
            assert_eq!(count(&installation, of), 2 * each, "{of}");
        }
        for (of, expected) in [
            ("keyval_entries WHERE bot_id IS NULL", 3),
            ("keyval_entries WHERE bot_id IS NULL AND key LIKE '!%'", 1),
            ("max_age_rules", 2),
            ("documents WHERE extraction_status = 'finished' AND chunk_count > 0", 5),
            ("bot_documents", 5),
            ("chunks WHERE page > 1", 1),
        ] {
            assert_eq!(count(&installation, of), expected, "{of}");
        }
        // What the seed crawls and extracts is done when the command is, and no server has to do it.
        assert_eq!(count(&installation, "jobs WHERE kind IN ('crawl', 'extract')"), 0);
        // All have the same package, and the project keeps it once; the others are documents.
        assert_eq!(count(&installation, "blobs WHERE state = 'present'"), 6);
    }

    fn a_second_seed_changes_nothing_and_shows_no_token(database: Database) {
        let installation = Installation::empty(database);
        let first = botyard(&installation, &["seed"]);
        assert_eq!(first.done().matches("\ntoken    ").count(), 3, "{first:?}");
        let before = rows(&installation);
        let second = botyard(&installation, &["seed"]);
        assert!(!audit::has_token(second.done()), "{second:?}");
        assert!(second.done().contains("minted before"), "{second:?}");
        let third = botyard(&installation, &["seed", "--json"]).json();
        assert_eq!(third["tokens"], Value::Array(Vec::new()));
        assert_eq!(rows(&installation), before);
    }

    fn the_seed_adds_what_is_missing_of_a_bot(database: Database) {
        let installation = Installation::new(database);
        botyard(&installation, &["seed"]).done();
        let sql = installation.sql();
        sql.execute("DELETE FROM stages WHERE hidden = TRUE");
        sql.execute("DELETE FROM skills WHERE skill_id = 'small-talk'");
        sql.execute("UPDATE skills SET content = 'mine' WHERE skill_id = 'find-order'");
        sql.execute("DELETE FROM history_items");
        sql.execute("DELETE FROM usage_statistics WHERE day = '2026-01-31'");
        sql.execute("DELETE FROM feedback_entries WHERE rating = 'up'");
        sql.execute("DELETE FROM keyval_entries WHERE key = '!plan' OR key = '!terms'");
        sql.execute("DELETE FROM max_age_rules WHERE max_age_seconds > 3600");
        sql.execute("UPDATE keyval_entries SET value = '\"mine\"' WHERE key = 'items'");
        sql.execute("UPDATE website_crawls SET status = 'failed'");
        sql.execute("UPDATE usage_statistics SET requests = 99 WHERE day = '2026-01-30'");
        botyard(&installation, &["seed"]).done();
        assert_eq!(count(&installation, "stages WHERE hidden = TRUE"), 2);
        assert_eq!(count(&installation, "skills"), 8);
        assert_eq!(count(&installation, "skills WHERE content = 'mine'"), 2);
        for (of, expected) in [
            ("website_crawls", 2),
            ("website_crawls WHERE status = 'finished'", 2),
            ("users", 6),
            ("history_items", 16),
            ("usage_statistics", 10),
            ("usage_statistics WHERE requests = 99", 2),
            ("feedback_entries", 6),
            ("keyval_entries", 15),
            ("keyval_entries WHERE value = '\"mine\"'", 6),
            ("max_age_rules", 2),
        ] {
            assert_eq!(count(&installation, of), expected, "{of}");
        }
    }

    fn a_sample_bot_that_was_archived_is_left_alone(database: Database) {
        let installation = Installation::new(database);
        botyard(&installation, &["seed"]).done();
        let archive = "UPDATE bots SET state = 'archived' WHERE state = 'active'";
        installation.sql().execute(archive);
        let before = rows(&installation);
        botyard(&installation, &["seed"]).done();
        assert_eq!(rows(&installation), before);
    }

    fn the_seed_crawls_beside_a_server_that_can_not_reach_the_site(database: Database) {
        let installation = Installation::new(database);
        let mut server = installation.serve(&[]);
        botyard(&installation, &["seed"]).done();
        assert_eq!(count(&installation, "website_crawls"), 2);
        assert_eq!(count(&installation, "website_crawls WHERE status = 'finished'"), 2);
        assert_eq!(server.stop(), 0);
    }

    fn the_seed_leaves_what_is_there_alone(database: Database) {
        let installation = migrated(database);
        let other = organisation(&installation, "Sample organisation of somebody else");
        let seeded = botyard(&installation, &["seed", "--json"]).json();
        assert_ne!(seeded["organisationId"], other);
    }

    fn serve_fills_an_empty_database_and_prints_lines_that_work(database: Database) {
        let installation = Installation::empty(database);
        let settings = [("AUTH__BOT_HEADER", "X-Bot"), ("AUTH__PROJECT_HEADER", "X-Project")];
        let mut server = installation.serve_with(&settings, &["--seed"]);
        let address = server.address();
        let printed = server.printed().join("\n");
        assert!(printed.ends_with(&format!("\nlistening on http://{address}")), "{printed}");
        let curl = curl_lines(&printed);
        let [of_project, of_bot, read_only] = &curl[..] else {
            panic!("three lines to copy and paste: {printed}");
        };
        assert_eq!(copy_and_paste(address, of_project).as_array().map(Vec::len), Some(2));
        assert!(of_project.0.starts_with("X-Project: byp_"), "{}", of_project.0);
        for line in [of_bot, read_only] {
            assert_eq!(copy_and_paste(address, line)["name"], "Ada, the support bot");
            assert!(line.0.starts_with("X-Bot: byb_"), "{}", line.0);
        }
        assert!(of_project.1.ends_with(BOTS) && of_bot.1.ends_with(BOT), "{printed}");
        assert_eq!(server.stop(), 0);
        assert!(!audit::has_token(&server.log()));
    }

    fn files_are_kept_in_a_bucket(database: Database) {
        let installation = Installation::new(database);
        let bucket = S3Server::start();
        let variables = bucket.variables();
        let url = format!("s3://{}/prefix", bucket.bucket);
        let mut settings = vec![("BLOB_URL", url.as_str())];
        settings.extend(variables.iter().map(|(name, value)| (name.as_str(), value.as_str())));
        let mut server = installation.serve_with(&settings, &["--seed"]);
        let keys = bucket.keys();
        // A package, five documents and the mark of the place.
        assert!(keys.len() == 7 && keys.iter().all(|key| key.starts_with("prefix/")), "{keys:?}");
        let mut wire = Wire::open(server.address()).expect("the server listens");
        assert_eq!(wire.ask("GET", "/readyz", None).unwrap().status(), 200);
        bucket.hang(true);
        wire.ask("GET", "/readyz", None).unwrap().problem(503, "not_ready");
        bucket.hang(false);
        assert_eq!(wire.ask("GET", "/readyz", None).unwrap().status(), 200);
        assert_eq!(server.stop(), 0);
        assert!(!server.log().contains(bucket.secret_key), "{}", server.log());
        assert!(!installation.data_dir().join("blobs").exists());
    }

    fn serve_with_the_seed_can_be_started_again(database: Database) {
        let installation = Installation::new(database);
        let mut first = installation.serve_with(&[], &["--seed", "--json"]);
        let printed: Value = serde_json::from_str(&first.printed()[0]).unwrap();
        assert_eq!(printed["tokens"].as_array().map(Vec::len), Some(3));
        assert_eq!(first.stop(), 0);
        let before = rows(&installation);
        let mut second = installation.serve_with(&[], &["--seed", "--json"]);
        assert_eq!(second.printed()[0], r#"{"seeded":false}"#);
        assert_eq!(second.stop(), 0);
        assert_eq!(rows(&installation), before);
    }
}
