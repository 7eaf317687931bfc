//! Visual blocks.

use std::sync::Arc;

use crate::world::{World, at};
use domain::bot::Bot;
use domain::id::VisualBlockId;
use domain::json::Json;
use domain::store::Store;
use domain::visual_block::VisualBlock;

/// A visual block, not stored.
pub(crate) fn block(world: &World, bot: &Bot, name: &str) -> VisualBlock {
    VisualBlock {
        id: VisualBlockId::from_uuid(world.id()),
        bot_id: bot.id,
        name: name.to_owned(),
        content: Json::parse_text(r#"{ "z" : 1.50, "a" : ["ü", null] }"#).unwrap(),
        created_at: at(1),
        updated_at: at(2),
    }
}

pub(crate) fn put_block(world: &World, block: &VisualBlock, bot: &Bot) {
    let (scope, block) = (world.scope(bot), block.clone());
    world.write(move |tx| Ok(tx.put_visual_block(&scope, &block)?));
}

pub(crate) fn all_blocks(world: &World, bot: &Bot) -> Vec<VisualBlock> {
    let scope = world.scope(bot);
    world.whole(move |tx, after| Ok(tx.visual_blocks(&scope, after, 10_000)?), |block| block.id)
}

pub(crate) fn a_block_replaces_the_one_of_its_name(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let names = ["ifthen_a", "Ifthen_a", "Zoë 🤖"];
    let mut blocks = names.map(|name| block(&world, &bot, name));
    for stored in &blocks {
        put_block(&world, stored, &bot);
    }
    let of_neighbour = block(&world, &neighbour, names[0]);
    put_block(&world, &of_neighbour, &neighbour);
    assert_eq!(all_blocks(&world, &bot), blocks);

    let mut again = block(&world, &bot, names[0]);
    again.content = Json::of(&"new");
    (again.created_at, again.updated_at) = (at(8), at(9));
    put_block(&world, &again, &bot);
    (blocks[0].content, blocks[0].updated_at) = (again.content, at(9));
    assert_eq!(all_blocks(&world, &bot), blocks);
    assert_eq!(all_blocks(&world, &neighbour), [of_neighbour]);
}

pub(crate) fn blocks_are_paged_oldest_first(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let blocks = ["c", "a", "b"].map(|name| block(&world, &bot, name));
    for index in [2, 0, 1] {
        put_block(&world, &blocks[index], &bot);
    }
    let page = |after: Option<VisualBlockId>, limit| {
        let scope = world.scope(&bot);
        world.read(move |tx| Ok(tx.visual_blocks(&scope, after, limit)?.into_items()))
    };
    assert_eq!(page(None, 9), blocks);
    assert_eq!(page(None, 2), blocks[..2]);
    assert_eq!(page(Some(blocks[1].id), 2), blocks[2..]);
    assert_eq!(page(Some(blocks[2].id), 2), []);
}

pub(crate) fn blocks_are_deleted_by_name_within_their_bot(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    for owner in [&bot, &neighbour] {
        for name in ["a", "b", "A"] {
            put_block(&world, &block(&world, owner, name), owner);
        }
    }
    let names = ["a", "nothing", "b"].map(str::to_owned);
    let forged = world.forged_scope(&bot, &world.other_project());
    let asked = names.clone();
    world.write(move |tx| {
        tx.delete_visual_blocks(&forged, &asked)?;
        assert_eq!(tx.remove_visual_blocks(&forged, 9)?, 0);
        assert_eq!(tx.visual_blocks(&forged, None, 9)?.into_items(), []);
        Ok(())
    });
    assert_eq!(all_blocks(&world, &bot).len(), 3);
    let scope = world.scope(&bot);
    world.write(move |tx| {
        tx.delete_visual_blocks(&scope, &[])?;
        Ok(tx.delete_visual_blocks(&scope, &names)?)
    });
    let left = |owner| all_blocks(&world, owner).into_iter().map(|block| block.name);
    assert_eq!(left(&bot).collect::<Vec<_>>(), ["A"]);
    assert_eq!(left(&neighbour).collect::<Vec<_>>(), ["a", "b", "A"]);
    let (scope, own) = (world.scope(&neighbour), block(&world, &bot, "c"));
    assert!(world.try_write(move |tx| Ok(tx.put_visual_block(&scope, &own)?)).is_err());
}
