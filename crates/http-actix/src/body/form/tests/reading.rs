//! What comes of a form is the same wherever it is cut.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;

/// All that looks like the boundary and is not.
const TRICKY: &str = "PK\r\r\n\n--xYz\r\n--xY\r\n-xYz\r\n--\r\n";

fn tricky() -> String {
    let tail = "\r\nnothing of this counts\r\n--xYz";
    let parts = [text("note", ""), file(TRICKY), text("tag", "ä")];
    format!("nor this\r\n{}{END}{tail}", parts.concat())
}

fn assert_is_tricky(got: &Got, cut: &str) {
    let content = got.result.as_ref().unwrap_or_else(|problem| panic!("{cut}: {problem}"));
    let (note, tag) = (Some(String::new()), Some("ä".to_owned()));
    assert_eq!(*content.texts, Texts { note, tag, count: None }, "{cut}");
    assert_eq!(content.file.name.as_deref(), Some("a.zip"), "{cut}");
    assert_eq!(got.file, TRICKY.as_bytes(), "{cut}");
    assert!(got.is_at_end, "{cut}");
}

#[test]
fn a_form_may_be_cut_anywhere() {
    let body = tricky();
    let body = body.as_bytes();
    assert_is_tricky(&read(body), "whole");
    assert_is_tricky(&read_pieces(body.chunks(1)), "byte by byte");
    for at in 0..=body.len() {
        let (head, tail) = body.split_at(at);
        assert_is_tricky(&read_pieces([head, tail]), &format!("at {at}"));
        assert_is_tricky(
            &read_pieces([head, b"", tail]),
            &format!("at {at}, with nothing between"),
        );
    }
}

#[test]
fn what_is_handed_on_is_never_more_than_came() {
    let body = file(&"x".repeat(1_000)) + END;
    let chunks = body.as_bytes().chunks(10).map(|piece| Ok(Bytes::copy_from_slice(piece)));
    let mut largest = 0;
    let got = read_with(CONTENT_TYPE, HttpLimits::default(), chunks.collect(), |bytes| {
        largest = largest.max(bytes.len());
        Ok(())
    });
    assert_eq!((got.result.is_ok(), got.file.len(), largest), (true, 1_000, 10));
}

proptest! {
    #[test]
    fn a_file_comes_out_as_it_went_in(
        content in vec(select(b"\r\n-xYz ".as_slice()), 0..60),
        cuts in vec(1_usize..40, 1..20),
    ) {
        prop_assume!(!content.windows(7).any(|some| some == b"\r\n--xYz"));
        let head = text("note", "before") + "--xYz\r\ncontent-disposition:form-data;name=file\r\n\r\n";
        let end = format!("\r\n{}{END}", text("tag", "behind"));
        let body = [head.as_bytes(), &content, end.as_bytes()].concat();
        let (mut pieces, mut rest) = (Vec::new(), body.as_slice());
        for cut in cuts.iter().cycle() {
            let (piece, others) = rest.split_at(rest.len().min(*cut));
            pieces.push(piece);
            rest = others;
            if rest.is_empty() {
                break;
            }
        }
        let got = read_pieces(pieces);
        let texts = got.result.unwrap().texts;
        prop_assert_eq!(got.file, content);
        prop_assert_eq!(texts.note.as_deref(), Some("before"));
        prop_assert_eq!(texts.tag.as_deref(), Some("behind"));
    }

    #[test]
    fn whatever_comes_is_answered(
        bytes in vec(select(b"\r\n-xYz:;=\"fileform-data; name=Content-Disposition: ".as_slice()), 0..200),
    ) {
        let started = [file("PK").as_bytes(), &bytes].concat();
        for body in [bytes, started] {
            let whole = read(body.clone());
            let pieces = read_pieces(body.chunks(3));
            prop_assert_eq!(whole.result.is_ok(), pieces.result.is_ok());
            if whole.result.is_err() {
                prop_assert_eq!(whole.refusal(), pieces.refusal());
            }
        }
    }
}
