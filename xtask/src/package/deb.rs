//! The Debian package: a tree with what Debian's tools need to know of it.
//!
//! dpkg-deb packs it, and dpkg-shlibdeps names the packages of the libraries that the program is linked with. The
//! crate cargo-deb does the same for a crate, by its manifest; as a library it would have xtask compile more than all
//! its other dependencies, for what is little more than a list of files here.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc2822;

use super::release::Release;
use super::tree::{FILE, PROGRAM, Tree};
use crate::debian::find_or_install_from;
use crate::workspace::check;

/// What dpkg runs around an installation.
const SCRIPTS: [&str; 3] = ["postinst", "prerm", "postrm"];
const SOURCE_PACKAGE: &str = "Source: botyard\n\nPackage: botyard\nArchitecture: any\n";
/// The folder that dpkg-deb reads and does not pack.
const CONTROL: &str = "DEBIAN";

/// What Debian calls the processor of this machine.
pub fn architecture() -> Result<String> {
    printed(Command::new("dpkg").arg("--print-architecture"), "dpkg --print-architecture")
}

/// Packs a tree that needs these packages.
pub fn pack(
    release: &Release,
    tree: &Tree,
    libraries: &str,
    root: &Path,
    package: &Path,
) -> Result<()> {
    let files = tree.files()?;
    let source = |name: &str| {
        let path = root.join("xtask/packaging").join(name);
        fs::read_to_string(&path).with_context(|| path.display().to_string())
    };
    let control = source("control")?
        .replace("@VERSION@", &release.debian_version)
        .replace("@ARCHITECTURE@", &release.architecture)
        .replace("@SIZE@", &size(tree)?.to_string())
        .replace("@LIBRARIES@", libraries);
    let mut sums = Command::new("md5sum");
    // dpkg keeps those of conffiles itself.
    sums.current_dir(&tree.root).args(files.iter().filter(|path| !path.starts_with("etc")));
    let sums = printed(&mut sums, "md5sum")? + "\n";
    let settings: String = files
        .iter()
        .filter(|path| path.starts_with("etc"))
        .map(|path| format!("/{}\n", path.display()))
        .collect();
    let write = |name: &str, mode, text: &str| {
        tree.write(&format!("{CONTROL}/{name}"), mode, text.as_bytes())
    };
    write("control", FILE, &control)?;
    write("md5sums", FILE, &sums)?;
    write("conffiles", FILE, &settings)?;
    for script in SCRIPTS {
        write(script, PROGRAM, &source(script)?)?;
    }
    let status = Command::new("dpkg-deb")
        .args(["--build", "--root-owner-group"])
        .arg(&tree.root)
        .arg(package)
        .env("SOURCE_DATE_EPOCH", release.time.to_string())
        .stdout(Stdio::null())
        .status()
        .context("dpkg-deb can't be started")?;
    fs::remove_dir_all(tree.root.join(CONTROL))?;
    check("dpkg-deb --build", status)
}

impl Release {
    /// The changelog of the packaging, which Debian's tools read.
    pub fn changes(&self) -> Result<String> {
        let time = OffsetDateTime::from_unix_timestamp(self.time.try_into()?)?.format(&Rfc2822)?;
        Ok(format!(
            "botyard ({}) unstable; urgency=medium\n\n  * Version {} of botyard; changelog.gz says what changed.\n\n \
             -- The botyard developers <packages@botyard.example>  {time}\n",
            self.debian_version, self.version,
        ))
    }
}

/// The packages of the libraries that the program is linked with, each with the version that it needs at least.
pub fn libraries(tree: &Tree) -> Result<String> {
    find_or_install_from("dpkg-dev", "dpkg-shlibdeps")?;
    // It works in the folder of a source package, and wants the program where such a package is made.
    let source = Tree::begin(tree.root.with_file_name("shlibdeps"))?;
    source.write("debian/control", FILE, SOURCE_PACKAGE.as_bytes())?;
    let program = "debian/botyard/usr/bin/botyard";
    source.write(program, PROGRAM, &fs::read(tree.root.join("usr/bin/botyard"))?)?;
    fs::create_dir(source.root.join("debian/botyard").join(CONTROL))?;
    let mut command = Command::new("dpkg-shlibdeps");
    command.current_dir(&source.root).args(["-O", "-e", program]);
    let printed = printed(&mut command, "dpkg-shlibdeps")?;
    let packages = printed.strip_prefix("shlibs:Depends=").context("dpkg-shlibdeps found none")?;
    Ok(packages.to_owned())
}

/// The size of all files, in KiB, as dpkg estimates it: each takes whole KiB.
fn size(tree: &Tree) -> Result<u64> {
    let sizes = tree
        .files()?
        .into_iter()
        .map(|file| Ok(fs::symlink_metadata(tree.root.join(file))?.size().div_ceil(1024)));
    sizes.sum()
}

fn printed(command: &mut Command, name: &str) -> Result<String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("{name} can't be started: it is part of Debian"))?;
    check(name, output.status)?;
    Ok(String::from_utf8(output.stdout)?.trim_end().to_owned())
}
