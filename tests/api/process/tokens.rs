//! `botyard token`

use botyard_tests::{Installation, audit, each_database};
use domain::access::{Scheme, Scope, ScopeSet};
use serde_json::{Value, json};

use super::command::{Ran, botyard};
use super::setup::{NOBODY, bot, id_of, members, migrated, minted, project, project_token, text};

const MEMBERS: [&str; 12] = [
    "_id",
    "botId",
    "createdAt",
    "expiresAt",
    "key",
    "lastUsedAt",
    "name",
    "projectId",
    "readOnly",
    "revokedAt",
    "scheme",
    "scopes",
];

fn all_scopes(scheme: Scheme) -> Value {
    ScopeSet::of_scheme(scheme).iter().map(Scope::as_str).collect()
}

fn mint(installation: &Installation, flags: &[&str]) -> Ran {
    botyard(installation, &[&["token", "mint"], flags].concat())
}

/// A migrated database with a project and a bot in it.
fn with_a_bot(installation: &Installation) -> (String, String) {
    let project = project(installation);
    let server = installation.serve(&[]);
    let bot = bot(server.address(), &project_token(installation, &project), "Bot");
    (project, bot)
}

each_database! {
    fn a_token_is_minted_for_a_project_or_for_a_bot(database: Database) {
        let installation = migrated(database);
        let (project, bot) = with_a_bot(&installation);
        for (scheme, prefix, flag, id, bot_id) in [
            (Scheme::Project, "byp_", "--project", &project, Value::Null),
            (Scheme::Bot, "byb_", "--bot", &bot, json!(bot)),
        ] {
            let minted = minted(&installation, &[flag, id]);
            let mut expected = MEMBERS.to_vec();
            expected.push("token");
            assert_eq!(members(&minted), expected);
            let token = text(&minted["token"]);
            assert!(token.starts_with(prefix) && audit::has_token(&token), "{token}");
            assert_eq!(minted["key"], format!("{prefix}****{}", &token[token.len() - 4..]));
            assert_eq!(minted["scheme"], scheme.as_str());
            assert_eq!(minted["name"], "Token");
            assert_eq!(minted["scopes"], all_scopes(scheme));
            assert_eq!(minted["readOnly"], json!(false));
            assert_eq!((&minted["projectId"], &minted["botId"]), (&json!(project), &bot_id));
            for never in ["expiresAt", "revokedAt", "lastUsedAt"] {
                assert_eq!(minted[never], Value::Null, "{never}");
            }
        }
    }

    fn mint_prints_the_token_and_nothing_else(database: Database) {
        let installation = migrated(database);
        let project = project(&installation);
        let ran = mint(&installation, &["--project", &project, "--name", "T", "--scopes", "all"]);
        let token = ran.done().strip_suffix('\n').unwrap();
        assert_eq!((token.len(), audit::has_token(token)), (53, true), "{token}");
    }

    fn scopes_time_and_read_only_are_taken_over(database: Database) {
        let installation = migrated(database);
        let project = project(&installation);
        let flags = ["--project", &project, "--name", " T ", "--read-only", "--json"];
        let more = ["--scopes", "stats:read,bots:read", "--expires-in", "90d"];
        let minted = mint(&installation, &[&flags[..], &more].concat()).json();
        assert_eq!((&minted["name"], &minted["readOnly"]), (&json!("T"), &json!(true)));
        assert_eq!(minted["scopes"], json!(["bots:read", "stats:read"]));
        let expires = text(&minted["expiresAt"]);
        let days = installation.sql().number(
            "SELECT (expires_at - created_at) / 86400000 AS value FROM tokens",
        );
        assert_eq!(days, 90);

        let ran = botyard(&installation, &["token", "list", "--project", &project]);
        for word in [&format!("until {expires}"), "  read-only  ", "[bots:read stats:read]"] {
            assert!(ran.done().contains(word), "{word} in {ran:?}");
        }
    }

    fn the_list_shows_every_token_but_never_its_text(database: Database) {
        let installation = migrated(database);
        let (project, bot) = with_a_bot(&installation);
        let of_bot = minted(&installation, &["--bot", &bot]);
        let of_project = minted(&installation, &["--project", &project]);
        for (flag, id, newest) in [("--bot", &bot, of_bot), ("--project", &project, of_project)] {
            let list = botyard(&installation, &["token", "list", flag, id, "--json"]).json();
            let last = list.as_array().unwrap().last().unwrap();
            assert_eq!(members(last), MEMBERS);
            for member in MEMBERS {
                assert_eq!(last[member], newest[member], "{member}");
            }
            let ran = botyard(&installation, &["token", "list", flag, id]);
            let lines = ran.done();
            let line = lines.lines().last().unwrap();
            assert!(line.starts_with(&format!("{}  ", id_of(&newest))), "{line}");
            for word in [newest["key"].as_str().unwrap(), "Token", "no end", "never used"] {
                assert!(line.contains(word), "{word} in {line}");
            }
            assert!(!audit::has_token(&format!("{lines}{list}")));
            assert_eq!(lines.lines().count(), list.as_array().unwrap().len());
        }
    }

    fn a_revoked_token_stays_in_the_list_and_stays_revoked(database: Database) {
        let installation = migrated(database);
        let project = project(&installation);
        let id = id_of(&minted(&installation, &["--project", &project]));
        let revoke = ["token", "revoke", &id, "--json"];
        let revoked = botyard(&installation, &revoke).json();
        assert_eq!((id_of(&revoked), members(&revoked)), (id.clone(), MEMBERS.to_vec()));
        assert!(revoked["revokedAt"].is_string(), "{revoked}");
        assert_eq!(botyard(&installation, &revoke).json(), revoked);
        let list = ["token", "list", "--project", &project];
        assert_eq!(botyard(&installation, &[&list[..], &["--json"]].concat()).json(), json!([revoked]));
        let ran = botyard(&installation, &list);
        let at = format!("  revoked {}  ", text(&revoked["revokedAt"]));
        assert!(ran.done().contains(&at), "{ran:?}");
        assert_eq!(botyard(&installation, &["token", "revoke", &id]).done(), ran.done());
    }

    fn what_is_not_there_is_named(database: Database) {
        let installation = migrated(database);
        for (flag, missing) in [("--project", "project"), ("--bot", "bot")] {
            let expected = format!("{missing} not found");
            let ran = mint(&installation, &[flag, NOBODY, "--name", "T", "--scopes", "all"]);
            assert_eq!(ran.failed(), expected);
            assert_eq!(botyard(&installation, &["token", "list", flag, NOBODY]).failed(), expected);
        }
        assert_eq!(botyard(&installation, &["token", "revoke", NOBODY]).failed(), "token not found");
    }

    fn a_scope_of_the_other_scheme_is_refused_and_named(database: Database) {
        let installation = migrated(database);
        let (project, bot) = with_a_bot(&installation);
        let before = installation.sql().number("SELECT count(*) AS value FROM tokens");
        for (flag, id, scopes, foreign) in [
            ("--project", &project, "bots:read,bot:write", "bot:write"),
            ("--project", &project, "supervisor:read", "supervisor:read"),
            ("--bot", &bot, "bots:read", "bots:read"),
            ("--bot", &bot, "bot:read,projectdoc:read", "projectdoc:read"),
        ] {
            let ran = mint(&installation, &[flag, id, "--name", "T", "--scopes", scopes]);
            let reason = ran.failed();
            assert!(reason.starts_with("--scopes: ") && reason.contains(foreign), "{reason}");
        }
        let ran = mint(&installation, &["--bot", &bot, "--name", "", "--scopes", "bots:read"]);
        assert!(ran.failed().contains("--name: ") && ran.failed().contains("--scopes: "), "{ran:?}");
        let after = installation.sql().number("SELECT count(*) AS value FROM tokens");
        assert_eq!(before, after);
    }
}

