//! Answers of workers that do not keep to the protocol.

use std::time::Duration;

use domain::document::{ExtractionError, ExtractorError};
use extractor::Limits;

use crate::stage::{Stage, file};

crate::trials![
    garbage_is_a_crash,
    a_flood_is_too_large,
    no_nul_comes_through,
    an_answer_that_is_cut_off_is_a_crash,
    an_answer_that_is_none_is_a_crash,
    nothing_comes_after_the_end,
    an_end_counts_only_with_a_good_one,
    an_end_that_does_not_come_is_awaited_as_long_as_any,
    noise_is_no_answer,
    who_could_not_begin_says_nothing_of_its_file,
];

/// What comes of an answer that a liar gives.
async fn outcome_of(how: &str) -> Result<String, ExtractorError> {
    let limits = Limits { wall: Duration::from_secs(60), ..Limits::default() };
    Stage::of_liars(how, limits).text("text/plain", "file").await
}

async fn garbage_is_a_crash() {
    assert_eq!(outcome_of("garbage").await, Err(file(ExtractionError::Crashed)));
}

async fn a_flood_is_too_large() {
    assert_eq!(outcome_of("flood").await, Err(file(ExtractionError::TooLarge)));
}

async fn no_nul_comes_through() {
    assert_eq!(outcome_of("nul").await, Err(file(ExtractionError::Crashed)));
}

async fn an_answer_that_is_cut_off_is_a_crash() {
    assert_eq!(outcome_of("cut").await, Err(file(ExtractionError::Crashed)));
}

async fn an_answer_that_is_none_is_a_crash() {
    assert_eq!(outcome_of("nothing").await, Err(file(ExtractionError::Crashed)));
}

async fn nothing_comes_after_the_end() {
    assert_eq!(outcome_of("more").await, Err(file(ExtractionError::Crashed)));
}

async fn an_end_counts_only_with_a_good_one() {
    assert_eq!(outcome_of("end and fail").await, Err(file(ExtractionError::Crashed)));
}

async fn an_end_that_does_not_come_is_awaited_as_long_as_any() {
    let limits = Limits { wall: Duration::from_millis(300), ..Limits::default() };
    let outcome = Stage::of_liars("end and hang", limits).text("text/plain", "file").await;
    assert_eq!(outcome, Err(file(ExtractionError::Timeout)));
}

async fn noise_is_no_answer() {
    assert_eq!(outcome_of("noise").await, Ok("heard".to_owned()));
}

async fn who_could_not_begin_says_nothing_of_its_file() {
    let error = outcome_of("cannot begin").await;
    assert!(matches!(error, Err(ExtractorError::Extractor(_))), "{error:?}");
}
