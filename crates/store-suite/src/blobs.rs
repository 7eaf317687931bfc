//! What every implementation of the [`Blobs`] port must do, as a suite of tests.
//!
//! An adapter names each case in [`for_each_blob_case`](domain::for_each_blob_case) a test of its own,
//! which awaits `store_suite::blobs::$case(&blobs)` in whatever runtime it needs. Cases make
//! projects of their own, so they may share a place.

use std::collections::BTreeSet;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::Arc;

use sha2::Digest;

use domain::blob::{
    Blob, BlobError, BlobKey, BlobKind, BlobState, Blobs, ReadSeek, Sha256, Staged, StoredBlob,
};
use domain::clock::Timestamp;
use domain::entropy::Entropy;
use domain::id::{BlobId, Ids, ProjectId};
use domain::testing::{SeededEntropy, SetClock};

/// Hands the list of all cases to another macro.
#[macro_export]
macro_rules! for_each_blob_case {
    ($instantiate:ident) => {
        $instantiate! {
            bytes_of_any_size_come_back,
            readers_of_staged_bytes_have_positions_of_their_own,
            a_range_is_cut_at_the_end,
            putting_twice_does_no_harm,
            what_is_not_there_is_missing,
            bytes_that_cannot_be_read_are_not_stored,
            other_bytes_than_the_hash_says_are_not_stored,
            what_is_stored_is_listed,
            the_blob_store_reports_that_it_works,
        }
    };
}

const KI: usize = 1 << 10;
const MI: usize = 1 << 20;

/// Makes keys, and bytes that repeat nowhere.
struct World {
    ids: Ids,
    entropy: Arc<SeededEntropy>,
    project_id: ProjectId,
}

impl World {
    fn new() -> Self {
        let entropy = Arc::new(SeededEntropy::new(RandomState::new().hash_one(0)));
        let ids = Ids::new(Arc::new(SetClock::at(crate::world::NOW)), entropy.clone());
        let project_id = ProjectId::from_uuid(ids.next());
        Self { ids, entropy, project_id }
    }

    fn bytes(&self, size: usize) -> Vec<u8> {
        let mut bytes = vec![0; size];
        self.entropy.fill(&mut bytes);
        bytes
    }

    fn key(&self, sha256: Sha256) -> BlobKey {
        self.key_in(self.project_id, sha256)
    }

    fn key_in(&self, project_id: ProjectId, sha256: Sha256) -> BlobKey {
        let blob = Blob {
            id: BlobId::from_uuid(self.ids.next()),
            project_id,
            kind: BlobKind::Fusion,
            sha256,
            size: 0,
            state: BlobState::Present,
            created_at: Timestamp::default(),
        };
        blob.key()
    }

    /// Stages and stores the bytes under a new key.
    async fn stored(&self, blobs: &dyn Blobs, bytes: &[u8]) -> BlobKey {
        let staged = stage(blobs, bytes, bytes.len()).await;
        let key = self.key(staged.sha256());
        blobs.put(&key, &staged).await.unwrap();
        key
    }
}

fn hash(bytes: &[u8]) -> Sha256 {
    Sha256::from_bytes(sha2::Sha256::digest(bytes).into())
}

/// Stages the bytes in pieces of this size.
async fn stage(blobs: &dyn Blobs, bytes: &[u8], piece: usize) -> Arc<dyn Staged> {
    let mut staging = blobs.stage().await.unwrap();
    for piece in bytes.chunks(piece.max(1)) {
        staging.write(piece).await.unwrap();
    }
    staging.finish().await.unwrap()
}

async fn read(blobs: &dyn Blobs, key: &BlobKey, range: Range<u64>) -> Result<Vec<u8>, BlobError> {
    let mut reader = blobs.read(key, range).await?;
    let mut bytes = Vec::new();
    while let Some(block) = reader.next().await? {
        bytes.extend(block);
    }
    Ok(bytes)
}

/// All blobs of the projects of these keys that have one of them, in the order of their keys.
async fn listed(blobs: &dyn Blobs, keys: &[BlobKey]) -> Vec<StoredBlob> {
    let projects: BTreeSet<_> = keys.iter().filter_map(BlobKey::project_id).collect();
    let mut found = Vec::new();
    for project in projects {
        let mut lister = blobs.list(project).await.unwrap();
        while let Some(page) = lister.next().await.unwrap() {
            assert!(!page.is_empty());
            assert!(page.iter().all(|blob| blob.key.project_id() == Some(project)));
            found.extend(page.into_iter().filter(|blob| keys.contains(&blob.key)));
        }
    }
    found.sort_by(|a, b| a.key.cmp(&b.key));
    found
}

