//! Webhooks, and what is delivered to them.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::services::installation::Installation;
use crate::services::receiver::{Receiver, status};
use crate::world::{OPERATOR, World, project_of, wait};
use domain::access::ProjectClaim;
use domain::bot::Bot;
use domain::encryption::EncryptionKeyId;
use domain::error::{DomainError, Quota, Resource};
use domain::event::{ChangedProjects, EventFilter, EventTypes, EventsFrom};
use domain::id::{EventId, WebhookId};
use domain::input::Valid;
use domain::job::{Job, Queue, StepOutcome};
use domain::store::Store;
use domain::testing::TransparentCipher;
use domain::violation::ViolationCode;
use domain::webhook::{
    Delivery, DeliveryOutcome, DeliveryStatus, DisabledReason, SendError, UpdateWebhook, Webhook,
    WebhookAnswer, WebhookDispatcher, WebhookMessage, WebhookWithSecret,
};
use domain::{Botyard, Limits};

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(60 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// An installation whose webhooks are received.
pub(crate) struct Webhooks {
    installation: Installation,
    botyard: Botyard,
    receiver: Receiver,
    dispatcher: WebhookDispatcher,
    project: ProjectClaim,
    bot: Bot,
}

impl Webhooks {
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self::with(store, Limits::default())
    }

    fn with(store: Arc<dyn Store>, limits: Limits) -> Self {
        let installation = Installation::with(store, limits.clone());
        let (receiver, key) = (Receiver::default(), EncryptionKeyId::from_bytes([7; 8]));
        let botyard = installation
            .builder()
            .webhook_sender(Arc::new(receiver.clone()))
            .cipher(Arc::new(TransparentCipher::with_keys([key])))
            .limits(limits)
            .build();
        wait(botyard.installation.get_or_begin(OPERATOR)).unwrap();
        wait(botyard.encryption.key_or_begin(OPERATOR, key)).unwrap();
        let (project, bot) = {
            let world = &installation.world;
            (world.claim_on_project(), world.stored_bot("bot"))
        };
        let dispatcher = botyard.webhooks.dispatcher();
        Self { installation, botyard, receiver, dispatcher, project, bot }
    }

    fn world(&self) -> &World {
        &self.installation.world
    }

    fn create(&self, body: &Value) -> Result<WebhookWithSecret, DomainError> {
        let request = self.installation.body(&body.to_string());
        wait(self.botyard.webhooks.create(&self.project, request))
    }

    /// A webhook for these types.
    fn webhook(&self, types: &[&str]) -> Webhook {
        let body = json!({"url": "https://receiver.example/", "types": types});
        self.create(&body).unwrap().webhook
    }

    fn update(&self, id: WebhookId, body: &Value) -> Result<Webhook, DomainError> {
        let request = self.installation.body(&body.to_string());
        wait(self.botyard.webhooks.update(&self.project, id, request))
    }

    fn get(&self, id: WebhookId) -> Webhook {
        wait(self.botyard.webhooks.get(&self.project, id)).unwrap()
    }

    fn test(&self, id: WebhookId) -> Result<EventId, DomainError> {
        wait(self.botyard.webhooks.test(&self.project, id))
    }

    /// Latest event first.
    fn deliveries(&self, id: WebhookId) -> Vec<Delivery> {
        wait(self.botyard.webhooks.deliveries(&self.project, id, None, 1_000)).unwrap()
    }

    /// Makes skills, an event each.
    fn make_skills(&self, count: usize) {
        let claim = self.world().claim(&self.bot);
        for _ in 0..count {
            let body = json!({"name": self.world().id()}).to_string();
            self.installation.create_skill(&claim, &body).unwrap();
        }
    }

    /// Waits until all that has happened has its number.
    fn settle(&self) {
        let mut seen = 0;
        self.installation.heard(&mut seen);
    }

    fn claim(&self) -> Option<Job> {
        wait(self.botyard.jobs.claim(OPERATOR, Queue::Webhooks)).unwrap()
    }

    /// Delivers all that is due; returns what was sent.
    fn deliver(&mut self) -> Vec<WebhookMessage> {
        self.settle();
        let of = vec![self.project.project_id()];
        wait(self.dispatcher.dispatch(OPERATOR, ChangedProjects::These(of))).unwrap();
        while let Some(job) = self.claim() {
            let step = || wait(self.botyard.jobs.step(OPERATOR, &job)).unwrap();
            let mut outcome = step();
            while outcome == StepOutcome::Continue {
                outcome = step();
            }
            if outcome == StepOutcome::Waiting {
                wait(self.botyard.jobs.wait(OPERATOR, &job)).unwrap();
            } else {
                assert_eq!(outcome, StepOutcome::Done);
                wait(self.botyard.jobs.finish(OPERATOR, &job)).unwrap();
            }
        }
        self.receiver.messages()
    }

    /// The same; of what was sent, the types.
    fn delivered(&mut self) -> Vec<String> {
        let messages = self.deliver();
        messages
            .iter()
            .map(|message| message_body(message)["type"].as_str().unwrap().to_owned())
            .collect()
    }
}

