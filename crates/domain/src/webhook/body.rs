//! What operations on webhooks take.

use std::collections::HashSet;

use serde::Serialize;

use super::{ITEMS_MAX, WebhookFields, WebhookUrl};
use crate::event::EventTypes;
use crate::http_url::URL_MAX;
use crate::id::BotId;
use crate::input::{Check, Field, Fields, Input, Patch};
use crate::text::{DESCRIPTION_MAX, beginning};
use crate::violation::ViolationCode;

/// A new webhook; `url` and `types` are required.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CreateWebhook {
    /// `url`
    pub url: Option<WebhookUrl>,
    /// `types`
    pub types: Vec<String>,
    /// `botIds`
    pub bot_ids: Option<Vec<String>>,
    /// `description`
    pub description: Option<String>,
    /// `enabled`
    pub enabled: bool,
}

impl Input for CreateWebhook {
    fn read(fields: &mut Fields<'_>) -> Self {
        Self {
            url: fields.required(url()).and_then(|url| WebhookUrl::parse(&url).ok()),
            types: fields.required(types()).unwrap_or_default(),
            bot_ids: fields.optional(bot_ids()),
            description: fields.optional(description()),
            enabled: fields.optional(enabled().default(true)).unwrap_or(true),
        }
    }
}

impl CreateWebhook {
    /// What it sets; `None` without a URL, which no valid body is.
    pub(super) fn fields(&self) -> Option<WebhookFields> {
        Some(WebhookFields {
            url: self.url.clone()?,
            types: self.types.clone(),
            bot_ids: self.bot_ids.as_deref().map(ids),
            description: self.description.clone(),
            enabled: self.enabled,
        })
    }
}

/// A partial update of a webhook.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UpdateWebhook {
    /// `url`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<WebhookUrl>,
    /// `types`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub types: Option<Vec<String>>,
    /// `botIds`
    #[serde(skip_serializing_if = "Patch::is_keep")]
    pub bot_ids: Patch<Vec<String>>,
    /// `description`
    #[serde(skip_serializing_if = "Patch::is_keep")]
    pub description: Patch<String>,
    /// `enabled`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
}

impl Input for UpdateWebhook {
    fn read(fields: &mut Fields<'_>) -> Self {
        fields.some_field();
        Self {
            url: fields.not_null(url()).and_then(|url| WebhookUrl::parse(&url).ok()),
            types: fields.not_null(types()),
            bot_ids: fields.patch(bot_ids()),
            description: fields.patch(description()),
            enabled: fields.not_null(enabled()),
        }
    }
}

impl UpdateWebhook {
    /// Changes the fields that this names.
    pub(super) fn apply(&self, fields: &mut WebhookFields) {
        if let Some(url) = &self.url {
            fields.url.clone_from(url);
        }
        if let Some(types) = &self.types {
            fields.types.clone_from(types);
        }
        match &self.bot_ids {
            Patch::Keep => {}
            Patch::Unset => fields.bot_ids = None,
            Patch::Set(texts) => fields.bot_ids = Some(ids(texts)),
        }
        self.description.apply(&mut fields.description);
        if let Some(enabled) = self.enabled {
            fields.enabled = enabled;
        }
    }
}

fn url() -> Field<String> {
    let url = Field::new("url").documented_bytes(1, URL_MAX);
    let description = "Where it is sent: `http` or `https`, without user info.";
    url.description(description).check(|url: &String, check| {
        if let Err(error) = WebhookUrl::parse(url) {
            check.violation(ViolationCode::BadUrl, error);
        }
    })
}

fn types() -> Field<Vec<String>> {
    let types = Field::new("types").some_items(ITEMS_MAX).documented_unique();
    let description =
        "Which events it is sent: types, `document.*` for all that begin so, `*` for all.";
    types.description(description).check_items(|items, check| {
        each_once(items, check, |word| {
            let shown = beginning(word, 100);
            EventTypes::parse(word).is_err().then(|| {
                (
                    ViolationCode::NotAllowed,
                    format!("must be a type of events, and `{shown}` is none"),
                )
            })
        });
    })
}

fn bot_ids() -> Field<Vec<String>> {
    let bots = Field::new("botIds").some_items(ITEMS_MAX).documented_unique();
    let description = "Only events with these bots of the project; `null` for all events.";
    bots.description(description).check_items(|items, check| {
        each_once(items, check, |text| {
            let is_id = BotId::parse(text).is_some();
            (!is_id).then(|| (ViolationCode::BadFormat, "must be the `_id` of a bot".to_owned()))
        });
    })
}

