//! What is delivered to webhooks, in which order, and how that is recorded.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::json;

use crate::services::receiver::status;
use crate::services::webhooks::{DAY, HOUR, MINUTE, SECOND, Webhooks, message_body};
use crate::world::{OPERATOR, project_of, wait};
use domain::Limits;
use domain::error::{DomainError, Resource};
use domain::event::{ChangedProjects, EventFilter, EventTypes, EventsFrom};
use domain::id::DeliveryId;
use domain::job::{Queue, StepOutcome};
use domain::store::Store;
use domain::webhook::{Delivery, DeliveryOutcome, DeliveryStatus, SendError, WebhookAnswer};

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
    let unknown = (webhook.id, DeliveryId::NIL);
    assert_eq!(
        wait(webhooks.botyard.webhooks.retry(&webhooks.project, unknown)),
        Err(DomainError::NotFound(Resource::Delivery))
    );
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
    wait(webhooks.botyard.events.mark_all_for_trim(OPERATOR)).unwrap();
    wait(webhooks.botyard.events.trim(OPERATOR)).unwrap();
    assert_eq!(webhooks.deliveries(kept.id), []);
    // What was held up by one that went is delivered.
    webhooks.receiver.answer(status(204));
    for _ in 0..2 {
        webhooks.make_skills(1);
        assert_eq!(webhooks.delivered(), ["skill.created"]);
    }
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
    // The one that has waited comes next, and need not look again by itself.
    assert_eq!(step, Ok(StepOutcome::Waiting));
    wait(webhooks.botyard.jobs.wait(OPERATOR, &jobs[0])).unwrap();
    webhooks.receiver.act(|_| {});
    assert_eq!(webhooks.delivered(), ["skill.created"; 2]);
}

pub(crate) fn a_retry_during_an_attempt_is_not_forgotten(store: Arc<dyn Store>) {
    let mut webhooks = Webhooks::new(store);
    let webhook = webhooks.webhook(&["skill.created"]);
    webhooks.receiver.answer(status(500));
    webhooks.make_skills(1);
    webhooks.deliver();
    let id = webhooks.deliveries(webhook.id)[0].id;
    webhooks.installation.wait_until(6 * SECOND);
    let (botyard, project) = (webhooks.botyard.clone(), webhooks.project.clone());
    let asked = AtomicBool::new(false);
    webhooks.receiver.act(move |_| {
        if !asked.swap(true, Ordering::Relaxed) {
            wait(botyard.webhooks.retry(&project, (webhook.id, id))).unwrap();
        }
    });
    webhooks.deliver();
    let delivery = webhooks.deliveries(webhook.id).remove(0);
    assert_eq!((delivery.attempts.len(), delivery.failures), (3, 2));
}

pub(crate) fn an_old_event_that_fails_once_more_disables_nothing(store: Arc<dyn Store>) {
    let limits = Limits { webhook_retries: vec![5 * SECOND], ..Limits::default() };
    let mut webhooks = Webhooks::with(store, limits);
    let webhook = webhooks.webhook(&["skill.created"]);
    webhooks.receiver.answer(status(500));
    webhooks.make_skills(1);
    webhooks.deliver();
    webhooks.installation.wait_until(6 * SECOND);
    webhooks.deliver();
    let failed = webhooks.deliveries(webhook.id).remove(0);
    assert_eq!(failed.status, DeliveryStatus::Failed);
    webhooks.installation.wait_until(6 * DAY);
    for attempts in [3, 4] {
        let of = (webhook.id, failed.id);
        wait(webhooks.botyard.webhooks.retry(&webhooks.project, of)).unwrap();
        webhooks.deliver();
        let delivery = webhooks.deliveries(webhook.id).remove(0);
        assert_eq!((delivery.attempts.len(), delivery.status), (attempts, DeliveryStatus::Failed));
        assert!(webhooks.get(webhook.id).fields.enabled);
    }
}

