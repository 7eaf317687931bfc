//! What a chat runtime writes: all of a batch or nothing.

use std::sync::Arc;

use crate::contract::feedback::all_feedback;
use crate::contract::history::all_items;
use crate::contract::usage::all_usage;
use crate::contract::users::{all_users, delete, stored_user};
use crate::contract::visual_blocks::all_blocks;
use crate::services::installation::Installation;
use crate::world::{OPERATOR, World, at, together, wait};
use domain::access::OwnerClaim;
use domain::bot::{Bot, DeleteMode};
use domain::error::{DomainError, Resource};
use domain::feedback::Rating;
use domain::history::{HistoryKind, Role};
use domain::id::UserId;
use domain::json::Json;
use domain::keyval::{EntryAddress, EntryFilter};
use domain::recorder::{
    NewEntry, NewFeedback, NewHistoryItem, NewUsage, NewUser, NewVisualBlock, Record, UsedTokens,
};
use domain::store::Store;
use domain::usage::{Day, UsageAmounts, UsageKey, UsageKind};
use domain::user::{User, UserRefusal};
use domain::violation::Violations;

fn message(user: &User, text: &str) -> NewHistoryItem {
    NewHistoryItem {
        user_id: user.id,
        role: Role::User,
        kind: HistoryKind::Message,
        supervisor_enabled: true,
        text: text.to_owned(),
        created_at: None,
    }
}

fn usage(day: &str, model: &str, requests: u64) -> NewUsage {
    let (day, kind) = (Day::parse(day).unwrap(), UsageKind::ChatCompletion);
    NewUsage {
        of: UsageKey { day, kind, model: model.to_owned() },
        amounts: UsageAmounts { requests, cost: 0.5, ..UsageAmounts::default() },
    }
}

fn feedback(message_id: &str, user_id: Option<String>) -> NewFeedback {
    NewFeedback {
        message_id: message_id.to_owned(),
        user_id,
        rating: Rating::Up,
        comment: None,
        question: None,
        answer: None,
        created_at: None,
    }
}

fn entry(key: &str, value: &str) -> NewEntry {
    let (user_id, entry_type) = ("u".to_owned(), "t".to_owned());
    let address = EntryAddress { user_id, entry_type, key: key.to_owned() };
    NewEntry { address, value: Json::parse_text(value).unwrap() }
}

fn block(name: &str) -> NewVisualBlock {
    NewVisualBlock { name: name.to_owned(), content: Json::of(&1) }
}

fn guest(guest_id: &str) -> NewUser {
    NewUser { guest_id: guest_id.to_owned(), ..NewUser::default() }
}

/// A record that is in order.
fn valid<R: TryInto<Record, Error = Violations>>(record: R) -> Record {
    record.try_into().unwrap()
}

/// A user who was deleted.
fn deleted_user(world: &World, bot: &Bot) -> User {
    let user = stored_user(world, bot, "removed");
    assert_eq!(delete(world, &world.scope(bot), &[user.id], at(3)), [user.id]);
    user
}

/// One record of each kind, all of them valid.
fn one_of_each(user: &User) -> Vec<Record> {
    vec![
        valid(message(user, "Hello")),
        valid(usage("2026-01-31", "m", 1)),
        valid(feedback("m-1", Some(user.id.to_string()))),
        valid(entry("!k", "1")),
        valid(guest("new")),
        valid(block("ifthen_a")),
        UsedTokens { user_id: user.id, tokens: 7 }.into(),
    ]
}

fn record(on: &Installation, bot: &Bot, records: Vec<Record>) -> Result<(), DomainError> {
    wait(on.botyard.recorder.record(&on.world.claim(bot), records))
}

fn entries(on: &Installation, claim: &OwnerClaim) -> Vec<(String, String)> {
    let filter = EntryFilter::default();
    let page = wait(on.botyard.keyval.page(claim, &filter, None, 1_000)).unwrap().0;
    let stored = page.into_iter().map(|found| found.entry);
    stored.map(|entry| (entry.address.key, entry.value.as_str().to_owned())).collect()
}

fn texts(world: &World, bot: &Bot, user: &User) -> Vec<String> {
    all_items(world, bot, user).into_iter().map(|item| item.text).collect()
}