fn message_body(message: &WebhookMessage) -> Value {
    serde_json::from_str(&message.body).unwrap()
}

fn statuses(delivery: &Delivery) -> Vec<DeliveryOutcome> {
    delivery.attempts.iter().map(|attempt| attempt.outcome).collect()
}

pub(crate) fn events_are_delivered_in_their_order(store: Arc<dyn Store>) {
    let mut webhooks = Webhooks::new(store);
    webhooks.make_skills(1);
    webhooks.settle();
    let webhook = webhooks.webhook(&["skill.*", "webhook.created"]);
    webhooks.make_skills(3);
    webhooks.world().other_project();
    let messages = webhooks.deliver();
    let claim = webhooks.world().claim_on_project();
    let types = EventTypes::parse("skill.*,webhook.created").unwrap();
    let filter = EventFilter { types, bot_id: None };
    let page = wait(webhooks.botyard.events.page(&claim, filter, EventsFrom::Latest, 4)).unwrap();
    let expected: Vec<_> = page.events.iter().map(|event| event.event.id.to_string()).collect();
    assert_eq!(messages.iter().map(|sent| sent.id.clone()).collect::<Vec<_>>(), expected);
    for (message, event) in messages.iter().zip(&page.events) {
        assert_eq!(message.url.as_str(), "https://receiver.example/");
        assert_eq!(message.timestamp, webhooks.botyard.now().millis() / 1_000);
        assert!(message.signature.starts_with("v1,") && !message.signature.contains(' '));
        let data = serde_json::to_value(event).unwrap();
        let expected = json!({"type": data["type"], "timestamp": data["at"], "data": data});
        assert_eq!(message_body(message), expected);
        assert_eq!(data["cursor"], event.number.to_string());
    }
    let deliveries = webhooks.deliveries(webhook.id);
    let ids: Vec<_> = deliveries.iter().rev().map(|sent| sent.event_id.to_string()).collect();
    assert_eq!(ids, expected);
    for delivery in &deliveries {
        assert_eq!(delivery.status, DeliveryStatus::Delivered);
        assert_eq!(statuses(delivery), [DeliveryOutcome::Status(204)]);
        assert_eq!((delivery.failures, delivery.next_attempt_at), (0, None));
    }
    let later = wait(webhooks.botyard.webhooks.deliveries(
        &webhooks.project,
        webhook.id,
        Some(deliveries[1].id),
        1,
    ));
    assert_eq!(later.unwrap(), deliveries[2..3]);
    assert_eq!(webhooks.delivered(), [""; 0]);
}

pub(crate) fn what_fails_is_sent_again_and_holds_up_what_is_behind(store: Arc<dyn Store>) {
    let mut webhooks = Webhooks::new(store);
    let webhook = webhooks.webhook(&["skill.created"]);
    webhooks.make_skills(2);
    webhooks.receiver.answer(status(500));
    let first = webhooks.deliver();
    assert_eq!(first.len(), 1);
    assert_eq!(webhooks.get(webhook.id).failing_since, Some(webhooks.botyard.now()));
    // The pauses are up to a tenth longer than 5 s and 5 min.
    let mut since = Duration::ZERO;
    for (pause, answer) in [(5 * SECOND, Err(SendError::Timeout)), (5 * MINUTE, status(302))] {
        since += pause;
        webhooks.receiver.answer(answer);
        webhooks.installation.wait_until(since - Duration::from_millis(1));
        assert_eq!(webhooks.delivered().len(), 0);
        since += pause / 10;
        webhooks.installation.wait_until(since);
        let again = webhooks.deliver();
        // After the third failure the next one is sent, too.
        assert_eq!(again[0].id, first[0].id);
        assert_eq!(again.len(), if pause == 5 * MINUTE { 2 } else { 1 });
    }
    webhooks.receiver.answer(status(200));
    since += 30 * MINUTE * 11 / 10;
    webhooks.installation.wait_until(since);
    let last = webhooks.deliver();
    assert_eq!(last.len(), 2);
    let deliveries = webhooks.deliveries(webhook.id);
    assert_eq!(
        statuses(&deliveries[1]),
        [
            DeliveryOutcome::Status(500),
            DeliveryOutcome::Error(SendError::Timeout),
            DeliveryOutcome::Status(302),
            DeliveryOutcome::Status(200),
        ]
    );
    assert!(deliveries.iter().all(|delivery| delivery.status == DeliveryStatus::Delivered));
    assert_eq!(webhooks.get(webhook.id).failing_since, None);
}

