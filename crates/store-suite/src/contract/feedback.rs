//! Message feedback.

use std::sync::Arc;

use crate::contract::users::{delete, stored_user};
use crate::world::{World, at, in_pages};
use domain::access::BotScope;
use domain::bot::Bot;
use domain::clock::{TimeCursor, TimeRange};
use domain::feedback::{Feedback, FeedbackFilter, FeedbackOrder, Rating};
use domain::id::FeedbackId;
use domain::store::Store;

/// Feedback of an unknown user, not stored.
pub(crate) fn feedback(world: &World, bot: &Bot, time: i64) -> Feedback {
    Feedback {
        id: FeedbackId::from_uuid(world.id()),
        bot_id: bot.id,
        message_id: "message".to_owned(),
        user_id: None,
        guest_id: None,
        rating: Rating::Up,
        comment: None,
        question: None,
        answer: None,
        created_at: at(time),
    }
}

pub(crate) fn store_feedback(world: &World, feedback: &Feedback, bot: &Bot) {
    let (scope, feedback) = (world.scope(bot), feedback.clone());
    world.write(move |tx| Ok(tx.insert_feedback(&scope, &feedback)?));
}

fn page(world: &World, scope: &BotScope, after: Option<&Feedback>, limit: u32) -> Vec<Feedback> {
    let scope = scope.clone();
    let after = after.map(|feedback| TimeCursor { at: feedback.created_at, id: feedback.id });
    world.read(move |tx| {
        let (all, order) = (FeedbackFilter::default(), FeedbackOrder::OldestFirst);
        Ok(tx.feedback(&scope, all, order, after, limit)?.into_items())
    })
}

pub(crate) fn all_feedback(world: &World, bot: &Bot) -> Vec<Feedback> {
    page(world, &world.scope(bot), None, 10_000)
}

pub(crate) fn feedback_comes_back_as_it_was(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let text = |text: &str| Some(text.to_owned());
    let full = Feedback {
        message_id: "m".repeat(256),
        user_id: text("no identifier"),
        guest_id: text("Zoë 🤖"),
        rating: Rating::Down,
        comment: text(""),
        question: text("\"why\" \\ 'not'\r\n\u{202e}\u{7f}"),
        answer: text(&"ß".repeat(100_000)),
        ..feedback(&world, &bot, 1)
    };
    // The same message may be rated again.
    let again = Feedback { rating: Rating::None, ..feedback(&world, &bot, 1) };
    let stored = [full, feedback(&world, &bot, 1), again];
    for feedback in &stored {
        store_feedback(&world, feedback, &bot);
    }
    let mut expected = stored.to_vec();
    expected.sort_by_key(|feedback| feedback.id);
    assert_eq!(all_feedback(&world, &bot), expected);
}

pub(crate) fn feedback_is_found_by_rating_and_time(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let ratings = [Rating::Up, Rating::Down, Rating::None];
    let stored: Vec<_> = (0..12)
        .map(|number| {
            let rating = ratings[number % 3];
            Feedback { rating, ..feedback(&world, &bot, number as i64 / 2) }
        })
        .collect();
    for feedback in &stored {
        store_feedback(&world, feedback, &bot);
    }
    let found = |filter: FeedbackFilter, order, after: Option<&Feedback>, limit| {
        let scope = world.scope(&bot);
        let after = after.map(|feedback| TimeCursor { at: feedback.created_at, id: feedback.id });
        world.read(move |tx| Ok(tx.feedback(&scope, filter, order, after, limit)?.into_items()))
    };
    for rating in ratings.map(Some).into_iter().chain([None]) {
        for (from, to) in
            [(None, None), (Some(1), None), (None, Some(4)), (Some(2), Some(3)), (Some(9), None)]
        {
            let times = TimeRange { from: from.map(at), to: to.map(at) };
            let filter = FeedbackFilter { rating, times };
            let mut wanted = stored.clone();
            wanted.retain(|feedback| {
                rating.is_none_or(|rating| feedback.rating == rating)
                    && times.from.is_none_or(|from| feedback.created_at >= from)
                    && times.to.is_none_or(|to| feedback.created_at <= to)
            });
            wanted.sort_by_key(|feedback| (feedback.created_at, feedback.id));
            for order in [FeedbackOrder::OldestFirst, FeedbackOrder::NewestFirst] {
                assert_eq!(found(filter, order, None, 99), wanted, "{filter:?}, {order:?}");
                let paged = in_pages(2, |after, limit| found(filter, order, after, limit));
                assert_eq!(paged, wanted, "{filter:?}, {order:?}");
                wanted.reverse();
            }
            for most in [1, 99] {
                let scope = world.scope(&bot);
                let count = world.read(move |tx| Ok(tx.count_feedback(&scope, filter, most)?));
                assert_eq!(count as usize, wanted.len().min(most as usize), "{filter:?}");
            }
        }
    }
}

pub(crate) fn feedback_is_paged_oldest_first(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let scope = world.scope(&bot);
    let mut stored = [3, 1, 2, 2, 2, 3, 1, -1, 2].map(|time| feedback(&world, &bot, time)).to_vec();
    for index in [4, 0, 8, 2, 6, 1, 7, 3, 5] {
        store_feedback(&world, &stored[index], &bot);
    }
    store_feedback(&world, &feedback(&world, &neighbour, 2), &neighbour);
    stored.sort_by_key(|feedback| (feedback.created_at, feedback.id));
    assert_eq!(all_feedback(&world, &bot), stored);
    let page = |after: Option<&_>, limit| page(&world, &scope, after, limit);
    for size in 1..=9 {
        assert_eq!(in_pages(size, page), stored, "pages of {size}");
    }
}

pub(crate) fn feedback_outlives_its_user(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let scope = world.scope(&bot);
    let user = stored_user(&world, &bot, "guest");
    let of_user = Feedback {
        user_id: Some(user.id.to_string()),
        guest_id: Some(user.guest_id),
        ..feedback(&world, &bot, 1)
    };
    store_feedback(&world, &of_user, &bot);
    delete(&world, &scope, &[user.id], at(7));
    world.write(move |tx| Ok(tx.remove_deleted_user(&scope, user.id)?));
    assert_eq!(all_feedback(&world, &bot), [of_user]);
}

pub(crate) fn feedback_of_another_bot_is_out_of_reach(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let stored = feedback(&world, &bot, 1);
    store_feedback(&world, &stored, &bot);
    // The neighbour, and this very bot as if it lay in another project.
    for foreign in [world.scope(&neighbour), world.forged_scope(&bot, &world.other_project())] {
        assert_eq!(page(&world, &foreign, None, 9), []);
        let removal = foreign.clone();
        assert_eq!(world.write(move |tx| Ok(tx.remove_feedback(&removal, 9)?)), 0);
        let more = feedback(&world, &bot, 2);
        assert!(world.try_write(move |tx| Ok(tx.insert_feedback(&foreign, &more)?)).is_err());
    }
    assert_eq!(all_feedback(&world, &bot), [stored]);
}

pub(crate) fn feedback_is_removed_bit_by_bit(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    for _ in 0..5 {
        store_feedback(&world, &feedback(&world, &bot, 1), &bot);
    }
    store_feedback(&world, &feedback(&world, &neighbour, 1), &neighbour);
    for (removed, left) in [(2, 3), (2, 1), (1, 0), (0, 0)] {
        let scope = world.scope(&bot);
        assert_eq!(world.write(move |tx| Ok(tx.remove_feedback(&scope, 2)?)), removed);
        assert_eq!(all_feedback(&world, &bot).len(), left);
    }
    assert_eq!(all_feedback(&world, &neighbour).len(), 1);
}
