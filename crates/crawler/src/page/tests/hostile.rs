//! Pages made to cost time, memory or stack. Each takes a moment if time is linear, and hours if it is
//! not.

use std::thread;

use super::{assert_is_clean, markdown_of, read_html};

/// Far less than a thread gets by itself, so that whatever recurses is found out.
const STACK: usize = 192 * 1_024;

fn read_all(pages: Vec<String>) {
    let work = move || {
        for page in pages {
            let read = read_html(page.as_bytes(), "https://a.example/");
            assert_is_clean(&read);
            let most = 4 * page.len() + 128 * 1_024;
            assert!(read.markdown.len() <= most, "{} of {}", read.markdown.len(), page.len());
        }
    };
    thread::Builder::new().stack_size(STACK).spawn(work).unwrap().join().unwrap();
}

#[test]
fn deeply_nested_elements() {
    let nests = [
        "<div>",
        "<ul><li>",
        "<blockquote>",
        "<b>",
        "<table><tr><td>",
        "<a href=x>",
        "<dl><dt>x<dd>",
        "<section><h1>",
        "<span>",
        "<pre>",
        "<svg>",
        "<custom-tag>",
        "<template>",
        "<button>",
        "<p><b><i><a href=/x><table><td><ul>",
        "<nav>",
        "<noscript>",
        "<q>",
    ];
    read_all(nests.map(|nest| format!("{}x", nest.repeat(100_000))).into());
}

#[test]
fn text_below_the_deepest_element_is_kept() {
    let html = format!("{}deep{}<p>after", "<div>".repeat(1_000), "</div>".repeat(1_000));
    assert_eq!(markdown_of(&html), "deep\n\nafter");
}

#[test]
fn long_attributes_and_many_of_them() {
    let long = "x".repeat(1_000_000);
    let many: String = (0..100_000).map(|number| format!(" a{number}=1")).collect();
    read_all(vec![
        format!("<p class=\"{long}\" {long}={long}>x"),
        format!("<p{many}>x</p{many}>"),
        format!("<p class=\"{}\">x", "nav-menu ".repeat(100_000)),
        format!("<a href=\"/{}\">x</a>", "(".repeat(100_000)),
        format!("<img alt=\"{}\" src=x>", "[ ".repeat(100_000)),
    ]);
    let late = format!("<p {} hidden>x", "a".repeat(256).split("").collect::<Vec<_>>().join(" b"));
    assert_eq!(markdown_of(&late), "x", "only so many attributes are looked at");
}

#[test]
fn titles_are_bounded() {
    let long = "word ".repeat(200_000);
    for html in [format!("<meta property=og:title content=\"{long}\">"), format!("<h1>{long}</h1>")]
    {
        let title = read_html(html.as_bytes(), "https://a.example/").title.unwrap();
        assert_eq!(title, "word ".repeat(60).trim_end());
        assert!(title.capacity() < 4_096);
    }
}

#[test]
fn long_runs_of_signs() {
    let signs = [
        "<", "&", "&amp;", "`", "*", "_", "~", "[", "|", "\\", "#", "\0 ", "\r", "<!", "<!--",
        "</", "</p>", "<br>",
    ];
    let mut pages: Vec<_> = signs.map(|sign| sign.repeat(100_000)).into();
    pages.push(format!("<code>{}", "`".repeat(100_000)));
    pages.push(format!("<p>x</p><!-- {}", "y <b> --!".repeat(100_000)));
    read_all(pages.into_iter().map(|page| format!("{}{page}", "text ".repeat(300))).collect());
}

#[test]
fn many_end_tags_of_nothing() {
    let inside = "<div>".repeat(500);
    read_all(vec![
        format!("{inside}{}", "</b></span></li></td></x>".repeat(20_000)),
        format!("<ul>{inside}{}", "<li></li>".repeat(50_000)),
    ]);
}

#[test]
fn many_links() {
    let many: String = (0..100_000).map(|number| format!("<a href=\"/{number}\">x</a> ")).collect();
    let base = format!("<base href=\"https://a.example/{}\">", "d/".repeat(900));
    read_all(vec![many, format!("{base}{}", "<a href=x>y</a><br>".repeat(20_000))]);
}

#[test]
fn many_main_parts() {
    let part = format!("<main>{}</main>", "x".repeat(200));
    read_all(vec![
        format!("<h1>x</h1>{}{}", part.repeat(50_000), "<h1>x</h1>".repeat(200_000)),
        format!("{}{}", "<main>x".repeat(100_000), part.repeat(10_000)),
    ]);
}

#[test]
fn what_would_be_repeated_in_every_line() {
    read_all(vec![
        format!("{}{}", "<blockquote>".repeat(500), "<p>x".repeat(100_000)),
        format!("{}{}", "<ol start=9999><li>".repeat(500), "<p>x".repeat(100_000)),
        format!("<table><tr>{}{}", "<td>x".repeat(50_000), "<tr><td>y<td>z".repeat(50_000)),
        format!(
            "<table><tr>{}{}",
            "<th rowspan=1000 colspan=1000>some words".repeat(500),
            "<tr><td>y".repeat(50_000)
        ),
    ]);
}

#[test]
fn more_elements_than_any_page_has() {
    let html = format!("<p>first{}<p>last", "<b>x</b><i>y</i>".repeat(600_000));
    let markdown = markdown_of(&html);
    assert!(markdown.starts_with("first**x***y*"));
    assert!(!markdown.contains("last"));
}
