//! The example that shows how to embed the services does what it says.

#[path = "../../examples/embed.rs"]
#[expect(dead_code, reason = "the test calls what `main` calls")]
mod embed;

use crate::databases::Database;

fn tour(database: &Database) {
    let mut told = Vec::new();
    embed::run(&database.url, &mut told).unwrap();
    let told = String::from_utf8(told).unwrap();
    let expected = [
        "/temperature out_of_range: ",
        "/colour unknown_field: ",
        r#" update [{"field":"temperature","from":null,"to":0.5}]"#,
        r#" create [{"field":"name","from":null,"to":"Kiosk bot"}]"#,
        "Kiosk may bot:read bot:write ",
        "after archiving: bot not found",
        "Kiosk bot is active",
    ];
    assert_eq!(told.lines().count(), expected.len(), "{told}");
    for (line, expected) in told.lines().zip(expected) {
        assert!(line.contains(expected), "{line} instead of {expected}");
    }
}

#[test]
fn sqlite() {
    tour(&Database::sqlite());
}

#[test]
fn postgres() {
    tour(&Database::postgres());
}
