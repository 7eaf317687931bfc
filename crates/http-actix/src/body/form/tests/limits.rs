//! How large a form may be.

use super::super::errors::FRAME;
use super::*;

fn small() -> HttpLimits {
    HttpLimits {
        archive: 10,
        form_parts: 3,
        form_part_head: 100,
        form_text: 5,
        ..HttpLimits::default()
    }
}

/// Reads a form under small limits, in pieces of that many bytes.
fn read_small(body: &str, piece: usize) -> Got {
    let pieces = body.as_bytes().chunks(piece);
    let chunks = pieces.map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
    read_with(CONTENT_TYPE, small(), chunks, |_| Ok(()))
}

/// Both forms, whole and in pieces: the first is taken, the second refused in this way.
fn bounds(good: &str, bad: &str, status: u64, code: &str) {
    for piece in [1, 7, usize::MAX] {
        let got = read_small(good, piece);
        assert!(got.result.is_ok(), "{code}, by {piece}: {:?}", got.result);
        let got = read_small(bad, piece);
        assert_eq!(got.refusal(), (status, code.to_owned()), "by {piece}");
    }
}

#[test]
fn a_file_has_at_most_so_many_bytes() {
    let form = |size: usize| file(&"x".repeat(size)) + END;
    bounds(&form(10), &form(11), 413, "body_too_large");
    let got = read_small(&form(1_000), 1);
    assert!(got.file.len() <= 10);
    assert_eq!(got.problem()["detail"], "The file is larger than the 10 bytes that it may have.");
}

#[test]
fn a_text_has_at_most_so_many_bytes() {
    let form = |text_of: &str| text("note", text_of) + &file("PK") + END;
    bounds(&form("12345"), &form("123456"), 422, "bad_form");
}

#[test]
fn a_head_has_at_most_so_many_bytes() {
    let lines = "Content-Disposition: form-data; name=\"file\"\r\nX: ";
    // What the limit counts is all between the boundary and the content.
    let form =
        |size: usize| part(&format!("{lines}{}", "x".repeat(size - lines.len() - 6)), "PK") + END;
    bounds(&form(100), &form(101), 422, "bad_form");
    let endless = format!("--xYz\r\n{}", "x".repeat(1_000));
    assert_eq!(read_small(&endless, 10).refusal(), (422, "bad_form".to_owned()));
}

#[test]
fn a_form_has_at_most_so_many_parts() {
    let three = file("PK") + &text("note", "") + &text("tag", "");
    let four = three.clone() + &text("more", "");
    bounds(&(three + END), &(four + END), 422, "bad_form");
}

#[test]
fn all_around_the_file_has_at_most_so_many_bytes() {
    let padding = "x".repeat(small().archive as usize + FRAME as usize);
    for body in [
        format!("{padding}\r\n{}{END}", file("PK")),
        format!("{}{}{END}", text("more", &padding), file("PK")),
        format!("{}{END}{padding}", file("PK")),
    ] {
        let got = read_small(&body, 64 << 10);
        assert_eq!(got.refusal(), (413, "body_too_large".to_owned()));
        let detail = "The form is larger than the 1048586 bytes that this operation takes, 10 of \
                      which are for the file.";
        assert_eq!(got.problem()["detail"], detail);
        assert!(!got.is_at_end);
    }
}
