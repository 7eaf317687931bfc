//! Chunks of documents.

use std::slice;
use std::sync::Arc;

use crate::samples::documents::{document, file_blob, of_project, store_document};
use crate::world::{OPERATOR, World};
use domain::bot::Bot;
use domain::document::{Chunk, ExtractedChunk};
use domain::id::{ChunkId, ExtractionId};
use domain::store::Store;

/// A chunk that is as long as this, not stored.
pub(crate) fn chunk(world: &World, index: u32, length: usize) -> Chunk {
    Chunk {
        id: ChunkId::from_uuid(world.id()),
        index,
        extracted: ExtractedChunk {
            text: "x".repeat(length),
            char_start: 0,
            char_end: length as u64,
            page: None,
            heading: Vec::new(),
        },
    }
}

fn store_chunks(world: &World, bot: &Bot, of: ExtractionId, chunks: &[Chunk]) {
    let (scope, chunks) = (of_project(world, bot), chunks.to_vec());
    world.write(move |tx| Ok(tx.insert_chunks(&scope, of, &chunks)?));
}

/// Chunks, and the index to go on after.
fn some_chunks(
    world: &World,
    bot: &Bot,
    of: ExtractionId,
    after: Option<u32>,
    limit: u32,
) -> (Vec<Chunk>, Option<u32>) {
    let scope = of_project(world, bot);
    world.read(move |tx| Ok(tx.chunks(&scope, of, after, limit)?))
}

/// All chunks of an extraction, read in pages of at most so many, and how many each page had.
fn in_pages(world: &World, bot: &Bot, of: ExtractionId, limit: u32) -> (Vec<Chunk>, Vec<usize>) {
    let (mut chunks, mut sizes, mut after) = (Vec::new(), Vec::new(), None);
    loop {
        let (page, next) = some_chunks(world, bot, of, after, limit);
        sizes.push(page.len());
        chunks.extend(page);
        if next.is_none() {
            return (chunks, sizes);
        }
        assert_eq!(next, chunks.last().map(|chunk: &Chunk| chunk.index));
        after = next;
    }
}

pub(crate) fn all_chunks(world: &World, bot: &Bot, of: ExtractionId) -> Vec<Chunk> {
    in_pages(world, bot, of, 10_000).0
}

/// Removes chunks of which no document's chunks are; returns their number.
fn remove(world: &World, bot: &Bot, of: ExtractionId, limit: u32) -> u32 {
    let project = bot.project_id;
    world.write(move |tx| Ok(tx.remove_unused_chunks(OPERATOR, project, of, limit)?))
}

pub(crate) fn a_chunk_comes_back_as_it_was(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let of = ExtractionId::from_uuid(world.id());
    let mut full = chunk(&world, u32::MAX, 0);
    full.extracted = ExtractedChunk {
        text: "Zoë 🤖 \"quoted\" \\ {a,NULL}\n".to_owned(),
        char_start: u64::try_from(i64::MAX).unwrap() - 1,
        char_end: u64::try_from(i64::MAX).unwrap(),
        page: Some(u32::MAX),
        heading: vec!["Übersicht \"1\"".to_owned(), String::new(), "🤖 \\".to_owned()],
    };
    let (empty, plain) = (chunk(&world, 0, 0), chunk(&world, 1, 1));
    store_chunks(&world, &bot, of, &[full.clone(), plain.clone()]);
    store_chunks(&world, &bot, of, slice::from_ref(&empty));
    store_chunks(&world, &bot, of, &[]);
    let all = [empty, plain.clone(), full];
    assert_eq!(all_chunks(&world, &bot, of), all);
    // Each has its place.
    let (scope, twin) = (of_project(&world, &bot), Chunk { index: 1, ..chunk(&world, 1, 1) });
    let stored =
        world.try_write(move |tx| Ok(tx.insert_chunks(&scope, of, slice::from_ref(&twin))?));
    assert!(stored.is_err());
    assert_eq!(all_chunks(&world, &bot, of), all);
}

