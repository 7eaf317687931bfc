//! The bodies of the bot operations.

use serde::Serialize;

use super::{BotConfigPatch, Transition};
use crate::choice;
use crate::input::{Field, Fields, Input, Intent};
use crate::text::{self, NAME_MAX};
use crate::violation::{ViolationCode, Violations};

/// A new bot: its configuration, `name` required.
#[derive(Debug, Clone, Serialize)]
pub struct CreateBot(pub BotConfigPatch);

impl Input for CreateBot {
    fn read(fields: &mut Fields<'_>) -> Self {
        Self(BotConfigPatch::read(fields, Intent::Create))
    }
}

/// A partial update of a bot's configuration.
#[derive(Debug, Clone, Serialize)]
pub struct UpdateBot(pub BotConfigPatch);

impl Input for UpdateBot {
    fn read(fields: &mut Fields<'_>) -> Self {
        fields.some_field();
        Self(BotConfigPatch::read(fields, Intent::Update))
    }
}

choice! {
    /// How a bot is deleted; permanently if the request names no mode.
    DeleteMode {
        Delete "delete",
        Archive "archive",
        Trash "trash",
    }
}

impl DeleteMode {
    /// The step in the bot's life that this is.
    #[must_use]
    pub const fn transition(self) -> Transition {
        match self {
            Self::Delete => Transition::Delete,
            Self::Archive => Transition::Archive,
            Self::Trash => Transition::Trash,
        }
    }
}

/// How a bot is to be deleted, as the body has it.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct DeleteBot {
    /// The mode, if the body names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<DeleteMode>,
}

impl Input for DeleteBot {
    fn read(fields: &mut Fields<'_>) -> Self {
        Self {
            mode: fields.not_null(
                Field::new("mode").description("How the bot is deleted; `delete` by default."),
            ),
        }
    }
}

/// The mode that body and query ask for together; without either it is `delete`.
///
/// # Errors
/// If they ask for different ones.
pub fn delete_mode(
    body: Option<DeleteMode>,
    query: Option<DeleteMode>,
) -> Result<DeleteMode, Violations> {
    match (body, query) {
        (Some(body), Some(query)) if body != query => Err(Violations::one(
            "/mode",
            ViolationCode::Contradiction,
            "`mode` says one thing in the body and another in the query.",
        )),
        (mode, None) | (_, mode) => Ok(mode.unwrap_or(DeleteMode::Delete)),
    }
}

/// What the name of a copy says.
const COPY_NAME: &str =
    "What the copy is called; by default the name of the bot with `(copy)` after it.";

/// A copy of a bot.
#[derive(Debug, Clone, Serialize)]
pub struct DuplicateBot {
    /// The copy's name; `<name> (copy)` if there is none.
    pub name: Option<String>,
}

impl Input for DuplicateBot {
    fn read(fields: &mut Fields<'_>) -> Self {
        Self { name: fields.optional(Field::new("name").as_name().description(COPY_NAME)) }
    }
}

