//! The migrations of both databases are twins: the same folders, each a way up and a way down.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

const DATABASES: [&str; 2] = ["sqlite", "postgres"];

/// What is wrong with the migrations in `folder`, which has a folder for each database.
pub fn findings(folder: &Path) -> Result<Vec<String>> {
    let mut findings = Vec::new();
    let mut of_each = Vec::new();
    for database in DATABASES {
        let names = names(&folder.join(database))?;
        if names.is_empty() {
            findings.push(format!("migrations/{database} is empty"));
        }
        findings.extend(badly_named(database, &names));
        findings.extend(incomplete(folder, database, &names));
        of_each.push((database, names));
    }
    for (database, names) in &of_each {
        for (other, theirs) in &of_each {
            for name in names.difference(theirs) {
                findings.push(format!("migrations/{other}/{name} is missing: {database} has it"));
            }
        }
    }
    Ok(findings)
}

/// Everything in the folder of a database, hidden files aside.
fn names(folder: &Path) -> Result<BTreeSet<String>> {
    let context = || format!("{} can't be read", folder.display());
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(folder).with_context(context)? {
        let name = entry.with_context(context)?.file_name().to_string_lossy().into_owned();
        if !name.starts_with('.') {
            names.insert(name);
        }
    }
    Ok(names)
}

/// Names that are not of the form `2026-01-31-120000_words`, and names that share their version.
fn badly_named(database: &str, names: &BTreeSet<String>) -> Vec<String> {
    let mut findings = Vec::new();
    let mut versions = BTreeMap::new();
    for name in names {
        match version(name) {
            None => findings
                .push(format!("migrations/{database}/{name} is not named YYYY-MM-DD-NNNNNN_words")),
            Some(version) => {
                if let Some(first) = versions.insert(version, name) {
                    findings
                        .push(format!("migrations/{database}/{name} has the version of {first}"));
                }
            }
        }
    }
    findings
}

/// The part of a name that orders the migrations, if the name is well formed.
fn version(name: &str) -> Option<&str> {
    let (version, words) = name.split_once('_')?;
    let shape: String = version.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    let simple = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let well_formed =
        shape == "0000-00-00-000000" && !words.is_empty() && words.chars().all(simple);
    well_formed.then_some(version)
}

fn incomplete(folder: &Path, database: &str, names: &BTreeSet<String>) -> Vec<String> {
    let mut findings = Vec::new();
    for name in names {
        for file in ["up.sql", "down.sql"] {
            let path = Path::new(database).join(name).join(file);
            let length = fs::metadata(folder.join(&path)).map(|found| found.len());
            if length.unwrap_or(0) == 0 {
                findings.push(format!("migrations/{} is missing or empty", path.display()));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::Workspace;

    fn findings_of(files: &[&str]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        for database in DATABASES {
            fs::create_dir(folder.path().join(database)).unwrap();
        }
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "SELECT 1;").unwrap();
        }
        findings(folder.path()).unwrap()
    }

    const TWINS: [&str; 4] = [
        "sqlite/2026-01-31-120000_bots/up.sql",
        "sqlite/2026-01-31-120000_bots/down.sql",
        "postgres/2026-01-31-120000_bots/up.sql",
        "postgres/2026-01-31-120000_bots/down.sql",
    ];

    #[test]
    fn the_migrations_of_this_workspace_are_twins() {
        let folder = Workspace::find().unwrap().root.join("migrations");
        assert_eq!(findings(&folder).unwrap(), [""; 0]);
    }

    #[test]
    fn twins_have_no_findings() {
        assert_eq!(findings_of(&TWINS), [""; 0]);
    }

    #[test]
    fn no_migrations_at_all_are_a_finding() {
        assert_eq!(
            findings_of(&[]),
            ["migrations/sqlite is empty", "migrations/postgres is empty"]
        );
    }

    #[test]
    fn a_missing_folder_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let error = findings(folder.path()).unwrap_err();
        assert!(format!("{error:#}").contains("sqlite can't be read"), "{error:#}");
    }

    #[test]
    fn a_missing_twin_is_found_on_either_side() {
        let more = |database: &str| {
            let up = format!("{database}/2026-02-01-000000_skills/up.sql");
            let down = format!("{database}/2026-02-01-000000_skills/down.sql");
            findings_of(&[&TWINS[..], &[&up, &down]].concat())
        };
        let missing = "2026-02-01-000000_skills is missing";
        assert_eq!(more("sqlite"), [format!("migrations/postgres/{missing}: sqlite has it")]);
        assert_eq!(more("postgres"), [format!("migrations/sqlite/{missing}: postgres has it")]);
    }

    #[test]
    fn a_missing_way_up_or_down_is_found() {
        for absent in TWINS {
            let rest: Vec<&str> = TWINS.into_iter().filter(|file| *file != absent).collect();
            let expected = format!("migrations/{absent} is missing or empty");
            assert_eq!(findings_of(&rest), [expected]);
        }
    }

    #[test]
    fn a_bad_name_is_found() {
        for name in [
            "bots",
            "2026-01-31_bots",
            "2026-01-31-1200_bots",
            "2026-1-31-120000_bots",
            "2026-01-31-120000_",
            "2026-01-31-120000-bots",
            "2026-01-31-120000_Bots",
        ] {
            assert_eq!(version(name), None, "{name}");
        }
        assert_eq!(version("2026-01-31-120000_bots_and_2_more"), Some("2026-01-31-120000"));
        let files = TWINS.map(|file| file.replace("2026-01-31-120000_bots", "0001_bots"));
        let findings = findings_of(&files.each_ref().map(String::as_str));
        assert_eq!(findings.len(), 2, "{findings:?}");
        assert!(findings[0].contains("is not named YYYY-MM-DD-NNNNNN_words"), "{findings:?}");
    }

    #[test]
    fn two_migrations_of_one_version_are_found() {
        let same = TWINS.map(|file| file.replace("bots", "skills"));
        let same = same.each_ref().map(String::as_str);
        let findings = findings_of(&[&TWINS[..], &same[..]].concat());
        assert_eq!(findings.len(), 2, "{findings:?}");
        assert!(findings[0].ends_with("has the version of 2026-01-31-120000_bots"), "{findings:?}");
    }
}