pub(crate) fn chunks_are_paged_by_their_index(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let abroad = world.bot_of(&world.other_project());
    let [of, other] = [(); 2].map(|()| ExtractionId::from_uuid(world.id()));
    assert_eq!(some_chunks(&world, &bot, of, None, 10), (Vec::new(), None));
    let chunks: Vec<_> = (0..12).map(|index| chunk(&world, index, 1)).collect();
    store_chunks(&world, &bot, of, &chunks[5..]);
    store_chunks(&world, &bot, of, &chunks[..5]);
    let stray = chunk(&world, 1, 1);
    store_chunks(&world, &bot, other, slice::from_ref(&stray));
    assert_eq!(all_chunks(&world, &bot, other), [stray]);
    for limit in 1..14 {
        let (found, sizes) = in_pages(&world, &bot, of, limit);
        assert_eq!(found, chunks, "{limit}");
        assert!(sizes.iter().all(|size| (1..=limit as usize).contains(size)), "{sizes:?}");
        assert_eq!(sizes.len(), 12_usize.div_ceil(limit as usize));
    }
    assert_eq!(some_chunks(&world, &bot, of, Some(11), 10), (Vec::new(), None));
    assert_eq!(some_chunks(&world, &bot, of, Some(u32::MAX), 10), (Vec::new(), None));
    // They are those of their project.
    assert_eq!(all_chunks(&world, &abroad, of), []);
}

/// Whatever chunks there are, pages have them all, none is empty, and only one that is too large by
/// itself makes a page large.
pub(crate) fn a_page_ends_early_where_chunks_are_large(store: Arc<dyn Store>) {
    const PAGE: usize = 1 << 20;
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let third = PAGE / 3;
    for lengths in [
        vec![third, third, third, third, third],
        vec![1, 2 * PAGE, 1, PAGE - 1, 1, 1],
        vec![2 * PAGE, 2 * PAGE],
        vec![PAGE, 0, 0, 1],
        vec![third; 12],
    ] {
        let of = ExtractionId::from_uuid(world.id());
        let chunks: Vec<_> =
            (0..).zip(&lengths).map(|(index, length)| chunk(&world, index, *length)).collect();
        store_chunks(&world, &bot, of, &chunks);
        let (found, sizes) = in_pages(&world, &bot, of, 500);
        assert!(found == chunks, "{lengths:?}");
        let mut rest = &lengths[..];
        for (place, size) in sizes.iter().enumerate() {
            let (page, others) = rest.split_at(*size);
            let bytes: usize = page.iter().sum();
            assert!(*size == 1 || bytes <= PAGE, "{lengths:?} in pages of {sizes:?}");
            // It is as long as it can be.
            let is_full = others.first().is_none_or(|next| bytes + next > PAGE);
            assert!(is_full, "{lengths:?} in pages of {sizes:?}, of which {place} ends too early");
            rest = others;
        }
        assert!(rest.is_empty());
    }
}

pub(crate) fn chunks_go_when_no_document_has_them(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let [used, unused, other] = [(); 3].map(|()| ExtractionId::from_uuid(world.id()));
    let mut of_used = document(&world, &file_blob(&world, &bot, 1));
    of_used.extraction.chunks_of = Some(used);
    store_document(&world, &of_used);
    let chunks: Vec<_> = (0..5).map(|index| chunk(&world, index, 1)).collect();
    for of in [used, unused, other] {
        store_chunks(&world, &bot, of, &chunks);
    }
    assert_eq!(remove(&world, &bot, used, 10), 0);
    assert_eq!(all_chunks(&world, &bot, used), chunks);
    assert_eq!(remove(&world, &bot, unused, 2), 2);
    assert_eq!(all_chunks(&world, &bot, unused), chunks[2..]);
    assert_eq!((remove(&world, &bot, unused, 3), remove(&world, &bot, unused, 3)), (3, 0));
    assert_eq!(all_chunks(&world, &bot, unused), []);
    assert_eq!(all_chunks(&world, &bot, other), chunks);
    let (scope, id) = (of_project(&world, &bot), of_used.id);
    world.write(move |tx| Ok(tx.delete_document(&scope, id)?));
    assert_eq!(all_chunks(&world, &bot, used), chunks);
    assert_eq!(remove(&world, &bot, used, 10), 5);
    assert_eq!(all_chunks(&world, &bot, used), []);
}
