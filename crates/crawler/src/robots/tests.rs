use std::time::Duration;

use proptest::prelude::*;

use super::cache::{FAILURE_REMEMBERED, REMEMBERED};
use super::*;

fn allows(rules: &Rules, path: &str) -> bool {
    rules.allow(&CrawlUrl::parse(&format!("http://a.example{path}"), false).unwrap())
}

fn parse(text: &str) -> Rules {
    Rules::parse(text.as_bytes())
}

#[test]
fn patterns_match_beginnings_runs_and_ends() {
    for (pattern, matching, others) in [
        ("/", &["/", "/x"][..], &[][..]),
        ("*", &["/", "/x"], &[]),
        ("x", &["/x", "/xy"], &["/y/x"]),
        ("/x", &["/x", "/xy", "/x/y", "/x?y"], &["/", "/X", "/y/x"]),
        ("/x/", &["/x/", "/x/y"], &["/x"]),
        ("/*.php", &["/a.php", "/a.php5", "/b/a.php?c"], &["/a.PHP", "/php"]),
        ("/*.php$", &["/a.php", "/.php.php"], &["/a.php5", "/a.php?c"]),
        ("/x*", &["/x", "/xy"], &["/y"]),
        ("/x*$", &["/x", "/xy"], &["/y"]),
        ("/x$", &["/x"], &["/xy", "/x/"]),
        ("/a*a$", &["/aa", "/aba"], &["/a"]),
        ("/*a*b", &["/ab", "/xaxb"], &["/ba"]),
        ("/*?*q=", &["/x?q=1", "/?p=1&q=2"], &["/x", "/q="]),
        ("/a$b", &["/a$b"], &["/a", "/ab"]),
        // Either side may have escaped what need not be.
        ("/%7Ea", &["/~a", "/%7ea"], &["/a"]),
        ("/ä", &["/ä", "/%c3%a4"], &["/a"]),
        ("/a%2fb", &["/a%2Fb"], &["/a/b"]),
        ("/a%2Ab", &["/a%2ab"], &["/ab", "/axb"]),
        ("/%zz", &["/%zz"], &["/%"]),
    ] {
        let rules = parse(&format!("User-agent: *\nDisallow: {pattern}"));
        for path in matching {
            assert!(!allows(&rules, path), "{pattern} {path}");
        }
        for path in others {
            assert!(allows(&rules, path), "{pattern} {path}");
        }
    }
}

#[test]
fn the_longest_pattern_decides() {
    let rules = parse("User-agent: *\nDisallow: /\nAllow: /a\nDisallow: /a/b\nAllow: /a/b\nAllow:");
    assert!(allows(&rules, "/a"));
    assert!(allows(&rules, "/a/b"));
    assert!(!allows(&rules, "/b"));
}

#[test]
fn a_crawler_goes_by_the_groups_that_name_it() {
    let text = "\u{feff}Disallow: /nobody\n\
        user-agent: *\r\nDisallow: /all\n\
        User-Agent: other # Disallow: /comment\nUSER-AGENT : BotYard/1.0\n\n\
        Disallow: /both\nCrawl-delay: 2.5\nSitemap: https://a.example/map.xml\nAllow: /both/x\n\
        User-agent: other\nDisallow: /\n\
        User-agent: botyard\nDisallow: /too\nno rule\nDisallow /neither\n";
    let rules = parse(text);
    for (path, expected) in [
        ("/nobody", true),
        ("/all", true),
        ("/comment", true),
        ("/both", false),
        ("/both/x", true),
        ("/too", false),
        ("/neither", true),
    ] {
        assert_eq!(allows(&rules, path), expected, "{path}");
    }
    assert_eq!(rules.delay(Duration::ZERO), Duration::from_millis(2_500));
    assert_eq!(rules.sitemaps(), ["https://a.example/map.xml"]);
    // Being named without any rule is a permission.
    assert!(allows(&parse("User-agent: *\nDisallow: /\nUser-agent: botyard\n"), "/"));
    assert!(!allows(&parse("User-agent: botyardling\nUser-agent: *\nDisallow: /"), "/"));
    assert!(allows(&parse("User-agent: botyardling\nDisallow: /"), "/"));
}

#[test]
fn delays_are_bounded_on_both_sides() {
    let delay = |value: &str| {
        let rules = parse(&format!("User-agent: *\nCrawl-delay: {value}"));
        rules.delay(Duration::from_millis(200)).as_millis()
    };
    for (value, millis) in [
        ("1", 1_000),
        ("0", 200),
        ("0.1", 200),
        ("86400", 30_000),
        ("inf", 200),
        ("1e300", 200),
        ("NaN", 200),
        ("-1", 200),
        ("soon", 200),
    ] {
        assert_eq!(delay(value), millis, "{value}");
    }
}

#[test]
fn only_so_many_rules_count() {
    let many: String = (0..20_000).map(|n| format!("Disallow: /{n}$\n")).collect();
    let rules = parse(&format!("User-agent: *\n{many}"));
    assert!(!allows(&rules, "/9999"));
    assert!(allows(&rules, "/10000"));
}

#[test]
fn rules_that_can_not_be_had_are_asked_for_again_soon() {
    let (now, seconds) = (Instant::now(), Duration::from_secs);
    for (wait, lasts) in [(None, 30), (Some(5), 30), (Some(120), 120), (Some(86_400), 600)] {
        let wait = wait.map(seconds);
        let busy = Unknown { wait, status: Some(503), error: CrawlError::HttpError };
        let known = CachedRules::after(Err(busy), None, now);
        assert_eq!(known.until, now + seconds(lasts));
        assert_eq!(known.rules.unwrap_err().status, Some(503));
    }
}

#[test]
fn rules_that_can_not_be_had_again_stay() {
    let now = Instant::now();
    let mut known = CachedRules::after(Ok(parse("User-agent: *\nDisallow: /x")), None, now);
    assert_eq!(known.until, now + REMEMBERED);
    for _ in 0..2 {
        known = CachedRules::after(Err(CrawlError::BrokenOff.into()), Some(known), now);
        assert_eq!(known.until, now + FAILURE_REMEMBERED);
        let rules = known.rules.as_ref().unwrap();
        assert!(allows(rules, "/") && !allows(rules, "/x"));
    }
    known = CachedRules::after(Ok(parse("")), Some(known), now);
    assert!(allows(&known.rules.unwrap(), "/x"));
}

proptest! {
    #[test]
    fn no_file_makes_it_panic(
        lines in proptest::collection::vec("(User-agent|Allow|Disallow|Crawl-delay): ?[*/$%a-c0-9]{0,9}", 0..20),
        bytes: Vec<u8>,
        path in "/[*/$%a-c0-9]{0,9}",
    ) {
        let mut file = lines.join("\n").into_bytes();
        file.extend(bytes);
        let _ = allows(&Rules::parse(&file), &path);
    }
}
