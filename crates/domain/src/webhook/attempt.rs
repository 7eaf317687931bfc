//! What follows from an attempt to deliver an event.

use std::time::Duration;

use super::delivery::{Delivery, DeliveryAttempt, DeliveryOutcome, DeliveryStatus};
use super::{DisabledReason, SendError, StoredWebhook, WebhookAnswer};
use crate::clock::Timestamp;

/// After how many failures a delivery holds up no other any more.
pub(super) const FAILURES_IN_ORDER: u32 = 3;
/// How many attempts of a delivery are kept.
const ATTEMPTS_KEPT: usize = 20;
/// After what time without success a webhook is disabled.
const DISABLED_AFTER: Duration = Duration::from_secs(5 * 24 * 60 * 60);
/// For how long a receiver can ask to be left alone at most.
const LEFT_ALONE_AT_MOST: Duration = Duration::from_secs(24 * 60 * 60);
/// The status by which a receiver says that it is gone for good.
const GONE: u16 = 410;

/// An attempt that has ended.
pub(super) struct EndedAttempt {
    /// When it began.
    pub(super) began: Timestamp,
    /// When it ended.
    pub(super) ended: Timestamp,
    /// What came of it.
    pub(super) answer: Result<WebhookAnswer, SendError>,
    /// By what part of it the time to the next attempt is longer, of 1 000.
    pub(super) jitter: u32,
}

impl EndedAttempt {
    fn outcome(&self) -> DeliveryOutcome {
        match self.answer {
            Ok(answer) => DeliveryOutcome::Status(answer.status),
            Err(error) => DeliveryOutcome::Error(error),
        }
    }

    fn is_success(&self) -> bool {
        self.answer.is_ok_and(|answer| answer.is_delivered())
    }

    /// Notes the attempt with its delivery and its webhook. `retries` are the times to the second attempt, to the
    /// third, and so on. If the delivery is not as it was when the attempt began (`is_current`), only a success has
    /// consequences.
    pub(super) fn record(
        &self,
        retries: &[Duration],
        is_current: bool,
        delivery: &mut Delivery,
        stored: &mut StoredWebhook,
    ) {
        let is_first = delivery.attempts.is_empty();
        let milliseconds = self.ended.millis().saturating_sub(self.began.millis());
        delivery.attempts.push(DeliveryAttempt {
            at: self.began,
            outcome: self.outcome(),
            milliseconds: milliseconds.try_into().unwrap_or(0),
        });
        let surplus = delivery.attempts.len().saturating_sub(ATTEMPTS_KEPT);
        delivery.attempts.drain(..surplus);
        if self.is_success() {
            delivery.status = DeliveryStatus::Delivered;
            delivery.next_attempt_at = None;
            stored.webhook.failing_since = None;
        } else if is_current {
            delivery.failures = delivery.failures.saturating_add(1);
            let failing_since = *stored.webhook.failing_since.get_or_insert(self.began);
            let reason = match self.answer {
                Ok(WebhookAnswer { status: GONE, .. }) => Some(DisabledReason::Gone),
                // One failure after days in which nothing was sent says little, also of an old event that a client has
                // sent once more.
                _ if delivery.failures >= FAILURES_IN_ORDER
                    && delivery.failures as usize <= retries.len() + 1
                    && self.ended >= failing_since.plus(DISABLED_AFTER) =>
                {
                    Some(DisabledReason::Failing)
                }
                _ => None,
            };
            if let Some(reason) = reason.filter(|_| stored.webhook.fields.enabled) {
                stored.webhook = stored.webhook.clone().disabled(reason, self.ended);
            }
            let next = self.next_attempt(retries, delivery.failures);
            // What a disabled webhook did not get, it does not get later.
            delivery.next_attempt_at = next.filter(|_| stored.webhook.fields.enabled);
            delivery.status = match delivery.next_attempt_at {
                Some(_) => DeliveryStatus::Waiting,
                None => DeliveryStatus::Failed,
            };
        }
        stored.state.cursor = stored.state.cursor.max(delivery.event_number);
        let holds_up =
            delivery.status == DeliveryStatus::Waiting && delivery.failures < FAILURES_IN_ORDER;
        // A delivery that is tried again by hand holds up nothing that is behind it.
        if holds_up && is_first {
            stored.state.blocked_by = Some(delivery.id);
        } else if !holds_up && (is_first || stored.state.blocked_by == Some(delivery.id)) {
            stored.state.blocked_by = None;
        }
    }

    /// When the next attempt is due after so many failures; `None` if that was the last.
    fn next_attempt(&self, retries: &[Duration], failures: u32) -> Option<Timestamp> {
        let index = usize::try_from(failures).ok()?.checked_sub(1)?;
        let pause = *retries.get(index)?;
        let pause = pause.saturating_add(pause.saturating_mul(self.jitter) / 1_000);
        let asked = self.answer.ok().and_then(|answer| answer.retry_after).unwrap_or_default();
        Some(self.ended.plus(pause.max(asked.min(LEFT_ALONE_AT_MOST))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RETRIES: [Duration; 2] = [Duration::from_secs(5), Duration::from_secs(300)];

    fn attempt(answer: Result<WebhookAnswer, SendError>, jitter: u32) -> EndedAttempt {
        let (began, ended) = (Timestamp::from_millis(1_000), Timestamp::from_millis(2_000));
        EndedAttempt { began, ended, answer, jitter }
    }

    fn answered(status: u16, retry_after: Option<u64>) -> Result<WebhookAnswer, SendError> {
        Ok(WebhookAnswer { status, retry_after: retry_after.map(Duration::from_secs) })
    }

    #[test]
    fn only_2xx_is_a_success() {
        for (answer, is_success) in [
            (answered(200, None), true),
            (answered(299, None), true),
            (answered(199, None), false),
            (answered(301, None), false),
            (answered(410, None), false),
            (answered(500, None), false),
            (Err(SendError::Timeout), false),
        ] {
            assert_eq!(attempt(answer, 0).is_success(), is_success, "{answer:?}");
        }
    }

    #[test]
    fn the_next_attempt_is_due_by_the_schedule_or_when_the_receiver_asks_for_it() {
        let day = 24 * 60 * 60;
        for (failures, retry_after, jitter, after) in [
            (1, None, 0, Some(5_000)),
            (1, None, 100, Some(5_500)),
            (2, None, 0, Some(300_000)),
            (3, None, 0, None),
            (1, Some(4), 0, Some(5_000)),
            (1, Some(60), 100, Some(60_000)),
            (1, Some(u64::MAX), 0, Some(day * 1_000)),
            (3, Some(60), 0, None),
            (0, None, 0, None),
        ] {
            let attempt = attempt(answered(503, retry_after), jitter);
            let next = attempt.next_attempt(&RETRIES, failures);
            let expected = after.map(|after| Timestamp::from_millis(2_000 + after));
            assert_eq!(next, expected, "{failures} {retry_after:?} {jitter}");
        }
    }
}
