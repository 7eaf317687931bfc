//! What operators change is in the audit log, if somebody is named for whom they act.

use std::sync::Arc;

use crate::services::installation::Installation;
use crate::world::{OPERATOR, at, wait};
use domain::access::{MintToken, OwnerClaim, TokenTarget};
use domain::audit::AuditActor;
use domain::bot::DeleteMode;
use domain::clock::Timestamp;
use domain::id::ProjectId;
use domain::import::{Import, ImportKind};
use domain::job::Job;
use domain::store::Store;
use domain::{Botyard, DomainError};

use crate::contract::jobs::enqueue;

fn recorded(botyard: &Botyard) -> Vec<(String, String)> {
    let page = botyard.audit.page(OPERATOR, Timestamp::default(), None, 99);
    let entries = wait(page).unwrap().into_iter();
    entries.map(|entry| (entry.resource, entry.subject)).collect()
}

fn mint(project: ProjectId) -> MintToken {
    let target = TokenTarget::Project(project);
    MintToken { target, name: "n".to_owned(), scopes: None, read_only: false, expires_in: None }
}

pub(crate) fn what_an_operator_changes_is_recorded_with_it(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let (world, silent) = (&installation.world, &installation.botyard);
    let actor = AuditActor {
        command: "a command".to_owned(),
        uid: 7,
        user_name: "ada".to_owned(),
        sudo_user: None,
        host: "h".to_owned(),
    };
    let builder =
        Botyard::builder(world.store.clone(), installation.clock.clone(), world.entropy());
    let botyard = builder.audit(OPERATOR, actor.clone()).build();

    let organisation = wait(botyard.organisations.create(OPERATOR, "o")).unwrap();
    let project = wait(botyard.projects.create(OPERATOR, organisation.id, "p")).unwrap();
    let token = wait(botyard.access.mint(OPERATOR, mint(project.id))).unwrap().token;
    wait(botyard.access.revoke(OPERATOR, token.id)).unwrap();
    let bot = world.stored_bot("bot");
    wait(silent.bots.delete(&world.claim(&bot), DeleteMode::Trash)).unwrap();
    wait(botyard.bots.restore(OPERATOR, bot.id)).unwrap();
    let Job { id: job, .. } = enqueue(world, 1_000_000);
    wait(botyard.jobs.retry(OPERATOR, job)).unwrap();
    for claim in [OwnerClaim::Bot(world.claim(&bot)), OwnerClaim::Project(world.claim_on_project())]
    {
        let mut file = Import::new(ImportKind::Keyval, botyard.input_settings());
        file.line(1, br#"{"userId":"u","type":"t","key":"k","value":1}"#);
        let mut run = wait(botyard.imports.begin(claim, file.finish().unwrap())).unwrap();
        wait(run.store_next()).unwrap();
    }
    wait(botyard.audit.record(vec!["a migration".to_owned()])).unwrap();
    let expected = [
        ("organisation", organisation.id.to_string()),
        ("project", project.id.to_string()),
        ("token", token.id.to_string()),
        ("token", token.id.to_string()),
        ("bot", bot.id.to_string()),
        ("job", job.to_string()),
        ("bot", bot.id.to_string()),
        ("project", world.project.id.to_string()),
        ("database", "a migration".to_owned()),
    ]
    .map(|(resource, subject)| (resource.to_owned(), subject));
    assert_eq!(recorded(&botyard), expected);
    let first = wait(botyard.audit.page(OPERATOR, at(0), None, 1)).unwrap().remove(0);
    assert_eq!((first.at, first.actor), (at(0), actor));

    // What fails is not recorded, and neither is what is done for nobody.
    let nowhere = ProjectId::from_uuid(world.id());
    let refused = wait(botyard.access.mint(OPERATOR, mint(nowhere)));
    assert!(matches!(refused, Err(DomainError::NotFound(_))), "{refused:?}");
    wait(silent.access.mint(OPERATOR, mint(project.id))).unwrap();
    // Nor is what a chat runtime writes.
    wait(botyard.recorder.record(&world.claim(&bot), Vec::new())).unwrap();
    wait(botyard.recorder.record_entries(&world.claim_on_project(), Vec::new())).unwrap();
    assert_eq!(recorded(&botyard), expected);
}
