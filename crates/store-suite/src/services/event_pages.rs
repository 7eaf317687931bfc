//! How events are read, page by page, and how long they are kept.

use std::sync::Arc;
use std::time::Duration;

use crate::contract::events::{all_events, scope_of};
use crate::services::installation::Installation;
use crate::world::{OPERATOR, wait};
use domain::Limits;
use domain::error::DomainError;
use domain::event::{EventFilter, EventPage, EventTypes, EventsFrom};
use domain::store::Store;

impl Installation {
    pub fn page(
        &self,
        filter: EventFilter,
        from: EventsFrom,
        limit: u32,
    ) -> Result<EventPage, DomainError> {
        let claim = self.world.claim_on_project();
        wait(self.botyard.events.page(&claim, filter, from, limit))
    }
}

pub(crate) fn events_are_read_from_a_cursor_on(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let bots = [world.stored_bot("one"), world.stored_bot("two")];
    let nothing = installation.page(EventFilter::default(), EventsFrom::Latest, 5).unwrap();
    assert_eq!(nothing, EventPage::default());
    let oldest = installation.page(EventFilter::default(), EventsFrom::Oldest, 5).unwrap();
    assert_eq!(oldest, EventPage::default());
    for number in 0..6 {
        let bot = &bots[number % 2];
        let skill = format!(r#"{{"name":"{number}"}}"#);
        installation.create_skill(&world.claim(bot), &skill).unwrap();
    }
    all_events(world, &world.project, 6);
    let numbers = |filter, from, limit| {
        let page = installation.page(filter, from, limit).unwrap();
        let numbers: Vec<_> = page.events.iter().map(|found| found.number).collect();
        (numbers, page.read_through, page.has_more)
    };
    let all = EventFilter::default();
    for (from, limit, expected) in [
        (EventsFrom::Latest, 2, (vec![5, 6], 6, false)),
        (EventsFrom::Latest, 9, (vec![1, 2, 3, 4, 5, 6], 6, false)),
        (EventsFrom::Oldest, 2, (vec![1, 2], 2, true)),
        (EventsFrom::Oldest, 6, (vec![1, 2, 3, 4, 5, 6], 6, false)),
        (EventsFrom::After(4), 1, (vec![5], 5, true)),
        (EventsFrom::After(4), 2, (vec![5, 6], 6, false)),
        (EventsFrom::After(6), 2, (vec![], 6, false)),
    ] {
        assert_eq!(numbers(all, from, limit), expected, "{from:?} {limit}");
    }
    let of_two = EventFilter { bot_id: Some(bots[1].id), ..all };
    assert_eq!(numbers(of_two, EventsFrom::Latest, 2), (vec![4, 6], 6, false));
    assert_eq!(numbers(of_two, EventsFrom::Oldest, 2), (vec![2, 4], 4, true));
    let none = EventFilter { types: EventTypes::parse("bot.*").unwrap(), ..all };
    assert_eq!(numbers(none, EventsFrom::After(2), 2), (vec![], 6, false));
    for bot in [world.bot("gone"), world.bot_of(&world.other_project())] {
        let foreign = EventFilter { bot_id: Some(bot.id), ..all };
        let refused = installation.page(foreign, EventsFrom::Latest, 1);
        assert!(matches!(refused, Err(DomainError::Invalid(_))));
    }
    for number in [7, u64::MAX] {
        let refused = installation.page(all, EventsFrom::After(number), 1);
        assert_eq!(refused, Err(DomainError::CursorExpired(0)), "{number}");
    }
    // A bot's reader sees what happened to the bot, whatever the filter says.
    let events = &installation.botyard.events;
    let foreign = EventFilter { bot_id: Some(bots[1].id), ..all };
    let page = wait(events.page_of_bot(&world.claim(&bots[0]), foreign, EventsFrom::Oldest, 9));
    let numbers: Vec<_> = page.unwrap().events.iter().map(|found| found.number).collect();
    assert_eq!(numbers, [1, 3, 5]);
    assert_eq!(scope_of(&world.project).project_id(), world.project.id);
}

pub(crate) fn old_events_are_removed_and_their_cursors_expire(store: Arc<dyn Store>) {
    let limits = Limits {
        events_keep: Duration::from_secs(100),
        events_per_project: 4,
        ..Limits::default()
    };
    let installation = Installation::with(store, limits);
    let world = &installation.world;
    let bot = world.stored_bot("bot");
    let trim = || wait(installation.botyard.events.trim(OPERATOR)).unwrap();
    for second in 0..6 {
        installation.wait_until(Duration::from_secs(second * 30));
        let skill = format!(r#"{{"name":"{second}"}}"#);
        installation.create_skill(&world.claim(&bot), &skill).unwrap();
    }
    all_events(world, &world.project, 6);
    // It is 150 seconds later: two are surplus, of which one is old as well.
    trim();
    let all = EventFilter::default();
    let page = |from| installation.page(all, from, 9);
    let numbers =
        |page: EventPage| page.events.iter().map(|found| found.number).collect::<Vec<_>>();
    assert_eq!(numbers(page(EventsFrom::Oldest).unwrap()), [3, 4, 5, 6]);
    assert_eq!(page(EventsFrom::After(1)), Err(DomainError::CursorExpired(2)));
    assert_eq!(numbers(page(EventsFrom::After(2)).unwrap()), [3, 4, 5, 6]);
    // Nothing new has happened since, so the project has to be found.
    installation.wait_until(Duration::from_secs(1_000));
    assert_eq!(trim(), 0);
    wait(installation.botyard.events.mark_all_for_trim(OPERATOR)).unwrap();
    trim();
    assert_eq!(numbers(page(EventsFrom::Oldest).unwrap()), [6]);
    assert_eq!(page(EventsFrom::After(4)), Err(DomainError::CursorExpired(5)));
    installation.create_skill(&world.claim(&bot), r#"{"name":"s"}"#).unwrap();
    all_events(world, &world.project, 7);
    assert_eq!(numbers(page(EventsFrom::After(6)).unwrap()), [7]);
}
