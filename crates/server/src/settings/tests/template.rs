//! The settings file that has every setting as a comment.

use super::load_from;
use crate::settings::{Loaded, Row, table, template};

/// The line without the mark that makes a setting a comment.
fn uncommented(line: &str) -> &str {
    let rest = line.strip_prefix('#');
    rest.filter(|rest| rest.starts_with(|first: char| first.is_alphabetic())).unwrap_or(line)
}

fn values(loaded: Loaded) -> Vec<(&'static str, String)> {
    loaded.rows.into_iter().map(|Row { name, value, .. }| (name, value)).collect()
}

#[test]
fn the_template_sets_nothing() {
    let loaded = load_from(&[], &[], &template()).unwrap();
    assert!(loaded.rows.iter().all(|row| row.origin == "default"), "{:?}", loaded.rows);
}

#[test]
fn without_its_comment_marks_the_template_sets_everything_to_its_default() {
    let file: Vec<_> = template().lines().map(|line| uncommented(line).to_owned()).collect();
    let loaded = load_from(&[], &[], &file.join("\n")).unwrap();
    assert_eq!(loaded.rows.len(), table::SETTINGS.len());
    for row in &loaded.rows {
        assert_eq!(row.origin, "file botyard.toml", "{row:?}");
    }
    assert_eq!(values(loaded), values(load_from(&[], &[], "").unwrap()));
}

#[test]
fn every_setting_stands_below_its_description() {
    let file = template();
    assert!(file.lines().all(|line| line.chars().count() <= 100), "{file}");
    let paragraphs = file.split("\n\n").skip(1);
    let mut paragraphs = paragraphs.filter(|paragraph| !paragraph.contains("\n["));
    for setting in table::SETTINGS {
        let paragraph = paragraphs.next().unwrap();
        let text: Vec<_> = paragraph.lines().filter_map(|line| line.strip_prefix("# ")).collect();
        assert_eq!(text.join(" "), setting.description());
        let name = setting.name.rsplit('.').next().unwrap();
        let line = paragraph.lines().next_back().unwrap();
        assert!(line.starts_with(&format!("#{name} = ")), "{paragraph}");
    }
    assert_eq!(paragraphs.next(), None);
}
