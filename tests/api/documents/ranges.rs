//! Parts of a download (RFC 9110, section 14).

use botyard_tests::{OnBot, Response, each_database};

use super::{UPLOAD, download_at, post, project, text_form};
use crate::fusion::sha256;
use crate::skills::id;

const BYTES: &str = "0123456789";

#[track_caller]
fn store(bot: &OnBot<'_>) -> String {
    let form = text_form("digits.txt", BYTES).text("extract", "false");
    id(&post(&bot.client, UPLOAD, &form).ok()["projectDoc"])
}

#[track_caller]
fn ask(bot: &OnBot<'_>, document: &str, headers: &[(&str, &str)]) -> Response {
    let request = bot.client.request("GET", &download_at(document));
    headers.iter().fold(request, |request, (name, value)| request.header(name, value)).send()
}

/// Asserts that an answer is this part.
#[track_caller]
fn is_part(answer: &Response, first: usize, last: usize) {
    assert_eq!(answer.status(), 206, "{answer}");
    assert_eq!(answer.text(), BYTES[first..=last]);
    let range = format!("bytes {first}-{last}/10");
    assert_eq!(answer.header("content-range"), Some(range.as_str()), "{answer}");
    let length = (last + 1 - first).to_string();
    assert_eq!(answer.header("content-length"), Some(length.as_str()), "{answer}");
    let tag = format!("\"{}\"", sha256(BYTES.as_bytes()));
    assert_eq!(answer.header("etag"), Some(tag.as_str()), "{answer}");
    assert!(answer.header("content-type").unwrap().starts_with("text/plain"), "{answer}");
}

/// Asserts that an answer is the whole file.
#[track_caller]
fn is_whole(answer: &Response) {
    assert_eq!((answer.status(), answer.text().as_str()), (200, BYTES), "{answer}");
    assert_eq!(answer.header("content-range"), None, "{answer}");
}

each_database! {
    fn a_range_is_answered_with_these_bytes(app: &TestApp) {
        let bot = project(app);
        let document = store(&bot);
        for (range, first, last) in [
            ("bytes=0-0", 0, 0),
            ("bytes=0-9", 0, 9),
            ("bytes=2-5", 2, 5),
            ("bytes=9-9", 9, 9),
            // Beyond the end it goes up to that.
            ("bytes=5-100", 5, 9),
            ("bytes=0-18446744073709551615", 0, 9),
            // Open at the end, or counted from there.
            ("bytes=0-", 0, 9),
            ("bytes=7-", 7, 9),
            ("bytes=-1", 9, 9),
            ("bytes=-10", 0, 9),
            ("bytes=-100", 0, 9),
        ] {
            is_part(&ask(&bot, &document, &[("Range", range)]), first, last);
        }
    }

    fn a_range_that_no_byte_lies_in_is_refused(app: &TestApp) {
        let bot = project(app);
        let document = store(&bot);
        for range in ["bytes=10-", "bytes=10-20", "bytes=100-", "bytes=-0"] {
            let answer = ask(&bot, &document, &[("Range", range)]);
            answer.problem(416, "range_not_satisfiable");
            assert_eq!(answer.header("content-range"), Some("bytes */10"), "{range}");
        }
    }

    fn what_is_no_range_of_bytes_counts_for_nothing(app: &TestApp) {
        let bot = project(app);
        let document = store(&bot);
        for range in [
            "", "x", "bytes", "bytes=", "bytes=-", "bytes=5-2", "bytes=a-b", "bytes=0x1-2",
            "lines=1-2", "bytes 1-2", "bytes:1-2", "bytes=1.0-2",
        ] {
            is_whole(&ask(&bot, &document, &[("Range", range)]));
        }
    }

    fn several_ranges_are_answered_with_the_whole(app: &TestApp) {
        let bot = project(app);
        let document = store(&bot);
        for range in ["bytes=0-1,3-4", "bytes=0-1, 5-", "bytes=-1,-2", "bytes=0-0,0-0,0-0,0-0"] {
            is_whole(&ask(&bot, &document, &[("Range", range)]));
        }
    }

    fn a_range_counts_only_of_the_file_that_the_client_has_a_part_of(app: &TestApp) {
        let bot = project(app);
        let document = store(&bot);
        let tag = format!("\"{}\"", sha256(BYTES.as_bytes()));
        let answer = ask(&bot, &document, &[("Range", "bytes=2-5"), ("If-Range", &tag)]);
        is_part(&answer, 2, 5);
        let weak = format!("W/{tag}");
        for other in ["\"x\"", weak.as_str(), "Sun, 22 Nov 2026 00:00:00 GMT", "nonsense", ""] {
            is_whole(&ask(&bot, &document, &[("Range", "bytes=2-5"), ("If-Range", other)]));
            is_whole(&ask(&bot, &document, &[("Range", "bytes=50-"), ("If-Range", other)]));
        }
        // Without a range it says nothing.
        is_whole(&ask(&bot, &document, &[("If-Range", &tag)]));
    }

    fn parts_make_up_the_whole(app: &TestApp) {
        let bot = project(app);
        let bytes: Vec<u8> = (0..300_000_u32).map(|n| (n.wrapping_mul(n) >> 9) as u8).collect();
        let form = botyard_tests::Form::new().file("a", "application/octet-stream", &bytes);
        let made = post(&bot.client, UPLOAD, &form.text("extract", "false")).ok();
        let document = id(&made["projectDoc"]);
        let mut all = Vec::new();
        while all.len() < bytes.len() {
            let range = format!("bytes={}-{}", all.len(), all.len() + 70_000);
            let answer = ask(&bot, &document, &[("Range", &range)]);
            assert_eq!(answer.status(), 206, "{answer:?}");
            all.extend_from_slice(answer.bytes());
        }
        assert!(all == bytes);
        let answer = ask(&bot, &document, &[("Range", "bytes=-65537")]);
        assert!(answer.bytes() == &bytes[bytes.len() - 65_537..]);
    }

    fn head_pays_no_heed_to_a_range(app: &TestApp) {
        let bot = project(app);
        let request = bot.client.request("HEAD", &download_at(&store(&bot)));
        let answer = request.header("Range", "bytes=2-5").send();
        assert_eq!((answer.status(), answer.header("content-length")), (200, Some("10")));
    }
}
