//! What single rules make of small documents.

use domain::crawl::{CrawlError, CrawlUrl};

use super::{markdown_of, read_html};
use crate::page::{PageKind, html_to_markdown, read};

const URL: &str = "https://a.example/dir/page?x=1";

fn links(html: &str) -> Vec<String> {
    let read = read_html(html.as_bytes(), URL);
    read.links.iter().map(ToString::to_string).collect()
}

#[test]
fn links_are_taken_from_the_whole_page_once_and_in_order() {
    let html = "<nav><a href=/one>1</a></nav><main><a href='two#part'>2</a> <a href=/one#x>1</a>\
        <a href=#here>no</a> <a href=/three rel='noopener NoFollow'>no</a> <a href=mailto:a@b>no</a>\
        <area href='//www.a.example/'><area href='//b.example/'></main><footer hidden><a href=' ?y '>4</a></footer><a>no</a>";
    let expected = [
        "https://a.example/one",
        "https://a.example/dir/two",
        "https://www.a.example/",
        "https://a.example/dir/page?y",
    ];
    assert_eq!(links(html), expected);
}

#[test]
fn frames_and_refreshes_are_links() {
    let html = "<meta http-equiv=Refresh content=\"0; URL='/new'\"><frameset><frame src=menu.htm></frameset>";
    assert_eq!(links(html), ["https://a.example/new", "https://a.example/dir/menu.htm"]);
}

#[test]
fn only_so_many_links_are_followed() {
    let links = |place: &str, count: usize| -> String {
        (0..count).map(|number| format!("<a href={place}{number}>x</a>")).collect()
    };
    let (fitting, elsewhere) = (links("/", 10_000), links("//b.example/", 30_000));
    for (html, has_more) in [
        // Those that lead elsewhere, and those that were there already, take no room.
        (format!("{elsewhere}{fitting}{fitting}"), false),
        (format!("{fitting}<a href=http://a.example/1>x</a>"), false),
        (format!("{fitting}<a href=/more>x</a>"), true),
        (format!("{fitting}{}", links("/", 40_001)), true),
    ] {
        let read = read_html(html.as_bytes(), URL);
        assert_eq!((read.links.len(), read.has_more_links), (10_000, has_more));
    }
    let closed = format!("<meta name=robots content=nofollow>{fitting}<a href=/more>x</a>");
    let read = read_html(closed.as_bytes(), URL);
    assert_eq!((read.links.len(), read.has_more_links), (0, false));
}

#[test]
fn the_first_base_counts() {
    let html = "<base target=x><base href=/docs/><base href=/other/><a href=a>text</a>";
    assert_eq!(links(html), ["https://a.example/docs/a"]);
    let read = read_html(html.as_bytes(), URL);
    assert_eq!(read.markdown, "[text](https://a.example/docs/a)");
}

#[test]
fn pages_say_whether_they_may_be_kept_and_followed() {
    for (meta, is_noindex, follows) in [
        ("<meta name=robots content='index, follow'>", false, true),
        ("<META NAME=Robots CONTENT=NoIndex>", true, true),
        ("<meta name=botyard content='nofollow,noarchive'>", false, false),
        ("<meta name=robots content=none>", true, false),
        ("<meta name=googlebot content=none>", false, true),
        ("<meta name=robots><meta content=noindex>", false, true),
    ] {
        let read = read_html(format!("{meta}<a href=/x>x</a>").as_bytes(), URL);
        assert_eq!((read.is_noindex, !read.links.is_empty()), (is_noindex, follows), "{meta}");
    }
}

#[test]
fn the_canonical_address_is_resolved() {
    let canonical =
        |html: &str| read_html(html.as_bytes(), URL).canonical.map(|url| url.to_string());
    let html = "<link rel='Canonical nofollow' href='../x#y'><link rel=canonical href=/no>";
    assert_eq!(canonical(html).as_deref(), Some("https://a.example/x"));
    assert_eq!(canonical("<link rel=canonical href=' '>"), None);
    assert_eq!(canonical("<link rel=canonical href='javascript:x'>"), None);
}