/// How many things there are of each kind.
fn counts(on: &Installation, bot: &Bot, user: &User) -> [usize; 6] {
    let world = &on.world;
    [
        all_items(world, bot, user).len(),
        all_usage(world, bot).len(),
        all_feedback(world, bot).len(),
        entries(on, &OwnerClaim::Bot(world.claim(bot))).len(),
        all_users(world, bot).len(),
        all_blocks(world, bot).len(),
    ]
}

pub(crate) fn a_batch_of_every_kind_is_written(store: Arc<dyn Store>) {
    let on = Installation::new(store);
    let (world, bot) = (&on.world, on.world.stored_bot("bot"));
    let user = stored_user(world, &bot, "g");
    assert_eq!(record(&on, &bot, one_of_each(&user)), Ok(()));
    assert_eq!(counts(&on, &bot, &user), [1, 1, 1, 1, 2, 1]);
    let said = &all_feedback(world, &bot)[0];
    assert_eq!((said.guest_id.as_deref(), said.created_at), (Some("g"), at(0)));
    let found = all_users(world, &bot);
    let [new, known] = &found[..] else { panic!("two users: {found:?}") };
    // What a user does is no change of the user.
    assert_eq!((known.stats.messages, known.stats.tokens), (1, 7));
    assert_eq!((known.stats.last_active_at, known.updated_at), (Some(at(0)), user.updated_at));
    assert_eq!((new.guest_id.as_str(), new.created_at, new.updated_at), ("new", at(0), at(0)));
    let changes = r#"[{"field":"guestId","from":null,"to":"***"}]"#.to_owned();
    let of_one = ("create", "user", new.id.to_string(), changes);
    assert_eq!(on.changelog_entries(&bot), std::slice::from_ref(&of_one));
    // Several are counted.
    let guests = ["a", "b", "c"].map(|guest_id| valid(guest(guest_id)));
    assert_eq!(record(&on, &bot, guests.into()), Ok(()));
    let changes = r#"[{"field":"count","from":null,"to":3}]"#.to_owned();
    let of_several = ("create", "user", bot.id.to_string(), changes);
    assert_eq!(on.changelog_entries(&bot), [of_one, of_several]);
}

fn refused(index: usize, error: DomainError) -> Result<(), DomainError> {
    Err(DomainError::RecordsRefused(vec![(index, error)]))
}

pub(crate) fn a_batch_with_a_bad_record_is_not_written(store: Arc<dyn Store>) {
    let on = Installation::new(store);
    let (world, bot) = (&on.world, on.world.stored_bot("bot"));
    let (user, deleted) = (stored_user(world, &bot, "g"), deleted_user(world, &bot));
    let foreign = stored_user(world, &world.stored_bot("neighbour"), "f");
    let nobody = UserId::from_uuid(world.id());
    let unknown = DomainError::NotFound(Resource::User);
    let taken = DomainError::UserRefused(UserRefusal::GuestIdTaken);
    let bad: [(Record, DomainError); 5] = [
        (valid(message(&foreign, "of a user of another bot")), unknown.clone()),
        (valid(message(&deleted, "of a deleted user")), unknown.clone()),
        (valid(NewHistoryItem { user_id: nobody, ..message(&user, "") }), unknown.clone()),
        (UsedTokens { user_id: nobody, tokens: 1 }.into(), unknown),
        (valid(guest("g")), taken.clone()),
    ];
    let with = |index: usize, bad: Record| {
        let mut records = one_of_each(&user);
        records.insert(index, bad);
        record(&on, &bot, records)
    };
    for (bad, error) in bad {
        for index in [0, 3, 7] {
            assert_eq!(with(index, bad.clone()), refused(index, error.clone()));
        }
    }
    // The batch itself has made such a user by then.
    let repeated = DomainError::UserRefused(UserRefusal::GuestIdRepeated);
    assert_eq!(with(7, valid(guest("new"))), refused(7, repeated));
    // All that are refused are reported, also those after a refused one.
    let unknown = valid(NewHistoryItem { user_id: nobody, ..message(&user, "") });
    let records =
        vec![valid(guest("g")), valid(message(&user, "in order")), unknown, valid(guest("g"))];
    let not_found = DomainError::NotFound(Resource::User);
    let expected = vec![(0, taken.clone()), (2, not_found), (3, taken)];
    assert_eq!(record(&on, &bot, records), Err(DomainError::RecordsRefused(expected)));
    assert_eq!(counts(&on, &bot, &user), [0, 0, 0, 0, 1, 0]);
    assert_eq!(all_users(world, &bot), [user]);
    assert_eq!(on.changelog_entries(&bot), []);
}

