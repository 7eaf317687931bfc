//! The bill of materials (SBOM), in the format CycloneDX: each crate with its version, licence and checksum, and the
//! C libraries that crates bring along, which those who watch for vulnerabilities know by other names.
//!
//! Identifiers are package URLs. Paths of the machine that made the package are not in it.

use std::fs;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::components::{Components, Crate};

/// A project whose sources are in a crate.
struct Bundled {
    in_crate: &'static str,
    name: &'static str,
    version: Version,
}

/// Where the version of a bundled project is found.
enum Version {
    /// After the plus sign in that of the crate, and after this.
    InCrates(&'static str),
    /// In a header: the text that this is defined as.
    InHeader(&'static str, &'static str),
}

const BUNDLED: [Bundled; 4] = [
    Bundled {
        in_crate: "libsqlite3-sys",
        name: "sqlite",
        version: Version::InHeader("sqlite3/sqlite3.h", "SQLITE_VERSION"),
    },
    Bundled { in_crate: "pq-src", name: "postgresql", version: Version::InCrates("libpq-") },
    Bundled { in_crate: "tikv-jemalloc-sys", name: "jemalloc", version: Version::InCrates("") },
    Bundled { in_crate: "openssl-src", name: "openssl", version: Version::InCrates("") },
];

/// The document as JSON.
pub fn document(components: &Components) -> Result<Vec<u8>> {
    let root = components.crates.get(&components.root).context("there is no root")?;
    let others = components.crates.values().filter(|it| !std::ptr::eq(*it, root));
    let bundled = bundled(components)?;
    let program = json!({
        "type": "application",
        "bom-ref": url(root),
        "name": "botyard",
        "version": root.version,
        "licenses": [{"expression": root.licence}],
    });
    let document = json!({
        "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": program},
        "components": others.map(component).chain(bundled.iter().map(|it| it.0.clone())).collect::<Vec<_>>(),
        "dependencies": components.crates.values().map(|it| dependency(it, components, &bundled)).collect::<Vec<_>>(),
    });
    let mut text = serde_json::to_vec_pretty(&document)?;
    text.push(b'\n');
    Ok(text)
}

fn component(it: &Crate) -> Value {
    let mut component = json!({
        "type": "library",
        "bom-ref": url(it),
        "name": it.name,
        "version": it.version,
        "purl": url(it),
        "licenses": [{"expression": it.licence}],
    });
    if let Some(members) = component.as_object_mut() {
        let description = it.description.as_deref().map(|it| Value::from(it.trim()));
        members.extend(description.map(|it| ("description".to_owned(), it)));
        let hashes = it.checksum.as_ref().map(|it| json!([{"alg": "SHA-256", "content": it}]));
        members.extend(hashes.map(|it| ("hashes".to_owned(), it)));
    }
    component
}

fn dependency(it: &Crate, components: &Components, bundled: &[(Value, String)]) -> Value {
    let crates = it.needs.iter().filter_map(|id| components.crates.get(id)).map(url);
    let own = url(it);
    let projects = bundled.iter().filter(|(_, holder)| *holder == own);
    let projects =
        projects.filter_map(|(project, _)| project.get("bom-ref")?.as_str().map(str::to_owned));
    json!({"ref": own, "dependsOn": crates.chain(projects).collect::<Vec<_>>()})
}

/// The bundled projects, each with the reference of the crate that it is in.
fn bundled(components: &Components) -> Result<Vec<(Value, String)>> {
    let mut found = Vec::new();
    for project in &BUNDLED {
        let Some(holder) = components.named(project.in_crate) else {
            continue;
        };
        let version = version(project, holder)
            .with_context(|| format!("{} has no version of {}", holder.name, project.name))?;
        let url = format!("pkg:generic/{}@{version}", project.name);
        let component = json!({
            "type": "library",
            "bom-ref": url,
            "name": project.name,
            "version": version,
            "purl": url,
        });
        found.push((component, self::url(holder)));
    }
    Ok(found)
}

fn version(project: &Bundled, holder: &Crate) -> Option<String> {
    match project.version {
        Version::InCrates(prefix) => {
            let (_, version) = holder.version.split_once('+')?;
            // What follows a hyphen is the state of a repository.
            let version = version.strip_prefix(prefix)?.split('-').next()?;
            Some(version.to_owned())
        }
        Version::InHeader(file, name) => {
            let header = fs::read_to_string(holder.folder.join(file)).ok()?;
            header.lines().find_map(|line| {
                let mut words = line.strip_prefix("#define ")?.split_whitespace();
                (words.next()? == name)
                    .then(|| words.next())?
                    .map(|it| it.trim_matches('"').to_owned())
            })
        }
    }
}

/// The package URL of a crate. In a version only the plus sign needs to be encoded.
fn url(it: &Crate) -> String {
    format!("pkg:cargo/{}@{}", it.name, it.version.replace('+', "%2B"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::Workspace;

    #[test]
    fn every_crate_is_in_the_bill_and_no_path() {
        let workspace = Workspace::find().unwrap();
        let components = Components::of(&workspace, &[]).unwrap();
        let text = String::from_utf8(document(&components).unwrap()).unwrap();
        for it in components.crates.values() {
            let folder = it.folder.display().to_string();
            assert!(!text.contains(&folder), "{folder}");
        }
        let bill: Value = serde_json::from_str(&text).unwrap();
        let references: Vec<_> = bill["components"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["bom-ref"].as_str().unwrap())
            .collect();
        for name in [
            "pkg:cargo/diesel@",
            "pkg:cargo/botyard-domain@",
            "pkg:generic/sqlite@3.",
            "pkg:generic/postgresql@",
            "pkg:generic/jemalloc@5.",
        ] {
            let found = references.iter().filter(|it| it.starts_with(name)).count();
            assert_eq!(found, 1, "{name}");
        }
        // Everything that is depended on is described, once.
        let mut known = references.clone();
        known.push(bill["metadata"]["component"]["bom-ref"].as_str().unwrap());
        known.sort_unstable();
        assert!(known.windows(2).all(|pair| pair[0] != pair[1]));
        for dependency in bill["dependencies"].as_array().unwrap() {
            let needed = dependency["dependsOn"].as_array().unwrap();
            for it in needed.iter().chain([&dependency["ref"]]) {
                assert!(known.contains(&it.as_str().unwrap()), "{it}");
            }
        }
    }
}
