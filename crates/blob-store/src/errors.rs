//! Foreign errors as texts for the log.

use std::error::Error;

use domain::blob::{BlobError, BlobKey};

/// A failure of object_store on the way to a blob that must be there.
pub(crate) fn of_blob(key: &BlobKey, error: &object_store::Error) -> BlobError {
    if is_missing(error) { BlobError::Missing(key.to_string()) } else { failed(error) }
}

/// Any other failure of object_store.
pub(crate) fn failed(error: &object_store::Error) -> BlobError {
    BlobError::Failed(text(error))
}

/// Whether the blob store says that nothing lies there.
pub(crate) fn is_missing(error: &object_store::Error) -> bool {
    matches!(error, object_store::Error::NotFound { .. })
}

/// What an error and its causes say, but of the answers of a server only the word in `<Code>`: a
/// server that turns credentials down repeats them in its answer.
pub(crate) fn text(error: &dyn Error) -> String {
    let mut whole = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        // Most errors tell their causes themselves.
        if !whole.contains(&text) {
            whole = format!("{whole}: {text}");
        }
        cause = error.source();
    }
    let Some((before, answer)) = whole.split_once('<') else {
        return whole;
    };
    let code = answer.split_once("Code>").and_then(|(_, rest)| rest.split_once('<'));
    let code = code
        .map(|(code, _)| code)
        .filter(|code| code.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    let code = code.unwrap_or("an answer that is not shown");
    format!("{}: {code}", before.trim_end_matches([':', ' ']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("{0}")]
    struct TestError(&'static str, #[source] Option<Box<TestError>>);

    #[test]
    fn answers_of_a_server_are_cut_down_to_their_code() {
        let error = TestError(
            "status code: 403 Forbidden: <?xml version=\"1.0\"?><Error><Code>InvalidToken</Code>\
             <Token-0>secret</Token-0></Error>",
            None,
        );
        assert_eq!(text(&error), "status code: 403 Forbidden: InvalidToken");
        assert_eq!(text(&TestError("502: <html>secret", None)), "502: an answer that is not shown");
    }

    #[test]
    fn causes_are_reported_once() {
        let cause = || Some(Box::new(TestError("connection refused", None)));
        assert_eq!(text(&TestError("no answer", cause())), "no answer: connection refused");
        assert_eq!(
            text(&TestError("no answer: connection refused", cause())),
            "no answer: connection refused"
        );
    }
}
