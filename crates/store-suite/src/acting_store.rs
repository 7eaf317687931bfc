//! A store on which something is done just before a unit of work.

use std::sync::{Arc, Mutex};
use std::thread;

use domain::error::DomainError;
use domain::lock::Mode;
use domain::store::Store;

use crate::intercepted_store::InterceptedStore;

/// What is done just before a writing unit; if it fails, its error is the unit's answer.
type Act = Box<dyn FnOnce(&Arc<dyn Store>) -> Result<(), DomainError> + Send>;

/// A store on which an action runs just before a writing unit.
pub struct ActingStore;

impl ActingStore {
    /// Lets the action run just before the first one.
    pub fn by(
        store: Arc<dyn Store>,
        act: impl FnOnce(&Arc<dyn Store>) -> Result<(), DomainError> + Send + 'static,
    ) -> Arc<dyn Store> {
        Self::before(0, store, act)
    }

    /// Lets the action run after so many, just before the next one.
    pub fn before(
        count: usize,
        store: Arc<dyn Store>,
        act: impl FnOnce(&Arc<dyn Store>) -> Result<(), DomainError> + Send + 'static,
    ) -> Arc<dyn Store> {
        Action::new(count, act, false).on(store)
    }

    /// As [`Self::before`], where there need not be so many.
    pub fn perhaps_before(
        count: usize,
        store: Arc<dyn Store>,
        act: impl FnOnce(&Arc<dyn Store>) -> Result<(), DomainError> + Send + 'static,
    ) -> Arc<dyn Store> {
        Action::new(count, act, true).on(store)
    }
}

struct Action {
    /// How many writing units come before that one.
    before: Mutex<usize>,
    act: Mutex<Option<Act>>,
    /// Whether the test is one that shows that there are fewer.
    may_be_left_out: bool,
}

impl Action {
    fn new(
        before: usize,
        act: impl FnOnce(&Arc<dyn Store>) -> Result<(), DomainError> + Send + 'static,
        may_be_left_out: bool,
    ) -> Self {
        let act: Act = Box::new(act);
        Self { before: Mutex::new(before), act: Mutex::new(Some(act)), may_be_left_out }
    }

    fn on(self, store: Arc<dyn Store>) -> Arc<dyn Store> {
        let acted_on = store.clone();
        InterceptedStore::of(store, move |mode, _, unit| {
            let act = match mode {
                Mode::LookUp | Mode::Read => None,
                Mode::Write => self.take(),
            };
            if let Some(act) = act {
                act(&acted_on)?;
            }
            Ok(unit)
        })
    }

    /// The act, if this is the unit before which it comes.
    fn take(&self) -> Option<Act> {
        let mut before = self.before.lock().unwrap();
        let is_now = *before == 0;
        *before = before.saturating_sub(1);
        is_now.then(|| self.act.lock().unwrap().take()).flatten()
    }
}

/// The test is about what the action shows, so that it must not pass without.
impl Drop for Action {
    fn drop(&mut self) {
        if !thread::panicking() && !self.may_be_left_out {
            let act = self.act.get_mut().unwrap();
            assert!(act.is_none(), "there was no unit before which the action was to run");
        }
    }
}
