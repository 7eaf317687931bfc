//! `cargo xtask clients`: the API document is checked by two linters, four generators make clients of it, which go
//! through the API of a running server, and webhooks are received and verified with the libraries of their standard.

mod client;
mod tools;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::{Args, ValueEnum};

use self::tools::{Registry, Tools};
use crate::bench::{Botyard, Database};
use crate::workspace::Workspace;

/// Checks docs/openapi.json with two linters, makes four clients of it that call a running server, and has webhooks
/// received.
///
/// Needs Python 3.11 with venv and Node.js 20 with npm, of them only what is asked for; Java and Go come from PyPI like
/// the rest. What it installs is in target/clients, in the versions that xtask/clients/requirements.txt and
/// package.json name.
#[derive(Args)]
pub struct Clients {
    /// Only these, separated by commas.
    #[arg(long, value_delimiter = ',')]
    only: Vec<ClientCheck>,
}

/// What there is to check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ClientCheck {
    /// redocly and spectral
    Lint,
    /// openapi-python-client
    Python,
    /// datamodel-codegen
    Models,
    /// openapi-typescript with openapi-fetch
    Typescript,
    /// openapi-generator, for Go
    Go,
    /// standardwebhooks for Python
    WebhooksPython,
    /// standardwebhooks for JavaScript
    WebhooksJavascript,
}

impl ClientCheck {
    const ALL: [Self; 7] = [
        Self::Lint,
        Self::Python,
        Self::Models,
        Self::Typescript,
        Self::Go,
        Self::WebhooksPython,
        Self::WebhooksJavascript,
    ];

    /// Where the programs for it come from.
    const fn registry(self) -> Registry {
        match self {
            Self::Lint | Self::Typescript | Self::WebhooksJavascript => Registry::Npm,
            Self::Python | Self::Models | Self::Go | Self::WebhooksPython => Registry::PyPi,
        }
    }
}

/// Where everything is.
struct Place {
    /// `docs/openapi.json`
    document: PathBuf,
    /// The scripts and settings in the repository.
    sources: PathBuf,
    /// What is made and installed.
    folder: PathBuf,
}

impl Clients {
    pub fn run(&self, workspace: &Workspace) -> Result<()> {
        let place = Place {
            document: workspace.root.join("docs/openapi.json"),
            sources: workspace.root.join("xtask/clients"),
            folder: workspace.target.join("clients"),
        };
        fs::create_dir_all(&place.folder).context("target/clients")?;
        let wants = |what| self.only.is_empty() || self.only.contains(&what);
        for registry in [Registry::PyPi, Registry::Npm] {
            if ClientCheck::ALL.into_iter().any(|what| wants(what) && what.registry() == registry) {
                Tools::install(registry, &place.sources, &place.folder)?;
            }
        }
        let tools = Tools::of(&place.folder);
        if wants(ClientCheck::Lint) {
            lint(&tools, &place)?;
        }
        if !ClientCheck::ALL.into_iter().any(|what| what != ClientCheck::Lint && wants(what)) {
            return Ok(());
        }
        let binary = workspace.build_server()?;
        let data = fresh(&place.folder.join("server"))?;
        let options = ["--webhooks-allow-networks", "127.0.0.0/8"];
        let server = Botyard::start(&binary, &Database::Sqlite(data), &options)?;
        for what in ClientCheck::ALL.into_iter().filter(|what| wants(*what)) {
            let folder = fresh(&place.folder.join(format!("{what:?}").to_lowercase()))?;
            let client = client::Client { tools: &tools, place: &place, server: &server, folder };
            let shown = match what {
                ClientCheck::Python => client.python(),
                ClientCheck::Models => client.models(),
                ClientCheck::Typescript => client.typescript(),
                ClientCheck::Go => client.go(),
                ClientCheck::WebhooksPython => client.webhooks_in_python(),
                ClientCheck::WebhooksJavascript => client.webhooks_in_javascript(),
                ClientCheck::Lint => continue,
            };
            println!("{what:?}: {}", shown.with_context(|| format!("{what:?}"))?.trim());
        }
        Ok(())
    }
}

/// Both linters, without errors and without warnings.
fn lint(tools: &Tools, place: &Place) -> Result<()> {
    let settings = place.sources.join("redocly.yaml");
    tools
        .node("redocly", &place.folder)
        .env("REDOCLY_TELEMETRY", "off")
        .arg("lint")
        .arg(&place.document)
        .arg("--config")
        .arg(settings)
        .run()?;
    tools
        .node("spectral", &place.folder)
        .args(["lint", "--fail-severity", "hint", "--ruleset"])
        .arg(place.sources.join("spectral.yaml"))
        .arg(&place.document)
        .run()?;
    println!("Lint: no errors, no warnings");
    Ok(())
}

/// An empty folder of this name.
fn fresh(folder: &Path) -> Result<PathBuf> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    Ok(folder.to_owned())
}

/// Fails if a generator said that something is wrong with the document, other than what it says of every one.
fn without_warnings(output: &str, expected: &[&str]) -> Result<()> {
    let is_warning = |line: &&str| {
        let line = line.to_lowercase();
        ["warn", "error", "unsupported"].iter().any(|word| line.contains(word))
            && !expected.iter().any(|known| line.contains(known))
    };
    let warnings: Vec<_> = output.lines().filter(is_warning).collect();
    if warnings.is_empty() { Ok(()) } else { bail!("{}", warnings.join("\n")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_are_noticed_unless_they_are_expected() {
        assert!(without_warnings("Generating\ndone", &[]).is_ok());
        let beta = "WARN - OpenAPI 3.1 support is still in beta";
        assert!(without_warnings(beta, &["still in beta"]).is_ok());
        assert!(without_warnings(beta, &[]).is_err());
        assert!(without_warnings("Unsupported content type", &["still in beta"]).is_err());
    }
}