pub(crate) fn a_delivery_fails_in_the_end_and_can_be_sent_again(store: Arc<dyn Store>) {
    let limits = Limits { webhook_retries: vec![SECOND, MINUTE], ..Limits::default() };
    let mut webhooks = Webhooks::with(store, limits);
    let webhook = webhooks.webhook(&["skill.created"]);
    webhooks.make_skills(1);
    // What the receiver asks for counts if it is longer.
    let wants_peace = WebhookAnswer { status: 503, retry_after: Some(HOUR) };
    webhooks.receiver.answer(Ok(wants_peace));
    webhooks.deliver();
    let due = webhooks.deliveries(webhook.id)[0].next_attempt_at;
    assert_eq!(due, Some(webhooks.botyard.now().plus(HOUR)));
    for since in [HOUR, 3 * HOUR] {
        webhooks.installation.wait_until(since);
        webhooks.receiver.answer(status(503));
        assert_eq!(webhooks.delivered().len(), 1);
    }
    webhooks.installation.wait_until(DAY);
    assert_eq!(webhooks.delivered().len(), 0);
    let failed = webhooks.deliveries(webhook.id).remove(0);
    assert_eq!((failed.status, failed.failures), (DeliveryStatus::Failed, 3));
    webhooks.receiver.answer(status(204));
    let of = (webhook.id, failed.id);
    let retried = wait(webhooks.botyard.webhooks.retry(&webhooks.project, of)).unwrap();
    assert_eq!(retried.status, DeliveryStatus::Waiting);
    assert_eq!(webhooks.delivered(), ["skill.created"]);
    let delivered = webhooks.deliveries(webhook.id).remove(0);
    assert_eq!((delivered.status, delivered.attempts.len()), (DeliveryStatus::Delivered, 4));
    let unknown = (webhook.id, domain::id::DeliveryId::OF_NOTHING);
    assert_eq!(
        wait(webhooks.botyard.webhooks.retry(&webhooks.project, unknown)),
        Err(DomainError::NotFound(Resource::Delivery))
    );
}

pub(crate) fn a_receiver_that_is_gone_is_disabled(store: Arc<dyn Store>) {
    let mut webhooks = Webhooks::new(store);
    let gone = webhooks.webhook(&["skill.created"]);
    let watching = webhooks.webhook(&["webhook.disabled"]);
    assert_eq!(webhooks.delivered(), [""; 0]);
    webhooks.make_skills(2);
    webhooks.receiver.answer(status(410));
    assert_eq!(webhooks.delivered(), ["skill.created"]);
    let found = webhooks.get(gone.id);
    assert_eq!(found.disabled_reason, Some(DisabledReason::Gone));
    assert!(!found.fields.enabled);
    assert_eq!(webhooks.deliveries(gone.id)[0].status, DeliveryStatus::Failed);
    webhooks.receiver.answer(status(204));
    let heard = webhooks.deliver();
    assert_eq!(message_body(&heard[0])["data"]["resourceId"], gone.id.to_string());
    assert_eq!(message_body(&heard[0])["data"]["data"], json!({"error": "gone"}));
    assert_eq!(webhooks.deliveries(watching.id).len(), 1);
    assert_eq!(webhooks.test(gone.id), Err(DomainError::WebhookDisabled));
    let retry = (gone.id, webhooks.deliveries(gone.id)[0].id);
    let retried = wait(webhooks.botyard.webhooks.retry(&webhooks.project, retry));
    assert_eq!(retried, Err(DomainError::WebhookDisabled));

    // What happens meanwhile is not sent later.
    webhooks.make_skills(1);
    webhooks.settle();
    let enabled = webhooks.update(gone.id, &json!({"enabled": true})).unwrap();
    assert_eq!((enabled.disabled_reason, enabled.failing_since), (None, None));
    assert_eq!(webhooks.delivered(), [""; 0]);
    webhooks.make_skills(1);
    assert_eq!(webhooks.delivered(), ["skill.created"]);
}

