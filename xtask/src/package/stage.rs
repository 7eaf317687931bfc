//! What is in the packages, and where.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

use super::build::{Program, SETTINGS_FILE};
use super::components::Components;
use super::copyright;
use super::release::Release;
use super::tree::{FILE, PROGRAM, Tree};
use crate::workspace::{Workspace, check, without_variables};

/// Where the documents are.
pub const DOCUMENTS: &str = "usr/share/doc/botyard";
/// Where completions of each shell are.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "usr/share/bash-completion/completions/botyard"),
    ("fish", "usr/share/fish/vendor_completions.d/botyard.fish"),
    ("zsh", "usr/share/zsh/vendor-completions/_botyard"),
];
/// The settings may have passwords.
const SETTINGS_MODE: u32 = 0o640;
/// The one setting that packages give a value, and that value.
const DATA_DIR: (&str, &str) = ("#data_dir = \"./data\"\n", "data_dir = \"/var/lib/botyard\"\n");

/// Makes the tree of all packages.
pub fn stage(
    workspace: &Workspace,
    release: &Release,
    program: &Program,
    components: &Components,
    sbom: &[u8],
) -> Result<Tree> {
    let tree = Tree::begin(workspace.target.join("packaging").join("tree"))?;
    let sources = workspace.root.join("xtask/packaging");
    let source = |name: &str| {
        fs::read_to_string(sources.join(name)).with_context(|| format!("xtask/packaging/{name}"))
    };
    let binary = &program.stripped;
    tree.write("usr/bin/botyard", PROGRAM, &fs::read(binary)?)?;
    tree.write(
        "usr/lib/systemd/system/botyard.service",
        FILE,
        source("botyard.service")?.as_bytes(),
    )?;
    tree.write("usr/lib/sysusers.d/botyard.conf", FILE, source("sysusers.conf")?.as_bytes())?;
    let settings = settings(&printed(binary, &["config", "--toml"])?)?;
    tree.write(SETTINGS_FILE.trim_start_matches('/'), SETTINGS_MODE, settings.as_bytes())?;
    for (shell, path) in COMPLETIONS {
        let script = printed(binary, &["completions", shell])?;
        tree.write(path, FILE, script.as_bytes())?;
    }
    manual_pages(&tree, workspace, binary)?;
    documents(&tree, workspace)?;

    let document = |name: &str| format!("{DOCUMENTS}/{name}");
    let copyright = copyright::debian(workspace, &source("copyright")?)?;
    tree.write(&document("copyright"), FILE, copyright.as_bytes())?;
    let third_parties = copyright::third_parties(components)?;
    tree.write_compressed(&document("third-party.txt"), third_parties.as_bytes())?;
    tree.write_compressed(&document("sbom.cdx.json"), sbom)?;
    let changes = fs::read(workspace.root.join("CHANGELOG.md")).context("CHANGELOG.md")?;
    tree.write_compressed(&document("changelog"), &changes)?;
    tree.write_compressed(&document("changelog.Debian"), release.changes()?.as_bytes())?;
    tree.write(
        "usr/share/lintian/overrides/botyard",
        FILE,
        source("lintian-overrides")?.as_bytes(),
    )?;
    Ok(tree)
}

/// Makes the tree with the program's symbols, where debuggers look for them.
pub fn symbols(workspace: &Workspace, program: &Program) -> Result<Tree> {
    let tree = Tree::begin(workspace.target.join("packaging").join("symbols"))?;
    tree.write("usr/lib/debug/usr/bin/botyard.debug", FILE, &fs::read(&program.symbols)?)?;
    Ok(tree)
}

/// The settings file: every setting as a comment, but the folder of the data, which the service can write.
fn settings(template: &str) -> Result<String> {
    let (default, ours) = DATA_DIR;
    if template.matches(default).count() != 1 {
        bail!("`botyard config --toml` does not print {default:?} once");
    }
    Ok(template.replace(default, ours))
}

fn manual_pages(tree: &Tree, workspace: &Workspace, binary: &Path) -> Result<()> {
    let pages = Tree::begin(workspace.target.join("packaging").join("man"))?;
    let folder = pages.root.to_str().context("a folder whose name is no text")?;
    printed_or_nothing(binary, &["docs", "man", folder])?;
    for page in pages.files()? {
        let content = fs::read(pages.root.join(&page))?;
        tree.write_compressed(&format!("usr/share/man/man1/{}", page.display()), &content)?;
    }
    Ok(())
}

/// The documents for those who run or call the server.
fn documents(tree: &Tree, workspace: &Workspace) -> Result<()> {
    let docs = Tree { root: workspace.root.join("docs") };
    for path in docs.files()? {
        let content = fs::read(docs.root.join(&path))?;
        tree.write(&format!("{DOCUMENTS}/{}", path.display()), FILE, &content)?;
    }
    Ok(())
}

/// What the program prints to these arguments.
fn printed(binary: &Path, arguments: &[&str]) -> Result<String> {
    let text = printed_or_nothing(binary, arguments)?;
    if text.is_empty() {
        bail!("`botyard {}` printed nothing", arguments.join(" "));
    }
    Ok(text)
}

fn printed_or_nothing(binary: &Path, arguments: &[&str]) -> Result<String> {
    let name = format!("botyard {}", arguments.join(" "));
    let output = without_variables(&mut Command::new(binary), "BOTYARD_")
        .args(arguments)
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("{name} can't be started"))?;
    check(&name, output.status)?;
    Ok(String::from_utf8(output.stdout)?)
}