#[test]
fn no_command_repeats_a_token_that_was_typed() {
    let installation = Installation::new(botyard_tests::Database::Sqlite);
    let project = project(&installation);
    let token = project_token(&installation, &project);
    let header = format!("X-Project-Api-Key: {token}");
    let without_its_end = token.get(..40).unwrap();
    for arguments in [
        &["token", "revoke", &token][..],
        &["token", "revoke", without_its_end],
        &["token", "revoke", "--json", &token],
        &["token", "list", "--project", &token],
        &["organisation", "create", "--name", &token],
        &["job", "retry", &header],
        &["serve", "--listen", &token],
        &["config", &format!("--{token}")],
        &["completions", &token],
        &[&token],
    ] {
        let ran = botyard(&installation, arguments);
        assert!(ran.misused().contains("token list"), "{ran:?}");
        assert!(!ran.misused().contains("byp_"), "{ran:?}");
    }
    let left = "SELECT count(*) AS value FROM tokens WHERE revoked_at IS NULL";
    assert_eq!(installation.sql().number(left), 1);
}

#[test]
fn what_is_typed_wrongly_is_explained() {
    let installation = Installation::new(botyard_tests::Database::Sqlite);
    let good = ["--name", "T", "--scopes", "all"];
    for (flags, word) in [
        (&["--project", "x"][..], "--project"),
        (&["--bot", "0190C7A0-1111-7222-8333-444455556666"], "--bot"),
        (&["--bot", ""], "--bot"),
        (&[], "--project <ID>|--bot <ID>"),
        (&["--project", NOBODY, "--bot", NOBODY], "--bot"),
        (&["--project", NOBODY, "--expires-in", "soon"], "--expires-in"),
        (&["--project", NOBODY, "--expires-in=-1s"], "--expires-in"),
        (&["--project", NOBODY, "--expires-in", "0s"], "more than 0"),
        (&["--project", NOBODY, "--forever"], "--forever"),
    ] {
        let ran = mint(&installation, &[flags, &good].concat());
        assert!(ran.misused().contains(word), "{ran:?}");
    }
    let known =
        [Scheme::Project, Scheme::Bot].map(|scheme| ScopeSet::of_scheme(scheme).to_string());
    for scopes in ["", "everything", "bots:read,nope", "Bots:Read", "all,bots:read"] {
        let flags = ["--project", NOBODY, "--name", "T", "--scopes", scopes];
        let ran = mint(&installation, &flags);
        assert!(ran.misused().contains("--scopes"), "{scopes}");
        let lists_all = known.iter().all(|known| ran.misused().contains(known));
        assert_eq!(lists_all, !scopes.is_empty(), "{scopes}: {ran:?}");
    }
    for arguments in [&["token", "revoke"][..], &["token", "revoke", "x"], &["token", "list"]] {
        let _ = botyard(&installation, arguments).misused();
    }
}
