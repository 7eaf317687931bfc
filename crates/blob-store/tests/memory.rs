//! How much memory large blobs take. A test alone in its process, because the peak is the process's.
#![expect(clippy::unwrap_used, reason = "this is a test, and so is the function beside it")]

use blob_store::{BlobStore, BlobUrl};
use domain::blob::{BlobKey, Blobs as _};

const MIB: usize = 1 << 20;

/// The most memory that this process has held so far, in bytes.
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches("kB").trim().parse::<usize>().unwrap() << 10
}

#[tokio::test]
async fn a_large_blob_is_never_in_memory_as_a_whole() {
    let home = tempfile::tempdir().unwrap();
    let url = BlobUrl::Folder(home.path().join("blobs"));
    let blobs = BlobStore::open(&url, home.path().join("staging")).unwrap();
    let id = "0197d0c8-3c5e-7000-8000-0123456789ab";
    let key = BlobKey::parse(&format!("{id}/fusion/{}-{id}", "0".repeat(64))).unwrap();

    let before = peak();
    let mut staging = blobs.stage().await.unwrap();
    let block = vec![7; 60 << 10];
    for _ in 0..200 * MIB / block.len() {
        staging.write(&block).await.unwrap();
    }
    let staged = staging.finish().await.unwrap();
    blobs.put(&key, &staged).await.unwrap();
    let mut size = 0;
    let mut reader = blobs.read(&key, 0..u64::MAX / 2).await.unwrap();
    while let Some(block) = reader.next().await.unwrap() {
        size += block.len() as u64;
    }
    assert_eq!(size, staged.size());
    let grown = peak() - before;
    assert!(grown <= 16 * MIB, "{grown} bytes more");
}
