//! Units of work: all or nothing, and as if one after the other.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::world::{OPERATOR, World, at, together, wait};
use domain::access::{BotClaim, TokenOwner};
use domain::bot::{Bot, BotState};
use domain::error::{DomainError, Quota, Resource, StorageError};
use domain::lock::Lock;
use domain::store::{Repositories, Store};
use domain::testing::{ResolveClaim as _, RunUnits as _};

const REFUSED: DomainError = DomainError::NotFound(Resource::Token);

/// Adds one to a number that is kept in the bot's configuration.
fn count_up(tx: &mut dyn Repositories, claim: &BotClaim) -> Result<u64, DomainError> {
    let (mut bot, scope) = claim.resolve(tx, Lock::Exclusive)?;
    let count = bot.config.active_doc_search_count.unwrap_or(0) + 1;
    bot.config.active_doc_search_count = Some(count);
    tx.update_bot(&scope, &bot.config.name, (&bot.config, None), bot.updated_at)?;
    Ok(count)
}

fn count_of(world: &World, bot: &Bot) -> u64 {
    world.find(bot).unwrap().config.active_doc_search_count.unwrap_or(0)
}

pub(crate) fn an_error_undoes_the_unit(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, new) = (world.stored_bot("bot"), world.bot("new"));
    let token = world.token(TokenOwner::Bot(bot.id));
    let (claim, project) = (world.claim(&bot), world.claim_on_project());
    let (inserted, minted) = (new.clone(), token.clone());
    let refused = world.try_write(move |tx| -> Result<(), _> {
        count_up(tx, &claim)?;
        let (_, scope) = project.resolve(tx, Lock::Exclusive)?;
        tx.insert_bot(&scope, &inserted, None)?;
        tx.insert_token(OPERATOR, &minted)?;
        Err(REFUSED)
    });
    assert_eq!(refused, Err(REFUSED));
    assert_eq!(world.find(&bot), Some(bot.clone()));
    assert_eq!(world.find(&new), None);
    assert_eq!(world.tokens_of(&bot), []);
}

pub(crate) fn a_unit_sees_its_own_changes(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let claim = world.claim(&bot);
    let seen = world.write(move |tx| {
        count_up(tx, &claim)?;
        count_up(tx, &claim)?;
        let (bot, scope) = claim.resolve(tx, Lock::None)?;
        tx.set_bot_state(&scope, BotState::Trashed, bot.updated_at)?;
        let gone = tx.live_bot(&claim, Lock::None)?.is_none();
        Ok((bot.config.active_doc_search_count, gone))
    });
    assert_eq!(seen, (Some(2), true));
}

pub(crate) fn failing_and_panicking_units_do_not_affect_other_units(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bots: Vec<_> = (0..60).map(|_| world.stored_bot("bot")).collect();
    // All at once, so that they share transactions where the store lets units share them.
    let answers = together(bots.len(), |number| {
        let claim = world.claim(&bots[number]);
        world.try_write(move |tx| {
            let count = count_up(tx, &claim)?;
            match number % 3 {
                0 => Ok(count),
                1 => Err(REFUSED),
                _ => panic!("unit {number} panics on purpose"),
            }
        })
    });
    for (number, answer) in answers.into_iter().enumerate() {
        let counted = count_of(&world, &bots[number]);
        match number % 3 {
            0 => assert_eq!((answer, counted), (Ok(1), 1)),
            1 => assert_eq!((answer, counted), (Err(REFUSED), 0)),
            _ => {
                let text = format!("unit {number} panics on purpose");
                let expected = DomainError::Storage(StorageError::Panicked(text));
                assert_eq!((answer, counted), (Err(expected), 0));
            }
        }
    }
    // A panic in a reading unit ends nothing either.
    let answer: Result<(), _> = wait(world.store.read(|_| panic!("on purpose")));
    assert_eq!(answer, Err(StorageError::Panicked("on purpose".to_owned()).into()));
    let claim = world.claim(&bots[0]);
    assert_eq!(world.write(move |tx| count_up(tx, &claim)), 2);
}

pub(crate) fn a_failure_that_the_unit_swallows_is_never_half_kept(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let orphan = world.token(TokenOwner::Bot(world.bot("missing").id));
    let claim = world.claim(&bot);
    let answer = world.try_write(move |tx| {
        count_up(tx, &claim)?;
        let failed = tx.insert_token(OPERATOR, &orphan);
        assert!(failed.is_err());
        Ok(())
    });
    assert_eq!(u64::from(answer.is_ok()), count_of(&world, &bot));
}

pub(crate) fn a_reading_unit_changes_nothing(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let claim = world.claim(&bot);
    let refused = wait(world.store.read(move |tx| count_up(tx, &claim)));
    assert!(refused.is_err(), "{refused:?}");
    assert_eq!(count_of(&world, &bot), 0);
    // The connection that refused it still works.
    for _ in 0..20 {
        assert_eq!(world.find(&bot), Some(bot.clone()));
    }
}

pub(crate) fn counting_under_an_exclusive_lock_loses_nothing(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let mut counts = together(50, |_| {
        let claim = world.claim(&bot);
        world.write(move |tx| count_up(tx, &claim))
    });
    counts.sort_unstable();
    assert_eq!(counts, (1..=50).collect::<Vec<_>>());
    assert_eq!(count_of(&world, &bot), 50);
}