pub(crate) fn a_receiver_that_fails_for_five_days_is_disabled(store: Arc<dyn Store>) {
    let mut webhooks = Webhooks::new(store);
    let webhook = webhooks.webhook(&["skill.created"]);
    webhooks.receiver.answer(status(500));
    webhooks.make_skills(1);
    webhooks.deliver();
    webhooks.installation.wait_until(5 * DAY - SECOND);
    webhooks.deliver();
    assert!(webhooks.get(webhook.id).fields.enabled);
    webhooks.installation.wait_until(6 * DAY);
    webhooks.deliver();
    let disabled = webhooks.get(webhook.id);
    assert_eq!(disabled.disabled_reason, Some(DisabledReason::Failing));
    let deliveries = webhooks.deliveries(webhook.id);
    assert!(deliveries.iter().all(|delivery| delivery.status == DeliveryStatus::Failed));
}

pub(crate) fn messages_are_signed_with_both_secrets_after_a_rotation(store: Arc<dyn Store>) {
    let mut webhooks = Webhooks::new(store);
    let made = webhooks
        .create(&json!({"url": "https://receiver.example/", "types": ["skill.created"]}))
        .unwrap();
    let id = made.webhook.id;
    let rotate = |webhooks: &Webhooks| {
        let rotated = wait(webhooks.botyard.webhooks.rotate_secret(&webhooks.project, id));
        rotated.unwrap().secret.unwrap().reveal().to_string()
    };
    let first = made.secret.unwrap().reveal().to_string();
    assert!(first.starts_with("whsec_") && first.len() == 50);
    let second = rotate(&webhooks);
    assert_ne!(first, second);
    let signatures = |webhooks: &mut Webhooks| -> Vec<String> {
        webhooks.make_skills(1);
        let sent = webhooks.deliver().remove(0);
        sent.signature.split(' ').map(str::to_owned).collect()
    };
    let both = signatures(&mut webhooks);
    assert_eq!(both.len(), 2);
    assert_ne!(both[0], both[1]);
    webhooks.installation.wait_until(DAY);
    assert_eq!(signatures(&mut webhooks).len(), 1);
}

pub(crate) fn a_webhook_is_tested_in_its_turn(store: Arc<dyn Store>) {
    let mut webhooks = Webhooks::new(store);
    let webhook = webhooks.webhook(&["skill.created"]);
    let other = webhooks.webhook(&["skill.deleted"]);
    webhooks.make_skills(1);
    let event = webhooks.test(webhook.id).unwrap();
    let sent = webhooks.deliver();
    assert_eq!(sent.len(), 2);
    assert_eq!(sent[1].id, event.to_string());
    assert_eq!(message_body(&sent[1])["type"], "webhook.test");
    assert_eq!(webhooks.deliveries(other.id), []);
    let unknown = webhooks.test(WebhookId::OF_NOTHING);
    assert_eq!(unknown, Err(DomainError::NotFound(Resource::Webhook)));
}

