//! Lists of large rows: each read returns what fits into memory.

use std::sync::Arc;

use crate::contract::feedback::{feedback, store_feedback};
use crate::contract::history::{item, store_item};
use crate::contract::skills::{skill, store_skill};
use crate::contract::users::{store_user, stored_user, user};
use crate::contract::visual_blocks::{block, put_block};
use crate::samples::fusion_views::{store_view, view};
use crate::world::World;
use domain::batch::Batch;
use domain::bot::Bot;
use domain::clock::TimeCursor;
use domain::error::DomainError;
use domain::feedback::{Feedback, FeedbackFilter, FeedbackOrder};
use domain::history::HistoryItem;
use domain::json::Json;
use domain::lock::Lock;
use domain::store::{Repositories, Store};
use domain::testing::ResolveClaim as _;
use domain::user::User;

/// Bytes of the rows that are stored, in the order of their list.
const SIZES: [usize; 7] = [300 << 10, 300 << 10, 300 << 10, 300 << 10, 1536 << 10, 10, 10];
/// How many of them come at once.
const COUNTS: [usize; 4] = [3, 1, 1, 2];

fn text(size: usize) -> String {
    "x".repeat(size)
}

/// Reads a list to its end, and checks how many items came each time.
#[track_caller]
fn check<T: Send + 'static, K: Clone + Send + 'static>(
    world: &World,
    what: &str,
    read: impl Fn(&mut dyn Repositories, Option<K>) -> Result<Batch<T>, DomainError>
    + Clone
    + Send
    + 'static,
    key: impl Fn(&T) -> K,
) {
    let (mut counts, mut after) = (Vec::new(), None);
    loop {
        let (read, from) = (read.clone(), after.clone());
        let batch = world.read(move |tx| read(tx, from.clone()));
        counts.push(batch.len());
        after = batch.last().map(&key);
        if batch.is_last() {
            break;
        }
    }
    assert_eq!(counts, COUNTS, "{what}");
}

pub(crate) fn large_rows_come_few_at_a_time(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let scope = world.scope(&bot);
    for size in SIZES {
        let mut skill = skill(&world, &bot, &world.id().to_string());
        skill.fields.content = Some(text(size));
        store_skill(&world, &skill, &bot);
        let mut block = block(&world, &bot, &world.id().to_string());
        block.content = Json::of(&text(size));
        put_block(&world, &block, &bot);
        let mut view = view(&world, &bot);
        view.metadata = serde_json::from_str(&format!(r#"{{"a":"{}"}}"#, text(size))).unwrap();
        store_view(&world, &view, &bot);
    }
    let of = scope.clone();
    check(&world, "skills", move |tx, after| Ok(tx.skills(&of, after, 500)?), |skill| skill.id);
    let of = scope.clone();
    let blocks = move |tx: &mut dyn Repositories, after| Ok(tx.visual_blocks(&of, after, 500)?);
    check(&world, "visual blocks", blocks, |block| block.id);
    let views = move |tx: &mut dyn Repositories, after| Ok(tx.fusion_views(&scope, after, 500)?);
    check(&world, "Fusion-Views", views, |view| view.id);
}

pub(crate) fn large_rows_of_conversations_come_few_at_a_time(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, of_users) = (world.stored_bot("bot"), world.stored_bot("users"));
    let scope = world.scope(&bot);
    let owner = stored_user(&world, &bot, "user");
    for (time, size) in (0..).zip(SIZES) {
        let item = HistoryItem { text: text(size), ..item(&world, &owner, time) };
        store_item(&world, &item, &bot);
        let feedback = Feedback { answer: Some(text(size)), ..feedback(&world, &bot, time) };
        store_feedback(&world, &feedback, &bot);
        let fields = serde_json::from_str(&format!(r#"{{"a":"{}"}}"#, text(size))).unwrap();
        let guest = world.id().to_string();
        assert!(store_user(&world, &User { fields, ..user(&world, &of_users, &guest) }, &of_users));
    }
    let (of, user) = (scope.clone(), owner.id);
    let items = move |tx: &mut dyn Repositories, after| Ok(tx.chat_items(&of, user, after, 500)?);
    check(&world, "items of a chat", items, |item| TimeCursor { at: item.created_at, id: item.id });
    let all = FeedbackFilter::default();
    let feedback = move |tx: &mut dyn Repositories, after| {
        Ok(tx.feedback(&scope, all, FeedbackOrder::OldestFirst, after, 500)?)
    };
    check(&world, "feedback", feedback, |item| TimeCursor { at: item.created_at, id: item.id });
    let of = world.scope(&of_users);
    let users = move |tx: &mut dyn Repositories, after| Ok(tx.users(&of, false, after, 500)?);
    check(&world, "users", users, |user| TimeCursor { at: user.created_at, id: user.id });
}

pub(crate) fn large_bots_come_few_at_a_time(store: Arc<dyn Store>) {
    let world = World::new(store);
    for size in SIZES {
        let mut bot = world.bot("bot");
        bot.config.bot_instruction = Some(text(size));
        world.store_bot(&bot);
    }
    let claim = world.claim_on_project();
    let bots = move |tx: &mut dyn Repositories, after| {
        let (_, scope) = claim.resolve(tx, Lock::None)?;
        Ok(tx.live_bots(&scope, after, 500)?)
    };
    check(&world, "bots", bots, |bot: &Bot| bot.id);
}
