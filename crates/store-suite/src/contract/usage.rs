//! Usage statistics.

use std::sync::Arc;

use crate::world::{World, in_pages, together};
use domain::access::BotScope;
use domain::bot::Bot;
use domain::id::UsageStatisticId;
use domain::store::Store;
use domain::usage::{Day, DayRange, UsageAmounts, UsageKey, UsageKind, UsageStatistic};

/// Where whole numbers stop.
const MOST: u64 = (1 << 53) - 1;

const AMOUNTS: UsageAmounts = UsageAmounts {
    requests: 1,
    input_tokens: 20,
    output_tokens: 300,
    characters: 4_000,
    seconds: 0.5,
    cost: 0.25,
};

/// Usage of one day and model, not stored.
pub(crate) fn usage(world: &World, bot: &Bot, day: &str, model: &str) -> UsageStatistic {
    UsageStatistic {
        id: UsageStatisticId::from_uuid(world.id()),
        bot_id: bot.id,
        of: UsageKey {
            day: Day::parse(day).unwrap(),
            kind: UsageKind::ChatCompletion,
            model: model.to_owned(),
        },
        amounts: AMOUNTS,
    }
}

fn add(world: &World, usage: &UsageStatistic, bot: &Bot) {
    let (scope, usage) = (world.scope(bot), usage.clone());
    world.write(move |tx| Ok(tx.add_usage(&scope, &usage)?));
}

fn page(
    world: &World,
    scope: &BotScope,
    days: DayRange,
    after: Option<&UsageStatistic>,
    limit: u32,
) -> Vec<UsageStatistic> {
    let (scope, after) = (scope.clone(), after.map(|usage| usage.of.clone()));
    world.read(move |tx| Ok(tx.usage(&scope, days, after.as_ref(), limit)?))
}

pub(crate) fn all_usage(world: &World, bot: &Bot) -> Vec<UsageStatistic> {
    page(world, &world.scope(bot), DayRange::default(), None, 10_000)
}

pub(crate) fn usage_adds_up_by_day_kind_and_model(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let base = usage(&world, &bot, "2026-02-28", "gpt");
    let [mut video, mut speech] = [&base; 2]
        .map(|of| UsageStatistic { id: UsageStatisticId::from_uuid(world.id()), ..of.clone() });
    video.of.kind = UsageKind::AvatarVideo;
    speech.of.kind = UsageKind::SpeechSynthesis;
    let longest = "ß🤖'\"\\%".repeat(33);
    let mut stored = vec![
        usage(&world, &bot, "1970-01-01", "gpt"),
        video,
        usage(&world, &bot, "2026-02-28", "GPT"),
        base,
        usage(&world, &bot, "2026-02-28", "gpt "),
        usage(&world, &bot, "2026-02-28", &longest),
        speech,
        usage(&world, &bot, "9999-12-31", "gpt"),
    ];
    for index in [3, 0, 7, 1, 5, 2, 6, 4] {
        add(&world, &stored[index], &bot);
    }
    let of_neighbour = usage(&world, &neighbour, "2026-02-28", "gpt");
    add(&world, &of_neighbour, &neighbour);
    assert_eq!(all_usage(&world, &bot), stored);

    let more = UsageStatistic {
        amounts: UsageAmounts { requests: 0, seconds: 0.0, cost: 1.5, ..AMOUNTS },
        ..usage(&world, &bot, "2026-02-28", "gpt")
    };
    add(&world, &more, &bot);
    stored[3].amounts = UsageAmounts {
        requests: 1,
        input_tokens: 40,
        output_tokens: 600,
        characters: 8_000,
        seconds: 0.5,
        cost: 1.75,
    };
    assert_eq!(all_usage(&world, &bot), stored, "it keeps its identifier");
    assert_eq!(all_usage(&world, &neighbour), [of_neighbour]);
}

pub(crate) fn whole_numbers_of_usage_stop_at_their_end(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let amounts = |requests, input_tokens, output_tokens, characters| UsageAmounts {
        requests,
        input_tokens,
        output_tokens,
        characters,
        seconds: 0.0,
        cost: 0.0,
    };
    let sums = [
        (amounts(MOST - 1, MOST, 0, u64::MAX), amounts(MOST - 1, MOST, 0, MOST)),
        (amounts(1, 0, MOST, 1), amounts(MOST, MOST, MOST, MOST)),
        (amounts(1, MOST, u64::MAX, 0), amounts(MOST, MOST, MOST, MOST)),
    ];
    for (added, sum) in sums {
        let usage = usage(&world, &bot, "2026-01-01", "gpt");
        add(&world, &UsageStatistic { amounts: added, ..usage }, &bot);
        let [stored] = &all_usage(&world, &bot)[..] else { panic!("more than one statistic") };
        assert_eq!(stored.amounts, sum);
    }
}

