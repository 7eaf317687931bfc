//! What the documents say of settings.

use super::load_from;
use crate::settings::markdown;
use crate::settings::table::SETTINGS;

#[test]
fn the_example_of_the_documents_is_valid() {
    let page = markdown();
    let (_, rest) = page.split_once("```toml\n").unwrap();
    let (example, _) = rest.split_once("```").unwrap();
    let limits = load_from(&[], &[], example).unwrap().settings.limits;
    assert_eq!((limits.json_body, limits.write_batch), (4 << 20, 128));
}

#[test]
fn every_limit_stands_in_the_table_of_what_a_tenant_can_take() {
    let operations = include_str!("../../../../../docs/operations.md");
    let (_, rest) = operations.split_once("\n## Limits\n").unwrap();
    let (table, _) = rest.split_once("\n## ").unwrap();
    let missing: Vec<_> = SETTINGS
        .iter()
        .filter_map(|setting| setting.name.strip_prefix("limits."))
        .filter(|name| !table.contains(&format!("`{name}`")))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}
