//! How a worker can end, and that it does.

use std::num::NonZeroUsize;
use std::process::Command;
use std::time::Duration;

use domain::blob::BlobError;
use domain::document::{ExtractionError, ExtractorError};
use extractor::Limits;
use futures_util::FutureExt as _;

use crate::stage::{Blocks, Stage, file, gone};

crate::trials![
    a_file_is_read,
    a_panic_in_a_parser_is_a_corrupt_file,
    a_parser_that_says_no_is_believed,
    an_abort_is_a_crash,
    a_stack_without_an_end_is_a_crash,
    a_memory_bomb_ends_with_the_memory,
    computing_without_an_end_is_ended,
    waiting_without_an_end_is_ended,
    too_large_a_file_is_not_written,
    who_writes_too_many_files_is_ended,
    who_is_dropped_is_killed_with_its_children,
    who_is_no_longer_waited_for_is_killed,
    who_is_killed_by_others_takes_its_children_along,
    workers_wait_for_a_slot,
    a_blob_store_that_fails_is_named,
    a_program_that_is_missing_is_named,
];

async fn a_file_is_read() {
    let stage = Stage::new();
    assert_eq!(stage.play("say Hello").await, Ok("Hello".to_owned()));
    assert_eq!(stage.play("say again").await, Ok("again".to_owned()));
}

async fn a_panic_in_a_parser_is_a_corrupt_file() {
    assert_eq!(Stage::new().play("panic").await, Err(file(ExtractionError::Corrupt)));
}

async fn a_parser_that_says_no_is_believed() {
    assert_eq!(Stage::new().play("refuse").await, Err(file(ExtractionError::Corrupt)));
}

async fn an_abort_is_a_crash() {
    assert_eq!(Stage::new().play("abort").await, Err(file(ExtractionError::Crashed)));
}

async fn a_stack_without_an_end_is_a_crash() {
    assert_eq!(Stage::new().play("overflow").await, Err(file(ExtractionError::Crashed)));
}

async fn a_memory_bomb_ends_with_the_memory() {
    let stage = Stage::with(Limits { memory: 400 << 20, ..Limits::default() });
    assert_eq!(stage.play("allocate").await, Err(file(ExtractionError::Memory)));
}

async fn computing_without_an_end_is_ended() {
    let stage = Stage::with(Limits { cpu: Duration::from_secs(1), ..Limits::default() });
    assert_eq!(stage.play("compute").await, Err(file(ExtractionError::Timeout)));
}

async fn waiting_without_an_end_is_ended() {
    let stage = Stage::with(Limits { wall: Duration::from_millis(500), ..Limits::default() });
    assert_eq!(stage.play("hang").await, Err(file(ExtractionError::Timeout)));
}

async fn too_large_a_file_is_not_written() {
    assert_eq!(Stage::new().play("fill").await, Err(file(ExtractionError::TooLarge)));
}

async fn who_writes_too_many_files_is_ended() {
    let stage = Stage::with(Limits { room_bytes: 1 << 20, ..Limits::default() });
    for part in ["litter 3 400000", "litter 300 0"] {
        let text = stage.play(part).await;
        assert_eq!(text, Err(file(ExtractionError::TooLarge)), "{part}");
    }
}

async fn who_is_dropped_is_killed_with_its_children() {
    let stage = Stage::new();
    let reader = stage.begin("text/html", "hang").await.unwrap();
    let pids = stage.pids().await;
    assert_eq!(pids.len(), 2);
    drop(reader);
    for pid in pids {
        gone(&pid).await;
    }
    stage.is_empty().await;
}

async fn who_is_no_longer_waited_for_is_killed() {
    let stage = Stage::new();
    let mut reader = stage.begin("text/html", "hang").await.unwrap();
    let pids = stage.pids().await;
    assert!(reader.next().now_or_never().is_none());
    for pid in pids {
        gone(&pid).await;
    }
    // The error keeps the caller from taking what came so far for the whole text.
    assert_eq!(reader.next().await, Err(file(ExtractionError::Interrupted)));
}

async fn who_is_killed_by_others_takes_its_children_along() {
    let stage = Stage::new();
    let mut reader = stage.begin("text/html", "hang").await.unwrap();
    let pids = stage.pids().await;
    assert!(Command::new("kill").args(["-s", "KILL", &pids[0]]).status().unwrap().success());
    assert_eq!(reader.next().await, Err(file(ExtractionError::Memory)));
    for pid in pids {
        gone(&pid).await;
    }
}

async fn workers_wait_for_a_slot() {
    let stage = Stage::with(Limits { children: NonZeroUsize::MIN, ..Limits::default() });
    let first = stage.begin("text/html", "hang").await.unwrap();
    stage.pids().await;
    assert!(stage.begin("text/html", "say Hello").now_or_never().is_none());
    drop(first);
    assert_eq!(stage.play("say Hello").await, Ok("Hello".to_owned()));
}

async fn a_blob_store_that_fails_is_named() {
    let stage = Stage::new();
    let failure = BlobError::Failed("the disk".to_owned());
    let blocks = Blocks(vec![Err(failure.clone()), Ok(b"say Hello".to_vec())]);
    let error = stage.extract("text/html", 100, Box::new(blocks)).await.err();
    assert_eq!(error, Some(ExtractorError::Blob(failure)));
    stage.is_empty().await;
}

async fn a_program_that_is_missing_is_named() {
    let stage = Stage::new();
    let missing = extractor::Program {
        path: "/there/is/none".into(),
        arguments: Vec::new(),
        search_path: "".into(),
        variables: Vec::new(),
    };
    let folder = stage.folder.path().to_owned();
    let extractor = extractor::Extractor::new(missing, folder, Limits::default()).unwrap();
    let stage = Stage { extractor, ..stage };
    let error = stage.play("say Hello").await;
    assert!(matches!(error, Err(ExtractorError::Extractor(_))), "{error:?}");
    stage.is_empty().await;
}
