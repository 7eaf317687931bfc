//! `botyard seed`, `botyard serve --seed`, and the lines to copy and paste that they print.

use std::net::SocketAddr;

use botyard_tests::{Installation, audit, each_database};
use serde_json::Value;

use super::command::botyard;
use super::setup::{BOT, BOTS, members, migrated, organisation, text};
use super::waiting::until;
use super::wire::Wire;

/// Every row there is.
fn rows(installation: &Installation) -> Vec<Vec<String>> {
    let sql = installation.sql();
    sql.tables().iter().map(|table| sql.rows(table, &["last_used_at"])).collect()
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
        assert_eq!(members(&seeded), ["botIds", "organisationId", "projectId", "tokens"]);
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

    fn a_second_seed_changes_nothing_and_shows_no_token(database: Database) {
        let installation = Installation::new(database);
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

    fn the_seed_leaves_what_is_there_alone(database: Database) {
        let installation = migrated(database);
        let other = organisation(&installation, "Sample organisation of somebody else");
        let seeded = botyard(&installation, &["seed", "--json"]).json();
        assert_ne!(seeded["organisationId"], other);
    }

    fn serve_fills_an_empty_database_and_prints_lines_that_work(database: Database) {
        let installation = Installation::new(database);
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

    fn serve_leaves_a_database_alone_that_is_not_empty(database: Database) {
        let installation = migrated(database);
        organisation(&installation, "Somebody");
        let before = rows(&installation);
        let mut server = installation.serve_with(&[], &["--seed"]);
        let address = server.address();
        assert_eq!(server.printed(), [format!("listening on http://{address}")]);
        assert_eq!(rows(&installation), before);
        until("the log says why", || server.log().contains("not seeded"));
        assert_eq!(server.stop(), 0);
    }

    fn serve_with_the_seed_can_be_started_again(database: Database) {
        let installation = Installation::new(database);
        let mut first = installation.serve_with(&[], &["--seed", "--json"]);
        let printed: Value = serde_json::from_str(&first.printed()[0]).unwrap();
        assert_eq!(printed["tokens"].as_array().map(Vec::len), Some(3));
        assert_eq!(first.stop(), 0);
        let before = rows(&installation);
        let mut second = installation.serve_with(&[], &["--seed", "--json"]);
        assert!(!audit::has_token(&second.printed().join("\n")));
        assert_eq!(second.stop(), 0);
        assert_eq!(rows(&installation), before);
    }
}
