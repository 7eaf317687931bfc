//! `botyard organisation` and `botyard project`.

use botyard_tests::{Installation, each_database};
use serde_json::{Value, json};

use super::command::botyard;
use super::setup::{NOBODY, id_of, members, migrated, organisation, text};

/// What `project create` with these flags more says.
fn create_project(installation: &Installation, name: &str, more: &[&str]) -> Value {
    let create = ["project", "create", "--json", "--name", name];
    botyard(installation, &[&create, more].concat()).json()
}

fn names(list: &Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(|item| text(&item["name"])).collect()
}

each_database! {
    fn an_organisation_is_created_and_listed(database: Database) {
        let installation = migrated(database);
        assert_eq!(botyard(&installation, &["organisation", "list"]).done(), "");
        assert_eq!(botyard(&installation, &["organisation", "list", "--json"]).json(), json!([]));

        let create = ["organisation", "create", "--json", "--name", "  Bäcker & Co "];
        let created = botyard(&installation, &create).json();
        assert_eq!(members(&created), ["_id", "createdAt", "name"]);
        assert_eq!(created["name"], "Bäcker & Co");

        let printed = botyard(&installation, &["organisation", "create", "--name", "Second"]);
        let second = printed.done().split_once("  ").expect("an id and a name");
        assert_eq!(second.1, "Second\n");

        let list = botyard(&installation, &["organisation", "list", "--json"]).json();
        assert_eq!(list[0], created);
        assert_eq!((id_of(&list[1]).as_str(), names(&list).len()), (second.0, 2));
        let lines = format!("{}  Bäcker & Co\n{}  Second\n", id_of(&created), second.0);
        assert_eq!(botyard(&installation, &["organisation", "list"]).done(), lines);
    }

    fn a_project_is_created_and_listed(database: Database) {
        let installation = migrated(database);
        let (one, two) = (organisation(&installation, "One"), organisation(&installation, "Two"));
        let first = create_project(&installation, "First", &["--organisation", &one]);
        assert_eq!(members(&first), ["_id", "createdAt", "name", "organisationId"]);
        assert_eq!((&first["name"], &first["organisationId"]), (&json!("First"), &json!(one)));
        let second = create_project(&installation, "Second", &["--organisation", &two]);

        let list = |more: &[&str]| {
            botyard(&installation, &[&["project", "list", "--json"], more].concat()).json()
        };
        assert_eq!(list(&[]), json!([first, second]));
        assert_eq!(list(&["--organisation", &two]), json!([second]));
        let lines = format!("{}  First\n{}  Second\n", id_of(&first), id_of(&second));
        assert_eq!(botyard(&installation, &["project", "list"]).done(), lines);
    }

    fn the_organisation_of_a_project_is_left_out_where_there_is_only_one(database: Database) {
        let installation = migrated(database);
        let create = ["project", "create", "--name", "P"];
        let none = botyard(&installation, &create);
        assert!(none.failed().contains("botyard organisation create"), "{none:?}");

        let only = organisation(&installation, "Only");
        assert_eq!(create_project(&installation, "P", &[])["organisationId"], json!(only));

        organisation(&installation, "Another");
        let several = botyard(&installation, &create);
        assert!(several.failed().contains("--organisation"), "{several:?}");
        let list = botyard(&installation, &["project", "list", "--json"]).json();
        assert_eq!(names(&list), ["P"]);
    }

    fn an_unknown_organisation_is_refused(database: Database) {
        let installation = migrated(database);
        organisation(&installation, "Only");
        let create = ["project", "create", "--name", "P", "--organisation", NOBODY];
        assert_eq!(botyard(&installation, &create).failed(), "organisation not found");
        let list = ["project", "list", "--organisation", NOBODY, "--json"];
        let missing = json!([{"message": "organisation not found"}]);
        assert_eq!(botyard(&installation, &list).failed_as_json(), missing);
        assert_eq!(botyard(&installation, &["project", "list", "--json"]).json(), json!([]));
    }

    fn a_bad_name_is_refused_and_the_flag_is_named(database: Database) {
        let installation = migrated(database);
        organisation(&installation, "Only");
        let long = "ä".repeat(201);
        for kind in ["project", "organisation"] {
            for name in ["", " \t", long.as_str()] {
                let ran = botyard(&installation, &[kind, "create", "--name", name]);
                assert!(ran.failed().starts_with("--name: A name must have at "), "{ran:?}");
            }
            let most = "ä".repeat(200);
            botyard(&installation, &[kind, "create", "--name", &most]).done();
        }
        let list = botyard(&installation, &["organisation", "list", "--json"]).json();
        assert_eq!(names(&list).len(), 2);
    }
}
