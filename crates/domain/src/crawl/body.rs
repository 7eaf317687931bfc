//! What operations on website-crawls take.

use serde::Serialize;

use super::{CrawlPatch, CrawlUrl, DEPTH_DEFAULT, DEPTH_MAX};
use crate::http_url::URL_MAX;
use crate::input::{Field, Fields, Input, Intent};
use crate::violation::ViolationCode;

/// A new crawl; `url` is required.
#[derive(Debug, Clone, Serialize)]
pub struct CreateCrawl {
    /// `url`
    pub url: Option<CrawlUrl>,
    /// `depth`: at most [`DEPTH_MAX`].
    pub depth: u8,
    /// All other fields.
    #[serde(flatten)]
    pub fields: CrawlPatch,
}

impl Input for CreateCrawl {
    fn read(fields: &mut Fields<'_>) -> Self {
        let url = Field::new("url").documented_bytes(1, URL_MAX).description(URL);
        let url = url.check(|url: &String, check| {
            if let Err(error) = CrawlUrl::parse(url, check.settings().crawls_any_port) {
                check.violation(ViolationCode::BadUrl, error);
            }
        });
        // What is wrong with it was found by the check.
        let url = fields.required(url).and_then(|url| CrawlUrl::parse(&url, true).ok());
        let depth = fields.optional(
            Field::<u64>::new("depth")
                .range(0, DEPTH_MAX.into())
                .default(DEPTH_DEFAULT)
                .description("How many link hops it goes from there; 0 is that page alone."),
        );
        let depth = depth.map_or(DEPTH_DEFAULT, |depth| depth.try_into().unwrap_or(DEPTH_MAX));
        Self { url, depth, fields: CrawlPatch::read(fields, Intent::Create) }
    }
}

/// What the address of a new crawl says.
const URL: &str = "The page that it begins with: an `http` or `https` address without user name and \
                   password, on one of the ports that the service allows.";

/// A partial update of a crawl.
#[derive(Debug, Clone, Serialize)]
pub struct UpdateCrawl(pub CrawlPatch);

impl Input for UpdateCrawl {
    fn read(fields: &mut Fields<'_>) -> Self {
        fields.some_field();
        Self(CrawlPatch::read(fields, Intent::Update))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{InputSettings, Valid};
    use crate::violation::{Violations, codes};

    fn create(body: &str) -> Result<Valid<CreateCrawl>, Violations> {
        CreateCrawl::parse(body.as_bytes(), &InputSettings::default())
    }

    #[test]
    fn a_crawl_needs_nothing_but_an_address() {
        let crawl = create(r#"{"url":"HTTPS://Www.Example.com:443/a/../b#c"}"#).unwrap();
        assert_eq!(crawl.url.as_ref().unwrap().as_str(), "https://www.example.com/b");
        assert_eq!((crawl.depth, &crawl.fields), (1, &CrawlPatch::default()));
        assert_eq!(create(r#"{"url":"http://a.example/","depth":10}"#).unwrap().depth, 10);
    }

    #[test]
    fn every_violation_is_reported_at_once() {
        let body = r#"{"url":"ftp://a.example","depth":11,"name":" ","skillId":"","active":true}"#;
        let expected = [
            ("/url", "bad_url"),
            ("/depth", "out_of_range"),
            ("/name", "too_short"),
            ("/skillId", "too_short"),
            ("/active", "unknown_field"),
        ];
        assert_eq!(codes(&create(body).unwrap_err()), expected);
        for (body, expected) in [
            ("{}", ("/url", "missing_field")),
            (r#"{"url":null}"#, ("/url", "missing_field")),
            (r#"{"url":1}"#, ("/url", "wrong_type")),
            (r#"{"url":"http://a.example:22/"}"#, ("/url", "bad_url")),
            (r#"{"url":"http://a.example/","depth":-1}"#, ("/depth", "out_of_range")),
            (r#"{"url":"http://a.example/","depth":1.5}"#, ("/depth", "wrong_type")),
        ] {
            assert_eq!(codes(&create(body).unwrap_err()), [expected], "{body}");
        }
        let settings = InputSettings { crawls_any_port: true, ..InputSettings::default() };
        CreateCrawl::parse(br#"{"url":"http://a.example:22/"}"#, &settings).unwrap();
    }

    #[test]
    fn an_update_can_unset_what_may_be_missing() {
        let update = |body: &str| UpdateCrawl::parse(body.as_bytes(), &InputSettings::default());
        let nulls = update(r#"{"name":null,"active":null,"skillId":null,"description":null}"#);
        assert_eq!(codes(&nulls.unwrap_err()), [("/name", "null"), ("/active", "null")]);
        let fixed = update(r#"{"url":"http://a.example/","depth":1}"#).unwrap_err();
        assert_eq!(codes(&fixed), [("/url", "unknown_field"), ("/depth", "unknown_field")]);
        assert_eq!(codes(&update("{}").unwrap_err()), [("", "no_fields")]);
    }
}