fn description() -> Field<String> {
    Field::new("description").at_most(DESCRIPTION_MAX).description("What people say about it.")
}

fn enabled() -> Field<bool> {
    Field::new("enabled").description("Whether it is sent anything.")
}

/// Checks that each item stands in a list once, and has no fault of its own.
fn each_once(
    items: &[(usize, String)],
    check: &mut Check<'_>,
    fault: impl Fn(&str) -> Option<(ViolationCode, String)>,
) {
    let mut seen = HashSet::new();
    for (index, item) in items {
        if let Some((code, what)) = fault(item) {
            check.violation_of_item(*index, code, what);
        } else if !seen.insert(item.as_str()) {
            let what = "stands in the list already";
            check.violation_of_item(*index, ViolationCode::DuplicateItem, what);
        }
    }
}

/// The identifiers of texts that were checked.
fn ids(texts: &[String]) -> Vec<BotId> {
    texts.iter().filter_map(|text| BotId::parse(text)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{InputSettings, Valid};
    use crate::violation::{Violations, codes};

    const BOT: &str = "0197d0c8-3c5e-7000-8000-0123456789ab";

    fn create(body: &str) -> Result<Valid<CreateWebhook>, Violations> {
        CreateWebhook::parse(body.as_bytes(), &InputSettings::default())
    }

    fn update(body: &str) -> Result<Valid<UpdateWebhook>, Violations> {
        UpdateWebhook::parse(body.as_bytes(), &InputSettings::default())
    }

    #[test]
    fn a_webhook_needs_a_url_and_types() {
        let made =
            create(r#"{"url":"HTTPS://A.example/x#y","types":["*","bot.*","skill.created"]}"#);
        let fields = made.unwrap().fields().unwrap();
        assert_eq!(fields.url.as_str(), "https://a.example/x");
        assert_eq!(fields.types, ["*", "bot.*", "skill.created"]);
        assert_eq!((fields.bot_ids, fields.description, fields.enabled), (None, None, true));
        let missing = [("/url", "missing_field"), ("/types", "missing_field")];
        for body in ["{}", r#"{"url":null,"types":null,"enabled":null}"#] {
            assert_eq!(codes(&create(body).unwrap_err()), missing);
        }
    }

    #[test]
    fn what_is_wrong_is_said_item_by_item() {
        let body = format!(
            r#"{{"url":"ftp://a.example/","types":["bot.*","nope","bot.*",1],
                "botIds":["{BOT}","x","{BOT}"],"enabled":1,"secret":"whsec_x"}}"#
        );
        let expected = [
            ("/url", "bad_url"),
            ("/types/3", "wrong_type"),
            ("/types/1", "not_allowed"),
            ("/types/2", "duplicate_item"),
            ("/botIds/1", "bad_format"),
            ("/botIds/2", "duplicate_item"),
            ("/enabled", "wrong_type"),
            ("/secret", "unknown_field"),
        ];
        assert_eq!(codes(&create(&body).unwrap_err()), expected);
        let empty = create(r#"{"url":"http://a.example/","types":[],"botIds":[]}"#).unwrap_err();
        assert_eq!(codes(&empty), [("/types", "too_short"), ("/botIds", "too_short")]);
        let many = vec![format!("\"{BOT}\""); ITEMS_MAX + 1].join(",");
        let many = update(&format!(r#"{{"botIds":[{many}]}}"#)).unwrap_err();
        assert!(codes(&many).contains(&("/botIds", "too_many_items")));
    }

    #[test]
    fn an_update_names_what_it_changes() {
        let body = format!(
            r#"{{"url":"http://a.example/","types":["*"],"botIds":["{BOT}"],"description":"d"}}"#
        );
        let mut fields = create(&body).unwrap().fields().unwrap();
        assert_eq!(fields.bot_ids, Some(vec![BotId::parse(BOT).unwrap()]));
        update(r#"{"botIds":null,"description":null,"enabled":false}"#).unwrap().apply(&mut fields);
        assert_eq!((&fields.bot_ids, &fields.description, fields.enabled), (&None, &None, false));
        assert_eq!(fields.types, ["*"]);
        assert_eq!(codes(&update("{}").unwrap_err()), [("", "no_fields")]);
        let nulls = update(r#"{"url":null,"types":null,"enabled":null}"#).unwrap_err();
        assert_eq!(codes(&nulls), [("/url", "null"), ("/types", "null"), ("/enabled", "null")]);
    }
}
