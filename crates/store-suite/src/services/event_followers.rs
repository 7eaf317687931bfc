//! Readers that follow events, each at its own place.

use std::ops::Range;
use std::sync::Arc;

use crate::services::installation::Installation;
use crate::world::wait;
use domain::access::OwnerClaim;
use domain::bot::{Bot, DeleteMode};
use domain::error::DomainError;
use domain::event::{EventFilter, EventFollower, EventTypes, EventsFrom};
use domain::store::Store;

const ALL: &str = "*";

impl Installation {
    fn follow(
        &self,
        claim: impl Into<OwnerClaim>,
        types: &str,
        from: EventsFrom,
    ) -> Result<EventFollower, DomainError> {
        let filter = EventFilter { types: EventTypes::parse(types).unwrap(), bot_id: None };
        wait(self.botyard.events.follow(claim, filter, from))
    }

    /// The numbers of the next events, up to this number.
    fn read_up_to(&self, follower: &mut EventFollower, last: u64) -> Vec<u64> {
        let mut numbers = Vec::new();
        while follower.cursor() < last {
            let followed = wait(self.botyard.events.next(follower)).unwrap();
            numbers.extend(followed.events.iter().map(|shared| shared.event().number));
            if !followed.has_more && follower.cursor() < last {
                wait(follower.changed());
            }
        }
        numbers
    }

    /// Has an event with a bot happen for each of these numbers.
    fn make(&self, bot: &Bot, numbers: Range<u32>) {
        for number in numbers {
            let skill = format!(r#"{{"name":"s{number}"}}"#);
            self.create_skill(&self.world.claim(bot), &skill).unwrap();
        }
    }
}

pub(crate) fn each_follower_gets_each_event_once(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let (bot, other) = (world.stored_bot("bot"), world.stored_bot("other"));
    let follow = |types, from| installation.follow(world.claim_on_project(), types, from).unwrap();
    let mut from_now_on = follow(ALL, EventsFrom::Latest);
    let mut of_none = follow("stage.*", EventsFrom::Latest);
    installation.make(&bot, 0..3);
    assert_eq!(installation.read_up_to(&mut from_now_on, 3), [1, 2, 3]);
    // More than are read at once, for those who follow closely and those who begin behind them.
    installation.make(&bot, 3..253);
    let all: Vec<_> = (1..=253).collect();
    assert_eq!(installation.read_up_to(&mut from_now_on, 253), all[3..]);
    let mut from_oldest = follow(ALL, EventsFrom::Oldest);
    let mut from_middle = follow(ALL, EventsFrom::After(100));
    assert_eq!(installation.read_up_to(&mut from_middle, 253), all[100..]);
    assert_eq!(installation.read_up_to(&mut from_oldest, 253), all);
    assert_eq!(installation.read_up_to(&mut of_none, 253), [0; 0]);
    // A bot's follower gets events of its bot alone, also what others have read for it.
    let of_bot =
        |bot: &Bot| installation.follow(world.claim(bot), ALL, EventsFrom::Latest).unwrap();
    let (mut of_bot, mut of_other) = (of_bot(&bot), of_bot(&other));
    installation.make(&bot, 253..254);
    installation.make(&other, 0..1);
    assert_eq!(installation.read_up_to(&mut from_now_on, 255), [254, 255]);
    assert_eq!(installation.read_up_to(&mut of_bot, 255), [254]);
    assert_eq!(installation.read_up_to(&mut of_other, 255), [255]);
    assert_eq!(installation.read_up_to(&mut of_none, 255), [0; 0]);
    let next = wait(installation.botyard.events.next(&mut of_bot)).unwrap();
    assert!(next.events.is_empty() && !next.has_more);
}

pub(crate) fn a_follower_begins_where_there_is_something_to_follow(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let bot = world.stored_bot("bot");
    installation.make(&bot, 0..1);
    let mut first = installation.follow(world.claim(&bot), ALL, EventsFrom::Oldest).unwrap();
    assert_eq!(installation.read_up_to(&mut first, 1), [1]);
    let late = installation.follow(world.claim_on_project(), ALL, EventsFrom::After(2));
    assert!(matches!(late, Err(DomainError::CursorExpired(0))));
    let check = || wait(installation.botyard.events.check_followed(&world.claim(&bot).into()));
    assert_eq!(check(), Ok(()));
    wait(installation.botyard.bots.delete(&world.claim(&bot), DeleteMode::Archive)).unwrap();
    assert!(matches!(check(), Err(DomainError::NotFound(_))));
    let gone = installation.follow(world.claim(&bot), ALL, EventsFrom::Latest);
    assert!(matches!(gone, Err(DomainError::NotFound(_))));
}
