//! The queue between the callers of a store and its threads.

use std::sync::{PoisonError, RwLock};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};
use domain::StorageError;
use domain::lock::Mode;
use domain::store::Unit;

use crate::engine::meters::Meters;
use crate::engine::queued_unit::{Answer, QueuedUnit};

/// The sending side of a bounded queue.
///
/// Closing it drops the only sender: the threads run what waits, and then find the queue disconnected. A
/// message that tells them to stop would not do. Units that were sent after it would stay in the queue, and
/// their callers would wait for ever, because a bounded crossbeam channel keeps its content for as long as
/// there is a sender.
pub struct UnitQueue(RwLock<Option<Sender<QueuedUnit>>>);

impl UnitQueue {
    /// A queue for so many units, at least one, and the side where the threads receive them.
    pub fn bounded(units: usize) -> (Self, Receiver<QueuedUnit>) {
        let (sender, receiver) = bounded(units.max(1));
        (Self(RwLock::new(Some(sender))), receiver)
    }

    /// Queues a unit and waits for its answer.
    ///
    /// # Errors
    /// The error of the unit; `Overloaded` at once if the queue is full, `Unavailable` if it is closed.
    pub async fn run(&self, mode: Mode, unit: Unit, meters: &Meters) -> Answer {
        let (queued, answer) = QueuedUnit::new(mode, unit);
        if let Err(refusal) = self.send(queued) {
            let refusal = Err(refusal.into());
            meters.unit(mode, &refusal, Duration::ZERO);
            return refusal;
        }
        answer.await.unwrap_or_else(|_| Err(closed().into()))
    }

    fn send(&self, unit: QueuedUnit) -> Result<(), StorageError> {
        let sender = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let sent = sender.as_ref().map(|sender| sender.try_send(unit));
        match sent {
            Some(Ok(())) => Ok(()),
            Some(Err(TrySendError::Full(_))) => Err(StorageError::Overloaded),
            None | Some(Err(TrySendError::Disconnected(_))) => Err(closed()),
        }
    }

    /// Refuses units from now on. Those in the queue are still run.
    pub fn close(&self) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).take();
    }
}

/// The error for a unit that came too late.
pub fn closed() -> StorageError {
    StorageError::Unavailable("the store is closed".to_owned())
}
