//! The service of users: which requests are refused, and what the changelog says.

use std::sync::Arc;
use std::time::Duration;

use crate::contract::users::all_users;
use crate::services::installation::Installation;
use crate::world::{OPERATOR, at, in_pages, together, wait};
use domain::access::UsersClaim;
use domain::bot::{Bot, BotState, DeleteMode};
use domain::clock::TimeCursor;
use domain::error::{DomainError, Resource};
use domain::id::{BotId, UserId};
use domain::list::ListQuery;
use domain::lock::Lock;
use domain::store::{Repositories, Store};
use domain::user::{BotOfOrganisation, User, UserRefusal};

pub(crate) fn create(
    installation: &Installation,
    bot: &Bot,
    json: &str,
) -> Result<User, DomainError> {
    let claim = installation.world.claim(bot);
    wait(installation.botyard.users.create(&claim, installation.body(json)))
}

fn update(installation: &Installation, bot: &Bot, json: &str) -> Result<User, DomainError> {
    let claim = installation.world.claim(bot);
    wait(installation.botyard.users.update(&claim, installation.body(json)))
}

fn reset(installation: &Installation, bot: &Bot, id: &str) -> Result<User, DomainError> {
    let claim = installation.world.claim(bot);
    let request = installation.body(&format!(r#"{{"userId":"{id}"}}"#));
    wait(installation.botyard.users.reset_stats(&claim, request))
}

pub(crate) fn ids_of(users: &[&User]) -> String {
    let ids: Vec<_> = users.iter().map(|user| format!("\"{}\"", user.id)).collect();
    format!(r#"{{"userIds":[{}]}}"#, ids.join(","))
}

pub(crate) fn delete(
    installation: &Installation,
    bot: &Bot,
    users: &[&User],
) -> Result<u64, DomainError> {
    let claim = installation.world.claim(bot);
    wait(installation.botyard.users.delete(&claim, installation.body(&ids_of(users))))
}

fn by_id(installation: &Installation, bot: &Bot, id: UserId) -> Option<User> {
    let claim = installation.world.claim(bot);
    wait(installation.botyard.users.by_id(&claim, id)).unwrap()
}

fn by_guest(installation: &Installation, bot: &Bot, guest_id: &str) -> Option<User> {
    let claim = installation.world.claim(bot);
    wait(installation.botyard.users.by_guest_id(&claim, guest_id.to_owned())).unwrap()
}

fn refused<T>(reason: UserRefusal) -> Result<T, DomainError> {
    Err(DomainError::UserRefused(reason))
}

pub(crate) fn what_is_done_to_users_is_recorded(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let bot = installation.world.stored_bot("bot");
    let made = create(&installation, &bot, r#"{"b":1.10,"guestId":"g","a":null,"c":[]}"#).unwrap();
    assert_eq!(serde_json::to_string(&made.fields).unwrap(), r#"{"b":1.10,"c":[]}"#);
    assert_eq!((made.created_at, made.updated_at), (at(0), at(0)));
    let id = made.id;

    installation.wait_until(Duration::from_secs(1));
    let change = format!(r#"{{"_id":"{id}","guestId":"h","c":null,"d":1}}"#);
    let changed = update(&installation, &bot, &change).unwrap();
    assert_eq!(changed.guest_id, "h");
    assert_eq!(serde_json::to_string(&changed.fields).unwrap(), r#"{"b":1.10,"d":1}"#);
    assert_eq!((changed.created_at, changed.updated_at), (at(0), at(1_000)));
    assert_eq!(by_id(&installation, &bot, id).as_ref(), Some(&changed));
    assert_eq!(by_guest(&installation, &bot, "h").as_ref(), Some(&changed));
    assert_eq!(by_guest(&installation, &bot, "g"), None);

    installation.wait_until(Duration::from_secs(2));
    for nothing in [r#""guestId":"h""#, r#""d":1,"e":null"#] {
        let same = update(&installation, &bot, &format!(r#"{{"userId":"{id}",{nothing}}}"#));
        assert_eq!(same.as_ref(), Ok(&changed), "{nothing}");
    }
    let reset = reset(&installation, &bot, &id.to_string()).unwrap();
    assert_eq!((reset.stats.reset_at, reset.updated_at), (Some(at(2_000)), at(2_000)));
    assert_eq!(by_id(&installation, &bot, id), Some(reset));
    assert_eq!(delete(&installation, &bot, &[&made, &changed]), Ok(1));

    // Only what changed: a value would stay there after the user is deleted.
    let expected = [
        (
            "create",
            r#"[{"field":"guestId","from":null,"to":"***"},{"field":"b","from":null,"to":"***"},{"field":"c","from":null,"to":"***"}]"#,
        ),
        (
            "update",
            r#"[{"field":"guestId","from":"***","to":"***"},{"field":"c","from":"***","to":null},{"field":"d","from":null,"to":"***"}]"#,
        ),
        ("update", r#"[{"field":"stats","from":"***","to":"***"}]"#),
        ("delete", r#"[{"field":"guestId","from":"***","to":null}]"#),
    ];
    let expected =
        expected.map(|(action, changes)| (action, "user", id.to_string(), changes.to_owned()));
    assert_eq!(installation.changelog_entries(&bot), expected);
}

pub(crate) fn users_are_refused_for_a_reason(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let user = create(&installation, &bot, r#"{"guestId":"g"}"#).unwrap();
    let other = create(&installation, &bot, r#"{"guestId":"h"}"#).unwrap();
    let foreign = create(&installation, &neighbour, r#"{"guestId":"f"}"#).unwrap();
    for (body, reason) in [
        ("{}", UserRefusal::NoGuestId),
        (r#"{"guestId":null,"a":1}"#, UserRefusal::NoGuestId),
        (r#"{"guestId":""}"#, UserRefusal::NoGuestId),
        (r#"{"guestId":"g"}"#, UserRefusal::GuestIdTaken),
    ] {
        assert_eq!(create(&installation, &bot, body), refused(reason), "{body}");
    }
    for (address, change, reason) in [
        (user.id.to_string(), r#""guestId":"""#, UserRefusal::NoGuestId),
        (user.id.to_string(), r#""guestId":"h","a":1"#, UserRefusal::GuestIdTaken),
        (foreign.id.to_string(), r#""a":1"#, UserRefusal::UnknownUser),
        ("nobody".to_owned(), r#""guestId":"""#, UserRefusal::UnknownUser),
        (String::new(), r#""a":1"#, UserRefusal::UnknownUser),
    ] {
        let body = format!(r#"{{"_id":"{address}",{change}}}"#);
        assert_eq!(update(&installation, &bot, &body), refused(reason), "{body}");
    }
    assert_eq!(update(&installation, &bot, r#"{"a":1}"#), refused(UserRefusal::NoUser));
    for id in ["nobody", &foreign.id.to_string(), &user.id.to_string().to_uppercase()] {
        assert_eq!(reset(&installation, &bot, id), refused(UserRefusal::UnknownUser), "{id}");
    }
    for id in [foreign.id, UserId::NIL] {
        assert_eq!(by_id(&installation, &bot, id), None, "{id}");
    }
    for guest_id in ["f", "", "G", "g\0", "\0", &"g".repeat(257)] {
        assert_eq!(by_guest(&installation, &bot, guest_id), None);
    }
    assert_eq!(delete(&installation, &bot, &[&foreign]), Ok(0));
    assert_eq!(all_users(world, &bot), [user, other]);
    assert_eq!(all_users(world, &neighbour), [foreign]);
    assert_eq!((installation.changelog_entries(&bot).len(), installation.jobs().len()), (2, 0));
}

pub(crate) fn users_of_a_bot_that_is_not_there_are_out_of_reach(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let bot = world.stored_bot("bot");
    let user = create(&installation, &bot, r#"{"guestId":"g"}"#).unwrap();
    let claim = world.claim(&bot);
    wait(installation.botyard.bots.delete(&claim, DeleteMode::Archive)).unwrap();
    let missing = || DomainError::NotFound(Resource::Bot);
    let users = &installation.botyard.users;
    let id = user.id.to_string();
    assert_eq!(create(&installation, &bot, r#"{"guestId":"h"}"#), Err(missing()));
    let change = format!(r#"{{"_id":"{id}","a":1}}"#);
    assert_eq!(update(&installation, &bot, &change), Err(missing()));
    assert_eq!(reset(&installation, &bot, &id), Err(missing()));
    assert_eq!(delete(&installation, &bot, &[&user]), Err(missing()));
    assert_eq!(wait(users.by_id(&claim, user.id)), Err(missing()));
    assert_eq!(wait(users.by_guest_id(&claim, "g\0".to_owned())), Err(missing()));
    assert_eq!(wait(users.page(&claim, &ListQuery::default(), None, 9)), Err(missing()));
    let in_organisation = wait(users.bots_of_organisation(&claim, None, 9));
    assert_eq!(in_organisation.err(), Some(missing()));
    assert_eq!(all_users(world, &bot), [user]);
}

pub(crate) fn a_guest_id_is_won_by_one_alone(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let bot = world.stored_bot("bot");
    let taken = refused(UserRefusal::GuestIdTaken);
    for round in 0..4 {
        let body = format!(r#"{{"guestId":"made {round}"}}"#);
        let made = together(6, |_| create(&installation, &bot, &body));
        assert_eq!(made.iter().filter(|made| made.is_ok()).count(), 1);
        assert_eq!(made.iter().filter(|made| **made == taken).count(), 5);
    }
    let users = all_users(world, &bot);
    for round in 0..4 {
        // One who is new, and three who are there.
        let guest_id = format!("changed {round}");
        let done = together(4, |number| match users.get(number) {
            Some(user) if number > 0 => {
                let body = format!(r#"{{"_id":"{}","guestId":"{guest_id}"}}"#, user.id);
                update(&installation, &bot, &body)
            }
            _ => create(&installation, &bot, &format!(r#"{{"guestId":"{guest_id}"}}"#)),
        });
        assert_eq!(done.iter().filter(|done| done.is_ok()).count(), 1);
        assert_eq!(done.iter().filter(|done| **done == taken).count(), 3);
    }
}

pub(crate) fn the_bots_of_the_organisation_are_handed_out(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let bot = world.stored_bot("bot");
    let of_project = world.stored_bot("of the project");
    let elsewhere = world.bot_of(&world.other_project());
    let mut expected = Vec::new();
    for bot in [&bot, &of_project, &elsewhere] {
        for guest_id in ["1", "2", "3"] {
            let body = format!(r#"{{"guestId":"{guest_id}"}}"#);
            expected.push((bot.id, create(&installation, bot, &body).unwrap().id));
        }
    }
    let users = &installation.botyard.users;
    let own = world.claim(&bot);
    let bots = |after: Option<BotId>| wait(users.bots_of_organisation(&own, after, 2)).unwrap();
    let page = |claim: &UsersClaim, after: Option<&User>, limit| {
        let after = after.map(|user| TimeCursor { at: user.created_at, id: user.id });
        wait(users.page_in_organisation(claim, after, limit)).unwrap()
    };
    let all = in_pages(2, |after: Option<&(BotOfOrganisation, UsersClaim)>, _| {
        bots(after.map(|(bot, _)| bot.id))
    });
    let mut found = Vec::new();
    for (bot, claim) in &all {
        let users = in_pages(2, |after, limit| page(claim, after, limit).into_items());
        found.extend(users.into_iter().map(|user| (bot.id, user.id)));
    }
    assert_eq!(found, expected);
    // One that goes away meanwhile has no more users.
    let [.., (_, claim)] = &all[..] else { panic!("{all:?}") };
    let (id, scope) = (elsewhere.id, world.scope(&elsewhere));
    world.write(move |tx: &mut dyn Repositories| {
        let bot = tx.bot_in_any_state(OPERATOR, id, Lock::Exclusive)?.unwrap();
        Ok(tx.set_bot_state(&scope, BotState::Archived, bot.updated_at)?)
    });
    assert_eq!(page(claim, None, 9), []);
    assert_eq!(
        wait(users.page(&world.claim(&elsewhere), &ListQuery::default(), None, 9)),
        Err(DomainError::NotFound(Resource::Bot))
    );
}

/// The clock goes on while a unit runs, but what the unit changes has one time.
pub(crate) fn a_unit_of_work_has_one_time(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let bot = installation.world.stored_bot("bot");
    let user = create(&installation, &bot, r#"{"guestId":"g"}"#).unwrap();
    installation.wait_until(Duration::from_secs(1));
    installation.clock.step_by(1);
    let reset = reset(&installation, &bot, &user.id.to_string()).unwrap();
    assert!(reset.updated_at > user.updated_at);
    assert_eq!(reset.stats.reset_at, Some(reset.updated_at));
}
