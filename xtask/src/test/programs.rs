//! Building the test programs, and knowing them among cargo's messages.

use std::path::PathBuf;
use std::process::Stdio;

use anyhow::{Context as _, Result, anyhow};
use serde::Deserialize;

use crate::features::{TESTED, cargo};
use crate::workspace::{Workspace, check};

/// What cargo has built.
#[derive(Debug, Default)]
pub struct Built {
    /// The server.
    pub server: Option<PathBuf>,
    /// The programs with tests, in the order of their names.
    pub programs: Vec<Program>,
}

/// A program with tests.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Program {
    /// The package and, of an integration test, its name: `domain`, `storage-diesel/store`.
    pub name: String,
    /// The executable.
    pub path: PathBuf,
    /// The folder of the package, in which its tests run.
    pub folder: PathBuf,
}

/// A line of `cargo build --message-format json`, as far as it describes an executable.
#[derive(Deserialize)]
struct Artifact {
    manifest_path: PathBuf,
    target: Target,
    profile: Profile,
    executable: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
}

#[derive(Deserialize)]
struct Profile {
    test: bool,
}

impl Built {
    /// Builds the server and the tests of these packages, of the whole workspace if there are none, all in
    /// one call of cargo: two calls may choose different features for the same dependency, and then it is
    /// built twice.
    pub fn of(workspace: &Workspace, packages: &[String]) -> Result<Self> {
        let mut build = cargo();
        build.args(["build", "--bins", "--tests", "--message-format", "json-render-diagnostics"]);
        build.args(["--features", TESTED]);
        if packages.is_empty() {
            build.arg("--workspace");
        } else {
            // With xtask the dependencies have the same features as for the whole workspace; otherwise they, and all that
            // depends on them, would be compiled once more.
            build.args(["--package", "botyard-server", "--package", "xtask"]);
        }
        for package in packages {
            build.args(["--package", &workspace.cargo_name(package)]);
        }
        let output = build
            .current_dir(&workspace.root)
            .stderr(Stdio::inherit())
            .output()
            .context("cargo can't be started")?;
        check("cargo build --bins --tests", output.status)?;
        let messages = String::from_utf8(output.stdout).context("cargo's messages")?;
        let mut built = Self::default();
        for message in messages.lines() {
            built.note(workspace, message);
        }
        if !packages.is_empty() {
            // The server was built along because tests start it; its own tests were not asked for.
            built.programs.retain(|program| packages.iter().any(|name| program.is_of(name)));
        }
        built.programs.sort();
        Ok(built)
    }

    /// The server, which every build has.
    pub fn server(&self) -> Result<&PathBuf> {
        self.server.as_ref().ok_or_else(|| anyhow!("cargo built no program `botyard`"))
    }

    fn note(&mut self, workspace: &Workspace, message: &str) {
        let Ok(artifact) = serde_json::from_str::<Artifact>(message) else {
            return;
        };
        let Some(path) = artifact.executable else {
            return;
        };
        if !artifact.profile.test {
            if artifact.target.name == "botyard" {
                self.server = Some(path);
            }
            return;
        }
        let package = workspace
            .packages
            .iter()
            .find(|package| package.manifest_path == artifact.manifest_path);
        let package = package.map_or(artifact.target.name.as_str(), |package| &package.name);
        let name = if artifact.target.kind.iter().any(|kind| kind == "test") {
            format!("{package}/{}", artifact.target.name)
        } else {
            package.to_owned()
        };
        let folder = artifact.manifest_path.parent().map(PathBuf::from).unwrap_or_default();
        self.programs.push(Program { name, path, folder });
    }
}

impl Program {
    fn is_of(&self, package: &str) -> bool {
        self.name.split('/').next() == Some(package)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::Package;

    fn message(manifest: &str, target: &str, kind: &str, test: bool, path: &str) -> String {
        serde_json::json!({
            "reason": "compiler-artifact",
            "manifest_path": manifest,
            "target": {"name": target, "kind": [kind]},
            "profile": {"test": test},
            "executable": (!path.is_empty()).then_some(path),
        })
        .to_string()
    }

    #[test]
    fn server_and_tests_are_found_among_cargos_messages() {
        let manifest = PathBuf::from("/w/crates/store/Cargo.toml");
        let package = Package {
            name: "a-store".to_owned(),
            version: String::new(),
            manifest_path: manifest.clone(),
            dependencies: Vec::new(),
            publish: None,
        };
        let workspace =
            Workspace { root: "/w".into(), target: "/t".into(), packages: vec![package] };
        let of_store = |target, kind, test, path| {
            message("/w/crates/store/Cargo.toml", target, kind, test, path)
        };
        let mut built = Built::default();
        for line in [
            of_store("a_store", "lib", false, ""),
            of_store("a_store", "lib", true, "/t/deps/a_store-1"),
            of_store("suite", "test", true, "/t/deps/suite-1"),
            message("/w/server/Cargo.toml", "botyard", "bin", false, "/t/botyard"),
            r#"{"reason":"build-finished","success":true}"#.to_owned(),
        ] {
            built.note(&workspace, &line);
        }
        let program = |name: &str, path: &str| Program {
            name: name.to_owned(),
            path: path.into(),
            folder: "/w/crates/store".into(),
        };
        assert_eq!(
            built.programs,
            [program("a-store", "/t/deps/a_store-1"), program("a-store/suite", "/t/deps/suite-1")]
        );
        assert_eq!(built.server().unwrap(), &PathBuf::from("/t/botyard"));
        assert!(built.programs.iter().all(|program| program.is_of("a-store")));
    }
}
