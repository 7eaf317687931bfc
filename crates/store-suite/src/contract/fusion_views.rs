//! Fusion-Views.

use std::slice;
use std::sync::Arc;

use crate::samples::blobs::{blob, store_blob};
use crate::samples::fusion_views::{all_views, full_view, store_view, view};
use crate::world::{World, at};
use domain::fusion::FusionView;
use domain::id::FusionViewId;
use domain::store::{Repositories, Store};

pub(crate) fn a_view_comes_back_as_it_was(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let mut largest = blob(&world, &bot, 1);
    largest.size = u64::try_from(i64::MAX).unwrap();
    store_blob(&world, &largest, &bot);
    let (full, bare) = (full_view(&world, &bot, &largest), view(&world, &bot));
    for stored in [&full, &bare] {
        store_view(&world, stored, &bot);
        let (scope, id) = (world.scope(&bot), stored.id);
        assert_eq!(world.read(move |tx| Ok(tx.fusion_view(&scope, id)?)).as_ref(), Some(stored));
    }
    let text = serde_json::to_string(&all_views(&world, &bot)[0].metadata).unwrap();
    assert_eq!(text, serde_json::to_string(&full.metadata).unwrap(), "order and spelling");

    let emptied = FusionView { id: full.id, ..view(&world, &bot) };
    let filled = FusionView { id: bare.id, updated_at: at(9), ..full.clone() };
    for (from, to) in [(&full, &emptied), (&bare, &filled)] {
        let (scope, from, to) = (world.scope(&bot), from.clone(), to.clone());
        world.write(move |tx| Ok(tx.update_fusion_view(&scope, &from, &to)?));
    }
    assert_eq!(all_views(&world, &bot), [emptied, filled.clone()]);
    for is_there in [true, false] {
        let scope = world.scope(&bot);
        let deleted = world.try_write(move |tx| Ok(tx.delete_fusion_view(&scope, full.id)?));
        assert_eq!(deleted.is_ok(), is_there);
        assert_eq!(all_views(&world, &bot), slice::from_ref(&filled));
    }
}

pub(crate) fn views_are_paged_oldest_first(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let views = [(); 5].map(|()| view(&world, &bot));
    for index in [3, 0, 4, 2, 1] {
        store_view(&world, &views[index], &bot);
    }
    store_view(&world, &view(&world, &neighbour), &neighbour);
    let page = |after: Option<FusionViewId>, limit| {
        let scope = world.scope(&bot);
        world.read(move |tx| Ok(tx.fusion_views(&scope, after, limit)?.into_items()))
    };
    assert_eq!(page(None, 100), views);
    assert_eq!(page(None, 2), views[..2]);
    assert_eq!(page(Some(views[1].id), 2), views[2..4]);
    assert_eq!(page(Some(views[4].id), 2), []);
}

pub(crate) fn views_of_another_bot_are_out_of_reach(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let other = world.other_project();
    let stored = view(&world, &bot);
    store_view(&world, &stored, &bot);
    for foreign in [world.scope(&neighbour), world.forged_scope(&bot, &other)] {
        let (scope, id) = (foreign.clone(), stored.id);
        world.write(move |tx| {
            assert_eq!(tx.fusion_view(&scope, id)?, None);
            assert_eq!(tx.fusion_views(&scope, None, 10)?.into_items(), []);
            assert_eq!(tx.remove_fusion_views(&scope, 10)?, []);
            Ok(())
        });
        let stolen = FusionView { bot_id: foreign.bot_id(), ..stored.clone() };
        let scope = foreign.clone();
        let update =
            move |tx: &mut dyn Repositories| Ok(tx.update_fusion_view(&scope, &stolen, &stolen)?);
        assert!(world.try_write(update).is_err());
        let scope = foreign.clone();
        assert!(world.try_write(move |tx| Ok(tx.delete_fusion_view(&scope, id)?)).is_err());
    }
    let (scope, own) = (world.scope(&neighbour), view(&world, &bot));
    assert!(world.try_write(move |tx| Ok(tx.insert_fusion_view(&scope, &own)?)).is_err());
    assert_eq!(all_views(&world, &bot), [stored]);
    assert_eq!(all_views(&world, &neighbour), []);

    // A file lies in the project of its Fusion-View.
    let abroad = world.bot_of(&other);
    let foreign = blob(&world, &abroad, 1);
    store_blob(&world, &foreign, &abroad);
    let (scope, thief) = (world.scope(&bot), full_view(&world, &bot, &foreign));
    assert!(world.try_write(move |tx| Ok(tx.insert_fusion_view(&scope, &thief)?)).is_err());
    let (scope, nothing) = (world.scope(&bot), full_view(&world, &bot, &blob(&world, &bot, 2)));
    assert!(world.try_write(move |tx| Ok(tx.insert_fusion_view(&scope, &nothing)?)).is_err());
}