pub(crate) fn usage_added_at_once_is_all_counted(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    together(6, |number| {
        for round in 0..20 {
            let model = format!("model {}", (number + round) % 2);
            add(&world, &usage(&world, &bot, "2026-01-01", &model), &bot);
        }
    });
    let sum = UsageAmounts {
        requests: 60,
        input_tokens: 1_200,
        output_tokens: 18_000,
        characters: 240_000,
        seconds: 30.0,
        cost: 15.0,
    };
    let stored: Vec<_> = all_usage(&world, &bot).into_iter().map(|usage| usage.amounts).collect();
    assert_eq!(stored, [sum, sum]);
}

pub(crate) fn usage_is_paged_within_its_days(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let days = ["2025-12-31", "2026-01-01", "2026-01-02", "2026-01-10"];
    let mut stored = Vec::new();
    for day in days {
        for kind in [UsageKind::AvatarVideo, UsageKind::ChatCompletion] {
            for model in ["a", "b"] {
                let mut usage = usage(&world, &bot, day, model);
                usage.of.kind = kind;
                stored.push(usage);
            }
        }
    }
    for usage in stored.iter().rev() {
        add(&world, usage, &bot);
    }
    add(&world, &usage(&world, &neighbour, "2026-01-01", "a"), &neighbour);
    let scope = world.scope(&bot);
    let (first, last) = ("1970-01-01", "9999-12-31");
    let ends = days.into_iter().chain([first, last, "2026-01-05"]).map(Day::parse);
    let ends: Vec<_> = ends.chain([None]).collect();
    for from in &ends {
        for to in &ends {
            let days = DayRange { from: *from, to: *to };
            let is_within = |usage: &&UsageStatistic| {
                let day = usage.of.day;
                from.is_none_or(|from| from <= day) && to.is_none_or(|to| day <= to)
            };
            let expected: Vec<_> = stored.iter().filter(is_within).cloned().collect();
            assert_eq!(page(&world, &scope, days, None, 100), expected, "{days:?}");
            let page = |after: Option<&_>, limit| page(&world, &scope, days, after, limit);
            assert_eq!(in_pages(3, page), expected, "{days:?}");
            let scope = scope.clone();
            let count = world.read(move |tx| Ok(tx.count_usage(&scope, days, 99)?));
            assert_eq!(count as usize, expected.len(), "{days:?}");
        }
    }
    // A place before the first day is none, and one after the last day is the end.
    let days = DayRange { from: Day::parse("2026-01-01"), to: Day::parse("2026-01-02") };
    assert_eq!(page(&world, &scope, days, Some(&stored[1]), 100), stored[4..12]);
    assert_eq!(page(&world, &scope, days, Some(&stored[13]), 100), []);
}

pub(crate) fn usage_of_another_bot_is_out_of_reach(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let stored = usage(&world, &bot, "2026-01-01", "gpt");
    add(&world, &stored, &bot);
    // The neighbour, and this very bot as if it lay in another project.
    for foreign in [world.scope(&neighbour), world.forged_scope(&bot, &world.other_project())] {
        assert_eq!(page(&world, &foreign, DayRange::default(), None, 9), []);
        let removal = foreign.clone();
        assert_eq!(world.write(move |tx| Ok(tx.remove_usage(&removal, 9)?)), 0);
        let more = usage(&world, &bot, "2026-01-01", "gpt");
        assert!(world.try_write(move |tx| Ok(tx.add_usage(&foreign, &more)?)).is_err());
    }
    assert_eq!(all_usage(&world, &bot), [stored]);
}

pub(crate) fn usage_is_removed_bit_by_bit(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    for model in ["a", "b", "c", "d", "e"] {
        add(&world, &usage(&world, &bot, "2026-01-01", model), &bot);
    }
    add(&world, &usage(&world, &neighbour, "2026-01-01", "a"), &neighbour);
    for (removed, left) in [(2, 3), (2, 1), (1, 0), (0, 0)] {
        let scope = world.scope(&bot);
        assert_eq!(world.write(move |tx| Ok(tx.remove_usage(&scope, 2)?)), removed);
        assert_eq!(all_usage(&world, &bot).len(), left);
    }
    assert_eq!(all_usage(&world, &neighbour).len(), 1);
}
