//! Which packages a name concerns: those that have a file or a folder of that name. The same noun stands in
//! the same place everywhere, in the singular or in the plural.

use std::path::Path;

use crate::workspace::{Package, Workspace};

/// The packages whose sources or tests have something that is called so; none if the name is no concept.
pub fn packages(workspace: &Workspace, name: &str) -> Vec<String> {
    let names = [singular(name).to_owned(), format!("{}s", singular(name))];
    let concerned = |package: &&Package| {
        let folder = package.manifest_path.parent();
        folder.is_some_and(|folder| {
            ["src", "tests", "api"].iter().any(|part| has_any(&folder.join(part), &names))
        })
    };
    let mut found: Vec<_> = workspace.packages.iter().filter(concerned).collect();
    found.retain(|package| package.name != "xtask");
    found.into_iter().map(|package| package.name.clone()).collect()
}

/// What the names of its tests contain: the module of the concept, in the singular or in the plural.
pub fn filters(name: &str) -> Vec<String> {
    let name = singular(name);
    vec![format!("{name}::"), format!("{name}s::")]
}

fn singular(name: &str) -> &str {
    name.strip_suffix('s').unwrap_or(name)
}

fn has_any(folder: &Path, names: &[String]) -> bool {
    let Ok(entries) = folder.read_dir() else {
        return false;
    };
    entries.filter_map(Result::ok).any(|entry| {
        let path = entry.path();
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let is_source = path.is_dir() || path.extension().is_some_and(|end| end == "rs");
        is_source && names.iter().any(|name| name == stem) || path.is_dir() && has_any(&path, names)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_concept_leads_to_the_packages_that_have_it() {
        let workspace = Workspace::find().unwrap();
        for name in ["skill", "skills"] {
            let found = packages(&workspace, name);
            for package in ["botyard-tests", "domain", "http-actix", "store-suite"] {
                assert!(found.iter().any(|known| known == package), "{name}: {found:?}");
            }
            assert!(!found.iter().any(|known| known == "archive"), "{name}: {found:?}");
        }
        assert_eq!(packages(&workspace, "the_skill"), Vec::<String>::new());
        // Not `bot_token::sqlite`, which is in the name of every second test.
        assert_eq!(filters("bots"), ["bot::", "bots::"]);
        assert_eq!(filters("skill"), ["skill::", "skills::"]);
    }
}