pub(crate) fn records_of_one_time_keep_their_order(store: Arc<dyn Store>) {
    let on = Installation::new(store);
    let (world, bot) = (&on.world, on.world.stored_bot("bot"));
    let user = stored_user(world, &bot, "g");
    let some = |from: usize| (from..from + 40).map(|number| message(&user, &number.to_string()));
    assert_eq!(record(&on, &bot, some(0).map(valid).collect()), Ok(()));
    assert_eq!(record(&on, &bot, some(40).map(valid).collect()), Ok(()));
    let earlier = NewHistoryItem { created_at: Some(at(-1)), ..message(&user, "earlier") };
    assert_eq!(record(&on, &bot, vec![valid(earlier)]), Ok(()));
    let numbers = (0..80).map(|number| number.to_string());
    let expected: Vec<_> = ["earlier".to_owned()].into_iter().chain(numbers).collect();
    assert_eq!(texts(world, &bot, &user), expected);
    let feedback = (0..40).map(|number| valid(feedback(&number.to_string(), None))).collect();
    assert_eq!(record(&on, &bot, feedback), Ok(()));
    let message_ids = all_feedback(world, &bot).into_iter().map(|entry| entry.message_id);
    assert_eq!(message_ids.collect::<Vec<_>>(), expected[1..41]);
}

pub(crate) fn stats_count_what_users_write(store: Arc<dyn Store>) {
    let on = Installation::new(store);
    let (world, bot) = (&on.world, on.world.stored_bot("bot"));
    let (user, other) = (stored_user(world, &bot, "g"), stored_user(world, &bot, "h"));
    let written = message(&user, "");
    let items = [
        written.clone(),
        NewHistoryItem { created_at: Some(at(5_000)), ..written.clone() },
        NewHistoryItem { created_at: Some(at(-5_000)), ..written.clone() },
        NewHistoryItem { role: Role::Assistant, created_at: Some(at(9_000)), ..written.clone() },
        NewHistoryItem { kind: HistoryKind::SocketEvent, ..written.clone() },
        NewHistoryItem { supervisor_enabled: false, ..written },
    ];
    assert_eq!(record(&on, &bot, items.map(valid).to_vec()), Ok(()));
    let claim = world.claim(&bot);
    let used = |tokens| wait(on.botyard.recorder.used(&claim, user.id, tokens));
    assert_eq!((used(40), used(2)), (Ok(()), Ok(())));
    let found = all_users(world, &bot);
    assert_eq!((found[0].stats.messages, found[0].stats.tokens), (4, 42));
    assert_eq!(found[0].stats.last_active_at, Some(at(5_000)));
    assert_eq!(found[1], other);
    assert_eq!(used(u64::MAX), Ok(()));
    assert_eq!(all_users(world, &bot)[0].stats.tokens, (1 << 53) - 1);
    let nobody = wait(on.botyard.recorder.used(&claim, UserId::from_uuid(world.id()), 1));
    assert_eq!(nobody, refused(0, DomainError::NotFound(Resource::User)));
}

pub(crate) fn what_is_recorded_at_once_is_all_counted(store: Arc<dyn Store>) {
    let on = Installation::new(store);
    let (world, bot) = (&on.world, on.world.stored_bot("bot"));
    let users = ["a", "b", "c"].map(|guest_id| stored_user(world, &bot, guest_id));
    // Each writer has its own order, so that they could wait for each other's users and rows.
    let done = together(6, |writer| {
        let mut failed = 0;
        for _ in 0..5 {
            let mut records: Vec<Record> = Vec::new();
            for turn in 0..3 {
                let at = if writer % 2 == 0 { turn } else { 2 - turn };
                let model = ["x", "y", "z"][at];
                records.push(valid(message(&users[at], model)));
                records.push(UsedTokens { user_id: users[at].id, tokens: 2 }.into());
                records.push(valid(usage("2026-01-31", model, 1)));
                records.push(valid(entry(model, "1")));
            }
            failed += usize::from(record(&on, &bot, records).is_err());
        }
        failed
    });
    assert_eq!(done, [0; 6]);
    for user in all_users(world, &bot) {
        assert_eq!((user.stats.messages, user.stats.tokens), (30, 60));
        assert_eq!(all_items(world, &bot, &user).len(), 30);
    }
    let amounts = UsageAmounts { requests: 30, cost: 15.0, ..UsageAmounts::default() };
    let found = all_usage(world, &bot);
    assert_eq!(found.iter().map(|usage| usage.amounts).collect::<Vec<_>>(), [amounts; 3]);
}

