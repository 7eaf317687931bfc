//! The pages of the website that is crawled: made up, but of the size and structure of a manual's.

use crate::bench::words::Words;

/// How many pages the navigation leads to.
const SECTIONS: u32 = 20;
/// How many pages lie below each other one.
const BELOW: u32 = 5;
const STYLE: &str = "body{margin:0;font:16px/1.5 sans-serif;color:#222}
nav ul{display:flex;flex-wrap:wrap;list-style:none;gap:.5rem;padding:0}nav a{color:#046;padding:.2rem}
main{max-width:48rem;margin:0 auto;padding:1rem}table{border-collapse:collapse;width:100%}
td,th{border:1px solid #ccc;padding:.3rem .6rem;text-align:left}pre{background:#f4f4f4;padding:1rem}
aside{border-top:1px solid #ccc}footer{background:#eee;padding:1rem;font-size:.9rem}";
const SCRIPT: &str = "document.addEventListener('DOMContentLoaded', function () {
  var box = document.querySelector('.cookies');
  box.querySelector('button').addEventListener('click', function () { box.remove(); });
  if (window.innerWidth < 600 && document.querySelectorAll('nav a').length > 10) {
    document.body.classList.add('narrow');
  }
});";

/// Where a page is; number 0 is the first.
pub fn path(number: u32) -> String {
    if number == 0 { "/".to_owned() } else { format!("/manual/topic-{number:04}.html") }
}

/// A page of a site that has so many, always the same.
pub fn html(number: u32, pages: u32) -> String {
    let mut words = Words(u64::from(number) + 1);
    let title = words.title();
    let navigation = items((0..=SECTIONS).filter(|&section| section < pages));
    let above = link(parent(number), "Up");
    let (sections, below) = (words.sections(pages), items(below(number, pages)));
    let related = items((0..4).map(|_| words.number(pages)));
    let path = path(number);
    format!(
        r##"<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="{description}">
<title>{title} – Manual</title>
<link rel="canonical" href="{path}">
<style>
{STYLE}
</style>
</head>
<body>
<a class="skip" href="#content">To the content</a>
<div class="cookies" role="dialog"><p>We use cookies.</p><button>Accept all</button></div>
<header>
<nav aria-label="Topics">
<ul>
{navigation}</ul>
</nav>
</header>
<main id="content">
<article>
<p class="breadcrumb">{above} / {title}</p>
<h1>{title}</h1>
{sections}<h2>In this topic</h2>
<ul>
{below}</ul>
</article>
<aside>
<h2>See also</h2>
<ul>
{related}</ul>
</aside>
</main>
<footer>
<p>© Manual, all rights reserved · <a href="/">Home</a> · <a href="mailto:a@b.example">Contact</a></p>
</footer>
<script>
{SCRIPT}
</script>
</body>
</html>
"##,
        description = words.sentence(),
    )
}

/// The page above this one: the navigation leads to the first ones, each of those to a few others.
const fn parent(number: u32) -> u32 {
    if number <= SECTIONS { 0 } else { (number - SECTIONS - 1) / BELOW + 1 }
}

/// The pages below this one that are not in the navigation.
fn below(number: u32, pages: u32) -> impl Iterator<Item = u32> {
    let first = number.checked_sub(1).map_or(pages, |before| SECTIONS + 1 + before * BELOW);
    (first..first + BELOW).filter(move |&page| page < pages)
}

fn items(pages: impl Iterator<Item = u32>) -> String {
    let item = |page| format!("<li>{}</li>\n", link(page, &Words(u64::from(page) + 1).title()));
    pages.map(item).collect::<Vec<_>>().concat()
}

fn link(page: u32, text: &str) -> String {
    format!(r#"<a href="{}">{text}</a>"#, path(page))
}

impl Words {
    fn paragraph(&mut self, pages: u32) -> String {
        let link = link(self.number(pages), self.word());
        let (one, two, three) = (self.sentence(), self.sentence(), self.sentence());
        let (key, strong) = (self.word(), self.words(2));
        format!(
            "<p>{one} {two} See {link} for the <strong>{strong}</strong>, or press <code>{key}</code> \
             &amp; go on. {three}</p>\n"
        )
    }

    /// The text of a page: chapters, the first ones with a list, a table and code.
    fn sections(&mut self, pages: u32) -> String {
        let count = 3 + self.number(4);
        let chapter = |chapter| {
            let title = self.title();
            let extra = match chapter {
                0 => self.list(),
                1 => self.table(),
                2 => self.code(),
                _ => self.paragraph(pages),
            };
            let (before, after) = (self.paragraph(pages), self.paragraph(pages));
            format!("<h2>{title}</h2>\n{before}{extra}{after}")
        };
        (0..count).map(chapter).collect::<Vec<_>>().concat()
    }

    fn list(&mut self) -> String {
        let items: Vec<_> = (0..6).map(|_| format!("<li>{}</li>\n", self.sentence())).collect();
        format!("<ol>\n{}</ol>\n", items.concat())
    }

    fn table(&mut self) -> String {
        let mut row = |_| {
            let (name, kind, text) = (self.word(), self.word(), self.words(4));
            format!("<tr><td>{name}</td><td>{kind}</td><td>{text}</td></tr>\n")
        };
        let rows: Vec<_> = (0..8).map(&mut row).collect();
        format!(
            "<table>\n<thead><tr><th>Field</th><th>Kind</th><th>Meaning</th></tr></thead>\n\
             <tbody>\n{}</tbody>\n</table>\n",
            rows.concat()
        )
    }

    fn code(&mut self) -> String {
        let lines: Vec<_> = (0..8)
            .map(|_| format!("  {} = \"{}\"; // {}\n", self.word(), self.word(), self.words(3)))
            .collect();
        format!("<pre><code class=\"language-js\">{}</code></pre>\n", lines.concat())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    const PAGES: u32 = 2_000;

    fn links(html: &str) -> HashSet<&str> {
        html.split("<a href=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect()
    }

    #[test]
    fn pages_are_of_the_size_of_real_ones() {
        for number in 0..PAGES {
            let html = html(number, PAGES);
            assert!((6_000..=12_288).contains(&html.len()), "page {number}: {}", html.len());
            assert!(links(&html).len() > 20, "page {number}");
        }
    }

    #[test]
    fn every_page_is_reached_in_few_steps() {
        let pages: Vec<_> = (0..PAGES).map(|number| (path(number), html(number, PAGES))).collect();
        let mut reached = HashSet::from(["/"]);
        for _ in 0..10 {
            let found: Vec<_> = pages
                .iter()
                .filter(|(path, _)| reached.contains(path.as_str()))
                .flat_map(|(_, html)| links(html))
                .filter(|link| link.starts_with('/'))
                .collect();
            reached.extend(found);
        }
        assert_eq!(reached.len(), pages.len());
        assert!(pages.iter().all(|(path, _)| reached.contains(path.as_str())));
    }
}
