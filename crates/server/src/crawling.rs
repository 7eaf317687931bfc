//! Who fetches pages for this process, and what it may reach.

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::{Context, Result};
use crawler::Crawler;
use domain::crawl::{NoCrawler, WebCrawler};
use domain::document::{NoExtractor, TextExtractor};
use ipnet::IpNet;

use crate::settings::Settings;

/// The crawler that fetches pages, and which addresses crawls may name.
pub struct Crawling {
    /// Fetches the pages.
    pub crawler: Arc<dyn WebCrawler>,
    /// Whether addresses of crawls may name any port, because networks are opened in which the crawler
    /// checks ports as well.
    pub any_port: bool,
}

impl Crawling {
    /// For a process that fetches nothing.
    pub fn none() -> Self {
        Self { crawler: Arc::new(NoCrawler), any_port: false }
    }

    /// As the settings have it. `own` are the addresses on which this process listens, which no setting
    /// opens to crawls; the extractor reads the PDFs that crawls find.
    ///
    /// # Errors
    /// If the crawler can't be set up.
    pub fn open(
        settings: &Settings,
        own: Vec<SocketAddr>,
        extractor: Arc<dyn TextExtractor>,
    ) -> Result<Self> {
        let settings = &settings.crawler;
        let settings = crawler::Settings {
            user_agent: settings.user_agent.clone(),
            allow_networks: settings.allow_networks.clone(),
            closed: own,
            delay: settings.delay,
            connections_per_host: settings.connections_per_host,
            connect_timeout: settings.connect_timeout,
            page_timeout: settings.page_timeout,
            wire_bytes: settings.wire_bytes as u64,
            inflated_bytes: settings.inflated_bytes as u64,
            redirects: settings.redirects,
            robots_bytes: settings.robots_bytes as u64,
        };
        Self::with(settings, extractor)
    }

    /// For a site that this process serves to itself.
    ///
    /// # Errors
    /// If the crawler can't be set up.
    pub fn of_own_site(site: SocketAddr) -> Result<Self> {
        let settings = crawler::Settings {
            allow_networks: vec![IpNet::from(site.ip())],
            delay: std::time::Duration::ZERO,
            ..crawler::Settings::default()
        };
        Self::with(settings, Arc::new(NoExtractor))
    }

    fn with(settings: crawler::Settings, extractor: Arc<dyn TextExtractor>) -> Result<Self> {
        let any_port = !settings.allow_networks.is_empty();
        let crawler = Crawler::new(settings, extractor).context("the crawler can't be set up")?;
        Ok(Self { crawler: Arc::new(crawler), any_port })
    }
}