pub(crate) fn a_webhook_is_of_its_project_and_its_bots(store: Arc<dyn Store>) {
    let limits = Limits { webhooks_per_project: 2, ..Limits::default() };
    let mut webhooks = Webhooks::with(store, limits);
    let other = webhooks.world().stored_bot("other");
    let body = |bots: Value| json!({"url": "http://r.example/", "types": ["*"], "botIds": bots});
    let webhook = webhooks.create(&body(json!([other.id]))).unwrap().webhook;
    webhooks.make_skills(1);
    let claim = webhooks.world().claim(&other);
    webhooks.installation.create_skill(&claim, r#"{"name":"s"}"#).unwrap();
    let sent = webhooks.deliver();
    assert_eq!(sent.len(), 1);
    assert_eq!(message_body(&sent[0])["data"]["botId"], other.id.to_string());

    let abroad = webhooks.world().other_project();
    let name = webhooks.installation.body(r#"{"name":"foreign"}"#);
    let made = wait(webhooks.botyard.bots.create(&OPERATOR.project(&abroad), name));
    let foreign = made.unwrap().bot;
    for refused in [
        webhooks.create(&body(json!([other.id, foreign.id]))).map(|made| made.webhook),
        webhooks.update(webhook.id, &json!({"botIds": [other.id, foreign.id]})),
    ] {
        let Err(DomainError::Invalid(violations)) = refused else { panic!("{refused:?}") };
        let found: Vec<_> = violations.iter().map(|v| (v.pointer.as_str(), v.code)).collect();
        assert_eq!(found, [("/botIds/1", ViolationCode::NotAllowed)]);
    }
    webhooks.webhook(&["*"]);
    assert!(matches!(
        webhooks.create(&body(Value::Null)),
        Err(DomainError::QuotaExceeded(Quota::WebhooksPerProject(2)))
    ));
    let abroad = OPERATOR.project(&abroad);
    let missing = Err(DomainError::NotFound(Resource::Webhook));
    assert_eq!(wait(webhooks.botyard.webhooks.get(&abroad, webhook.id)), missing);
    assert_eq!(wait(webhooks.botyard.webhooks.page(&abroad, None, 10)), Ok(Vec::new()));
    let deleted = wait(webhooks.botyard.webhooks.delete(&abroad, webhook.id));
    assert_eq!(deleted, Err(DomainError::NotFound(Resource::Webhook)));
    let ids: Vec<_> = wait(webhooks.botyard.webhooks.page(&webhooks.project, None, 10)).unwrap();
    assert_eq!(ids.len(), 2);
    assert_eq!(ids[0].id, webhook.id);
}

pub(crate) fn deliveries_go_with_their_webhook_and_their_events(store: Arc<dyn Store>) {
    let limits = Limits { events_keep: DAY, ..Limits::default() };
    let mut webhooks = Webhooks::with(store, limits);
    let [kept, deleted] = [(); 2].map(|()| webhooks.webhook(&["skill.created"]));
    webhooks.receiver.answer(status(500));
    webhooks.make_skills(2);
    webhooks.deliver();
    assert_eq!(webhooks.deliveries(kept.id).len(), 1);
    let gone = wait(webhooks.botyard.webhooks.delete(&webhooks.project, deleted.id));
    assert_eq!(gone, Ok(deleted.id));
    assert_eq!(webhooks.delivered(), [""; 0]);
    let left = webhooks.installation.jobs();
    assert!(left.iter().all(|job| job.subject != deleted.id.to_string()), "{left:?}");
    let scope = project_of(&webhooks.world().scope(&webhooks.bot));
    let left = webhooks.world().read(move |tx| Ok(tx.deliveries(&scope, deleted.id, None, 10)?));
    assert_eq!(left, []);
    // Another event stays, so the old ones can go.
    webhooks.installation.wait_until(DAY + SECOND);
    webhooks.settle();
    wait(webhooks.botyard.events.find_all(OPERATOR)).unwrap();
    wait(webhooks.botyard.events.trim(OPERATOR)).unwrap();
    assert_eq!(webhooks.deliveries(kept.id), []);
    // What was held up by one that went is delivered.
    webhooks.receiver.answer(status(204));
    for _ in 0..2 {
        webhooks.make_skills(1);
        assert_eq!(webhooks.delivered(), ["skill.created"]);
    }
}

pub(crate) fn what_was_not_for_a_webhook_is_not_sent_when_it_changes(store: Arc<dyn Store>) {
    let mut webhooks = Webhooks::new(store);
    let webhook = webhooks.webhook(&["skill.deleted"]);
    assert_eq!(webhooks.delivered(), [""; 0]);
    webhooks.make_skills(3);
    webhooks.settle();
    webhooks.update(webhook.id, &json!({"types": ["skill.created"]})).unwrap();
    assert_eq!(webhooks.delivered(), [""; 0]);
    webhooks.make_skills(1);
    assert_eq!(webhooks.delivered(), ["skill.created"]);
    // What it was to be sent before is sent.
    webhooks.make_skills(1);
    webhooks.settle();
    webhooks.update(webhook.id, &json!({"types": ["skill.created", "skill.updated"]})).unwrap();
    assert_eq!(webhooks.delivered(), ["skill.created"]);
}

pub(crate) fn a_webhook_that_changes_on_the_way_stays_as_it_was_made(store: Arc<dyn Store>) {
    let mut webhooks = Webhooks::new(store);
    let [disabled, deleted] = [(); 2].map(|()| webhooks.webhook(&["skill.created"]));
    assert_eq!(webhooks.delivered(), [""; 0]);
    webhooks.make_skills(1);
    let (botyard, project) = (webhooks.botyard.clone(), webhooks.project.clone());
    let body: Valid<UpdateWebhook> =
        webhooks.installation.body(r#"{"enabled":false,"description":"d"}"#);
    webhooks.receiver.answer(status(500));
    webhooks.receiver.act(move |_| {
        // The second message finds both as they are.
        drop(wait(botyard.webhooks.update(&project, disabled.id, body.clone())));
        drop(wait(botyard.webhooks.delete(&project, deleted.id)));
    });
    assert!(!webhooks.delivered().is_empty());
    let found = webhooks.get(disabled.id);
    assert_eq!((found.fields.enabled, found.fields.description.as_deref()), (false, Some("d")));
    for delivery in webhooks.deliveries(disabled.id) {
        assert_eq!((delivery.status, delivery.next_attempt_at), (DeliveryStatus::Failed, None));
    }
    let left = webhooks.installation.jobs();
    assert!(left.iter().all(|job| job.subject != deleted.id.to_string()), "{left:?}");
}

pub(crate) fn a_project_has_so_many_deliveries_at_once(store: Arc<dyn Store>) {
    let limits = Limits { deliveries_per_project: 1, ..Limits::default() };
    let mut webhooks = Webhooks::with(store, limits);
    for _ in 0..2 {
        webhooks.webhook(&["skill.created"]);
    }
    assert_eq!(webhooks.delivered(), [""; 0]);
    webhooks.make_skills(1);
    webhooks.settle();
    let of = vec![webhooks.project.project_id()];
    wait(webhooks.dispatcher.dispatch(OPERATOR, ChangedProjects::These(of))).unwrap();
    let jobs = [(); 2].map(|()| webhooks.claim().unwrap());
    let botyard = webhooks.botyard.clone();
    let second = jobs[1].clone();
    webhooks.receiver.act(move |_| {
        let step = wait(botyard.jobs.step(OPERATOR, &second));
        assert_eq!(step, Ok(StepOutcome::Waiting));
        wait(botyard.jobs.wait(OPERATOR, &second)).unwrap();
    });
    let step = wait(webhooks.botyard.jobs.step(OPERATOR, &jobs[0]));
    assert_eq!(step, Ok(StepOutcome::Continue));
    webhooks.receiver.act(|_| {});
    // It looks again in a moment, and news does not wake it before.
    assert_eq!(webhooks.delivered(), ["skill.created"]);
    webhooks.installation.wait_until(5 * SECOND);
    assert_eq!(webhooks.delivered(), ["skill.created"]);
}

pub(crate) fn only_who_has_the_job_notes_what_was_delivered(store: Arc<dyn Store>) {
    let mut webhooks = Webhooks::new(store);
    let webhook = webhooks.webhook(&["skill.created"]);
    webhooks.make_skills(1);
    webhooks.settle();
    let job = webhooks.claim().unwrap();
    // While the message is on its way, the lease runs out and another worker takes the job.
    let (botyard, clock) = (webhooks.botyard.clone(), webhooks.installation.clock.clone());
    let later = webhooks.botyard.now().plus(HOUR).millis();
    webhooks.receiver.act(move |_| {
        clock.set(later);
        let claimed = wait(botyard.jobs.claim(OPERATOR, Queue::Webhooks)).unwrap();
        assert!(claimed.is_some());
    });
    let step = wait(webhooks.botyard.jobs.step(OPERATOR, &job)).unwrap();
    assert_eq!(step, StepOutcome::LeaseLost);
    assert_eq!(webhooks.deliveries(webhook.id), []);
    webhooks.receiver.act(|_| {});
    webhooks.installation.wait_until(2 * HOUR);
    // The same message, once more.
    assert_eq!(webhooks.delivered(), ["skill.created", "skill.created"]);
    assert_eq!(webhooks.deliveries(webhook.id).len(), 1);
}

pub(crate) fn only_webhooks_with_news_are_woken(store: Arc<dyn Store>) {
    let mut webhooks = Webhooks::new(store);
    webhooks.webhook(&["skill.created"]);
    webhooks.webhook(&["skill.deleted"]);
    webhooks.delivered();
    let wake = |webhooks: &mut Webhooks, changed| {
        webhooks.settle();
        wait(webhooks.dispatcher.dispatch(OPERATOR, changed)).unwrap();
        std::iter::from_fn(|| webhooks.claim()).count()
    };
    let these = ChangedProjects::These(vec![webhooks.project.project_id()]);
    assert_eq!(wake(&mut webhooks, these.clone()), 0);
    webhooks.make_skills(1);
    assert_eq!(wake(&mut webhooks, these), 1);
    // Both are behind: of the one nobody has looked at what happened since.
    assert_eq!(wake(&mut webhooks, ChangedProjects::All), 1);
}