pub(crate) fn concurrent_inserts_do_not_exceed_a_quota(store: Arc<dyn Store>) {
    const QUOTA: u64 = 5;
    let world = World::new(store);
    for _ in 1..QUOTA {
        world.stored_bot("one of four");
    }
    let full = DomainError::QuotaExceeded(Quota::BotsPerProject(QUOTA));
    let answers = together(8, |_| {
        let (claim, bot, full) = (world.claim_on_project(), world.bot("fifth"), full.clone());
        world.try_write(move |tx| {
            let (_, scope) = claim.resolve(tx, Lock::Exclusive)?;
            if tx.count_bots(&scope)? >= QUOTA {
                return Err(full.clone());
            }
            Ok(tx.insert_bot(&scope, &bot, None)?)
        })
    });
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1);
    assert_eq!(answers.iter().filter(|answer| **answer == Err(full.clone())).count(), 7);
    let claim = world.claim_on_project();
    let count = world.read(move |tx| {
        let (_, scope) = claim.resolve(tx, Lock::None)?;
        Ok(tx.count_bots(&scope)?)
    });
    assert_eq!(count, QUOTA);
}

/// Units that hold a bot add to it; one that removes it must come before or after each of them as a
/// whole: no token is ever left behind, and none is refused by the database.
pub(crate) fn a_shared_lock_keeps_a_bot_in_place(store: Arc<dyn Store>) {
    let world = World::new(store);
    for _ in 0..5 {
        let bot = world.stored_bot("bot");
        let answers = together(9, |number| {
            let (claim, token) = (world.claim(&bot), world.token(TokenOwner::Bot(bot.id)));
            world.try_write(move |tx| {
                if number == 4 {
                    let (_, scope) = claim.resolve(tx, Lock::Exclusive)?;
                    tx.remove_tokens_of_bot(&scope, 100)?;
                    return Ok(tx.remove_deleted_bot(&scope).map(drop)?);
                }
                claim.resolve(tx, Lock::Shared)?;
                Ok(tx.insert_token(OPERATOR, &token)?)
            })
        });
        for answer in answers {
            let gone = Err(DomainError::NotFound(Resource::Bot));
            assert!(answer == Ok(()) || answer == gone, "{answer:?}");
        }
        assert_eq!(world.summary(&bot), None);
        assert_eq!(world.tokens_of(&bot), []);
    }
}

pub(crate) fn units_that_lock_crosswise_end_all_the_same(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bots = ["a", "b"].map(|name| world.stored_bot(name));
    let answers = together(4, |number| {
        let mut done = 0;
        for _ in 0..5 {
            let mut claims = [world.claim(&bots[0]), world.claim(&bots[1])];
            if number % 2 == 0 {
                claims.reverse();
            }
            let answer = world.try_write(move |tx| {
                count_up(tx, &claims[0])?;
                count_up(tx, &claims[1])
            });
            match answer {
                Ok(_) => done += 1,
                Err(DomainError::Storage(StorageError::Contended(_))) => {}
                Err(error) => panic!("{error}"),
            }
        }
        done
    });
    let done: u64 = answers.into_iter().sum();
    assert!(done > 0);
    assert_eq!((count_of(&world, &bots[0]), count_of(&world, &bots[1])), (done, done));
}

pub(crate) fn readers_never_see_half_a_unit(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bots = ["a", "b"].map(|name| world.stored_bot(name));
    let done = AtomicBool::new(false);
    let reads = together(5, |number| {
        let mut reads = 0;
        if number == 0 {
            for _ in 0..100 {
                let claims = [world.claim(&bots[0]), world.claim(&bots[1])];
                world.write(move |tx| {
                    count_up(tx, &claims[0])?;
                    count_up(tx, &claims[1])
                });
            }
            done.store(true, Ordering::SeqCst);
            return 0;
        }
        let mut latest = 0;
        while !done.load(Ordering::SeqCst) {
            let claims = [world.claim(&bots[0]), world.claim(&bots[1])];
            let counts = world.read(move |tx| {
                let mut count = |index: usize| {
                    let bot = tx.live_bot(&claims[index], Lock::None)?.unwrap();
                    Ok::<_, DomainError>(bot.config.active_doc_search_count.unwrap_or(0))
                };
                // The one that is written last is read first, which is when a gap would show.
                Ok((count(1)?, count(0)?))
            });
            assert_eq!(counts.0, counts.1);
            assert!(counts.0 >= latest, "a reader went back in time");
            latest = counts.0;
            reads += 1;
        }
        reads
    });
    assert!(reads.iter().sum::<u64>() > 0);
    assert_eq!(count_of(&world, &bots[0]), 100);
}

pub(crate) fn a_reading_unit_sees_one_state(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    together(2, |number| {
        for _ in 0..20 {
            let claim = world.claim(&bot);
            if number == 0 {
                world.write(move |tx| count_up(tx, &claim));
                continue;
            }
            let seen = world.read(move |tx| {
                let mut seen = Vec::new();
                for _ in 0..30 {
                    let (bot, _) = claim.resolve(tx, Lock::None)?;
                    seen.push(bot.config.active_doc_search_count);
                }
                seen.dedup();
                Ok(seen)
            });
            assert_eq!(seen.len(), 1, "{seen:?}");
        }
    });
}

pub(crate) fn the_store_says_that_it_works(store: Arc<dyn Store>) {
    let world = World::new(store);
    assert_eq!(wait(world.store.check()), Ok(()));
    let bot = world.stored_bot("bot");
    assert_eq!(bot.created_at, at(3));
}
