//! `botyard migrate`, and what other commands do with a database that is older or newer than they are.

use botyard_tests::{Database, Installation, each_database};
use serde_json::{Value, json};

use super::command::botyard;
use super::setup::{NOBODY, members};

/// The commands that work on a database and do not migrate it.
const COMMANDS: [&[&str]; 9] = [
    &["organisation", "create", "--name", "O"],
    &["organisation", "list"],
    &["project", "create", "--name", "P"],
    &["project", "list"],
    &["token", "mint", "--project", NOBODY, "--name", "T", "--scopes", "all"],
    &["token", "list", "--bot", NOBODY],
    &["token", "revoke", NOBODY],
    &["bot", "list", "--project", NOBODY],
    &["bot", "restore", NOBODY],
];

/// Name of each migration, and whether it is applied.
fn status(installation: &Installation) -> Vec<(String, bool)> {
    let list = botyard(installation, &["migrate", "--status", "--json"]).json();
    let list = list.as_array().unwrap().iter();
    list.map(|migration| {
        assert_eq!(members(migration), ["applied", "name"]);
        let name = migration["name"].as_str().unwrap().to_owned();
        (name, migration["applied"].as_bool().unwrap())
    })
    .collect()
}

fn lines(migrations: &[(String, bool)], word: &str) -> String {
    migrations.iter().map(|(name, _)| format!("{word}  {name}\n")).collect()
}

each_database! {
    fn migrations_are_shown_applied_and_shown_again(database: Database) {
        let installation = Installation::empty(database);
        let before = status(&installation);
        assert!(!before.is_empty() && before.iter().all(|(_, applied)| !applied), "{before:?}");
        let shown = botyard(&installation, &["migrate", "--status"]);
        assert_eq!(shown.done(), lines(&before, "missing"));

        assert_eq!(botyard(&installation, &["migrate"]).done(), lines(&before, "applied"));

        let after = status(&installation);
        let expected: Vec<_> = before.iter().map(|(name, _)| (name.clone(), true)).collect();
        assert_eq!(after, expected);
        let shown = botyard(&installation, &["migrate", "--status"]);
        assert_eq!(shown.done(), lines(&after, "applied"));
        assert_eq!(botyard(&installation, &["migrate"]).done(), "");
        assert_eq!(botyard(&installation, &["migrate", "--json"]).json(), json!([]));
        assert_eq!(status(&installation), after);
    }

    fn what_was_applied_is_shown_as_json_too(database: Database) {
        let installation = Installation::empty(database);
        let applied = botyard(&installation, &["migrate", "--json"]).json();
        let expected: Vec<Value> = status(&installation)
            .into_iter()
            .map(|(name, _)| json!({"name": name, "applied": true}))
            .collect();
        assert_eq!(applied, json!(expected));
    }

    fn a_database_that_was_never_migrated_is_refused_with_what_to_do(database: Database) {
        let installation = Installation::empty(database);
        for command in COMMANDS {
            let ran = botyard(&installation, command);
            for said in ["there is no database yet", "`--data-dir`", "run `botyard migrate`"] {
                assert!(ran.failed().contains(said), "{command:?}: {ran:?}");
            }
        }
        assert!(status(&installation).iter().all(|(_, applied)| !applied));
    }

    fn a_database_of_a_newer_version_is_left_alone(database: Database) {
        let installation = Installation::empty(database);
        botyard(&installation, &["migrate"]).done();
        installation.sql().execute(
            "INSERT INTO __diesel_schema_migrations (version) VALUES ('29991231235959')",
        );
        let own: [&[&str]; 5] =
            [&["serve"], &["serve", "--seed"], &["migrate"], &["migrate", "--status"], &["seed"]];
        for command in own.into_iter().chain(COMMANDS) {
            let ran = botyard(&installation, command);
            let reason = ran.failed();
            let is_clear = reason.contains("newer version") && reason.contains("29991231235959");
            assert!(is_clear, "{command:?}: {ran:?}");
        }
        // But who migrated it before.
        let tables = installation.sql().tables().into_iter().filter(|table| table != "audit_entries");
        for table in tables {
            assert_eq!(installation.sql().rows(&table, "TRUE", &[]), [""; 0], "{table}");
        }
    }

    /// What entries about users say was shown before.
    fn values_of_users_in_changelogs_are_masked(database: Database) {
        let installation = Installation::new(database);
        botyard(&installation, &["seed"]).done();
        let sql = installation.sql();
        let shown = r#"[{"field":"guestId","from":null,"to":"g"},{"field":"a\"ü","from":{"b":null},"to":null},{"field":"z","from":0,"to":false}]"#;
        let about_users = sql.execute(&format!(
            "UPDATE changelog_entries SET resource = 'user', changes = '{shown}' WHERE resource IN ('skill', 'user')"
        ));
        assert!(about_users > 0);
        let count = r#"[{"field":"count","from":null,"to":250}]"#;
        let counting = sql.execute(&format!(
            "UPDATE changelog_entries SET resource = 'user', changes = '{count}' WHERE resource = 'stage' AND action = 'create'"
        ));
        assert!(counting > 0);
        let others = "SELECT changes AS value FROM changelog_entries WHERE resource <> 'user' ORDER BY id";
        let before = sql.texts(others);
        sql.execute("DELETE FROM __diesel_schema_migrations WHERE version = '20261125000023'");
        assert!(botyard(&installation, &["migrate"]).done().contains("masked_users"));
        let masked = r#"[{"field":"guestId","from":null,"to":"***"},{"field":"a\"ü","from":"***","to":null},{"field":"z","from":"***","to":"***"}]"#;
        let after = sql.texts("SELECT changes AS value FROM changelog_entries WHERE resource = 'user'");
        let of = |changes: &str| after.iter().filter(|after| *after == changes).count();
        assert_eq!((of(masked), of(count), after.len()), (about_users, counting, about_users + counting));
        assert_eq!(sql.texts(others), before);
    }

    fn serve_migrates_on_its_own(database: Database) {
        let installation = Installation::empty(database);
        let mut server = installation.serve(&[]);
        assert!(status(&installation).iter().all(|(_, applied)| *applied));
        assert_eq!(server.stop(), 0);
    }
}

#[test]
fn to_show_migrations_makes_no_database_sqlite() {
    let installation = Installation::empty(Database::Sqlite);
    assert!(!status(&installation).is_empty());
    let left: Vec<_> = installation.data_dir().read_dir().unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn servers_that_start_at_once_migrate_once_postgres() {
    let installation = Installation::empty(Database::Postgres);
    let servers: Vec<_> = std::thread::scope(|scope| {
        let starting: Vec<_> = (0..4).map(|_| scope.spawn(|| installation.serve(&[]))).collect();
        starting.into_iter().map(|server| server.join().expect("it starts")).collect()
    });
    let applied = "SELECT count(*) AS value FROM __diesel_schema_migrations";
    let expected = i64::try_from(status(&installation).len()).unwrap();
    assert_eq!(installation.sql().number(applied), expected);
    for mut server in servers {
        assert_eq!(server.stop(), 0);
    }
}
