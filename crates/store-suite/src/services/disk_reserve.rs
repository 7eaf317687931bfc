//! A store that has less free space than its reserve: nothing is added, and everything can be deleted.

use std::sync::Arc;

use async_trait::async_trait;

use crate::services::clean_up::{address, keys, own, put, rule};
use crate::services::installation::Installation;
use crate::world::{OPERATOR, wait};
use domain::bot::{DeleteMode, TEARDOWN_BOT};
use domain::error::{DomainError, StorageError};
use domain::id::ProjectId;
use domain::input::Input as _;
use domain::job::{Queue, StepOutcome};
use domain::json::Json;
use domain::keyval::{EntryFilter, PutEntry};
use domain::lock::Mode;
use domain::store::{BoxedUnit, Outcome, Store};

/// A store with less free space than its reserve.
struct Low(Arc<dyn Store>);

#[async_trait]
impl Store for Low {
    async fn run(
        &self,
        mode: Mode,
        tenant: Option<ProjectId>,
        unit: BoxedUnit,
    ) -> Result<Outcome, DomainError> {
        self.0.run(mode, tenant, unit).await
    }

    fn access_version(&self) -> Option<u64> {
        self.0.access_version()
    }

    fn has_free_space(&self) -> bool {
        false
    }

    async fn check(&self) -> Result<(), StorageError> {
        self.0.check().await
    }
}

fn is_full<T: std::fmt::Debug>(answer: Result<T, DomainError>) -> bool {
    matches!(answer, Err(DomainError::Storage(StorageError::Full(_))))
}

pub(crate) fn nothing_is_added_and_all_can_be_removed(store: Arc<dyn Store>) {
    let installation = Installation::new(store.clone());
    let (world, node) = (&installation.world, &installation.botyard);
    let low = installation.behind(Arc::new(Low(store)));
    let bot = world.stored_bot("bot");
    let (claim, project, own) = (world.claim(&bot), world.claim_on_project(), own(world));
    let body = r#"{"name":"a"}"#;
    let skill = installation.create_skill(&claim, body).unwrap();
    let stage = installation.create_stage(&claim, body);
    let rule = rule(&installation, &project, r#"{"keyPattern":"*","maxAgeSeconds":1}"#);
    for key in ["a", "b", "c"] {
        put(node, &own, key);
    }

    assert!(is_full(wait(low.skills.create(&claim, installation.body(r#"{"name":"b"}"#)))));
    let change = installation.body(r#"{"name":"c"}"#);
    assert!(is_full(wait(low.skills.update(&claim, skill.id.to_string(), change))));
    assert!(is_full(wait(low.stages.create(&claim, installation.body(body)))));
    assert!(is_full(wait(low.bots.create(&project, installation.body(body)))));
    assert!(is_full(wait(low.bots.duplicate(&claim, installation.body("{}")))));
    let entry = PutEntry { value: Json::of(&1) }.check(low.input_settings()).unwrap();
    assert!(is_full(wait(low.keyval.put(&own, address("d"), entry))));
    assert_eq!(keys(&low, &own), ["a", "b", "c"]);

    wait(low.keyval.delete(&own, address("a"), true)).unwrap();
    assert_eq!(wait(low.keyval.bulk_delete(&own, EntryFilter::default(), true)), Ok(2));
    wait(low.max_age.delete(&project, rule.id)).unwrap();
    assert_eq!(wait(low.skills.delete(&claim, skill.id.to_string())), Ok(skill.id));
    assert_eq!(wait(low.stages.delete(&claim, stage.id)), Ok(stage.id));
    wait(low.bots.delete(&claim, DeleteMode::Delete)).unwrap();
    // So can what is left for later.
    let job = wait(low.jobs.claim(OPERATOR, Queue::Maintenance)).unwrap().unwrap();
    assert_eq!(job.kind, TEARDOWN_BOT);
    while wait(low.jobs.step(OPERATOR, &job)).unwrap() != StepOutcome::Done {}
    wait(low.jobs.finish(OPERATOR, &job)).unwrap();
    assert_eq!((world.summary(&bot), installation.jobs()), (None, Vec::new()));
}