impl DuplicateBot {
    /// What the copy of a bot of this name is called. The original's name is cut where the mark
    /// would not fit any more.
    #[must_use]
    pub fn name_for(&self, original: &str) -> String {
        const MARK: &str = " (copy)";
        let room = NAME_MAX - MARK.len();
        self.name
            .clone()
            .unwrap_or_else(|| format!("{}{MARK}", text::beginning(original, room).trim_end()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bot::BotConfig;
    use crate::input::{FieldType, INTEGER_MAX};
    use crate::input::{InputSettings, Patch, Valid};
    use crate::text::{CONFIG_MAX, LIST_MAX, LONG_TEXT_MAX};
    use crate::violation::codes;

    fn update(body: &str) -> Result<Valid<UpdateBot>, Violations> {
        UpdateBot::parse(body.as_bytes(), &InputSettings::default())
    }

    #[test]
    fn every_violation_is_reported_at_once() {
        let violations = update(
            r#"{"colour":1,"name":" ","temperature":3,"isPublic":"yes","tagList":["a",1,null],
                "reasoningEffort":"huge","modelSource":"x","activeDocSearchCount":1.0,
                "userDocumentsMaxMb":-1,"complianceText":[],"model":"a","model":"b",
                "wordReplacements":[{},1],"customJs":"\u0000"}"#,
        )
        .unwrap_err();
        let mut found = codes(&violations);
        found.sort();
        let expected = [
            ("/activeDocSearchCount", "wrong_type"),
            ("/colour", "unknown_field"),
            ("/complianceText", "wrong_type"),
            ("/customJs", "bad_character"),
            ("/isPublic", "wrong_type"),
            ("/model", "duplicate_field"),
            ("/modelSource", "not_allowed"),
            ("/name", "too_short"),
            ("/reasoningEffort", "not_allowed"),
            ("/tagList/1", "wrong_type"),
            ("/tagList/2", "wrong_type"),
            ("/temperature", "out_of_range"),
            ("/userDocumentsMaxMb", "out_of_range"),
            ("/wordReplacements/1", "wrong_type"),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn lengths_and_ranges_join_the_same_list() {
        let long = "x".repeat(LONG_TEXT_MAX + 1);
        let tags = vec!["a"; LIST_MAX + 1];
        let body = serde_json::json!({
            "name": "ä".repeat(201), "customCss": long, "tagList": tags, "botPassword": long,
        });
        let violations = update(&body.to_string()).unwrap_err();
        assert_eq!(
            codes(&violations),
            [
                ("/name", "too_long"),
                ("/customCss", "too_long"),
                ("/botPassword", "too_long"),
                ("/tagList", "too_many_items"),
            ]
        );
    }

    #[test]
    fn the_first_value_of_a_repeated_member_is_checked() {
        for (body, expected) in [
            (r#"{"temperature":9,"temperature":"a"}"#, &["duplicate_field", "out_of_range"][..]),
            (r#"{"isPublic":1,"isPublic":true}"#, &["duplicate_field", "wrong_type"]),
            (r#"{"isPublic":true,"isPublic":1}"#, &["duplicate_field"]),
            (r#"{"tagList":[{"a":1,"a":2}]}"#, &["duplicate_field", "wrong_type"]),
            (
                r#"{"model":5,"model":"\ud800"}"#,
                &["duplicate_field", "bad_character", "wrong_type"],
            ),
            (r#"{"model":"\ud800","model":5}"#, &["bad_character", "duplicate_field"]),
            (r#"{"name":null,"name":"a"}"#, &["duplicate_field", "null"]),
        ] {
            let violations = update(body).unwrap_err();
            let found: Vec<_> =
                violations.iter().map(|violation| violation.code.as_str()).collect();
            assert_eq!(found, expected, "{body}");
        }
    }

    #[test]
    fn a_list_is_read_up_to_its_bound() {
        let list = |item: &str, count: usize| {
            update(&format!(r#"{{"tagList":[{}]}}"#, vec![item; count].join(","))).map(|_| ())
        };
        assert_eq!(list(r#""a""#, LIST_MAX), Ok(()));
        let violations = list("1", 100 * LIST_MAX).unwrap_err();
        assert_eq!(codes(&violations)[0], ("/tagList", "too_many_items"));
        assert_eq!(codes(&violations)[1], ("/tagList/0", "wrong_type"));
        assert_eq!(violations.total(), 1 + LIST_MAX);
    }

    #[test]
    fn every_text_and_every_object_is_bounded() {
        let fits = "x".repeat(LONG_TEXT_MAX);
        let object = |length: usize| format!(r#"{{"a":"{}"}}"#, "x".repeat(length - 8));
        let body = |text: &str, object: &str| {
            format!(
                r#"{{"tagList":["a","{text}"],"complianceText":{object},"wordReplacements":[{object}]}}"#
            )
        };
        assert!(update(&body(&fits, &object(LONG_TEXT_MAX))).is_ok());
        let violations =
            update(&body(&format!("{fits}x"), &object(LONG_TEXT_MAX + 1))).unwrap_err();
        let places = ["/tagList/1", "/wordReplacements/0", "/complianceText"];
        assert_eq!(codes(&violations), places.map(|place| (place, "too_long")));
    }

    #[test]
    fn a_configuration_is_bounded_as_a_whole() {
        let mut config = BotConfig::default();
        let bare = serde_json::to_string(&config).unwrap().len();
        // Two quotes take the place of the four letters of `null`.
        config.model = Some("x".repeat(CONFIG_MAX - bare + "null".len() - 2));
        assert_eq!(config.check_size(), Ok(()));
        config.model.as_mut().unwrap().push('x');
        assert_eq!(codes(&config.check_size().unwrap_err()), [("", "too_long")]);
    }

    #[test]
    fn minus_zero_is_zero() {
        let mut config = BotConfig::default();
        update(r#"{"userDocumentsMaxMb":-0}"#).unwrap().0.apply(&mut config);
        assert_eq!(config.user_documents_max_mb, Some(0));
        for bad in ["-1", "-00", "-9007199254740991"] {
            assert!(update(&format!(r#"{{"userDocumentsMaxMb":{bad}}}"#)).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_unknown_member_does_not_come_back_whole() {
        for letter in ["n", "~", "\\u006e"] {
            let violations = update(&format!(r#"{{"{}":1}}"#, letter.repeat(1 << 20))).unwrap_err();
            let violation = violations.iter().next().unwrap();
            assert_eq!(
                (violation.pointer.as_str(), violation.code),
                ("", ViolationCode::UnknownField)
            );
            assert!(violation.message.len() < 150);
        }
    }

    #[test]
    fn an_update_changes_only_what_it_names() {
        let mut config = BotConfig { name: "Ada".into(), ..BotConfig::default() };
        config.model = Some("m".into());
        config.websearch = Some(true);
        let before = config.clone();
        update(r#"{"model":null,"temperature":1,"tagList":[]}"#).unwrap().0.apply(&mut config);
        assert_eq!(config.model, None);
        assert_eq!(config.tag_list, Some(Vec::new()));
        assert_eq!((config.name.as_str(), config.websearch), ("Ada", Some(true)));
        let changes = config.changes_since(&before);
        let fields: Vec<_> = changes.iter().map(|change| change.field.as_str()).collect();
        assert_eq!(fields, ["model", "temperature", "tagList"]);
        assert!(serde_json::to_string(&config).unwrap().contains("\"temperature\":1,"));
    }

    #[test]
    fn a_name_is_needed_and_kept() {
        let settings = InputSettings::default();
        for body in ["{}", r#"{"name":null}"#] {
            let violations = CreateBot::parse(body.as_bytes(), &settings).unwrap_err();
            assert_eq!(codes(&violations), [("/name", "missing_field")]);
        }
        let created = CreateBot::parse(br#"{"name":"  Ada "}"#, &settings).unwrap();
        assert_eq!(created.0.name, Patch::from("Ada"));
        assert_eq!(codes(&update(r#"{"name":null}"#).unwrap_err()), [("/name", "null")]);
        assert_eq!(codes(&update("{}").unwrap_err()), [("", "no_fields")]);
    }

    #[test]
    fn every_field_of_the_specification_is_described_and_stored_under_its_name() {
        let described = UpdateBot::describe(&InputSettings::default());
        let config = serde_json::to_value(BotConfig::default()).unwrap();
        let stored: Vec<_> = config.as_object().unwrap().keys().cloned().collect();
        let mut names: Vec<_> = described.iter().map(|doc| doc.name.clone()).collect();
        names.sort();
        assert_eq!(names, stored);
        assert_eq!(names.len(), 63);
        let model_source = described.iter().find(|doc| doc.name == "modelSource").unwrap();
        let words = vec!["hosted".to_owned(), "selfhosted".to_owned()];
        assert_eq!(model_source.field_type, FieldType::OneOf(words));
    }

    #[test]
    fn bounds_are_described() {
        let described = CreateBot::describe(&InputSettings::default());
        let bounds = |name: &str| described.iter().find(|doc| doc.name == name).unwrap().bounds;
        assert_eq!(bounds("name").length, Some((1, NAME_MAX)));
        assert_eq!(bounds("model").length, Some((0, LONG_TEXT_MAX)));
        assert_eq!(bounds("temperature").range, Some((0.0, 2.0)));
        assert_eq!(bounds("userDocumentsMaxMb").range, Some((0.0, INTEGER_MAX as f64)));
        assert_eq!(bounds("tagList").length, Some((0, LONG_TEXT_MAX)));
        assert_eq!(bounds("wordReplacements").items, Some((0, LIST_MAX)));
    }

    #[test]
    fn body_and_query_must_agree_on_the_mode() {
        use DeleteMode::{Archive, Delete, Trash};
        assert_eq!(delete_mode(None, None), Ok(Delete));
        assert_eq!(delete_mode(Some(Trash), None), Ok(Trash));
        assert_eq!(delete_mode(None, Some(Archive)), Ok(Archive));
        assert_eq!(delete_mode(Some(Trash), Some(Trash)), Ok(Trash));
        let violations = delete_mode(Some(Trash), Some(Archive)).unwrap_err();
        assert_eq!(codes(&violations), [("/mode", "contradiction")]);
    }

    #[test]
    fn a_copy_has_a_name_that_fits() {
        let unnamed = DuplicateBot { name: None };
        assert_eq!(unnamed.name_for("Ada"), "Ada (copy)");
        let long = unnamed.name_for(&"ä".repeat(200));
        assert_eq!(long.chars().count(), 200);
        assert!(long.ends_with("ä (copy)"));
        assert_eq!(DuplicateBot { name: Some("Bea".into()) }.name_for("Ada"), "Bea");
    }
}
