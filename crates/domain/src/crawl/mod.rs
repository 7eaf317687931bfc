//! Website-crawls: the pages of a site as Markdown (specification, section 2.2).

mod address;
mod port;

pub use address::{CrawlUrl, PORTS, UrlFault};
pub use port::{Fetched, PageContent, PageError, SiteVisit, WebCrawler};
