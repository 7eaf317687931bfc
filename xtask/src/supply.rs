//! Where dependencies come from and under which licences, held against short lists.
//!
//! Known vulnerabilities are not looked up here: that needs an advisory database from outside, and
//! the checks must run on a machine that reaches nothing but the package registry.

use anyhow::{Result, anyhow};
use serde::Deserialize;
use spdx::{Expression, LicenseReq, ParseMode};

use crate::workspace::Workspace;

/// Licences that ask for no more than a notice. A commit that adds one says why.
const ALLOWED: [&str; 9] = [
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "PostgreSQL",
    "Unicode-3.0",
    "Zlib",
];

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    license: Option<String>,
    /// `None` for the workspace's own.
    source: Option<String>,
}

/// What comes from elsewhere than a registry, or under another licence, a line each.
pub fn findings(workspace: &Workspace) -> Result<Vec<String>> {
    let metadata: Metadata = workspace.metadata()?;
    let mut findings = Vec::new();
    for package in &metadata.packages {
        findings.extend(finding(package)?);
    }
    Ok(findings)
}

fn finding(package: &Package) -> Result<Option<String>> {
    let Some(source) = &package.source else {
        return Ok(None);
    };
    let called = format!("{} {}", package.name, package.version);
    if !source.starts_with("registry+") {
        return Ok(Some(format!("{called} does not come from a registry")));
    }
    let Some(licence) = &package.license else {
        return Ok(Some(format!("{called} names no licence")));
    };
    let expression = Expression::parse_mode(licence, ParseMode::LAX)
        .map_err(|error| anyhow!("the licence of {called}, `{licence}`: {error}"))?;
    let is_fine = expression.evaluate(is_allowed);
    Ok((!is_fine).then(|| format!("{called} is under {licence}, which is not on the list")))
}

fn is_allowed(wanted: &LicenseReq) -> bool {
    wanted.license.id().is_some_and(|id| ALLOWED.contains(&id.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(licence: Option<&str>, source: &str) -> bool {
        let package = Package {
            name: "a".to_owned(),
            version: "1.0.0".to_owned(),
            license: licence.map(ToOwned::to_owned),
            source: Some(source.to_owned()),
        };
        finding(&package).unwrap().is_some()
    }

    #[test]
    fn licences_are_read_as_expressions() {
        let registry = "registry+https://example.com";
        for fine in ["MIT", "MIT/Apache-2.0", "GPL-3.0-only OR MIT", "(MIT OR ISC) AND Zlib"] {
            assert!(!found(Some(fine), registry), "{fine}");
        }
        for bad in ["GPL-3.0-only", "MIT AND GPL-3.0-only", "LGPL-2.1-or-later"] {
            assert!(found(Some(bad), registry), "{bad}");
        }
        assert!(found(None, registry));
    }

    #[test]
    fn only_registries_are_sources() {
        assert!(found(Some("MIT"), "git+https://example.com/a"));
    }
}