pub(crate) fn only_the_lease_holder_records_a_delivery(store: Arc<dyn Store>) {
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

pub(crate) fn only_webhooks_of_projects_with_new_events_are_woken(store: Arc<dyn Store>) {
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
    // Both are behind: the events of one have not been looked at since.
    assert_eq!(wake(&mut webhooks, ChangedProjects::All), 1);
}

pub(crate) fn new_events_of_several_projects_wake_the_webhooks_of_each(store: Arc<dyn Store>) {
    let mut webhooks = Webhooks::new(store);
    let of_all = webhooks.webhook(&["bot.created"]);
    let (other, idle) = (webhooks.world().other_project(), webhooks.world().other_project());
    let abroad = OPERATOR.project(&other);
    let body = json!({"url": "https://receiver.example/", "types": ["bot.created"]});
    let body = webhooks.installation.body(&body.to_string());
    let of_other = wait(webhooks.botyard.webhooks.create(&abroad, body)).unwrap().webhook;
    webhooks.webhook(&["bot.deleted"]);
    let all = [webhooks.project.project_id(), other.id, idle.id];
    let wake = |webhooks: &mut Webhooks| {
        webhooks.settle();
        let changed = ChangedProjects::These(all.to_vec());
        wait(webhooks.dispatcher.dispatch(OPERATOR, changed)).unwrap();
        let mut woken = Vec::new();
        while let Some(job) = webhooks.claim() {
            let step = || wait(webhooks.botyard.jobs.step(OPERATOR, &job)).unwrap();
            while step() == StepOutcome::Continue {}
            wait(webhooks.botyard.jobs.wait(OPERATOR, &job)).unwrap();
            woken.push(job.subject.clone());
        }
        woken.sort();
        woken
    };
    // They are made due, and looked at for the first time.
    wake(&mut webhooks);
    assert_eq!(wake(&mut webhooks), [""; 0]);
    for project in [webhooks.project.clone(), abroad] {
        let name = webhooks.installation.body(r#"{"name":"bot"}"#);
        wait(webhooks.botyard.bots.create(&project, name)).unwrap();
    }
    let expected = [of_all.id.to_string(), of_other.id.to_string()];
    assert_eq!(wake(&mut webhooks), expected);
    assert_eq!(webhooks.receiver.messages().len(), 2);
}

/// More deliveries wait than one unit ends.
pub(crate) fn all_that_waits_for_a_disabled_webhook_fails(store: Arc<dyn Store>) {
    const WAITING: usize = 2_100;
    let mut webhooks = Webhooks::new(store);
    let webhook = webhooks.webhook(&["skill.created"]);
    webhooks.receiver.answer(status(500));
    webhooks.make_skills(1);
    webhooks.deliver();
    let first = webhooks.deliveries(webhook.id).remove(0);
    let scope = project_of(&webhooks.world().scope(&webhooks.bot));
    let statuses = |webhooks: &Webhooks| {
        let scope = scope.clone();
        let read =
            webhooks.world().read(move |tx| Ok(tx.deliveries(&scope, webhook.id, None, 3_000)?));
        let waiting = read.iter().filter(|delivery| delivery.status == DeliveryStatus::Waiting);
        (read.len(), waiting.count())
    };
    let ids: Vec<_> = (1..WAITING).map(|_| DeliveryId::from_uuid(webhooks.world().id())).collect();
    let (copied, of) = (first.clone(), scope.clone());
    webhooks.world().write(move |tx| {
        for id in &ids {
            tx.insert_delivery(&of, &Delivery { id: *id, ..copied.clone() })?;
        }
        Ok(())
    });
    // What is left after the change is ended by the job of the webhook.
    webhooks.update(webhook.id, &json!({"enabled": false})).unwrap();
    assert_eq!(statuses(&webhooks), (WAITING, WAITING - 1_000));
    assert_eq!(webhooks.delivered(), [""; 0]);
    assert_eq!(statuses(&webhooks), (WAITING, 0));
    // Or before it is enabled again.
    webhooks.update(webhook.id, &json!({"enabled": true})).unwrap();
    let of = scope.clone();
    webhooks.world().write(move |tx| {
        for delivery in tx.deliveries(&of, webhook.id, None, 3_000)? {
            let status = DeliveryStatus::Waiting;
            let next_attempt_at = first.next_attempt_at;
            tx.update_delivery(&of, &Delivery { status, next_attempt_at, ..delivery })?;
        }
        Ok(())
    });
    webhooks.update(webhook.id, &json!({"enabled": false})).unwrap();
    webhooks.update(webhook.id, &json!({"enabled": true})).unwrap();
    assert_eq!(statuses(&webhooks), (WAITING, 0));
}
