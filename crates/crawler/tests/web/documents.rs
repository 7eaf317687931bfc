//! PDFs among the pages. What reads them here says what it was given.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use crawler::Crawler;
use domain::blob::{BlobError, Staged};
use domain::crawl::CrawlError;
use domain::document::{
    ChunkReader, ExtractedChunk, Extracting, ExtractionError, ExtractorError, TextExtractor,
};

use crate::site::{Reply, Site, answer};
use crate::{failure, fetch, fetch_url, markdown, settings};

/// Reads a PDF that has its chunks in lines, the last of which may be a word for what is wrong with it.
#[derive(Default)]
struct Lines {
    reading: Arc<AtomicUsize>,
    most: AtomicUsize,
}

struct Chunks(Vec<String>, Arc<AtomicUsize>);

#[async_trait]
impl TextExtractor for Lines {
    async fn media_type(
        &self,
        _: &Arc<dyn Staged>,
        _: &str,
        _: Option<&str>,
    ) -> Result<String, BlobError> {
        Ok(String::new())
    }

    async fn ocr_languages(&self) -> Vec<String> {
        Vec::new()
    }

    async fn extract(&self, file: Extracting) -> Result<Box<dyn ChunkReader>, ExtractorError> {
        assert_eq!(file.media_type, "application/pdf");
        let Extracting { mut bytes, size, settings, .. } = file;
        let bytes = bytes.next().await?.unwrap();
        assert_eq!((bytes.len() as u64, settings.max_overlap), (size, 0));
        let reading = self.reading.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(reading, Ordering::SeqCst);
        let text = String::from_utf8(bytes).unwrap();
        let lines = text.lines().skip(1).map(str::to_owned).collect();
        Ok(Box::new(Chunks(lines, self.reading.clone())))
    }
}

impl Drop for Chunks {
    fn drop(&mut self) {
        self.1.fetch_sub(1, Ordering::SeqCst);
    }
}

#[async_trait]
impl ChunkReader for Chunks {
    async fn next(&mut self) -> Result<Option<Vec<ExtractedChunk>>, ExtractorError> {
        tokio::task::yield_now().await;
        let error = match self.0.first().map(String::as_str) {
            None => return Ok(None),
            Some("corrupt") => ExtractionError::Corrupt,
            Some("memory") => ExtractionError::Memory,
            Some("timeout") => ExtractionError::Timeout,
            Some(_) => {
                let text = self.0.remove(0);
                let char_end = text.len() as u64;
                let (page, heading) = (None, Vec::new());
                return Ok(Some(vec![ExtractedChunk {
                    text,
                    char_start: 0,
                    char_end,
                    page,
                    heading,
                }]));
            }
        };
        Err(ExtractorError::File(error))
    }
}

fn pdf(lines: &str, text: &str) -> Reply {
    let head = format!("Content-Type: application/pdf\r\n{lines}");
    Reply::Bytes(answer("200 OK", &head, format!("%PDF\n{text}").as_bytes()))
}

async fn site() -> Site {
    Site::start(|path, _| {
        Some(match path {
            "/two" => pdf("", "one\ntwo"),
            "/noindex" => pdf("X-Robots-Tag: noindex\r\n", "one"),
            "/long" => pdf("", &"a".repeat(600)),
            "/corrupt" => pdf("", "one\ncorrupt"),
            "/memory" => pdf("", "one\nmemory"),
            "/timeout" => pdf("", "one\ntimeout"),
            _ => return None,
        })
    })
    .await
}

#[tokio::test]
async fn the_text_of_a_pdf_is_its_content() {
    let (site, extractor) = (site().await, Arc::new(Lines::default()));
    let mut settings = settings();
    settings.inflated_bytes = 500;
    let crawler = Crawler::new(settings, extractor).unwrap();
    let fetched = fetch_url(&crawler, &site.url("/two")).await;
    assert_eq!(markdown(&fetched), "one\n\ntwo");
    assert_eq!((fetched.status_code, fetched.bytes > 0), (Some(200), true));
    assert!(fetched.links.is_empty());
    for (path, error) in [
        ("/noindex", CrawlError::Disallowed),
        ("/long", CrawlError::TooLarge),
        ("/corrupt", CrawlError::BadContent),
        ("/memory", CrawlError::TooLarge),
        ("/timeout", CrawlError::Timeout),
    ] {
        let fetched = fetch_url(&crawler, &site.url(path)).await;
        assert_eq!(failure(&fetched), (Some(200), error), "{path}");
    }
}

#[tokio::test]
async fn one_pdf_is_read_at_a_time() {
    let (site, extractor) = (site().await, Arc::new(Lines::default()));
    let crawler = Crawler::new(settings(), extractor.clone()).unwrap();
    let url = site.url("/two");
    let fetch = || fetch_url(&crawler, &url);
    let (one, two, three) = tokio::join!(fetch(), fetch(), fetch());
    for fetched in [one, two, three] {
        assert_eq!(markdown(&fetched), "one\n\ntwo");
    }
    assert_eq!(extractor.most.load(Ordering::SeqCst), 1);
    assert_eq!(extractor.reading.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn without_an_extractor_a_pdf_is_unsupported() {
    let fetched = fetch(&site().await, "/two").await;
    assert_eq!(failure(&fetched), (Some(200), CrawlError::UnsupportedType));
}