#[test]
fn titles_come_from_the_best_place() {
    for (html, expected) in [
        ("<title> A &amp;\n B\u{0} </title><h1>C</h1>", Some("A & B")),
        ("<svg><title>no</title></svg><title>A</title>", Some("A")),
        ("<title></title><meta property=og:title content=' B '><h1>C</h1>", Some("B")),
        ("<p>x<h1>C <b>D</b> <img alt=E></h1>", Some("C D E")),
        ("<nav><h1>no</h1></nav><p>x", None),
    ] {
        assert_eq!(read_html(html.as_bytes(), URL).title.as_deref(), expected, "{html}");
    }
}

#[test]
fn the_charset_of_the_header_comes_before_that_of_the_page() {
    let url = CrawlUrl::parse(URL, false).unwrap();
    let bytes = b"<meta charset=koi8-r><title>\xe4</title>";
    let title = |charset| read(bytes, PageKind::Html, charset, &url).unwrap().title.unwrap();
    assert_eq!(title(Some("iso-8859-1")), "ä");
    assert_eq!(title(None), "Д");
}

#[test]
fn what_is_no_text_is_refused() {
    let url = CrawlUrl::parse(URL, false).unwrap();
    let noise: Vec<u8> = (0..=255).cycle().take(5_000).collect();
    for kind in [PageKind::Html, PageKind::Xhtml, PageKind::Markdown, PageKind::Text] {
        assert_eq!(read(&noise, kind, None, &url).unwrap_err(), CrawlError::BadContent);
        assert_eq!(read(b"", kind, None, &url).unwrap().markdown, "");
        assert_eq!(read(b"one two three\0", kind, None, &url).unwrap().markdown, "one two three");
    }
}

#[test]
fn the_main_part_is_what_the_page_says_it_is() {
    let long = "word ".repeat(100);
    for (html, expected) in [
        (format!("<p>a</p><main><p>{long}</p></main><p>b</p>"), long.trim().to_owned()),
        (format!("<p>a</p><div role=main>{long}</div>"), long.trim().to_owned()),
        (format!("<p>a</p><article>{long}</article>"), long.trim().to_owned()),
        // Of several parts all count, but for those that are far shorter, or hidden behind others.
        (
            format!("<main>1 {long}</main><p>a</p><div role=main>2 {long}</div><main>no</main>"),
            format!("1 {0}\n\n2 {0}", long.trim()),
        ),
        (
            format!("<main><div role=main>1 {long}</div></main><p>a<main>2 {long}</main>"),
            format!("1 {0}\n\n2 {0}", long.trim()),
        ),
        (
            format!("<h1>T</h1><main>1 {long}</main><p>a</p><main><h1>U</h1>{long}</main>"),
            format!("1 {0}\n\n# U\n\n{0}", long.trim()),
        ),
        (format!("<main>{long}{long}</main><main>{long}</main>"), format!("{long}{}", long.trim())),
        (
            format!("<main>1 {long}</main><main hidden>{long}no</main>"),
            format!("1 {}", long.trim()),
        ),
        (format!("<main>…</main><main hidden>{long}</main>"), long.trim().to_owned()),
        (format!("<h1>T</h1><p>a</p><main>{long}</main>"), format!("# T\n\n{}", long.trim())),
        // An empty one is filled by a script that does not run here.
        (format!("<main>Loading…</main><div>{long}</div>"), format!("Loading…\n\n{}", long.trim())),
        ("<article>a</article><article>b</article>".to_owned(), "a\n\nb".to_owned()),
    ] {
        assert_eq!(markdown_of(&html), expected, "{html}");
    }
}

