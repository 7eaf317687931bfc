//! On whose account units of work are run: whose queue they wait in, and whose memory they take.

use std::mem;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;

use crate::services::installation::Installation;
use crate::world::{OPERATOR, wait};
use domain::access::{MintToken, Scheme, TokenDigest, TokenTarget};
use domain::error::{DomainError, StorageError};
use domain::id::ProjectId;
use domain::lock::Mode;
use domain::store::{BoxedUnit, Outcome, Store};

/// A store that records the tenant of each unit.
struct Recording {
    store: Arc<dyn Store>,
    tenants: Mutex<Vec<(Mode, Option<ProjectId>)>>,
}

impl Recording {
    fn of(store: Arc<dyn Store>) -> Arc<Self> {
        Arc::new(Self { store, tenants: Mutex::default() })
    }

    /// The tenants of the units since the last call.
    fn take(&self) -> Vec<(Mode, Option<ProjectId>)> {
        mem::take(&mut *self.tenants.lock().unwrap())
    }
}

#[async_trait]
impl Store for Recording {
    async fn run(
        &self,
        mode: Mode,
        tenant: Option<ProjectId>,
        unit: BoxedUnit,
    ) -> Result<Outcome, DomainError> {
        self.tenants.lock().unwrap().push((mode, tenant));
        self.store.run(mode, tenant, unit).await
    }

    fn access_version(&self) -> Option<u64> {
        self.store.access_version()
    }

    async fn check(&self) -> Result<(), StorageError> {
        self.store.check().await
    }
}

pub(crate) fn users_of_other_projects_are_read_on_account_of_the_reader(store: Arc<dyn Store>) {
    let installation = Installation::new(store.clone());
    let world = &installation.world;
    let (own, foreign) = (world.stored_bot("own"), world.bot_of(&world.other_project()));
    let recording = Recording::of(store);
    let users = installation.behind(recording.clone()).users;
    let bots = wait(users.bots_of_organisation(&world.claim(&own), None, 9)).unwrap();
    let (_, of_foreign) = bots.iter().find(|(bot, _)| bot.id == foreign.id).unwrap();
    assert_eq!(wait(users.page_in_organisation(of_foreign, None, 9)).unwrap(), []);
    assert_eq!(recording.take(), [(Mode::Read, Some(own.project_id)); 2]);
}

pub(crate) fn a_ticket_is_redeemed_on_account_of_its_project(store: Arc<dyn Store>) {
    let installation = Installation::new(store.clone());
    let project = installation.world.project.id;
    let recording = Recording::of(store);
    let access = installation.behind(recording.clone()).access;
    let request = MintToken {
        target: TokenTarget::Project(project),
        name: "token".to_owned(),
        scopes: None,
        read_only: false,
        expires_in: None,
    };
    let minted = wait(access.mint(OPERATOR, request)).unwrap();
    let text = minted.secret.reveal().as_bytes();
    let digest = TokenDigest::of_presented(Scheme::Project, text).unwrap();
    let principal = wait(access.authenticate(Scheme::Project, digest)).unwrap();
    let ticket = wait(access.issue_ticket(&principal)).unwrap();
    recording.take();
    let redeemed = wait(access.redeem_ticket(Scheme::Project, ticket.secret.reveal()));
    assert_eq!(redeemed, Ok(principal));
    let writes = recording.take().into_iter().filter(|(mode, _)| *mode == Mode::Write);
    assert_eq!(writes.collect::<Vec<_>>(), [(Mode::Write, Some(project))]);
}
