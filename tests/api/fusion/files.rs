//! What the server keeps in files.

use std::fs;
use std::path::Path;

use botyard_tests::waiting::until;
use botyard_tests::{Tenant, TestApp};

/// Every file in the folders of the data folder, as paths from there. The database and the logs lie
/// beside these folders.
pub fn files(app: &TestApp) -> Vec<String> {
    let home = app.installation().data_dir();
    let mut found = Vec::new();
    for folder in ["blobs", "uploads"] {
        found.extend(below(home, &home.join(folder)));
    }
    // The mark of the place.
    found.retain(|file| file != "blobs/installation");
    found
}

/// What lies in the folder of a project's blobs, as keys.
pub fn stored(tenant: &Tenant<'_>) -> Vec<String> {
    let blobs = tenant.app().installation().data_dir().join("blobs");
    below(&blobs, &blobs.join(tenant.project().id.to_string()))
}

/// The keys of a project's blobs, as the database has them.
pub fn known(tenant: &Tenant<'_>) -> Vec<String> {
    let sql = tenant.app().sql();
    let [project, id] = ["project_id", "id"].map(|column| sql.text_of(column));
    sql.texts(&format!(
        "SELECT {project} || '/' || kind || '/' || sha256 || '-' || {id} AS value FROM blobs \
         WHERE project_id = '{}' ORDER BY 1",
        tenant.project().id
    ))
}

/// The bytes of the blob that has this hash.
#[track_caller]
pub fn content(tenant: &Tenant<'_>, sha256: &str) -> Vec<u8> {
    let keys: Vec<_> = stored(tenant).into_iter().filter(|key| key.contains(sha256)).collect();
    assert_eq!(keys.len(), 1, "one blob of {sha256}");
    let blobs = tenant.app().installation().data_dir().join("blobs");
    fs::read(blobs.join(&keys[0])).unwrap()
}

/// Waits until as many blobs are in files as in the database, namely so many, and the same ones.
#[track_caller]
pub fn until_blobs(tenant: &Tenant<'_>, count: usize) {
    until(&format!("{count} blobs are left"), || {
        let known = known(tenant);
        known.len() == count && stored(tenant) == known
    });
}

/// How many jobs of the project are not done.
pub fn jobs(tenant: &Tenant<'_>) -> i64 {
    let project = tenant.project().id;
    let query = format!("SELECT count(*) AS value FROM jobs WHERE project_id = '{project}'");
    tenant.app().sql().number(&query)
}

/// Lets the grace of all blobs of the project be over.
pub fn pass_grace(tenant: &Tenant<'_>) {
    let project = tenant.project().id;
    tenant.app().sql().execute(&format!(
        "UPDATE jobs SET run_at = 0 WHERE kind = 'remove_blob' AND project_id = '{project}'"
    ));
}

/// How many files without a name the server has open in its data folder: uploads on their way.
/// `None` where the system does not tell.
pub fn nameless(app: &TestApp) -> Option<usize> {
    let open = fs::read_dir(format!("/proc/{}/fd", app.server().pid())).ok()?;
    let targets = open.filter_map(|entry| fs::read_link(entry.ok()?.path()).ok());
    let uploads = app.installation().data_dir().join("uploads");
    Some(targets.filter(|target| target.starts_with(&uploads)).count())
}

/// Waits until nothing is left of uploads that came to nothing: no file with a name, and none without.
#[track_caller]
pub fn until_nothing_is_left(app: &TestApp) {
    until("nothing is left of the uploads", || {
        files(app).is_empty() && nameless(app).is_none_or(|count| count == 0)
    });
}

/// The files below a folder, sorted, as paths from `root`. What goes away meanwhile is left out.
fn below(root: &Path, folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(below(root, &path));
        } else if let Ok(path) = path.strip_prefix(root) {
            found.push(path.to_string_lossy().into_owned());
        }
    }
    found.sort();
    found
}
