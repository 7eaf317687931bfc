//! The chunks that a worker sends, as they come.

use async_trait::async_trait;
use domain::document::{ChunkReader, ExtractedChunk, ExtractionError, ExtractorError};
use tokio::io::AsyncReadExt as _;
use tokio::process::ChildStdout;

use super::ending::Ending;
use super::failure::failed;
use super::supervisor::Supervised;
use crate::record::{Record, RecordError, Records};

/// How many bytes are read at once.
const BLOCK: usize = 64 << 10;

/// What a worker sends. Dropping it ends the worker.
#[derive(Debug)]
pub(super) struct ChunkStream {
    records: Records,
    /// The worker, until how it ended is known.
    worker: Option<(ChildStdout, Supervised)>,
    /// What it says of the file, once it has said it; until then that it has said nothing.
    last: Result<(), ExtractionError>,
    /// How it ended. A caller that stops waiting for the next chunks drops the worker, and so ends it.
    end: Result<(), ExtractorError>,
}

impl ChunkStream {
    pub(super) fn new(stdout: ChildStdout, records: Records, supervised: Supervised) -> Self {
        Self {
            records,
            worker: Some((stdout, supervised)),
            last: Err(ExtractionError::Crashed),
            end: Err(ExtractorError::File(ExtractionError::Interrupted)),
        }
    }

    /// The chunks that come next. Without any the worker has closed its side.
    async fn read(
        &mut self,
        stdout: &mut ChildStdout,
    ) -> Result<Vec<ExtractedChunk>, ExtractorError> {
        let mut block = vec![0; BLOCK];
        loop {
            let length = stdout.read(&mut block).await.map_err(failed)?;
            let bytes = block.get(..length).unwrap_or_default();
            if bytes.is_empty() {
                return Ok(Vec::new());
            }
            let mut chunks = Vec::new();
            for record in self.records.push(bytes).map_err(mistrusted)? {
                match record {
                    Record::Chunk(chunk) => chunks.push(chunk),
                    Record::End => self.last = Ok(()),
                    Record::Failed(error) => self.last = Err(error),
                }
            }
            if !chunks.is_empty() {
                return Ok(chunks);
            }
        }
    }
}

#[async_trait]
impl ChunkReader for ChunkStream {
    async fn next(&mut self) -> Result<Option<Vec<ExtractedChunk>>, ExtractorError> {
        // Whatever goes wrong on the way, the worker is dropped with it.
        let Some((mut stdout, worker)) = self.worker.take() else {
            return self.end.clone().map(|()| None);
        };
        match self.read(&mut stdout).await {
            Ok(chunks) if chunks.is_empty() => {
                let ending = worker.ending.await.map_err(failed);
                self.end = ending.and_then(Ending::into_result);
                // What it said counts only if it ended well.
                self.end = self.end.clone().and(self.last.map_err(ExtractorError::File));
            }
            Ok(chunks) => {
                self.worker = Some((stdout, worker));
                return Ok(Some(chunks));
            }
            Err(error) => self.end = Err(error),
        }
        self.end.clone().map(|()| None)
    }
}

/// A worker of ours writes valid records only, so what is none comes from code that a file brought in.
fn mistrusted(error: RecordError) -> ExtractorError {
    tracing::debug!("a worker can't be understood: {error}");
    ExtractorError::File(match error {
        RecordError::TooLarge => ExtractionError::TooLarge,
        RecordError::Malformed(_) => ExtractionError::Crashed,
    })
}