#[track_caller]
fn assert_same(found: &[u8], expected: &[u8]) {
    // `assert_eq` would print millions of bytes.
    assert!(found == expected, "{} bytes, expected {} others", found.len(), expected.len());
}

/// Sizes on both sides of those at which an implementation does something else.
pub async fn bytes_of_any_size_come_back(blobs: &dyn Blobs) {
    let world = World::new();
    let sizes = [0, 1, 64 * KI - 1, 64 * KI, 64 * KI + 1, 5 * MI - 1, 5 * MI, 5 * MI + 1, 17 * MI];
    for size in sizes {
        let bytes = world.bytes(size);
        let staged = stage(blobs, &bytes, 100 * KI - 7).await;
        assert_eq!((staged.size(), staged.sha256()), (size as u64, hash(&bytes)));
        let key = world.key(staged.sha256());
        blobs.put(&key, &staged).await.unwrap();
        assert_same(&read(blobs, &key, 0..size as u64).await.unwrap(), &bytes);
    }
}

/// Also while another one reads, and after the bytes were stored.
pub async fn readers_of_staged_bytes_have_positions_of_their_own(blobs: &dyn Blobs) {
    let world = World::new();
    let bytes = world.bytes(200 * KI);
    let staged = stage(blobs, &bytes, 1000).await;
    let mut first = staged.open().unwrap();
    let mut second = staged.open().unwrap();
    let mut head = vec![0; 70 * KI];
    first.read_exact(&mut head).unwrap();
    assert_same(&head, &bytes[..70 * KI]);
    blobs.put(&world.key(staged.sha256()), &staged).await.unwrap();
    let mut all = Vec::new();
    second.read_to_end(&mut all).unwrap();
    assert_same(&all, &bytes);
    assert_eq!(second.seek(SeekFrom::End(-3)).unwrap(), 200 * KI as u64 - 3);
    assert_eq!(second.seek(SeekFrom::Current(-7)).unwrap(), 200 * KI as u64 - 10);
    assert!(second.seek(SeekFrom::Current(-300 * KI as i64)).is_err());
    all.clear();
    second.read_to_end(&mut all).unwrap();
    assert_same(&all, &bytes[200 * KI - 10..]);
    all.clear();
    first.read_to_end(&mut all).unwrap();
    assert_same(&all, &bytes[70 * KI..]);
    assert_eq!(first.seek(SeekFrom::Start(300 * KI as u64)).unwrap(), 300 * KI as u64);
    assert_eq!(first.read(&mut head).unwrap(), 0);
}

/// Any part of a blob can be read.
pub async fn a_range_is_cut_at_the_end(blobs: &dyn Blobs) {
    let world = World::new();
    let size = 150 * KI;
    let bytes = world.bytes(size);
    let key = world.stored(blobs, &bytes).await;
    for range in [0..10, 70_000..140_000, size - 1..size, 5..5, 0..size + 1, 7..usize::MAX / 2] {
        let found = read(blobs, &key, range.start as u64..range.end as u64).await.unwrap();
        assert_same(&found, &bytes[range.start..range.end.min(size)]);
    }
    for (start, end) in [(size, size + 1), (size + 1, size + 2), (size + 1, size + 1), (9, 8)] {
        let found = read(blobs, &key, start as u64..end as u64).await.unwrap();
        assert_same(&found, &[]);
    }
    let empty = world.stored(blobs, &[]).await;
    assert_same(&read(blobs, &empty, 0..10).await.unwrap(), &[]);
}

/// In one piece and in parts.
pub async fn putting_twice_does_no_harm(blobs: &dyn Blobs) {
    let world = World::new();
    for size in [1000, 6 * MI] {
        let bytes = world.bytes(size);
        let staged = stage(blobs, &bytes, 64 * KI).await;
        let key = world.key(staged.sha256());
        blobs.put(&key, &staged).await.unwrap();
        blobs.put(&key, &staged).await.unwrap();
        assert_same(&read(blobs, &key, 0..u64::MAX / 2).await.unwrap(), &bytes);
        assert_eq!(listed(blobs, &[key]).await.len(), 1);
    }
}

/// Reading it fails, removing it does not.
pub async fn what_is_not_there_is_missing(blobs: &dyn Blobs) {
    let world = World::new();
    let bytes = world.bytes(10);
    let key = world.key(hash(&bytes));
    let missing = BlobError::Missing(key.to_string());
    for range in [0..10, 3..3] {
        assert_eq!(read(blobs, &key, range).await.unwrap_err(), missing);
    }
    blobs.delete(&key).await.unwrap();

    let staged = stage(blobs, &bytes, 3).await;
    blobs.put(&key, &staged).await.unwrap();
    let other = world.key(hash(&bytes));
    blobs.put(&other, &staged).await.unwrap();
    blobs.delete(&key).await.unwrap();
    assert_eq!(read(blobs, &key, 0..10).await.unwrap_err(), missing);
    assert_same(&read(blobs, &other, 0..10).await.unwrap(), &bytes);
    blobs.delete(&key).await.unwrap();
    blobs.put(&key, &staged).await.unwrap();
    assert_same(&read(blobs, &key, 0..10).await.unwrap(), &bytes);
}

