//! The licences: of botyard in Debian's format, and of everything that is compiled in, by their texts.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use spdx::{Expression, ParseMode};

use super::components::{Components, Crate};
use crate::workspace::Workspace;

/// How the names of files with licences begin.
const NAMES: [&str; 6] = ["license", "licence", "copying", "copyright", "notice", "unlicense"];
/// Endings of files that have such names and are something else.
const SOURCES: [&str; 6] = ["rs", "c", "h", "py", "toml", "json"];
/// How deep below the folder of a crate they are: sources of other projects are in folders of their own.
const DEPTH: usize = 3;
const LINE: &str =
    "================================================================================\n";

/// `copyright`, as Debian's packages have it.
pub fn debian(workspace: &Workspace, template: &str) -> Result<String> {
    let mit = fs::read_to_string(workspace.root.join("LICENSE-MIT")).context("LICENSE-MIT")?;
    let holder = mit
        .lines()
        .find_map(|line| line.strip_prefix("Copyright (c) "))
        .context("LICENSE-MIT names no holder")?;
    // A blank line would end the text.
    let (_, text) = mit.split_once(holder).context("LICENSE-MIT has no text")?;
    let lines: Vec<_> = text
        .trim()
        .lines()
        .map(|line| if line.is_empty() { " .".to_owned() } else { format!(" {line}") })
        .collect();
    Ok(template.replace("@HOLDER@", holder).replace("@MIT@", &lines.join("\n")))
}

/// The licences of all crates that come from elsewhere, each text once with those that it is for.
pub fn third_parties(components: &Components) -> Result<String> {
    let others: Vec<_> = components.crates.values().filter(|it| !it.is_own()).collect();
    let mut holders: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut text = "What the program botyard is built from besides its own sources: the crates, each with its licence,\n\
         then the texts of the licences, each with the crates that it is for.\n\n"
        .to_owned();
    for it in others {
        let called = format!("{} {}", it.name, it.version);
        text += &format!("{called}: {}\n", it.licence);
        for licence in texts(it).with_context(|| called.clone())? {
            let holders = holders.entry(licence).or_default();
            if !holders.contains(&called) {
                holders.push(called.clone());
            }
        }
    }
    for (licence, holders) in holders {
        text += &format!("\n{LINE}{}\n{LINE}\n{licence}\n", holders.join(", "));
    }
    Ok(text)
}

/// The texts of a crate's licences: those that it brings along, or else those that its expression names.
fn texts(it: &Crate) -> Result<Vec<String>> {
    let files = files(&it.folder, DEPTH)?;
    if files.is_empty() {
        return canonical_texts(it);
    }
    let read = |file: PathBuf| {
        let bytes = fs::read(&file).with_context(|| file.display().to_string())?;
        let text = String::from_utf8_lossy(&bytes).replace('\r', "");
        Ok(text.trim_matches('\n').trim_end().to_owned())
    };
    files.into_iter().map(read).collect()
}

fn files(folder: &Path, depth: usize) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        if kind.is_dir() && depth > 1 {
            found.extend(files(&path, depth - 1)?);
        } else if kind.is_file() && has_licence(&path) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn has_licence(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let ending = path.extension().unwrap_or_default();
    NAMES.iter().any(|begin| name.starts_with(begin)) && !SOURCES.iter().any(|it| ending == *it)
}

fn canonical_texts(it: &Crate) -> Result<Vec<String>> {
    let expression = Expression::parse_mode(&it.licence, ParseMode::LAX)?;
    let authors =
        if it.authors.is_empty() { "its authors".to_owned() } else { it.authors.join(", ") };
    let texts: Vec<_> = expression
        .requirements()
        .filter_map(|named| named.req.license.id())
        .map(|id| format!("{} by {authors}\n\n{}", it.name, id.text().trim_end()))
        .collect();
    if texts.is_empty() {
        bail!("there is no text of the licence `{}`", it.licence);
    }
    Ok(texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_crate_of_others_has_a_text() {
        let workspace = Workspace::find().unwrap();
        let components = Components::of(&workspace, &[]).unwrap();
        let text = third_parties(&components).unwrap();
        let heads: Vec<_> = text.split(LINE).skip(1).step_by(2).collect();
        for it in components.crates.values() {
            let called = format!("{} {}", it.name, it.version);
            let has_text =
                heads.iter().any(|head| head.trim().split(", ").any(|holder| holder == called));
            assert_eq!(has_text, !it.is_own(), "{called}");
        }
        // The sources of these are in crates of other names; neither brings more than its own licence by default.
        assert!(text.contains("Jason Evans"), "jemalloc");
        assert!(text.contains("PostgreSQL Global Development Group"), "libpq");
        assert!(!text.contains(&workspace.root.display().to_string()));
    }

    #[test]
    fn the_licence_of_botyard_is_in_debians_format() {
        let workspace = Workspace::find().unwrap();
        let text = debian(&workspace, "Copyright: @HOLDER@\n@MIT@\n").unwrap();
        assert!(text.starts_with("Copyright: 2"), "{text}");
        assert!(
            text.contains("\n Permission is hereby granted") && text.contains("\n .\n"),
            "{text}"
        );
        assert!(text.lines().skip(1).all(|line| line.starts_with(' ')), "{text}");
    }
}
