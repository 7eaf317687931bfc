//! Programs in the place of those of the system: an image is read when the test says so.

use std::env;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use botyard_tests::{Form, TestApp};
use tempfile::TempDir;

use test_samples::image::png;

/// Reads an image by saying which text it has, once it is released.
const TESSERACT: &str = r#"#!/bin/sh
case "$1" in
    --list-langs) printf 'List of languages (3):\ndeu\neng\nosd\n'; exit ;;
esac
while [ ! -e "${0%/*}/released" ]; do
    sleep 0.02
done
sed '1,/^text:$/d' "$1"
"#;

/// A folder of programs, to be looked through before all others.
pub struct Programs(TempDir);

impl Programs {
    /// One that holds every image until it is released.
    pub fn that_wait() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let tesseract = folder.path().join("tesseract");
        fs::write(&tesseract, TESSERACT).unwrap();
        fs::set_permissions(&tesseract, fs::Permissions::from_mode(0o755)).unwrap();
        Self(folder)
    }

    /// A folder with no more than what starts and ends a server.
    pub fn without_any() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["sh", "rm"] {
            symlink(installed(name).unwrap(), folder.path().join(name)).unwrap();
        }
        Self(folder)
    }

    /// The variable `PATH` with this folder in front.
    pub fn and_others(&self) -> String {
        let own = [self.0.path().to_owned()].into_iter();
        let path = env::join_paths(own.chain(folders())).unwrap();
        path.into_string().unwrap()
    }

    /// The variable `PATH` with nothing but this folder.
    pub fn alone(&self) -> String {
        self.0.path().to_str().unwrap().to_owned()
    }

    /// Lets all images be read, also those that come later.
    pub fn release(&self) {
        fs::write(self.0.path().join("released"), "").unwrap();
    }

    /// Holds those that come from now on.
    pub fn hold(&self) {
        fs::remove_file(self.0.path().join("released")).unwrap();
    }
}

/// Whether a program of the system is installed.
pub fn is_installed(name: &str) -> bool {
    installed(name).is_some()
}

fn installed(name: &str) -> Option<PathBuf> {
    folders().map(|folder| folder.join(name)).find(|program| Path::exists(program))
}

fn folders() -> impl Iterator<Item = PathBuf> {
    env::split_paths(&env::var_os("PATH").unwrap_or_default()).collect::<Vec<_>>().into_iter()
}

/// A form with an image that such programs read as this text.
pub fn image(name: &str, text: &str) -> Form {
    Form::new().file(name, "image/png", &png(10, 10, text)).text("ocrEnabled", "true")
}

/// A server that waits for no extraction, and whose images are held. What takes over after a server that
/// was killed does so soon.
#[track_caller]
pub fn start(
    database: botyard_tests::Database,
    programs: &Programs,
    settings: &[(&str, &str)],
) -> TestApp {
    let path = programs.and_others();
    TestApp::start(database, &[&own_settings(&path)[..], settings].concat())
}

/// The settings of such a server, with this `PATH`.
pub fn own_settings(path: &str) -> [(&str, &str); 3] {
    [("PATH", path), ("EXTRACTION__WAIT", "0s"), ("JOBS__LEASE", "1s")]
}
