//! What is wrong with a form is reported, and all of it at once where that is possible.

use domain::error::DomainError;

use super::*;

#[test]
fn a_malformed_form_is_refused() {
    let disposition = "Content-Disposition: form-data";
    let valid = file("PK") + END;
    let rows = [
        ("nothing", String::new()),
        ("no boundary", "PK".to_owned()),
        ("another boundary", valid.replace("xYz", "xyz")),
        ("line feeds only", valid.replace("\r\n", "\n")),
        ("no end", file("PK")),
        ("an end without hyphens", file("PK") + "--xYz\r\n"),
        ("an end with one hyphen", file("PK") + "--xYz-\r\n"),
        ("letters behind a boundary", valid.replacen("--xYz\r\n", "--xYzz\r\n", 1)),
        ("no line break behind a boundary", valid.replacen("--xYz\r\n", "--xYz ", 1)),
        ("a head that does not end", "--xYz\r\nContent-Disposition: form-data".to_owned()),
        ("no head", "--xYz\r\n\r\nPK\r\n--xYz--\r\n".to_owned()),
        ("a head without a colon", part("Content-Disposition", "PK") + END),
        ("a folded line", part(&format!("{disposition};\r\n name=\"file\""), "PK") + END),
        ("a raw NUL in a head", part(&format!("{disposition}; name=\"fi\0le\""), "PK") + END),
        ("two line feeds", part(&format!("{disposition}; name=\"file\"\n\nX: y"), "PK") + END),
        ("many lines", part(&"X: y\r\n".repeat(40), "PK") + END),
        ("no disposition", part("Content-Type: application/zip", "PK") + END),
        ("two dispositions", part(&[disposition; 2].join("; name=\"file\"\r\n"), "PK") + END),
        ("another disposition", part("Content-Disposition: attachment; name=\"file\"", "PK") + END),
        ("no name", part(disposition, "PK") + END),
        ("a name without a value", part(&format!("{disposition}; name"), "PK") + END),
        ("a quote left open", part(&format!("{disposition}; name=\"file"), "PK") + END),
    ];
    for (row, body) in rows {
        for got in [read(body.clone()), read_pieces(body.as_bytes().chunks(1))] {
            assert_eq!(got.refusal(), (422, "bad_form".to_owned()), "{row}");
        }
    }
    let latin = [b"--xYz\r\nContent-Disposition: form-data; name=\"\xe4\"\r\n\r\n", END.as_bytes()];
    assert_eq!(read(latin.concat()).refusal(), (422, "bad_form".to_owned()));
}

#[test]
fn a_form_that_is_cut_short_is_refused_wherever_that_is() {
    let whole = text("note", "a") + &file("PK") + "--xYz--";
    for at in 0..whole.len() {
        let got = read(&whole.as_bytes()[..at]);
        assert_eq!(got.refusal(), (422, "bad_form".to_owned()), "at {at}");
        assert!(got.is_at_end);
    }
    assert!(read(whole).result.is_ok());
}

#[test]
fn a_body_that_breaks_off_is_no_bad_form() {
    let chunks = vec![Ok(Bytes::from(file("PK"))), Err(PayloadError::Incomplete(None))];
    let got = read_with(CONTENT_TYPE, HttpLimits::default(), chunks, |_| Ok(()));
    assert_eq!(got.refusal(), (400, "broken_body".to_owned()));
    assert!(!got.is_at_end);
}

#[test]
fn every_violation_of_the_fields_is_reported() {
    let unnamed = "Content-Disposition: form-data; name=\"\"";
    let hidden = "Content-Disposition: form-data; name=file; filename*=UTF-8''a%00b";
    for (row, parts, code, violations) in [
        ("nothing", vec![], "missing_field", vec![("/file", "missing_field")]),
        ("no file", vec![text("tag", "a")], "missing_field", vec![("/file", "missing_field")]),
        (
            "another name",
            vec![text("File", "PK")],
            "invalid_body",
            vec![("/File", "unknown_field"), ("/file", "missing_field")],
        ),
        (
            "no letters",
            vec![part(unnamed, ""), file("PK"), text("a/b", "")],
            "unknown_field",
            vec![("/", "unknown_field"), ("/a~1b", "unknown_field")],
        ),
        (
            "unknown ones twice",
            vec![text("nope", "a"), text("Tag", ""), text("nope", "b"), file("PK")],
            "unknown_field",
            vec![("/nope", "unknown_field"), ("/Tag", "unknown_field")],
        ),
        (
            "two files",
            vec![file("PK"), file("XY")],
            "duplicate_field",
            vec![("/file", "duplicate_field")],
        ),
        (
            "texts twice",
            vec![
                text("tag", "a"),
                text("note", ""),
                text("tag", "b"),
                file("PK"),
                text("note", ""),
            ],
            "duplicate_field",
            vec![("/tag", "duplicate_field"), ("/note", "duplicate_field")],
        ),
        (
            "a NUL",
            vec![text("tag", "a\0b"), file("PK")],
            "bad_character",
            vec![("/tag", "bad_character")],
        ),
        (
            "a number that is none, and more",
            vec![text("count", "1.5"), text("nope", "")],
            "invalid_body",
            vec![("/nope", "unknown_field"), ("/file", "missing_field"), ("/count", "wrong_type")],
        ),
        (
            "a NUL in a name",
            vec![part(hidden, "PK")],
            "bad_character",
            vec![("/file", "bad_character")],
        ),
    ] {
        let got = read(parts.concat() + END);
        let problem = got.problem();
        let reported: Vec<_> = problem["errors"]
            .as_array()
            .unwrap()
            .iter()
            .map(|violation| {
                (violation["pointer"].as_str().unwrap(), violation["code"].as_str().unwrap())
            })
            .collect();
        assert_eq!((got.refusal(), reported), ((422, code.to_owned()), violations), "{row}");
        assert!(got.is_at_end, "{row}");
    }
}

#[test]
fn a_text_that_is_no_text_is_refused() {
    let disposition = b"--xYz\r\nContent-Disposition: form-data; name=\"tag\"\r\n\r\n".as_slice();
    let body = [disposition, b"\xe4\r\n", file("PK").as_bytes(), END.as_bytes()].concat();
    assert_eq!(read(body).refusal(), (422, "bad_form".to_owned()));
}

#[test]
fn a_file_behind_a_violation_is_not_handed_on() {
    let got = read(text("nope", "") + &file("PK") + END);
    assert_eq!((got.refusal().0, got.file.len()), (422, 0));
    let got = read(file("PK") + &text("nope", "") + END);
    assert_eq!((got.refusal().0, got.file.len()), (422, 2));
}

#[test]
fn what_takes_the_file_may_refuse_it() {
    let body = file("0123456789") + END;
    let chunks = body.as_bytes().chunks(4).map(|piece| Ok(Bytes::copy_from_slice(piece)));
    let mut calls = 0;
    let got = read_with(CONTENT_TYPE, HttpLimits::default(), chunks.collect(), |_| {
        calls += 1;
        if calls < 2 { Ok(()) } else { Err(DomainError::BodyTooLarge(4).into()) }
    });
    assert_eq!(got.refusal(), (413, "body_too_large".to_owned()));
    assert_eq!((calls, got.is_at_end), (2, false));
}