#[test]
fn what_surrounds_the_content_goes() {
    for html in [
        "<nav>x</nav>",
        "<header><a href=/>x</a></header>",
        "<footer>x</footer>",
        "<aside>x</aside>",
        "<div role=banner>x</div>",
        "<div role=navigation>x</div>",
        "<p hidden>x</p>",
        "<p style='color: red; display:NONE'>x</p>",
        "<span aria-hidden=true>x</span>",
        "<template><p>x</p></template>",
        "<dialog open>x</dialog>",
        "<iframe>x</iframe>",
        "<svg><text>x</text><path/></svg>",
        "<object>x</object>",
        "<select><option>x</select>",
        "<textarea><p>x</textarea>",
        "<script>'<p>x</p>'</script>",
        "<style>x</style>",
        "<div class='c-cookie-banner'>We use cookies.</div>",
        "<div id=gdprConsent><p>x</p><button>OK</button></div>",
        "<ul class=breadcrumbs><li><a href=/>x</a></ul>",
        "<div class=share-buttons><a href=/x>x</a></div>",
        "<a class=skip-link href=#main>x</a>",
        "<div class='right sidebar'><h2>x</h2><p>y</p></div>",
        &format!("<div class=sidebar><p>{}</p></div>", "<a href=/x>a link</a> ".repeat(200)),
        &format!("<div class=gutter>{}</div>", "17<br>".repeat(1_000)),
        "<form><label>x</label><input><button>y</button></form>",
        "<aside><article><h3>x</h3></article></aside>",
        "<!-- x -->",
        "<noscript><img alt=x src=y></noscript>",
    ] {
        assert_eq!(
            markdown_of(&format!("<p>before</p>{html}<p>after</p>")),
            "before\n\nafter",
            "{html}"
        );
    }
}

#[test]
fn content_that_looks_like_something_else_stays() {
    let (long, article) = ("word ".repeat(80), "word ".repeat(250));
    for (html, expected) in [
        ("<body class='cookie-banner-open has-sidebar'><p>x</p>".to_owned(), "x"),
        ("<div class=with-sidebar><p>x</p></div>".to_owned(), "x"),
        ("<div class=discookie>x</div>".to_owned(), "x"),
        ("<div class=share-price>42.10</div>".to_owned(), "42.10"),
        (format!("<div class=cookies-we-bake><p>{long}</p></div>"), long.trim()),
        (
            "<section class=menu><h2>Menu</h2><p>Soup of the day</p></section>".to_owned(),
            "## Menu\n\nSoup of the day",
        ),
        ("<div class=sidebar><main>x</main></div>".to_owned(), "x"),
        (format!("<div class=l-sidebar-fixed><p>{article}</p></div>"), article.trim()),
        (format!("<div class=gutter><article><p>{article}</p></article></div>"), article.trim()),
        ("<header><h1>x</h1></header>".to_owned(), "# x"),
        ("<h2><button>Who?</button></h2>".to_owned(), "## Who?"),
        (format!("<form><p>{long}</p><input></form>"), long.trim()),
        ("<article><header>x</header></article>".to_owned(), "x"),
        (
            format!("<div hidden><h1>x</h1>{}</div>", long.repeat(4)),
            &format!("# x\n\n{}", long.repeat(4).trim()),
        ),
        // An element without an end tag has swallowed the rest of the page, so its content is kept.
        ("<nav><p>x".to_owned(), "x"),
    ] {
        assert_eq!(markdown_of(&html), expected, "{html}");
    }
}

