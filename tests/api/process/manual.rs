//! The manual pages.

use std::collections::BTreeSet;
use std::fs;

use botyard_tests::{Database, Installation};

use super::command::botyard;
use super::help::COMMANDS;

#[test]
fn every_command_has_a_page_and_so_have_the_settings() {
    let installation = Installation::empty(Database::Sqlite);
    let folder = installation.data_dir().join("share/man1");
    botyard(&installation, &["docs", "man", folder.to_str().unwrap()]).done();
    let pages = fs::read_dir(&folder).unwrap().map(|page| page.unwrap().file_name());
    let pages: BTreeSet<_> = pages.map(|page| page.into_string().unwrap()).collect();

    let commands =
        COMMANDS.iter().flat_map(|path| (0..=path.len()).map(move |words| &path[..words]));
    let name = |path: &[&str]| format!("{}.1", [&["botyard"], path].concat().join("-"));
    let expected = commands.map(name).chain(["botyard-settings.1".to_owned()]);
    assert_eq!(pages, expected.collect());

    let read = |page: &str| fs::read_to_string(folder.join(page)).unwrap();
    let mint = read("botyard-token-mint.1");
    assert!(mint.contains("\\-\\-read\\-only") && !mint.contains("limits"), "{mint}");
    let settings = read("botyard-settings.1");
    assert!(
        settings.contains("\\-\\-limits\\-queue") && !settings.contains("SYNOPSIS"),
        "{settings}"
    );
    for page in &pages {
        let text = read(page);
        let name = page.trim_end_matches(".1").replace('-', "\\-");
        assert!(text.contains(&format!("\n.SH NAME\n{name} \\- ")), "{text}");
        assert!(text.contains(&format!("\"botyard {}\"", env!("CARGO_PKG_VERSION"))), "{text}");
    }
}
