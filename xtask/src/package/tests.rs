//! The packages with a small program in place of the server, and the unit of systemd.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::build::Program;
use super::components::Components;
use super::release::Release;
use super::tree::{PROGRAM, Tree};
use super::{archive, deb, stage};
use crate::debian;
use crate::workspace::Workspace;

/// Prints what packages ask the server for.
const PROGRAM_TEXT: &str = r##"#!/bin/sh
case "$1" in
config) printf '#listen = "127.0.0.1:8080"\n\n#data_dir = "./data"\n' ;;
completions) echo "completions of $2" ;;
docs) echo page >"$3/botyard.1" ;;
esac
"##;

/// The tree of packages that are made in this folder.
fn staged(folder: &Path) -> (Workspace, Release, Tree) {
    let mut workspace = Workspace::find().unwrap();
    workspace.target = folder.to_owned();
    let given = Tree { root: folder.to_owned() };
    given.write("program", PROGRAM, PROGRAM_TEXT.as_bytes()).unwrap();
    let program = Program { stripped: folder.join("program"), symbols: folder.join("program") };
    let release = Release {
        version: "1.2.3".to_owned(),
        debian_version: "1.2.3-4".to_owned(),
        architecture: "amd64".to_owned(),
        time: 1_800_000_000,
        folder: folder.to_owned(),
    };
    let components = Components::of(&workspace, &[]).unwrap();
    let tree = stage::stage(&workspace, &release, &program, &components, b"{}").unwrap();
    (workspace, release, tree)
}

fn run(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

#[test]
fn packages_have_what_a_service_needs() {
    let folder = tempfile::tempdir().unwrap();
    let (_, release, tree) = staged(folder.path());
    let archive = folder.path().join("packed.tar.gz");
    archive::pack(&tree, "botyard", release.time, &archive).unwrap();
    let listed = run("tar", &["--list", "--verbose", "--file", archive.to_str().unwrap()]);
    for (mode, path) in [
        ("-rwxr-xr-x", "usr/bin/botyard"),
        ("-rw-r-----", "etc/botyard/botyard.toml"),
        ("-rw-r--r--", "usr/lib/systemd/system/botyard.service"),
        ("-rw-r--r--", "usr/lib/sysusers.d/botyard.conf"),
        ("-rw-r--r--", "usr/share/man/man1/botyard.1.gz"),
        ("-rw-r--r--", "usr/share/bash-completion/completions/botyard"),
        ("-rw-r--r--", "usr/share/zsh/vendor-completions/_botyard"),
        ("-rw-r--r--", "usr/share/fish/vendor_completions.d/botyard.fish"),
        ("-rw-r--r--", "usr/share/doc/botyard/operations.md"),
        ("-rw-r--r--", "usr/share/doc/botyard/openapi.json"),
        ("-rw-r--r--", "usr/share/doc/botyard/copyright"),
        ("-rw-r--r--", "usr/share/doc/botyard/third-party.txt.gz"),
        ("-rw-r--r--", "usr/share/doc/botyard/sbom.cdx.json.gz"),
    ] {
        let line = listed.lines().find(|line| line.ends_with(&format!(" botyard/{path}")));
        let line = line.unwrap_or_else(|| panic!("{path} is missing in\n{listed}"));
        assert!(line.starts_with(&format!("{mode} root/root ")), "{line}");
    }
    let settings = fs::read_to_string(tree.root.join("etc/botyard/botyard.toml")).unwrap();
    assert_eq!(settings, "#listen = \"127.0.0.1:8080\"\n\ndata_dir = \"/var/lib/botyard\"\n");
}

#[test]
fn the_same_sources_make_the_same_archive() {
    let pack = || {
        let folder = tempfile::tempdir().unwrap();
        let (_, release, tree) = staged(folder.path());
        let archive = folder.path().join("packed.tar.gz");
        archive::pack(&tree, "botyard", release.time, &archive).unwrap();
        fs::read(archive).unwrap()
    };
    assert!(pack() == pack());
}

#[test]
fn dpkg_reads_the_package() {
    if deb::architecture().is_err() {
        eprintln!("skipped: dpkg is not there");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (workspace, release, tree) = staged(folder.path());
    let package = folder.path().join("botyard.deb");
    deb::pack(&release, &tree, "libc6 (>= 2.36)", &workspace.root, &package).unwrap();
    let package = package.to_str().unwrap();
    assert_eq!(run("dpkg-deb", &["--field", package, "Version"]).trim(), "1.2.3-4");
    let needed = run("dpkg-deb", &["--field", package, "Depends"]);
    assert!(needed.starts_with("libc6 (>= 2.36), ca-certificates"), "{needed}");
    let fields = run("dpkg-deb", &["--field", package]);
    assert!(!fields.contains(": @"), "{fields}");
    let info = run("dpkg-deb", &["--info", package]);
    for name in ["conffiles", "md5sums", "postinst", "prerm", "postrm"] {
        assert!(info.contains(name), "{info}");
    }
    let settings = run("dpkg-deb", &["--info", package, "conffiles"]);
    assert_eq!(settings, "/etc/botyard/botyard.toml\n");
    for script in ["postinst", "prerm", "postrm"] {
        let file = workspace.root.join("xtask/packaging").join(script);
        run("sh", &["-n", file.to_str().unwrap()]);
    }
}

#[test]
fn systemd_takes_most_rights_from_the_service() {
    let needed = debian::find_or_install_from("systemd", "systemd-analyze");
    if let Err(missing) = needed {
        eprintln!("skipped: {missing}");
        return;
    }
    let unit = Workspace::find().unwrap().root.join("xtask/packaging/botyard.service");
    // In tenths, from 0 for none to 100 for all.
    run(
        "systemd-analyze",
        &["security", "--no-pager", "--offline=true", "--threshold=20", unit.to_str().unwrap()],
    );
    // Its program need not be installed here.
    let text = fs::read_to_string(unit).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("botyard.service");
    fs::write(&copy, text.replace("/usr/bin/botyard", "/bin/true")).unwrap();
    let verify = ["verify", "--man=no", "--recursive-errors=no", copy.to_str().unwrap()];
    run("systemd-analyze", &verify);
}
