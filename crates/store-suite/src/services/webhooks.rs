//! Webhooks, and what is delivered to them.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::services::installation::Installation;
use crate::services::receiver::{Receiver, status};
use crate::world::{OPERATOR, World, project_of, wait};
use domain::access::ProjectClaim;
use domain::bot::Bot;
use domain::encryption::{EncryptedSecret, EncryptionKeyId};
use domain::error::{DomainError, Quota, Resource};
use domain::event::ChangedProjects;
use domain::id::{EventId, WebhookId};
use domain::input::Valid;
use domain::job::{Job, Queue, StepOutcome};
use domain::lock::Lock;
use domain::store::Store;
use domain::testing::TransparentCipher;
use domain::violation::ViolationCode;
use domain::webhook::{
    Delivery, DeliveryStatus, DisabledReason, UpdateWebhook, Webhook, WebhookDispatcher,
    WebhookMessage, WebhookSecrets, WebhookWithSecret,
};
use domain::{Botyard, Limits};

pub(crate) const SECOND: Duration = Duration::from_secs(1);
pub(crate) const MINUTE: Duration = Duration::from_secs(60);
pub(crate) const HOUR: Duration = Duration::from_secs(60 * 60);
pub(crate) const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// A key that is there and not in use.
const OTHER_KEY: EncryptionKeyId = EncryptionKeyId::from_bytes([8; 8]);

/// An installation whose webhooks are received.
pub(crate) struct Webhooks {
    pub installation: Installation,
    pub botyard: Botyard,
    pub receiver: Receiver,
    pub dispatcher: WebhookDispatcher,
    pub project: ProjectClaim,
    pub bot: Bot,
}

impl Webhooks {
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self::with(store, Limits::default())
    }

    pub fn with(store: Arc<dyn Store>, limits: Limits) -> Self {
        let installation = Installation::with(store, limits.clone());
        let (receiver, key) = (Receiver::default(), EncryptionKeyId::from_bytes([7; 8]));
        let botyard = installation
            .builder()
            .webhook_sender(Arc::new(receiver.clone()))
            .cipher(Arc::new(TransparentCipher::with_keys([key, OTHER_KEY])))
            .limits(limits)
            .build();
        wait(botyard.installation.get_or_create(OPERATOR)).unwrap();
        wait(botyard.encryption.get_or_set_key(OPERATOR, key)).unwrap();
        let (project, bot) = {
            let world = &installation.world;
            (world.claim_on_project(), world.stored_bot("bot"))
        };
        let dispatcher = botyard.webhooks.dispatcher();
        Self { installation, botyard, receiver, dispatcher, project, bot }
    }

    pub fn world(&self) -> &World {
        &self.installation.world
    }

    pub fn create(&self, body: &Value) -> Result<WebhookWithSecret, DomainError> {
        let request = self.installation.body(&body.to_string());
        wait(self.botyard.webhooks.create(&self.project, request))
    }

    /// A webhook for these types.
    pub fn webhook(&self, types: &[&str]) -> Webhook {
        let body = json!({"url": "https://receiver.example/", "types": types});
        self.create(&body).unwrap().webhook
    }

    pub fn update(&self, id: WebhookId, body: &Value) -> Result<Webhook, DomainError> {
        let request = self.installation.body(&body.to_string());
        wait(self.botyard.webhooks.update(&self.project, id, request))
    }

    pub fn get(&self, id: WebhookId) -> Webhook {
        wait(self.botyard.webhooks.get(&self.project, id)).unwrap()
    }

    pub fn test(&self, id: WebhookId) -> Result<EventId, DomainError> {
        wait(self.botyard.webhooks.test(&self.project, id))
    }

    /// Latest first.
    pub fn deliveries(&self, id: WebhookId) -> Vec<Delivery> {
        wait(self.botyard.webhooks.deliveries(&self.project, id, None, 1_000)).unwrap()
    }

    /// Makes skills, an event each.
    pub fn make_skills(&self, count: usize) {
        let claim = self.world().claim(&self.bot);
        for _ in 0..count {
            let body = json!({"name": self.world().id()}).to_string();
            self.installation.create_skill(&claim, &body).unwrap();
        }
    }

    /// Waits until all that has happened has its number.
    pub fn settle(&self) {
        let mut seen = 0;
        self.installation.new_events(&mut seen);
    }

    pub fn claim(&self) -> Option<Job> {
        wait(self.botyard.jobs.claim(OPERATOR, Queue::Webhooks)).unwrap()
    }

    /// Delivers all that is due; returns what was sent.
    pub fn deliver(&mut self) -> Vec<WebhookMessage> {
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
    pub fn delivered(&mut self) -> Vec<String> {
        let messages = self.deliver();
        messages
            .iter()
            .map(|message| message_body(message)["type"].as_str().unwrap().to_owned())
            .collect()
    }
}

pub(crate) fn message_body(message: &WebhookMessage) -> Value {
    serde_json::from_str(&message.body).unwrap()
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
    let messages = webhooks.deliver();
    assert_eq!(message_body(&messages[0])["data"]["resourceId"], gone.id.to_string());
    assert_eq!(message_body(&messages[0])["data"]["data"], json!({"error": "gone"}));
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
    for time in [6 * SECOND, 6 * MINUTE, HOUR, 5 * DAY - SECOND] {
        webhooks.installation.wait_until(time);
        webhooks.deliver();
        assert!(webhooks.get(webhook.id).fields.enabled);
    }
    assert_eq!(webhooks.deliveries(webhook.id)[0].failures, 5);
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

pub(crate) fn webhooks_keep_their_secrets_when_the_key_is_replaced(store: Arc<dyn Store>) {
    let mut webhooks = Webhooks::new(store);
    let ids = [(); 2].map(|()| webhooks.webhook(&["skill.created"]).id);
    wait(webhooks.botyard.webhooks.rotate_secret(&webhooks.project, ids[0])).unwrap();
    let secrets = |webhooks: &Webhooks| -> Vec<EncryptedSecret> {
        let scope = project_of(&webhooks.world().scope(&webhooks.bot));
        let of_one = |id| {
            let scope = scope.clone();
            let stored = webhooks.world().read(move |tx| Ok(tx.webhook(&scope, id, Lock::None)?));
            let WebhookSecrets { current, previous } = stored.unwrap().secrets;
            [Some(current), previous.map(|(secret, _)| secret)]
        };
        ids.into_iter().flat_map(of_one).flatten().collect()
    };
    let before = secrets(&webhooks);
    let rotated = wait(webhooks.botyard.encryption.rotate(OPERATOR, OTHER_KEY, false)).unwrap();
    assert_eq!((rotated.to, rotated.secrets), (OTHER_KEY, 3));
    let after = secrets(&webhooks);
    assert_eq!(after.len(), 3);
    for (before, after) in before.iter().zip(&after) {
        assert_ne!(before.key(), OTHER_KEY);
        assert_eq!(after.key(), OTHER_KEY);
        // What is encrypted is the same, for the same webhook.
        assert_eq!(after.ciphertext(), before.ciphertext());
    }
    webhooks.make_skills(1);
    let sent = webhooks.deliver();
    let mut signatures: Vec<_> =
        sent.iter().map(|message| message.signature.split(' ').count()).collect();
    signatures.sort_unstable();
    assert_eq!(signatures, [1, 2]);
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
    let unknown = webhooks.test(WebhookId::NIL);
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
