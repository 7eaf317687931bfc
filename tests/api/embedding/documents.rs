//! PDFs among the pages of a site.

use botyard_tests::{Reply, Site, each_scheme};
use serde_json::json;

use super::{crawled, page};

/// The PDF that comes with the seed, which has four pages.
const MANUAL: &[u8] = include_bytes!("../../../crates/server/seed/documents/luna-manual.pdf");

each_scheme! {
    fn the_text_of_a_pdf_is_the_content_of_its_page(bot: &OnBot) {
        let site = Site::start();
        let pdf = || Reply::status(200).of_type("application/pdf");
        site.set("/", Reply::page("Start", "The start.", &["/manual", "/broken", "/hidden"]));
        site.set("/manual", pdf().body(MANUAL));
        site.set("/broken", pdf().body(&b"%PDF-1.7 and nothing else"[..]));
        site.set("/hidden", pdf().header("X-Robots-Tag", "noindex").body(MANUAL));
        let crawl = crawled(bot, &site.url("/"), 1);
        assert_eq!(crawl["status"], "finished", "{crawl}");
        let manual = page(&crawl, &site.url("/manual"));
        let found = [&manual["title"], &manual["statusCode"], &manual["error"]];
        assert_eq!(found, [&json!(null), &json!(200), &json!(null)]);
        let content = manual["content"].as_str().unwrap();
        assert!(content.starts_with("Luna desk lamp: manual\n"), "{content}");
        assert!(content.contains("E14") && content.contains("It costs you nothing."), "{content}");
        for (path, error) in [("/broken", "bad_content"), ("/hidden", "disallowed")] {
            let page = page(&crawl, &site.url(path));
            assert_eq!((&page["error"], &page["content"]), (&json!(error), &json!(null)), "{path}");
        }
    }
}
