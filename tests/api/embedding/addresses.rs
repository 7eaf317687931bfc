//! Which texts are addresses that can be crawled, and which of them are the same.

use botyard_tests::each_scheme;
use serde_json::json;

use super::{ended, without_pages};

each_scheme! {
    fn an_address_is_normalised(bot: &OnBot) {
        for (given, url) in [
            ("http://10.0.0.1", "http://10.0.0.1/"),
            ("HTTP://10.0.0.1:80/", "http://10.0.0.1/"),
            ("https://10.0.0.1:443/a", "https://10.0.0.1/a"),
            ("https://10.0.0.1:80/a", "https://10.0.0.1:80/a"),
            ("http:10.0.0.1/b", "http://10.0.0.1/b"),
            ("http:///10.0.0.1/c", "http://10.0.0.1/c"),
            ("http://0xa.1/d", "http://10.0.0.1/d"),
            ("http://10.1/e", "http://10.0.0.1/e"),
            ("http://012.0.0.1/f", "http://10.0.0.1/f"),
            ("http://167772161/g", "http://10.0.0.1/g"),
            ("http://１０。0。0。1/h", "http://10.0.0.1/h"),
            ("http://10.0.0.1./i", "http://10.0.0.1/i"),
            ("http://[::FFFF:10.0.0.1]/", "http://[::ffff:a00:1]/"),
            ("http://10.0.0.1/x/../y/./z", "http://10.0.0.1/y/z"),
            ("http://10.0.0.1/p#top", "http://10.0.0.1/p"),
            ("http://10.0.0.1/%7Eme/%41%c3%a4?q=%61%2f", "http://10.0.0.1/~me/A%C3%A4?q=a%2F"),
            ("http://10.0.0.1/ä?ö=\"", "http://10.0.0.1/%C3%A4?%C3%B6=%22"),
            ("http://10.0.0.1/?", "http://10.0.0.1/?"),
            ("http://10.0.0.1//k", "http://10.0.0.1//k"),
        ] {
            let made = bot.post("/embedding", &json!({"url": given})).ok();
            assert_eq!(made["url"], url, "{given}");
            let _ = ended(bot, &made);
        }
    }

    fn what_is_no_address_is_refused(bot: &OnBot) {
        let long = format!("http://10.0.0.1/{}", "x".repeat(2_048 - 15));
        let grows = format!("http://10.0.0.1/{}", "ä".repeat(400));
        let before = bot.tenant.snapshot();
        for url in [
            "",
            "x",
            "/",
            "//10.0.0.1/",
            "10.0.0.1",
            "www.example.com/",
            "http:",
            "http://",
            "http:///",
            "http://?",
            "http://#",
            "http://10.0.0.256/",
            "http://10.0.0.0.1/",
            "http://[::1/",
            "http://[::g]/",
            "http://10.0.0.1:65536/",
            "http://10.0.0.1:x/",
            "http://a b/",
            "http://exa%mple.com/",
            "http://exa<mple.com/",
            "ftp://10.0.0.1/",
            "file:///etc/passwd",
            "file://10.0.0.1/x",
            "javascript:alert(1)",
            "data:text/html,x",
            "gopher://10.0.0.1/",
            "ws://10.0.0.1/",
            "blob:http://10.0.0.1/x",
            "view-source:http://10.0.0.1/",
            "http://user@10.0.0.1/",
            "http://user:password@10.0.0.1/",
            "http://:password@10.0.0.1/",
            "http:\\\\10.0.0.1\\",
            "http://10.0.0.1\\@example.com/",
            "http://10.0.0.1/a\\b",
            " http://10.0.0.1/",
            "http://10.0.0.1/ ",
            "http://10.0.0.1/a b",
            "http://10.0.0.1/a\u{a0}b",
            "http://10.0.0.1/\r\nHost:%20x",
            "http://10.0.0.1/\t",
            "ht\ntp://10.0.0.1/",
            "http://10.0.0.1/\u{7f}",
            "http://10.0.0.1/\u{85}",
            "http://10.0.0.1/\u{2028}",
            &long,
            &grows,
        ] {
            let answer = bot.post("/embedding", &json!({"url": url}));
            answer.has_violations(&[("/url", "bad_url")]);
            // It is not repeated: it may hold a password.
            assert!(url.len() < 15 || !answer.text().contains(url), "{answer}");
        }
        before.assert_unchanged(&bot.tenant);
    }

    fn an_address_may_be_of_any_form_that_a_browser_takes(bot: &OnBot) {
        for url in ["http://10.0.0.1/a|b", "http://10.0.0.1/%", "http://10.0.0.1/%zz?%"] {
            let made = bot.post("/embedding", &json!({"url": url})).ok();
            let after = ended(bot, &made);
            assert_eq!(after["error"], "blocked_address", "{url}");
            assert!(bot.get("/embedding").items().contains(&without_pages(after)));
        }
    }
}
