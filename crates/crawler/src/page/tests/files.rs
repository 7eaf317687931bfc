//! Files of HTML, of which all is kept that they show.

use std::thread;

use crate::html_to_markdown;

fn markdown(html: &str) -> String {
    html_to_markdown(html.as_bytes()).unwrap()
}

#[test]
fn all_that_is_shown_is_kept() {
    let long = "word ".repeat(100);
    for (html, expected) in [
        // A page of a site would lose each of these.
        (format!("<p>a</p><main>{long}</main>b"), format!("a\n\n{}\n\nb", long.trim())),
        (
            "<header>a</header><aside>b</aside><footer>c</footer>".to_owned(),
            "a\n\nb\n\nc".to_owned(),
        ),
        ("<table class=newsletter><tr><td>a</table>".to_owned(), "a".to_owned()),
        ("<div class='newsletter sidebar'>a <a href=/>b</a></div>".to_owned(), "a b".to_owned()),
        ("<form>a<input></form>".to_owned(), "a".to_owned()),
    ] {
        assert_eq!(markdown(&html), expected, "{html}");
    }
}

#[test]
fn what_is_not_shown_or_leads_elsewhere_goes() {
    for html in [
        "<script>x</script>",
        "<style>x</style>",
        "<template>x</template>",
        "<p hidden>x</p>",
        "<nav><a href=/>x</a></nav>",
        "<ul role=menu><li>x</ul>",
        "<select><option>x</select>",
        "<noscript>x</noscript>",
        "<!-- x -->",
    ] {
        let html = format!("<title>y</title><p>before</p>{html}<p>after</p>");
        assert_eq!(markdown(&html), "before\n\nafter", "{html}");
    }
    assert_eq!(markdown("<script>x</script><noscript>y</noscript>"), "y");
}

#[test]
fn links_are_kept_where_they_say_all() {
    let html =
        "<a href=https://a.example/b>c</a> <a href=d>e</a> <a href=#f>g</a> <img src=h alt=i>";
    assert_eq!(markdown(html), "[c](https://a.example/b) e g i");
    let html = "<base href=https://a.example/b/><a href=d>e</a>";
    assert_eq!(markdown(html), "[e](https://a.example/b/d)");
}

#[test]
fn the_charset_is_found() {
    assert_eq!(html_to_markdown(b"<meta charset=koi8-r><p>\xc1").unwrap(), "а");
    assert_eq!(html_to_markdown(b"\xef\xbb\xbf<meta charset=koi8-r><p>\xc3\xa4").unwrap(), "ä");
    let noise: Vec<u8> = (0..=255).cycle().take(5_000).collect();
    assert_eq!(html_to_markdown(&noise), None);
}

#[test]
fn more_elements_than_a_page_may_have_are_kept() {
    let html = format!("<p>first{}<p>last", "<b>x</b><i>y</i>".repeat(600_000));
    assert!(markdown(&html).ends_with("last"));
}

#[test]
fn depth_takes_no_stack() {
    let nests = ["<div>", "<ul><li>", "<blockquote>", "<table><tr><td>", "<b>", "<nav>", "<form>"];
    let work = move || {
        for nest in nests {
            let html = format!("{}x", nest.repeat(100_000));
            assert!(markdown(&html).len() <= 4 * html.len());
        }
    };
    thread::Builder::new().stack_size(192 * 1_024).spawn(work).unwrap().join().unwrap();
}
