//! On whose account units of work are run: whose queue they wait in, and whose memory they take.

use std::mem;
use std::sync::{Arc, Mutex};

use crate::intercepted_store::InterceptedStore;
use crate::services::installation::Installation;
use crate::world::{OPERATOR, wait};
use domain::Botyard;
use domain::access::{MintToken, Scheme, TokenDigest, TokenTarget};
use domain::id::ProjectId;
use domain::lock::Mode;
use domain::store::Store;

/// The tenants of units.
type Accounts = Arc<Mutex<Vec<(Mode, Option<ProjectId>)>>>;

/// The services on a store that records the tenant of each unit.
fn recording(installation: &Installation, store: Arc<dyn Store>) -> (Botyard, Accounts) {
    let accounts = Accounts::default();
    let recorded = accounts.clone();
    let store = InterceptedStore::of(store, move |mode, tenant, unit| {
        recorded.lock().unwrap().push((mode, tenant));
        Ok(unit)
    });
    (installation.behind(store), accounts)
}

/// The tenants of the units since the last call.
fn take(accounts: &Accounts) -> Vec<(Mode, Option<ProjectId>)> {
    mem::take(&mut *accounts.lock().unwrap())
}

pub(crate) fn users_of_other_projects_are_read_on_account_of_the_reader(store: Arc<dyn Store>) {
    let installation = Installation::new(store.clone());
    let world = &installation.world;
    let (own, foreign) = (world.stored_bot("own"), world.bot_of(&world.other_project()));
    let (botyard, accounts) = recording(&installation, store);
    let users = botyard.users;
    let bots = wait(users.bots_of_organisation(&world.claim(&own), None, 9)).unwrap();
    let (_, of_foreign) = bots.iter().find(|(bot, _)| bot.id == foreign.id).unwrap();
    assert_eq!(wait(users.page_in_organisation(of_foreign, None, 9)).unwrap(), []);
    assert_eq!(take(&accounts), [(Mode::Read, Some(own.project_id)); 2]);
}

pub(crate) fn a_ticket_is_redeemed_on_account_of_its_project(store: Arc<dyn Store>) {
    let installation = Installation::new(store.clone());
    let project = installation.world.project.id;
    let (botyard, accounts) = recording(&installation, store);
    let access = botyard.access;
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
    take(&accounts);
    let redeemed = wait(access.redeem_ticket(Scheme::Project, ticket.secret.reveal()));
    assert_eq!(redeemed, Ok(principal));
    let writes = take(&accounts).into_iter().filter(|(mode, _)| *mode == Mode::Write);
    assert_eq!(writes.collect::<Vec<_>>(), [(Mode::Write, Some(project))]);
}
