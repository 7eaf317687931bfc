//! What a bot is made of, and its project has, as far as a path can name it.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use botyard_tests::waiting::eventually;
use botyard_tests::{Form, Tenant, TestApp};
use domain::access::Operator;
use domain::event::ChangedProjects;
use domain::id::BotId;
use domain::job::{Queue, StepOutcome};
use serde_json::{Value, json};

/// An address that is closed to crawls: one of it ends as soon as it begins.
pub const CLOSED: &str = "http://127.0.0.1/";

/// A kind of thing that a bot has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    Skill,
    Stage,
    FusionView,
    Crawl,
    /// Which is one of the bot's project.
    MaxAgeRule,
    User,
    /// Which is one of the bot's project.
    Document,
    /// Which is one of the bot's project.
    Webhook,
    /// Which is one of the webhook.
    Delivery,
}

impl Part {
    /// Every kind.
    pub const ALL: [Self; 9] = [
        Self::Skill,
        Self::Stage,
        Self::FusionView,
        Self::Crawl,
        Self::MaxAgeRule,
        Self::User,
        Self::Document,
        Self::Webhook,
        Self::Delivery,
    ];

    /// Whether all bots of a project share it.
    pub const fn is_of_project(self) -> bool {
        matches!(self, Self::MaxAgeRule | Self::Document | Self::Webhook | Self::Delivery)
    }

    /// The code of the answer where there is no such thing.
    pub const fn not_found(self) -> &'static str {
        match self {
            Self::Skill => "skill_not_found",
            Self::Stage => "stage_not_found",
            Self::FusionView => "fusion_view_not_found",
            Self::Crawl => "website_crawl_not_found",
            Self::MaxAgeRule => "max_age_rule_not_found",
            Self::User => "user_not_found",
            Self::Document => "document_not_found",
            Self::Webhook => "webhook_not_found",
            Self::Delivery => "delivery_not_found",
        }
    }

    /// Where they are, and one that can be made there.
    fn sample(self, bot: BotId) -> (String, Value) {
        let of_project = |rel: &str| format!("projectapi/{rel}");
        let of_bot = |rel: &str| of_project(&format!("bots/{bot}/{rel}"));
        match self {
            Self::Skill => (of_bot("skills"), json!({"name": "Of the matrix"})),
            Self::Stage => (of_bot("stages"), json!({"title": "Of the matrix"})),
            // Of a type that takes a package.
            Self::FusionView => {
                (of_bot("fusion"), json!({"type": "h5p", "title": "Of the matrix"}))
            }
            Self::Crawl => (of_bot("embedding"), json!({"url": CLOSED})),
            Self::MaxAgeRule => {
                (of_project("keyval/maxage"), json!({"keyPattern": "*", "maxAgeSeconds": 1e9}))
            }
            // There are users in one scheme only.
            Self::User => ("useraccess/user".to_owned(), json!({"guestId": guest_of(bot)})),
            // It comes in a form.
            Self::Document => (of_project("doc/upload"), Value::Null),
            Self::Webhook => {
                (of_project("webhooks"), json!({"url": CLOSED, "types": ["webhook.test"]}))
            }
            // It comes of a test of the webhook.
            Self::Delivery => (of_project("webhooks"), Value::Null),
        }
    }

    /// Makes one; returns its identifier.
    fn make(self, tenant: &Tenant<'_>, bot: BotId) -> String {
        let (path, sample) = self.sample(bot);
        let path = format!("/api/external/{path}");
        let client = if self == Self::User { tenant.as_bot(bot) } else { tenant.as_project() };
        let made = if self == Self::Document {
            let text = tenant.text("Of the matrix");
            let form = Form::new().file("matrix.txt", "text/plain", text.as_bytes());
            let form = form.text("extract", "false");
            client.request("POST", &path).form(&form).send().ok()["projectDoc"].clone()
        } else {
            client.post(&path, &sample).ok()
        };
        let id = made["_id"].as_str().expect("an identifier").to_owned();
        if self == Self::Crawl {
            end(tenant, &id);
        }
        id
    }
}