#[test]
fn markup_becomes_markdown() {
    for (html, expected) in [
        ("a <b> b </b>c<i>d</i>", "a **b** c*d*"),
        ("<b>a<p>b</b>c</p>d", "**a**\n\n**b**c\n\nd"),
        ("<b><i>a</b>b</i>", "***a***b"),
        ("a<b></b> <i> </i>b", "a b"),
        ("<a href=/x> a <b>b</b></a>!", "[a **b**](https://www.example.org/x)!"),
        ("!<a href=/x>a</a>", "\\![a](https://www.example.org/x)"),
        (
            "<a href=/x>a<a href=/y>b</a>",
            "[a](https://www.example.org/x)[b](https://www.example.org/y)",
        ),
        ("<a href='/a b'>x</a>", "[x](https://www.example.org/a%20b)"),
        ("<a href='javascript:x'>a</a> <a href=#x>b</a> <a>c</a>", "a b c"),
        ("<a href=/x><img alt=a src=b></a>", "[a](https://www.example.org/x)"),
        ("<a href=/x><img alt=a src=b> text</a>", "[text](https://www.example.org/x)"),
        (
            "<img alt=a src=b> <img src=c> <img alt=d src=data:x>",
            "![a](https://www.example.org/dir/b) d",
        ),
        ("<code>a`b</code> <code>a|b</code>", "``a`b`` `a|b`"),
        ("a<br>b<br><br>c<br>", "a\\\nb\n\nc"),
        ("x<sup>2</sup> 1<sup>st</sup> H<sub>2</sub>O", "x² 1st H₂O"),
        ("<pre>\n a\n\n\tb \n</pre>", "```\n a\n\n\tb\n```"),
        ("<pre class='brush: js'>```</pre>", "````js\n```\n````"),
        ("<h3>a<br>b</h3>c", "### a b\n\nc"),
        ("<ul><li>a<ol start=3><li>b</ol></ul>", "- a\n\n  3. b"),
        ("<ul><li>a</li><ul><li>b</li></ul><li>c</li></ul>", "- a\n  - b\n- c"),
        ("<ol><li>a<p>b<li>c</ol>", "1. a\n\n   b\n2. c"),
        ("<blockquote><ul><li>a</ul></blockquote>", "> - a"),
        ("<dl><dt>a<dt>b:<dd>c<dd>d</dl>", "- **a**\n- **b:** c\n\n  d"),
        ("<dl><dd>a</dl>", "a"),
        ("<table><tr><th>a<tr><td>b|c</table>", "| a |\n| --- |\n| b\\|c |"),
        ("<table><tr><td>a</table>", "a"),
        ("<table><tr><td>a<td>b<tr><td>c<td>d</table>", "| a | b |\n| --- | --- |\n| c | d |"),
        ("<table role=presentation><tr><td>a<td>b<tr><td>c<td>d</table>", "a\n\nb\n\nc\n\nd"),
        ("a<hr>b", "a\n\n---\n\nb"),
        ("1. a<p>- b<p>2024. c", "1\\. a\n\n\\- b\n\n2024\\. c"),
        ("a\u{a0}\u{ad}b &lt;b&gt; &amp;amp; &#0;&#x1F642;", "a b \\<b> \\&amp; \u{fffd}🙂"),
        ("a<p>&nbsp;</p><p> </p>b", "a\n\nb"),
        ("<q>a</q> <ruby>b<rp>(<rt>c<rp>)</ruby>", "\"a\" b(c)"),
    ] {
        assert_eq!(markdown_of(html), expected, "{html}");
    }
}

#[test]
fn an_empty_element_of_xml_is_closed() {
    let url = CrawlUrl::parse(URL, false).unwrap();
    let page = "<html xmlns='http://www.w3.org/1999/xhtml'><head><title/><script src='x'/><style/></head>\
        <body><textarea/><iframe/><h1>Title<a id='x'/></h1><p>One <b/>two<br/>three</p><div/></body></html>";
    let markdown = |kind| read(page.as_bytes(), kind, None, &url).unwrap().markdown;
    let expected = "# Title\n\nOne two\\\nthree";
    assert_eq!(markdown(PageKind::Xhtml), expected);
    // In HTML the text of the title does not end.
    assert_eq!(markdown(PageKind::Html), "");
    // A file says by itself how it is written.
    let of_file = |html: &str| html_to_markdown(html.as_bytes()).unwrap();
    assert_eq!(of_file(page), expected);
    assert_eq!(of_file("\u{feff}<?xml version='1.0'?><html><script/><p>One</p></html>"), "One");
    assert_eq!(of_file("<html><p>One</p><script/><p>Two</p></html>"), "One");
}

#[test]
fn a_heading_keeps_the_sign_at_its_end() {
    assert_eq!(markdown_of("<h2>#</h2><p>Text</p>"), "## \\#\n\nText");
    assert_eq!(markdown_of("<h2>The key #</h2><h3>C#</h3>"), "## The key \\#\n\n### C#");
}
