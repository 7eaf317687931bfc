//! What the queue of the crawls has of its own.

use std::sync::atomic::Ordering;

use domain::access::BotClaim;
use domain::bot::{BotKind, CreateBot, DeleteMode};
use domain::crawl::{CRAWL, CrawlStatus, CreateCrawl, WebsiteCrawl};
use domain::input::Input as _;
use domain::job::{JobState, Queue};

use super::{Bench, Tidy, until};
use crate::operator::OPERATOR;

/// A bot, and a crawl of it that never gets a page.
async fn begin(bench: &Bench) -> (BotClaim, WebsiteCrawl) {
    let botyard = &bench.botyard;
    let organisation = botyard.organisations.create(OPERATOR, "an organisation").await.unwrap();
    let project = botyard.projects.create(OPERATOR, organisation.id, "a project").await.unwrap();
    let project = OPERATOR.project(&project);
    let bot = CreateBot::parse(br#"{"name": "a bot"}"#, botyard.input_settings()).unwrap();
    let bot = botyard.bots.create_hidden(OPERATOR, &project, bot, BotKind::Regular).await.unwrap();
    let claim = OPERATOR.bot(organisation.id, &bot.bot);
    let crawl = crawl(bench, &claim, "a").await;
    (claim, crawl)
}

async fn crawl(bench: &Bench, claim: &BotClaim, path: &str) -> WebsiteCrawl {
    let body = format!(r#"{{"url": "http://a.example/{path}"}}"#);
    let body = CreateCrawl::parse(body.as_bytes(), bench.botyard.input_settings()).unwrap();
    bench.botyard.crawls.create(claim, body).await.unwrap()
}

#[actix_web::test]
async fn no_queue_waits_for_the_other() {
    let bench = &Bench::new(Tidy::NeverEnds).await;
    begin(bench).await;
    let test = async {
        for goes_on in [&bench.is_tidying, &bench.is_fetching] {
            until(async || goes_on.load(Ordering::SeqCst)).await;
        }
        bench.stop.send_replace(true);
        // A crawl is dropped at once; a sweep is given time to end.
        let is_back = async || bench.jobs_of(CRAWL).await[0].state == JobState::Queued;
        until(is_back).await;
        assert_eq!(bench.job().await.state, JobState::Running);
    };
    let (upkeep, crawls) = (bench.worker(Queue::Maintenance), bench.worker(Queue::Crawls));
    tokio::join!(upkeep.work(), crawls.work(), test);
    let job = bench.jobs_of(CRAWL).await.remove(0);
    assert_eq!((job.attempt, job.failures), (1, 0));
    let again = bench.jobs.claim(OPERATOR, Queue::Crawls).await.unwrap();
    assert_eq!(again.map(|job| job.attempt), Some(2));
}

#[actix_web::test]
async fn a_crawl_that_is_deleted_is_dropped() {
    for whole_bot in [false, true] {
        let bench = &Bench::new(Tidy::Fails).await;
        let (claim, crawl) = begin(bench).await;
        let test = async {
            until(async || bench.is_fetching.load(Ordering::SeqCst)).await;
            if whole_bot {
                bench.botyard.bots.delete(&claim, DeleteMode::Delete).await.unwrap();
            } else {
                bench.botyard.crawls.delete(&claim, crawl.id).await.unwrap();
            }
            until(async || !bench.is_fetching.load(Ordering::SeqCst)).await;
            until(async || bench.jobs_of(CRAWL).await.is_empty()).await;
            assert!(!bench.is_fetching.load(Ordering::SeqCst));
            bench.stop.send_replace(true);
        };
        let worker = bench.worker(Queue::Crawls);
        tokio::join!(worker.work(), test);
    }
}

#[actix_web::test]
async fn a_crawl_without_a_free_slot_is_deferred() {
    let bench = &Bench::new(Tidy::Fails).await;
    let (claim, first) = begin(bench).await;
    let test = async {
        until(async || bench.is_fetching.load(Ordering::SeqCst)).await;
        let second = crawl(bench, &claim, "b").await;
        let waiting = async || {
            let mut jobs = bench.jobs_of(CRAWL).await;
            jobs.retain(|job| job.subject == second.id.to_string());
            jobs.pop()
        };
        // It asks again and again, which is no failure.
        until(async || {
            waiting().await.is_some_and(|job| job.attempt >= 2 && job.state == JobState::Queued)
        })
        .await;
        let job = waiting().await.unwrap();
        assert!(job.run_at > job.created_at && job.failures == 0, "{job:?}");
        let crawl = bench.botyard.crawls.get(&claim, second.id).await.unwrap();
        assert_eq!(crawl.progress.status, CrawlStatus::Queued);
        bench.botyard.crawls.delete(&claim, first.id).await.unwrap();
        let is_running = async || {
            let crawl = bench.botyard.crawls.get(&claim, second.id).await.unwrap();
            crawl.progress.status == CrawlStatus::Running
        };
        until(is_running).await;
        bench.stop.send_replace(true);
    };
    let (one, other) = (bench.worker(Queue::Crawls), bench.worker(Queue::Crawls));
    tokio::join!(one.work(), other.work(), test);
}
