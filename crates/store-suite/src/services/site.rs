//! A site in memory, which crawls fetch.

use std::collections::{HashMap, HashSet};
use std::future::pending;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use sha2::Digest as _;

use domain::blob::Sha256;
use domain::crawl::{CrawlError, CrawlUrl, Fetched, PageContent, SiteVisit, WebCrawler};
use domain::id::ProjectId;

/// What a case does when a page is requested.
type Act = Arc<dyn Fn(&CrawlUrl) + Send + Sync>;

/// A site whose pages are what a case says they are. What it does not know of answers 404.
#[derive(Default, Clone)]
pub(crate) struct Site(Arc<Mutex<Pages>>);

#[derive(Default)]
struct Pages {
    known: HashMap<CrawlUrl, Fetched>,
    sitemap: Vec<CrawlUrl>,
    sitemaps_asked: u32,
    is_sitemap_hanging: bool,
    /// Addresses that never answer.
    hanging: HashSet<CrawlUrl>,
    asked: Vec<CrawlUrl>,
    act: Option<Act>,
}

/// An address of the site.
pub(crate) fn url(path: &str) -> CrawlUrl {
    CrawlUrl::parse(&format!("http://site.example/{path}"), false).unwrap()
}

/// The path of an address of the site.
pub(crate) fn path(url: &CrawlUrl) -> String {
    url.url().path().trim_start_matches('/').to_owned()
}

pub(crate) fn content(markdown: &str) -> PageContent {
    PageContent {
        title: Some(format!("Title of {markdown}")),
        markdown: markdown.to_owned(),
        hash: Sha256::from_bytes(sha2::Sha256::digest(markdown).into()),
    }
}

/// What fetching a page gives that links to these. Its content is its path.
pub(crate) fn linking(name: &str, links: &[&str]) -> Fetched {
    Fetched {
        url: url(name),
        canonical: None,
        status_code: Some(200),
        content: Ok(content(name)),
        links: links.iter().map(|link| url(link)).collect(),
        has_more_links: false,
        bytes: 100,
    }
}

impl Site {
    /// Adds a page that links to these.
    pub fn page(&self, name: &str, links: &[&str]) {
        self.put(name, linking(name, links));
    }

    /// What fetching an address gives.
    pub fn put(&self, name: &str, fetched: Fetched) {
        self.0.lock().unwrap().known.insert(url(name), fetched);
    }

    /// Sets the pages that the site's sitemap names.
    pub fn set_sitemap(&self, names: &[&str]) {
        self.0.lock().unwrap().sitemap = names.iter().map(|name| url(name)).collect();
    }

    /// Lets an address answer no more.
    pub fn hang(&self, name: &str) {
        self.0.lock().unwrap().hanging.insert(url(name));
    }

    /// Lets the site's sitemap answer no more.
    pub fn hang_sitemap(&self) {
        self.0.lock().unwrap().is_sitemap_hanging = true;
    }

    /// Lets everything answer again.
    pub fn resume(&self) {
        let mut pages = self.0.lock().unwrap();
        pages.hanging.clear();
        pages.is_sitemap_hanging = false;
    }

    /// Does this whenever a page is requested.
    pub fn act(&self, act: impl Fn(&CrawlUrl) + Send + Sync + 'static) {
        self.0.lock().unwrap().act = Some(Arc::new(act));
    }

    /// How often the site's sitemap was requested.
    pub fn sitemaps_asked(&self) -> u32 {
        self.0.lock().unwrap().sitemaps_asked
    }

    /// The paths that were requested since the last call, in that order.
    pub fn requested(&self) -> Vec<String> {
        let asked = std::mem::take(&mut self.0.lock().unwrap().asked);
        asked.iter().map(path).collect()
    }
}

impl WebCrawler for Site {
    fn visit(&self, _: ProjectId, _: &CrawlUrl) -> Arc<dyn SiteVisit> {
        Arc::new(self.clone())
    }
}

#[async_trait]
impl SiteVisit for Site {
    async fn sitemap(&self) -> Vec<CrawlUrl> {
        let sitemap = {
            let mut pages = self.0.lock().unwrap();
            pages.sitemaps_asked += 1;
            (!pages.is_sitemap_hanging).then(|| pages.sitemap.clone())
        };
        match sitemap {
            Some(sitemap) => sitemap,
            None => pending().await,
        }
    }

    async fn fetch(&self, url: &CrawlUrl) -> Fetched {
        let (act, is_stuck) = {
            let mut pages = self.0.lock().unwrap();
            pages.asked.push(url.clone());
            (pages.act.clone(), pages.hanging.contains(url))
        };
        if let Some(act) = act {
            act(url);
        }
        if is_stuck {
            pending::<()>().await;
        }
        self.0.lock().unwrap().known.get(url).cloned().unwrap_or_else(|| Fetched {
            url: url.clone(),
            canonical: None,
            status_code: Some(404),
            content: Err(CrawlError::HttpError),
            links: Vec::new(),
            has_more_links: false,
            bytes: 10,
        })
    }
}