/// Staged bytes that behave badly.
struct Bad {
    bytes: Vec<u8>,
    sha256: Sha256,
    /// Where reading fails.
    breaks_at: usize,
}

impl Staged for Bad {
    fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn sha256(&self) -> Sha256 {
        self.sha256
    }

    fn open(&self) -> io::Result<Box<dyn ReadSeek>> {
        let bytes = Cursor::new(self.bytes.clone());
        Ok(Box::new(Breaking { bytes, breaks_at: self.breaks_at }))
    }
}

struct Breaking {
    bytes: Cursor<Vec<u8>>,
    breaks_at: usize,
}

impl Read for Breaking {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.bytes.position() >= self.breaks_at as u64 {
            return Err(io::Error::other("the disk is gone"));
        }
        let most = buffer.len().min(64 * KI);
        self.bytes.read(&mut buffer[..most])
    }
}

impl Seek for Breaking {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.bytes.seek(to)
    }
}

async fn assert_not_stored(blobs: &dyn Blobs, world: &World, bad: Bad) {
    let staged: Arc<dyn Staged> = Arc::new(bad);
    let key = world.key(staged.sha256());
    let error = blobs.put(&key, &staged).await.unwrap_err();
    assert!(matches!(error, BlobError::Failed(_)), "{error}");
    let missing = BlobError::Missing(key.to_string());
    assert_eq!(read(blobs, &key, 0..1).await.unwrap_err(), missing);
    assert_eq!(listed(blobs, &[key]).await, []);
}

/// A failure at the beginning, and one when a part was stored already.
pub async fn bytes_that_cannot_be_read_are_not_stored(blobs: &dyn Blobs) {
    let world = World::new();
    for (size, breaks_at) in [(1000, 0), (12 * MI, 11 * MI)] {
        let bytes = world.bytes(size);
        let sha256 = hash(&bytes);
        assert_not_stored(blobs, &world, Bad { bytes, sha256, breaks_at }).await;
    }
}

/// Neither in one piece nor in parts.
pub async fn other_bytes_than_the_hash_says_are_not_stored(blobs: &dyn Blobs) {
    let world = World::new();
    for size in [1000, 12 * MI] {
        let mut bytes = world.bytes(size);
        let sha256 = hash(&bytes);
        bytes[size - 1] ^= 1;
        assert_not_stored(blobs, &world, Bad { bytes, sha256, breaks_at: usize::MAX }).await;
    }
}

/// With its size and its time, in all projects.
pub async fn what_is_stored_is_listed(blobs: &dyn Blobs) {
    let world = World::new();
    let [other, empty] = [(); 2].map(|()| ProjectId::from_uuid(world.ids.next()));
    let mut expected = Vec::new();
    for size in [0, 1, 70_000] {
        for project in [world.project_id, other] {
            let staged = stage(blobs, &world.bytes(size), 1000).await;
            let key = world.key_in(project, staged.sha256());
            blobs.put(&key, &staged).await.unwrap();
            expected.push((key, size as u64));
        }
    }
    expected.sort();
    let keys: Vec<BlobKey> = expected.iter().map(|(key, _)| key.clone()).collect();
    let found = listed(blobs, &keys).await;
    let found_sizes: Vec<_> = found.iter().map(|blob| (blob.key.clone(), blob.size)).collect();
    assert_eq!(found_sizes, expected);
    let times: Vec<_> = found.iter().map(|blob| blob.stored_at).collect();
    // All within the same hour, and none at the beginning of time.
    let (first, last) = (times.iter().min().unwrap(), times.iter().max().unwrap());
    assert!(first.millis() > 1_700_000_000_000 && last.millis() - first.millis() < 3_600_000);

    assert_eq!(blobs.list(empty).await.unwrap().next().await, Ok(None));

    blobs.delete(&keys[2]).await.unwrap();
    assert_eq!(listed(blobs, &keys).await.len(), keys.len() - 1);
}

/// And tidying leaves what is whole.
pub async fn the_blob_store_reports_that_it_works(blobs: &dyn Blobs) {
    let world = World::new();
    blobs.check().await.unwrap();
    let bytes = world.bytes(10);
    let key = world.stored(blobs, &bytes).await;
    blobs.tidy().await.unwrap();
    blobs.check().await.unwrap();
    assert_same(&read(blobs, &key, 0..10).await.unwrap(), &bytes);
}
