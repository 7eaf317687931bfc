//! Changes that depend on the state that a client has seen, where HTTP can't show it: in the middle of an upload,
//! and where nothing is evaluated.

use std::sync::Arc;

use crate::acting_store::ActingStore;
use crate::services::document_service::{form, now, replace, upload};
use crate::services::installation::{Installation, package};
use crate::world::{OPERATOR, wait};
use domain::Botyard;
use domain::access::{Claim as _, TokenOwner};
use domain::entity_tag::Tagged as _;
use domain::error::DomainError;
use domain::precondition::Precondition;
use domain::skill::CreateSkill;
use domain::store::Store;
use domain::testing::RunUnits as _;

fn failed<T>(result: &Result<T, DomainError>) -> bool {
    matches!(result, Err(DomainError::PreconditionFailed(Some(_))))
}

pub(crate) fn what_has_nothing_to_evaluate_is_refused(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let bot = installation.world.stored_bot("bot");
    let claim = installation.world.claim(&bot);
    let skills = &installation.botyard.skills;
    let new = || installation.body::<CreateSkill>(r#"{"name":"a"}"#);
    let refused = wait(skills.create(&claim.clone().only_if(Precondition::Exists), new()));
    assert!(matches!(refused, Err(DomainError::PreconditionNotSupported)), "{refused:?}");
    wait(skills.create(&claim, new())).unwrap();
}

pub(crate) fn a_change_in_the_middle_of_an_upload_is_noticed(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let bot = installation.world.stored_bot("bot");
    let claim = installation.world.claim(&bot);

    let view = installation.create_view(&claim);
    let unchanged = Precondition::Matches(vec![view.entity_tag()]);
    let [mut first, mut second] = [(); 2].map(|()| {
        let claim = claim.clone().only_if(unchanged.clone());
        wait(installation.botyard.fusion.begin_upload(&claim, view.id)).unwrap()
    });
    wait(first.write(&package("first"))).unwrap();
    wait(second.write(&package("second"))).unwrap();
    wait(first.finish(None)).unwrap();
    assert!(failed(&wait(second.finish(None))));

    let document = upload(&installation, "a.txt", "one");
    let documents = &installation.botyard.documents;
    let project = installation.world.claim_on_project();
    let tag = wait(documents.get(&project, document.id)).unwrap().entity_tag();
    let conditional = project.clone().only_if(Precondition::Matches(vec![tag]));
    let (id, mut late) = wait(documents.begin_replacing(&conditional, document.id)).unwrap();
    wait(late.write(b"late")).unwrap();
    replace(&installation, document.id, "a.txt", "in between", &[]).unwrap();
    let before = now(&installation, id);
    let request = form(&installation, &[]);
    assert!(failed(&wait(late.finish_replacing(id, Some("a.txt"), None, request))));
    assert_eq!(now(&installation, id), before);
    assert!(failed(&wait(documents.begin_replacing(&conditional, document.id)).map(|_| ())));
}

/// The bot is read before the unit that copies it, its tokens in that.
pub(crate) fn the_precondition_of_a_duplicate_is_about_the_bot_that_is_copied(
    store: Arc<dyn Store>,
) {
    let installation = Installation::new(store.clone());
    let world = &installation.world;
    let bot = world.stored_bot("bot");
    let tag = wait(installation.botyard.bots.get(&world.claim(&bot))).unwrap().entity_tag();
    let claim = world.claim(&bot).only_if(Precondition::Matches(vec![tag]));
    let (unconditional, botyard) = (world.claim(&bot), installation.botyard.clone());
    let update = installation.body(r#"{"name":"changed meanwhile"}"#);
    let changed = ActingStore::by(store.clone(), move |_| {
        wait(botyard.bots.update(&unconditional, update)).map(drop)
    });
    let duplicate =
        |botyard: &Botyard| wait(botyard.bots.duplicate(&claim, installation.body("{}")));
    assert!(failed(&duplicate(&installation.behind(changed))));
    assert!(failed(&duplicate(&installation.botyard)));
    let current = wait(installation.botyard.bots.get(&world.claim(&bot))).unwrap().entity_tag();
    let claim = world.claim(&bot).only_if(Precondition::Matches(vec![current]));
    let duplicate =
        |botyard: &Botyard| wait(botyard.bots.duplicate(&claim, installation.body("{}")));
    let token = world.token(TokenOwner::Bot(bot.id));
    let with_token = ActingStore::by(store, move |store| {
        wait(store.write(move |tx| Ok(tx.insert_token(OPERATOR, &token)?)))
    });
    duplicate(&installation.botyard).unwrap();
    assert!(failed(&duplicate(&installation.behind(with_token))));
    let bots = wait(installation.botyard.bots.list_all(OPERATOR, bot.project_id)).unwrap();
    assert_eq!(bots.len(), 2);
}
