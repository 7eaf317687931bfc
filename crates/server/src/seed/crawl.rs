//! Crawls the sample site for the sample bots, as a server would.

use std::net::Ipv4Addr;

use anyhow::{Result, bail};
use domain::access::BotClaim;
use domain::crawl::{CRAWL, CrawlStatus, WebsiteCrawl};
use domain::job::{Job, StepOutcome};
use domain::list::ListQuery;
use domain::{Botyard, DomainError};

use super::content::body;
use super::errand::take;
use super::samples;
use super::site::Site;
use crate::composition::Composition;
use crate::operator::OPERATOR;
use crate::outgoing::Outgoing;
use crate::pages::all_listed;

/// How often a crawl is begun, if a server takes it away each time.
const ATTEMPTS: usize = 5;

/// Crawls the sample site for those of the bots that have not. The addresses of its pages lead nowhere
/// later on, and their port is another one each time.
pub async fn fill(composition: &Composition, bots: &[BotClaim]) -> Result<()> {
    let mut lacking = Vec::new();
    for claim in bots {
        let known = sample_crawls(&composition.botyard, claim).await?;
        if !known.iter().any(|crawl| crawl.progress.status == CrawlStatus::Finished) {
            lacking.push(claim);
        }
    }
    if lacking.is_empty() {
        return Ok(());
    }
    let site = Site::serve()?;
    let botyard = composition.with_outgoing(Outgoing::of_own_site(site.address())?);
    for claim in lacking {
        crawl(&botyard, claim, &site).await?;
    }
    site.close().await;
    Ok(())
}

/// The crawls of the sample site that the bot has, whatever became of them.
async fn sample_crawls(botyard: &Botyard, claim: &BotClaim) -> Result<Vec<WebsiteCrawl>> {
    let every = ListQuery::default();
    let all = all_listed(|after, limit| botyard.crawls.page(claim, &every, after, limit)).await?;
    let host = Ipv4Addr::LOCALHOST.to_string();
    let is_sample =
        |crawl: &WebsiteCrawl| crawl.fields.name == samples::CRAWL && crawl.url.host() == host;
    Ok(all.into_iter().filter(is_sample).collect())
}

/// Crawls the site for one bot. A server on the same database may take the job away first; it can't
/// reach the site, so then there is another crawl.
async fn crawl(botyard: &Botyard, claim: &BotClaim, site: &Site) -> Result<()> {
    for _ in 0..ATTEMPTS {
        for unfinished in sample_crawls(botyard, claim).await? {
            botyard.crawls.delete(claim, unfinished.id).await?;
        }
        let sample = body(&samples::crawl(&site.url()), botyard.input_settings())?;
        let id = botyard.crawls.create(claim, sample).await?.id;
        if let Some(job) = take(botyard, CRAWL, &id.to_string()).await? {
            work(botyard, &job).await?;
            let crawl = botyard.crawls.get(claim, id).await?;
            if crawl.progress.status != CrawlStatus::Finished {
                bail!("the sample site could not be crawled: {:?}", crawl.progress.error);
            }
            return Ok(());
        }
    }
    bail!("a server takes the crawls of the sample site away: stop it and try again");
}

async fn work(botyard: &Botyard, job: &Job) -> Result<(), DomainError> {
    loop {
        match botyard.jobs.step(OPERATOR, job).await? {
            StepOutcome::Continue => {}
            StepOutcome::Done | StepOutcome::Unsuccessful(_) => {
                return botyard.jobs.finish(OPERATOR, job).await;
            }
            // Other crawls of the bot take all slots, or a server has this one: it is as it is.
            StepOutcome::Waiting | StepOutcome::NoFreeSlot | StepOutcome::LeaseLost => {
                return Ok(());
            }
        }
    }
}
