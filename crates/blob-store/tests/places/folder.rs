//! What is particular to a folder.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::time::Duration;

use blob_store::{BlobStore, BlobUrl, OpenError};
use domain::blob::{BlobError, Blobs as _};
use futures_util::FutureExt as _;

use crate::world::{Place, key, until};

/// Every file and folder below this one, as paths from it.
fn below(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            found.push(path.strip_prefix(root).unwrap().to_string_lossy().into_owned());
            if path.is_dir() && !path.is_symlink() {
                open.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Makes a file and the folders above it.
fn write(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

fn set_age(path: &Path, minutes: u64) {
    let file = File::open(path).unwrap();
    let now = tempfile::tempfile().unwrap().metadata().unwrap().modified().unwrap();
    file.set_modified(now - Duration::from_secs(minutes * 60)).unwrap();
}

#[tokio::test]
async fn what_is_staged_has_no_name() {
    let place = Place::folder();
    let mut staging = place.blobs.stage().await.unwrap();
    staging.write(&[7; 200_000]).await.unwrap();
    assert_eq!(below(&place.staging()), [""; 0]);
    drop(staging);
    let staged = place.stage(&[7; 200_000]).await;
    assert_eq!(below(&place.staging()), [""; 0]);
    drop(staged);
    assert_eq!(below(&place.staging()), [""; 0]);
    assert_eq!(below(&place.root()), [""; 0]);
}

#[tokio::test]
async fn a_blob_lies_under_its_key_in_folders_of_this_account() {
    let place = Place::folder();
    let key = key(1, 2);
    for size in [10, 6 << 20] {
        place.blobs.put(&key, &place.stage(&vec![7; size]).await).await.unwrap();
        let (project, _) = key.as_str().split_once('/').unwrap();
        let folders = [project, &format!("{project}/fusion")].map(ToOwned::to_owned);
        let expected = [folders.as_slice(), &[key.to_string()]].concat();
        assert_eq!(below(&place.root()), expected);
        let file = fs::metadata(place.root().join(key.as_str())).unwrap();
        assert_eq!((file.len(), file.permissions().mode() & 0o777), (size as u64, 0o600));
        let made = folders.iter().map(|folder| place.root().join(folder));
        for folder in made.chain([place.root(), place.staging()]) {
            assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
        }
    }
}

#[tokio::test]
async fn a_put_that_fails_leaves_nothing() {
    let place = Place::folder();
    let (project, kind, file) = (key(1, 1), key(2, 1), key(3, 1));
    // What stands in the way: a file instead of a folder, and a folder instead of a file.
    let above = |key: &domain::blob::BlobKey, levels| {
        place.root().join(key.as_str()).ancestors().nth(levels).unwrap().to_owned()
    };
    write(&above(&project, 2), b"in the way");
    write(&above(&kind, 1), b"in the way");
    write(&above(&file, 0).join("in the way"), b"");
    let before = below(&place.root());
    for key in [project, kind, file] {
        for size in [10, 6 << 20] {
            let error = place.blobs.put(&key, &place.stage(&vec![7; size]).await).await;
            assert!(matches!(error, Err(BlobError::Failed(_))), "{error:?}");
            let read = place.blobs.read(&key, 0..1).await.map(drop);
            assert!(read.is_err());
        }
    }
    assert_eq!(below(&place.root()), before);
}

#[tokio::test]
async fn the_same_blob_can_be_put_by_several_at_once() {
    let place = Place::folder();
    let key = key(1, 1);
    let bytes = vec![7; 6 << 20];
    let staged = place.stage(&bytes).await;
    let put = || place.blobs.put(&key, &staged);
    let (a, b, c) = tokio::join!(put(), put(), put());
    assert_eq!((a, b, c), (Ok(()), Ok(()), Ok(())));
    assert!(place.read(&key).await == bytes);
    assert_eq!(below(&place.root()).len(), 3);
}

#[tokio::test]
async fn what_else_lies_in_the_folder_is_neither_listed_nor_removed() {
    let place = Place::folder();
    let blob = key(1, 1);
    place.blobs.put(&blob, &place.stage(b"a blob").await).await.unwrap();
    let root = place.root();
    let folder = root.join(blob.as_str()).parent().unwrap().to_owned();
    let name = blob.as_str().rsplit_once('/').unwrap().1;
    for foreign in [
        root.join("lost+found/a"),
        root.join("README"),
        root.join(name),
        root.join(format!("{}#1", key(9, 9).as_str().replace("fusion", "other"))),
        root.join(blob.as_str().split_once('/').unwrap().0).join("a"),
        folder.join("a"),
        folder.join(format!("{name}.old")),
        folder.join("a#1"),
        folder.join("deeper").join(name),
        folder.join(OsStr::from_bytes(b"\xff\n")),
        root.join(OsStr::from_bytes(b"\xff%2F")),
    ] {
        write(&foreign, b"foreign");
        set_age(&foreign, 10_000);
    }
    symlink("/nowhere", root.join(key(8, 8).as_str().split_once('/').unwrap().0)).unwrap();
    symlink(&root, folder.join("round")).unwrap();
    symlink(root.join(blob.as_str()), folder.join(key(1, 2).as_str().rsplit_once('/').unwrap().1))
        .unwrap();
    let before = below(&root);
    assert_eq!(place.listed().await.0, [blob.to_string()]);
    place.blobs.tidy().await.unwrap();
    assert_eq!(below(&root), before);
    assert_eq!(place.listed().await.0, [blob.to_string()]);
}

#[tokio::test]
async fn a_long_list_comes_in_pages() {
    let place = Place::folder();
    let mut keys: Vec<String> =
        (0..1203).map(|number| key(number % 2, number).to_string()).collect();
    for key in &keys {
        write(&place.root().join(key), b"");
    }
    keys.sort();
    assert_eq!(place.listed().await, (keys, 500));
}

#[tokio::test]
async fn tidying_removes_what_was_abandoned_half_written() {
    let place = Place::folder();
    let root = place.root();
    let (blob, other) = (key(1, 1), key(2, 2));
    place.blobs.put(&blob, &place.stage(b"a blob").await).await.unwrap();
    set_age(&root.join(blob.as_str()), 10_000);
    let leftover = |key: &domain::blob::BlobKey, random, minutes| {
        let path = root.join(format!("{key}#{random}"));
        write(&path, b"half");
        set_age(&path, minutes);
        path
    };
    let abandoned =
        [leftover(&blob, "Ab3", 61), leftover(&blob, "1", 10_000), leftover(&other, "x", 61)];
    let in_progress = [leftover(&blob, "y", 59), leftover(&blob, "z", 0)];
    place.blobs.tidy().await.unwrap();
    assert_eq!(abandoned.map(|path| path.exists()), [false; 3]);
    assert_eq!(in_progress.map(|path| path.exists()), [true; 2]);
    assert_eq!(place.read(&blob).await, b"a blob");

    // Folders that have been empty for long go, too, from the inside to the outside.
    let kind = root.join(other.as_str()).parent().unwrap().to_owned();
    let project = kind.parent().unwrap().to_owned();
    place.blobs.tidy().await.unwrap();
    assert!(kind.exists());
    set_age(&kind, 61);
    place.blobs.tidy().await.unwrap();
    assert!(!kind.exists() && project.exists());
    set_age(&project, 61);
    place.blobs.tidy().await.unwrap();
    assert!(!project.exists());
    assert_eq!(place.listed().await.0, [blob.to_string()]);
}

#[tokio::test]
async fn a_put_whose_caller_is_gone_goes_on_to_its_end() {
    let place = Place::folder();
    let key = key(1, 1);
    let staged = place.stage(&vec![7; 12 << 20]).await;
    let mut put = Box::pin(place.blobs.put(&key, &staged));
    assert!(put.as_mut().now_or_never().is_none());
    drop(put);
    until(async || !place.listed().await.0.is_empty()).await;
    assert_eq!(place.read(&key).await.len(), 12 << 20);
}

#[tokio::test]
async fn a_low_disk_takes_nothing_in_and_gives_everything_out() {
    let place = Place::folder();
    let staged = place.stage(b"a blob").await;
    place.blobs.put(&key(1, 1), &staged).await.unwrap();
    // Every disk has the one, and no disk the other.
    for (reserve, is_low) in [(1, false), (u64::MAX, true)] {
        let blobs = place.blobs.clone().with_reserve(reserve);
        let put = blobs.put(&key(1, 2), &staged).await;
        for taken_in in [blobs.check().await, put, blobs.stage().await.map(drop)] {
            let is_refused = matches!(taken_in, Err(BlobError::Full(_)));
            assert_eq!((taken_in.is_ok(), is_refused), (!is_low, is_low), "{taken_in:?}");
        }
        blobs.delete(&key(1, 2)).await.unwrap();
    }
    let blobs = place.blobs.clone().with_reserve(u64::MAX);
    assert_eq!(place.read(&key(1, 1)).await, b"a blob");
    blobs.delete(&key(1, 1)).await.unwrap();
    assert_eq!(place.listed().await.0, [""; 0]);
}

#[tokio::test]
async fn a_folder_that_went_away_is_noticed() {
    let place = Place::folder();
    for folder in [place.root(), place.staging()] {
        place.blobs.check().await.unwrap();
        let aside = folder.with_extension("aside");
        fs::rename(&folder, &aside).unwrap();
        let error = place.blobs.check().await.unwrap_err().to_string();
        assert!(error.contains(folder.to_str().unwrap()), "{error}");
        fs::rename(&aside, &folder).unwrap();
    }
    place.blobs.check().await.unwrap();
    fs::remove_dir(place.staging()).unwrap();
    assert!(matches!(place.blobs.stage().await.map(drop), Err(BlobError::Failed(_))));
}

#[test]
fn a_file_is_no_folder() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("file");
    fs::write(&file, "").unwrap();
    let open = |blobs: &Path, staging: &Path| {
        BlobStore::open(&BlobUrl::Folder(blobs.to_owned()), staging.to_owned()).map(drop)
    };
    for bad in [file.clone(), file.join("below")] {
        for refused in [open(&bad, home.path()), open(&home.path().join("a"), &bad)] {
            let Err(OpenError::Folder { path, .. }) = &refused else { panic!("{refused:?}") };
            assert_eq!(path, &bad);
        }
    }
}