/// Ends a crawl without the service, so that the test does not wait until its turn comes.
fn end(tenant: &Tenant<'_>, crawl: &str) {
    let sql = tenant.app().sql();
    // Without its job, a worker that has begun with it can't write any more.
    sql.execute(&format!("DELETE FROM jobs WHERE subject = '{crawl}'"));
    sql.execute(&format!(
        "UPDATE website_crawls SET status = 'cancelled', finished_at = created_at \
         WHERE id = '{crawl}' AND finished_at IS NULL"
    ));
}

/// Delivers what is due, in the place of a server. No receiver can be reached.
fn work(app: &TestApp) {
    let (jobs, operator) = (&app.botyard().jobs, Operator::of_this_installation());
    let mut dispatcher = app.botyard().webhooks.dispatcher();
    app.block_on(async {
        dispatcher.dispatch(operator, ChangedProjects::All).await.expect("a database");
        while let Some(job) = jobs.claim(operator, Queue::Webhooks).await.expect("a database") {
            let step = async || jobs.step(operator, &job).await.expect("a database");
            let mut outcome = step().await;
            while outcome == StepOutcome::Continue {
                outcome = step().await;
            }
            // The job of a webhook that was deleted is done.
            let ended = if outcome == StepOutcome::Done {
                jobs.finish(operator, &job).await
            } else {
                jobs.wait(operator, &job).await
            };
            ended.expect("a database");
        }
    });
}

/// Tests a webhook; returns the identifier of the delivery.
fn deliver(tenant: &Tenant<'_>, webhook: &str) -> String {
    let path = format!("/api/external/projectapi/webhooks/{webhook}");
    let _ = tenant.as_project().request("POST", &format!("{path}/test")).send().ok();
    eventually("the webhook was sent its test", || {
        // Once its event has a number.
        if tenant.app().is_in_process() {
            work(tenant.app());
        }
        let deliveries = tenant.as_project().get(&format!("{path}/deliveries")).ok();
        Some(deliveries[0]["_id"].as_str()?.to_owned())
    })
}

/// The guestId of the user that a bot has.
pub fn guest_of(bot: BotId) -> String {
    format!("guest-of-{bot}")
}

/// One thing of each kind for every bot that needs one, by their identifiers.
#[derive(Default)]
pub struct Parts {
    known: RefCell<HashMap<(BotId, Part), String>>,
    /// Those with a key-value entry.
    entries: RefCell<HashSet<BotId>>,
}

impl Parts {
    /// The bot's own; it is made when it is first asked for.
    pub fn of(&self, tenant: &Tenant<'_>, bot: BotId, part: Part) -> String {
        if part == Part::Delivery && !self.known.borrow().contains_key(&(bot, part)) {
            let delivery = deliver(tenant, &self.of(tenant, bot, Part::Webhook));
            self.known.borrow_mut().insert((bot, part), delivery);
        }
        let mut known = self.known.borrow_mut();
        known.entry((bot, part)).or_insert_with(|| part.make(tenant, bot)).clone()
    }

    /// Each part of the address of a key-value entry that the bot has, and its project as well; they
    /// are made when they are first asked for.
    pub fn entry(&self, tenant: &Tenant<'_>, bot: BotId) -> String {
        let address = bot.to_string();
        if self.entries.borrow_mut().insert(bot) {
            let path = format!("keyval/{address}/{address}/{address}");
            let body = json!({"value": tenant.text("of the matrix")});
            let of_bot = tenant.as_bot(bot).put(&format!("/api/external/{path}"), &body);
            let of_project =
                tenant.as_project().put(&format!("/api/external/projectapi/{path}"), &body);
            let _ = (of_bot.ok(), of_project.ok());
        }
        address
    }
}
