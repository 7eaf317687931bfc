//! Who sends requests to other servers for this process, and what it may reach.

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::{Context, Result};
use crawler::Crawler;
use domain::crawl::{NoCrawler, WebCrawler};
use domain::document::{NoExtractor, TextExtractor};
use domain::webhook::{NoSender, WebhookSender};
use ipnet::IpNet;
use webhook_sender::Sender;

use crate::counted_sender::CountedSender;
use crate::settings::Settings;

/// What sends requests to other servers.
pub struct Outgoing {
    /// Fetches the pages.
    pub crawler: Arc<dyn WebCrawler>,
    /// Whether addresses of crawls may name any port, because networks are opened in which the crawler
    /// checks ports as well.
    pub any_port: bool,
    /// Sends webhooks.
    pub webhook_sender: Arc<dyn WebhookSender>,
}

impl Outgoing {
    /// For a process that sends none.
    pub fn none() -> Self {
        let (crawler, webhook_sender) = (Arc::new(NoCrawler), Arc::new(NoSender));
        Self { crawler, any_port: false, webhook_sender }
    }

    /// As the settings have it. `own` are the addresses on which this process listens, which no setting
    /// opens; the extractor reads the PDFs that crawls find.
    ///
    /// # Errors
    /// If the crawler or the sender can't be set up.
    pub fn open(
        settings: &Settings,
        own: Vec<SocketAddr>,
        extractor: Arc<dyn TextExtractor>,
    ) -> Result<Self> {
        let webhooks = webhook_sender::Settings {
            user_agent: settings.crawler.user_agent.clone(),
            allow_networks: settings.webhooks.allow_networks.clone(),
            closed: own.clone(),
            timeout: settings.webhooks.timeout,
            ..webhook_sender::Settings::default()
        };
        let sender = Sender::new(webhooks).context("webhooks can't be set up")?;
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
        let webhook_sender = Arc::new(CountedSender::new(sender));
        Ok(Self { webhook_sender, ..Self::crawling(settings, extractor)? })
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
        Self::crawling(settings, Arc::new(NoExtractor))
    }

    fn crawling(settings: crawler::Settings, extractor: Arc<dyn TextExtractor>) -> Result<Self> {
        let any_port = !settings.allow_networks.is_empty();
        let crawler = Crawler::new(settings, extractor).context("the crawler can't be set up")?;
        Ok(Self { crawler: Arc::new(crawler), any_port, ..Self::none() })
    }
}
