//! A reader of files in memory, which extractions use.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;

use domain::blob::{BlobError, Staged};
use domain::document::{
    ChunkReader, ExtractedChunk, Extracting, ExtractionError, ExtractionSettings, ExtractorError,
    TextExtractor,
};

/// What a case does when chunks are requested; it is given how many there were already.
type Act = Arc<dyn Fn(usize) + Send + Sync>;

/// It takes each line of a file for a chunk. An empty line ends what is read at once, and one like
/// `!corrupt` says how the file is broken.
#[derive(Default, Clone)]
pub(crate) struct FakeExtractor(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    requested: Vec<(String, ExtractionSettings)>,
    act: Option<Act>,
    error: Option<ExtractorError>,
}

/// The chunks that a file with this text has.
pub(crate) fn chunks_of(text: &str) -> Vec<ExtractedChunk> {
    let mut begin = 0;
    let lines = text.lines().map(|line| {
        let char_start = begin;
        let char_end = char_start + line.chars().count() as u64;
        begin = char_end + 1;
        let (page, heading) = match char_start {
            0 => (None, Vec::new()),
            _ => (Some(1), vec!["Part".to_owned(), line.to_owned()]),
        };
        ExtractedChunk { text: line.to_owned(), char_start, char_end, page, heading }
    });
    lines.filter(|chunk| !chunk.text.is_empty()).collect()
}

impl FakeExtractor {
    /// Does this whenever chunks are requested.
    pub fn act(&self, act: impl Fn(usize) + Send + Sync + 'static) {
        self.0.lock().unwrap().act = Some(Arc::new(act));
    }

    /// Does that no more.
    pub fn clear_action(&self) {
        self.0.lock().unwrap().act = None;
    }

    /// Fails after the first chunks of every file, or no more.
    pub fn fail(&self, error: Option<ExtractorError>) {
        self.0.lock().unwrap().error = error;
    }

    /// The files whose extraction began since the last call, by their names, with the settings of each.
    pub fn requested(&self) -> Vec<(String, ExtractionSettings)> {
        std::mem::take(&mut self.0.lock().unwrap().requested)
    }
}

#[async_trait]
impl TextExtractor for FakeExtractor {
    async fn media_type(
        &self,
        _: &Arc<dyn Staged>,
        file_name: &str,
        said: Option<&str>,
    ) -> Result<String, BlobError> {
        let by_name = match file_name.rsplit_once('.') {
            Some((_, "md")) => Some("text/markdown"),
            Some((_, "yaml")) => Some("application/yaml"),
            Some(_) | None => said,
        };
        Ok(by_name.unwrap_or("application/octet-stream").to_owned())
    }

    async fn ocr_languages(&self) -> Vec<String> {
        Vec::new()
    }

    async fn extract(&self, mut file: Extracting) -> Result<Box<dyn ChunkReader>, ExtractorError> {
        self.0.lock().unwrap().requested.push((file.file_name, file.settings));
        let mut bytes = Vec::new();
        while let Some(block) = file.bytes.next().await? {
            bytes.extend(block);
        }
        let text = String::from_utf8(bytes)
            .map_err(|_| ExtractorError::File(ExtractionError::Unsupported))?;
        let sizes = text.split("\n\n").map(|part| part.lines().count());
        let sizes = sizes.collect::<Vec<_>>().into_iter();
        let chunks = chunks_of(&text).into_iter();
        Ok(Box::new(Reading { state: self.0.clone(), sizes, chunks, given: 0 }))
    }
}

struct Reading {
    state: Arc<Mutex<State>>,
    sizes: std::vec::IntoIter<usize>,
    chunks: std::vec::IntoIter<ExtractedChunk>,
    given: usize,
}

#[async_trait]
impl ChunkReader for Reading {
    async fn next(&mut self) -> Result<Option<Vec<ExtractedChunk>>, ExtractorError> {
        let (act, error) = {
            let state = self.state.lock().unwrap();
            (state.act.clone(), state.error.clone())
        };
        if let Some(act) = act {
            act(self.given);
        }
        if let Some(error) = error.filter(|_| self.given > 0) {
            return Err(error);
        }
        let Some(size) = self.sizes.next() else {
            return Ok(None);
        };
        let chunks: Vec<_> = self.chunks.by_ref().take(size).collect();
        let said = chunks.iter().find_map(|chunk| chunk.text.strip_prefix('!'));
        if let Some(error) = said.and_then(ExtractionError::parse) {
            return Err(ExtractorError::File(error));
        }
        self.given += chunks.len();
        Ok(Some(chunks))
    }
}
