//! Blobs on their way out, block by block.

use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use domain::blob::{BlobError, BlobKey, BlobReader};
use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use object_store::path::Path;
use object_store::{GetOptions, GetRange, GetResultPayload, ObjectStore, ObjectStoreExt as _};

use crate::blocking::blocking;
use crate::errors::{failed, is_missing, of_blob};

/// How many bytes of a file are read at once.
const BLOCK: u64 = 64 << 10;

/// Opens what of the range is there.
pub(crate) async fn read(
    store: &dyn ObjectStore,
    path: &Path,
    key: &BlobKey,
    range: Range<u64>,
) -> Result<Box<dyn BlobReader>, BlobError> {
    let mut refusal = None;
    if !range.is_empty() {
        let wanted = Some(GetRange::Bounded(range.clone()));
        match store.get_opts(path, GetOptions { range: wanted, ..GetOptions::default() }).await {
            Ok(found) => {
                let range = found.range.clone();
                return Ok(match found.payload {
                    GetResultPayload::File(file, _) => {
                        Box::new(FileBlocks { file: Arc::new(file), range })
                    }
                    GetResultPayload::Stream(stream) => {
                        Box::new(StreamedBlocks(stream.fuse().boxed()))
                    }
                });
            }
            Err(error) if is_missing(&error) => return Err(of_blob(key, &error)),
            Err(error) => refusal = Some(of_blob(key, &error)),
        }
    }
    // Places refuse a range that begins at the end, each in its own way.
    match (store.head(path).await, refusal) {
        (Err(error), None) => Err(of_blob(key, &error)),
        (Ok(found), Some(refusal)) if range.start < found.size => Err(refusal),
        (Err(_), Some(refusal)) => Err(refusal),
        (Ok(_), _) => Ok(Box::new(StreamedBlocks(futures_util::stream::empty().boxed()))),
    }
}

/// A range of a file.
struct FileBlocks {
    file: Arc<File>,
    range: Range<u64>,
}

#[async_trait]
impl BlobReader for FileBlocks {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, BlobError> {
        let start = self.range.start;
        let size = self.range.end.saturating_sub(start).min(BLOCK);
        let Some(size) = usize::try_from(size).ok().filter(|size| *size > 0) else {
            return Ok(None);
        };
        let file = self.file.clone();
        let block = blocking(move || {
            let mut block = vec![0; size];
            file.read_exact_at(&mut block, start)?;
            Ok(block)
        })
        .await?;
        self.range.start += size as u64;
        Ok(Some(block))
    }
}

/// What a server sends.
struct StreamedBlocks(BoxStream<'static, object_store::Result<Bytes>>);

#[async_trait]
impl BlobReader for StreamedBlocks {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, BlobError> {
        let block = self.0.next().await.transpose().map_err(|error| failed(&error))?;
        Ok(block.map(Vec::from))
    }
}