pub(crate) fn usage_of_a_batch_adds_up(store: Arc<dyn Store>) {
    let on = Installation::new(store);
    let (world, bot) = (&on.world, on.world.stored_bot("bot"));
    let some =
        [("2026-02-01", "m"), ("2026-01-31", " m "), ("2026-01-31", "a"), ("2026-01-31", "m")];
    for _ in 0..2 {
        let records = some.map(|(day, model)| valid(usage(day, model, 1)));
        assert_eq!(record(&on, &bot, records.to_vec()), Ok(()));
    }
    let found = all_usage(world, &bot);
    let stored: Vec<_> = found
        .iter()
        .map(|usage| (usage.of.day.to_string(), usage.of.model.as_str(), usage.amounts.requests))
        .collect();
    let expected = [("2026-01-31", "a", 2), ("2026-01-31", "m", 4), ("2026-02-01", "m", 2)];
    assert_eq!(stored, expected.map(|(day, model, requests)| (day.to_owned(), model, requests)));
}

pub(crate) fn feedback_need_not_be_of_a_known_user(store: Arc<dyn Store>) {
    let on = Installation::new(store);
    let (world, bot) = (&on.world, on.world.stored_bot("bot"));
    let deleted = deleted_user(world, &bot);
    let foreign = stored_user(world, &world.stored_bot("neighbour"), "f");
    let of = [None, Some("u"), Some(&*deleted.id.to_string()), Some(&*foreign.id.to_string())]
        .map(|user| user.map(str::to_owned));
    let records = of.iter().map(|user| valid(feedback("m", user.clone()))).collect();
    assert_eq!(record(&on, &bot, records), Ok(()));
    let found = all_feedback(world, &bot);
    assert!(found.iter().all(|entry| entry.guest_id.is_none()));
    assert_eq!(found.into_iter().map(|entry| entry.user_id).collect::<Vec<_>>(), of);
}

pub(crate) fn entries_are_recorded_for_bots_and_projects(store: Arc<dyn Store>) {
    let on = Installation::new(store);
    let (world, bot) = (&on.world, on.world.stored_bot("bot"));
    let of_bot = vec![valid(entry("!b", "1")), valid(entry("a", "{}")), valid(entry("!b", "2"))];
    assert_eq!(record(&on, &bot, of_bot), Ok(()));
    let (claim, recorder) = (world.claim_on_project(), &on.botyard.recorder);
    let of_project = [entry("!p", "[1.0]"), entry("a", "null")];
    let of_project = of_project.iter().map(|entry| on.valid(entry)).collect();
    assert_eq!(wait(recorder.record_entries(&claim, of_project)), Ok(()));
    let stored = |claim| entries(&on, &claim);
    let expected = |some: [(&str, &str); 2]| some.map(|(key, value)| (key.into(), value.into()));
    assert_eq!(stored(OwnerClaim::Bot(world.claim(&bot))), expected([("!b", "2"), ("a", "{}")]));
    let in_project = expected([("!p", "[1.0]"), ("a", "null")]);
    assert_eq!(stored(OwnerClaim::Project(claim)), in_project);
}

pub(crate) fn nothing_is_recorded_of_a_bot_that_is_gone(store: Arc<dyn Store>) {
    let on = Installation::new(store);
    let (world, bot) = (&on.world, on.world.stored_bot("bot"));
    let user = stored_user(world, &bot, "g");
    let claim = world.claim(&bot);
    wait(on.botyard.bots.delete(&claim, DeleteMode::Archive)).unwrap();
    let gone = Err(DomainError::NotFound(Resource::Bot));
    assert_eq!(record(&on, &bot, one_of_each(&user)), gone);
    assert_eq!(record(&on, &bot, vec![]), gone);
    let claimed = || wait(on.botyard.bots.claim(OPERATOR, bot.id)).map(|_| ());
    let archived = "the bot is archived: restore it first".to_owned();
    assert_eq!(claimed(), Err(DomainError::Refused(archived)));
    wait(on.botyard.bots.restore(OPERATOR, bot.id)).unwrap();
    assert_eq!(claimed(), Ok(()));
    assert_eq!(all_users(world, &bot), [user]);
}
