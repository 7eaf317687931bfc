//! The bodies of the website-crawl operations.

use super::{CrawlUrl, DEPTH_DEFAULT, DEPTH_MAX, URL_MAX, WebsiteCrawl};
use crate::body::{Body, Fields, Rules, Slot};
use crate::patch::Patch;
use crate::skill;
use crate::text::DESCRIPTION_MAX;
use crate::violation::ViolationCode;

/// A new crawl; `url` is required.
#[derive(Debug, Clone)]
pub struct CreateCrawl {
    /// `url`; `None` only beside violations.
    pub url: Option<CrawlUrl>,
    /// `depth`
    pub depth: u8,
    /// `name`; the host where it is left out.
    pub name: Option<String>,
    /// `description`
    pub description: Option<String>,
    /// `skillId`
    pub skill_id: Option<String>,
}

impl Body for CreateCrawl {
    fn read(fields: &mut Fields<'_>, rules: &Rules) -> Self {
        let url = fields.required::<String>("url");
        fields.document_length(1, URL_MAX);
        let url = url.and_then(|url| checked_url(fields, &url, rules.crawls_any_port));
        let depth = fields.optional::<u64>("depth");
        let depth = checked_depth(fields, depth);
        let name = fields.optional("name");
        let name = fields.name("name", name);
        let description = fields.optional::<String>("description");
        fields.at_most("description", description.as_deref(), DESCRIPTION_MAX);
        let skill_id = fields.optional::<String>("skillId");
        skill::check_reference(fields, skill_id.as_deref());
        Self { url, depth, name, description, skill_id }
    }
}

/// A partial update of a crawl.
#[derive(Debug, Clone)]
pub struct UpdateCrawl {
    /// `name`
    pub name: Option<String>,
    /// `description`
    pub description: Patch<String>,
    /// `skillId`
    pub skill_id: Patch<String>,
    /// `active`
    pub active: Option<bool>,
}

impl Body for UpdateCrawl {
    fn read(fields: &mut Fields<'_>, _: &Rules) -> Self {
        fields.some_field();
        let name = fields.not_null("name");
        let name = fields.name("name", name);
        let description = fields.patch::<String>("description");
        fields.at_most("description", description.as_set().map(String::as_str), DESCRIPTION_MAX);
        let skill_id = fields.patch::<String>("skillId");
        skill::check_reference(fields, skill_id.as_set().map(String::as_str));
        Self { name, description, skill_id, active: fields.not_null("active") }
    }
}

impl UpdateCrawl {
    /// Changes a crawl as told.
    pub(super) fn apply(self, crawl: &mut WebsiteCrawl) {
        if let Some(name) = self.name {
            crawl.name = name;
        }
        self.description.apply(&mut crawl.description);
        self.skill_id.apply(&mut crawl.skill_id);
        if let Some(active) = self.active {
            crawl.active = active;
        }
    }
}

fn checked_url(fields: &mut Fields<'_>, text: &str, any_port: bool) -> Option<CrawlUrl> {
    let url = CrawlUrl::parse(text, any_port);
    if let Err(violation) = &url {
        let slot = Slot::member("url");
        fields.with_violations(|violations| {
            slot.violation(violations, ViolationCode::BadUrl, violation);
        });
    }
    url.ok()
}

fn checked_depth(fields: &mut Fields<'_>, given: Option<u64>) -> u8 {
    fields.document_range(0.0, DEPTH_MAX.into());
    let depth = given.map_or(Some(DEPTH_DEFAULT), |depth| depth.try_into().ok());
    let depth = depth.filter(|depth| *depth <= DEPTH_MAX);
    if depth.is_none() {
        let slot = Slot::member("depth");
        let what = format!("must lie between 0 and {DEPTH_MAX}");
        fields.with_violations(|violations| {
            slot.violation(violations, ViolationCode::OutOfRange, what);
        });
    }
    depth.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::violation::Violations;

    fn codes(violations: &Violations) -> Vec<(&str, &str)> {
        violations
            .iter()
            .map(|violation| (violation.pointer.as_str(), violation.code.as_str()))
            .collect()
    }

    fn create(body: &str) -> Result<CreateCrawl, Violations> {
        CreateCrawl::parse(body.as_bytes(), &Rules::default())
    }

    #[test]
    fn a_crawl_needs_nothing_but_an_address() {
        let crawl = create(r#"{"url":"HTTPS://Www.Example.com:443/a/../b#c"}"#).unwrap();
        assert_eq!(crawl.url.unwrap().as_str(), "https://www.example.com/b");
        assert_eq!((crawl.depth, crawl.name, crawl.skill_id), (1, None, None));
        assert_eq!(create(r#"{"url":"http://a.example/","depth":10}"#).unwrap().depth, 10);
    }

    #[test]
    fn every_violation_is_told_at_once() {
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
        let rules = Rules { crawls_any_port: true, ..Rules::default() };
        CreateCrawl::parse(br#"{"url":"http://a.example:22/"}"#, &rules).unwrap();
    }

    #[test]
    fn an_update_can_unset_what_may_be_missing() {
        let update = |body: &str| UpdateCrawl::parse(body.as_bytes(), &Rules::default());
        let nulls = update(r#"{"name":null,"active":null,"skillId":null,"description":null}"#);
        assert_eq!(codes(&nulls.unwrap_err()), [("/name", "null"), ("/active", "null")]);
        let fixed = update(r#"{"url":"http://a.example/","depth":1}"#).unwrap_err();
        assert_eq!(codes(&fixed), [("/url", "unknown_field"), ("/depth", "unknown_field")]);
        assert_eq!(codes(&update("{}").unwrap_err()), [("", "no_fields")]);
    }
}
