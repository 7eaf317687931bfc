//! What stands before the bytes.

use super::*;

/// How a body with such a `Content-Type`, cut by this boundary, is answered.
fn typed(content_type: &str, boundary: &str) -> Option<(u64, String)> {
    let body = (file("PK") + END).replace("xYz", boundary);
    let got = read_typed(content_type, body);
    got.result.is_err().then(|| got.refusal())
}

#[test]
fn a_form_says_that_it_is_one_and_how_it_is_cut() {
    let long = "a".repeat(70);
    let all = "'()+_,-./:=? 09azAZ";
    for (content_type, boundary) in [
        ("multipart/form-data; boundary=xYz", "xYz"),
        ("Multipart/Form-Data;BOUNDARY=xYz", "xYz"),
        ("multipart/form-data; charset=utf-8; boundary=\"x Y z\"", "x Y z"),
        (&format!("multipart/form-data; boundary={long}"), &long),
        (&format!("multipart/form-data; boundary=\"{all}\""), all),
        (
            "multipart/form-data; boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW",
            "----WebKitFormBoundary7MA4YWxkTrZu0gW",
        ),
    ] {
        assert_eq!(typed(content_type, boundary), None, "{content_type}");
    }
    let too_long = "a".repeat(71);
    for (content_type, boundary) in [
        ("multipart/form-data", "xYz"),
        ("multipart/form-data; boundary", "xYz"),
        ("multipart/form-data; boundary=", "xYz"),
        ("multipart/form-data; boundary=\"\"", ""),
        ("multipart/form-data; boundary=\"x \"", "x "),
        ("multipart/form-data; boundary=\"x;Y\"", "x;Y"),
        ("multipart/form-data; boundary=x*Y", "x*Y"),
        (&format!("multipart/form-data; boundary={too_long}"), &too_long),
    ] {
        let expected = Some((422, "bad_form".to_owned()));
        assert_eq!(typed(content_type, boundary), expected, "{content_type}");
    }
    for content_type in [
        "",
        "x",
        "application/json",
        "application/zip",
        "application/x-www-form-urlencoded",
        "multipart/mixed; boundary=xYz",
        "multipart/form-data-x; boundary=xYz",
    ] {
        let expected = Some((415, "unsupported_media_type".to_owned()));
        assert_eq!(typed(content_type, "xYz"), expected, "{content_type}");
    }
}

/// What is known of a file with these lines before its content.
fn head_of(lines: &str) -> FileHead {
    read(part(lines, "PK") + END).result.unwrap_or_else(|problem| panic!("{lines}: {problem}")).file
}

#[test]
fn the_name_of_a_file_is_taken_as_it_is_meant() {
    for (parameters, name) in [
        ("", None),
        ("; filename=\"\"", Some("")),
        ("; filename=\"a.zip\"", Some("a.zip")),
        ("; filename=a.zip", Some("a.zip")),
        ("; FileName = \"a;b=c.zip\"", Some("a;b=c.zip")),
        ("; filename=\"Grüße 😀.zip\"", Some("Grüße 😀.zip")),
        ("; filename=\"a\\\"b.zip\"", Some("a\"b.zip")),
        ("; filename=\"a%22b%0D%0A%41%.zip\"", Some("a\"b\r\n%41%.zip")),
        ("; filename=\"../../a/b.zip\"", Some("../../a/b.zip")),
        ("; filename*=UTF-8''Gr%C3%BC%C3%9Fe.zip", Some("Grüße.zip")),
        ("; filename*=utf-8'de'a%20b.zip", Some("a b.zip")),
        ("; filename*=ISO-8859-1''%FC.zip", Some("ü.zip")),
        ("; filename=\"x.zip\"; filename*=UTF-8''%C3%BC.zip", Some("ü.zip")),
        ("; filename=\"x.zip\"; filename*=UTF-8''%FF.zip", Some("x.zip")),
        ("; filename=\"x.zip\"; filename*=KOI8-R''%FF.zip", Some("x.zip")),
    ] {
        let lines = format!("Content-Disposition: form-data; name=\"file\"{parameters}");
        assert_eq!(head_of(&lines).name.as_deref(), name, "{parameters}");
    }
}

#[test]
fn a_file_may_have_some_types_or_none() {
    let lines = |line: &str| format!("Content-Disposition: form-data; name=\"file\"{line}");
    for (line, media_type) in [
        ("", None),
        ("\r\nContent-Type:", None),
        ("\r\nContent-Type: application/zip", Some("application/zip")),
        ("\r\ncontent-type:APPLICATION/Zip ; version=2", Some("application/zip")),
        ("\r\nContent-Type: application/octet-stream", Some("application/octet-stream")),
    ] {
        assert_eq!(head_of(&lines(line)).media_type.as_deref(), media_type, "{line}");
    }
    for media_type in ["text/plain", "application/zipx", "application", "x", "ä"] {
        let line = format!("\r\nContent-Type: {media_type}");
        let got = read(part(&lines(&line), "PK") + END);
        assert_eq!(got.refusal(), (415, "unsupported_media_type".to_owned()), "{media_type}");
        assert!(got.file.is_empty());
    }
}

#[test]
fn what_else_a_head_says_counts_for_nothing() {
    for line in
        ["Content-Length: 1", "Content-Length: x", "Content-Transfer-Encoding: binary", "X: y"]
    {
        let lines = format!("{line}\r\nContent-Disposition: form-data; name=\"file\"");
        let got = read(part(&lines, "PK of four") + END);
        assert_eq!((got.result.is_ok(), got.file.as_slice()), (true, &b"PK of four"[..]), "{line}");
    }
    let blanks = (file("PK") + END).replace("--xYz\r\n", "--xYz \t \r\n");
    assert!(read(blanks).result.is_ok());
}
