//! The sitemaps of a site, and the pages in them.

use std::collections::HashSet;

use domain::crawl::{CrawlError, CrawlUrl};

use super::Visit;
use crate::body::{Coding, Oversized};
use crate::sitemap::Sitemap;
use crate::work::Cancellation;

/// How many pages a site's sitemaps can name.
const PAGES: usize = 5_000;
/// How many files they can be.
const FILES: usize = 10;

/// Pages of sitemaps, each once, in their order.
#[derive(Debug, Default)]
pub(super) struct Pages {
    list: Vec<CrawlUrl>,
    known: HashSet<String>,
}

impl Pages {
    pub(super) fn into_list(self) -> Vec<CrawlUrl> {
        self.list
    }

    fn add(&mut self, page: CrawlUrl) {
        if self.list.len() < PAGES && self.known.insert(page.key()) {
            self.list.push(page);
        }
    }
}

impl Visit {
    /// Reads the sitemaps that the site's `robots.txt` names, or else the one that it has at the usual
    /// place, and those that they name; the latter name no others.
    pub(super) async fn collect(&self, pages: &mut Pages) {
        let Ok(rules) = self.shared.rules(&self.start).await else { return };
        let mut files = self.on_site(rules.sitemaps());
        if files.is_empty() {
            files = self.on_site(&["/sitemap.xml".to_owned()]);
        }
        files.truncate(FILES);
        let first = files.len();
        let mut at = 0;
        while let Some(file) = files.get(at).cloned() {
            let sitemap = self.read_sitemap(file).await.unwrap_or_default();
            self.on_site(&sitemap.pages).into_iter().for_each(|page| pages.add(page));
            if at < first {
                let mut more = self.on_site(&sitemap.maps);
                more.truncate(FILES - files.len());
                files.extend(more);
            }
            at += 1;
        }
    }

    async fn read_sitemap(&self, file: CrawlUrl) -> Result<Sitemap, CrawlError> {
        let settings = &self.shared.settings;
        let mut fetch = self.begin(file);
        let arrived = self.go(&mut fetch).await?;
        if !arrived.answer.status().is_success() {
            return Err(CrawlError::HttpError);
        }
        let coding = Coding::of(arrived.answer.headers())?;
        let body =
            self.shared.read(&mut fetch, arrived, settings.wire_bytes, Oversized::Truncate).await?;
        let limit = settings.inflated_bytes;
        let work = move |cancellation: &Cancellation| {
            Sitemap::read(cancellation.reader(body.content(coding)), limit, PAGES)
        };
        self.shared.permits.run_blocking(self.project_id, work).await
    }

    /// Those of these addresses that are on this site.
    fn on_site(&self, addresses: &[String]) -> Vec<CrawlUrl> {
        let found = addresses.iter().filter_map(|address| self.start.join(address));
        found.filter(|url| url.is_on_site_of(&self.start)).collect()
    }
}
