//! What a `robots.txt` says (RFC 9309), as far as it concerns this crawler.
//!
//! Patterns are matched part by part rather than as regular expressions, because the library at hand
//! makes one of every pattern: a hostile file of 512 KiB then costs hundreds of megabytes.

use std::fmt::Write as _;
use std::time::Duration;

use domain::crawl::CrawlUrl;

use crate::product::PRODUCT;

/// How many rules of a file count.
const RULES_MAX: usize = 10_000;
/// How many sitemaps of a file count.
const SITEMAPS_MAX: usize = 100;
/// The longest delay that a file can ask for.
const DELAY_MAX: Duration = Duration::from_secs(30);

/// The rules for this crawler.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Rules {
    rules: Vec<Rule>,
    delay: Option<Duration>,
    sitemaps: Vec<String>,
}

#[derive(Debug, Clone, PartialEq)]
struct Rule {
    pattern: Box<str>,
    allows: bool,
}

/// A group of rules while it is read.
#[derive(Debug, Default)]
struct Group {
    was_named: bool,
    rules: Vec<Rule>,
    delay: Option<Duration>,
}

impl Rules {
    /// Reads a file. Lines that say nothing are skipped; groups for one crawler are taken together.
    pub(crate) fn parse(file: &[u8]) -> Self {
        let text = String::from_utf8_lossy(file);
        let (mut own, mut others, mut sitemaps) = (Group::default(), Group::default(), Vec::new());
        // Whom the group that is read now is for, and whether it is still being said.
        let (mut for_own, mut for_others, mut is_naming) = (false, false, false);
        for line in text.trim_start_matches('\u{feff}').split(['\n', '\r', '\0']) {
            let said = line.split_once('#').map_or(line, |(said, _)| said);
            let Some((key, value)) = said.split_once(':') else { continue };
            let (key, value) = (key.trim().to_ascii_lowercase(), value.trim());
            match key.as_str() {
                "user-agent" => {
                    if !is_naming {
                        (for_own, for_others, is_naming) = (false, false, true);
                    }
                    for_own |= is_product(value);
                    for_others |= value.starts_with('*');
                    own.was_named |= for_own;
                }
                "sitemap" if sitemaps.len() < SITEMAPS_MAX => sitemaps.push(value.to_owned()),
                "allow" | "disallow" | "crawl-delay" => {
                    is_naming = false;
                    let groups = [(for_own, &mut own), (for_others, &mut others)];
                    for (_, group) in groups.into_iter().filter(|(is_meant, _)| *is_meant) {
                        group.add(&key, value);
                    }
                }
                _ => {}
            }
        }
        let Group { rules, delay, .. } = if own.was_named { own } else { others };
        Self { rules, delay, sitemaps }
    }

    /// Whether this page may be fetched. The longest pattern that matches decides; of equal ones, the
    /// friendly one.
    pub(crate) fn allow(&self, url: &CrawlUrl) -> bool {
        if self.rules.is_empty() {
            return true;
        }
        let query = url.url().query().map(|query| format!("?{query}")).unwrap_or_default();
        let target = plain(&format!("{}{query}", url.url().path()));
        let matching = self.rules.iter().filter(|rule| matches(&rule.pattern, &target));
        matching.max_by_key(|rule| (rule.pattern.len(), rule.allows)).is_none_or(|rule| rule.allows)
    }

    /// How much time passes between two requests, `least` or more.
    pub(crate) fn delay(&self, least: Duration) -> Duration {
        self.delay.unwrap_or_default().min(DELAY_MAX).max(least)
    }

    /// The sitemaps that the file names.
    pub(crate) fn sitemaps(&self) -> &[String] {
        &self.sitemaps
    }
}

impl Group {
    fn add(&mut self, key: &str, value: &str) {
        if key == "crawl-delay" {
            let seconds = value.parse().ok();
            self.delay = self.delay.or(seconds.and_then(|s| Duration::try_from_secs_f64(s).ok()));
        } else if !value.is_empty() && self.rules.len() < RULES_MAX {
            let slash = if value.starts_with(['/', '*']) { "" } else { "/" };
            let pattern = plain(&format!("{slash}{value}")).into();
            self.rules.push(Rule { pattern, allows: key == "allow" });
        }
    }
}

/// Whether a line names this crawler, maybe with a version.
fn is_product(value: &str) -> bool {
    let of_name = |char: char| char.is_ascii_alphabetic() || ['-', '_'].contains(&char);
    let name = value.split(|char| !of_name(char)).next().unwrap_or_default();
    name.eq_ignore_ascii_case(PRODUCT)
}

/// The text with one spelling for each octet, so that texts can be compared.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let escaped = after.first_chunk::<2>().filter(|_| first == b'%');
        let octet = escaped.and_then(|digits| {
            let [high, low] = digits.map(|digit| char::from(digit).to_digit(16));
            u8::try_from(high? << 4 | low?).ok()
        });
        rest = after.get(if octet.is_some() { 2 } else { 0 }..).unwrap_or_default();
        let is_plain = match octet {
            Some(octet) => octet.is_ascii_alphanumeric() || b"-._~".contains(&octet),
            None => first.is_ascii_graphic() && !b"\"%<>`^{|}'".contains(&first),
        };
        let octet = octet.unwrap_or(first);
        if is_plain {
            plain.push(octet.into());
        } else {
            // Writing to a text does not fail.
            let _ = write!(plain, "%{octet:02X}");
        }
    }
    plain
}

/// Whether a pattern matches the beginning of the target: `*` is any run of characters, a `$` at its
/// end is the end of the target.
fn matches(pattern: &str, target: &str) -> bool {
    let ending = pattern.strip_suffix('$');
    let mut parts = ending.unwrap_or(pattern).split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = target.strip_prefix(first) else { return false };
    let mut parts = parts.peekable();
    while let Some(part) = parts.next() {
        if ending.is_some() && parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    ending.is_none() || rest.is_empty()
}
