//! The bodies of the skill operations.

use super::{AnswerMode, Skill, skill_id};
use crate::body::{Body, Fields, Rules, Slot};
use crate::json::JsonObject;
use crate::patch::Patch;
use crate::text::{DESCRIPTION_MAX, LONG_TEXT_MAX};
use crate::violation::ViolationCode;

/// A new skill; `name` is required.
#[derive(Debug, Clone)]
pub struct CreateSkill(pub SkillPatch);

impl Body for CreateSkill {
    fn read(fields: &mut Fields<'_>, _: &Rules) -> Self {
        let name = fields.required("name");
        let name = fields.name("name", name);
        let skill_id = fields.optional::<String>("skillId");
        skill_id::check_new(fields, skill_id.as_deref());
        Self(SkillPatch { name, skill_id, ..SkillPatch::read_optional_fields(fields) })
    }
}

/// A partial update of a skill.
#[derive(Debug, Clone)]
pub struct UpdateSkill(pub SkillPatch);

impl Body for UpdateSkill {
    fn read(fields: &mut Fields<'_>, _: &Rules) -> Self {
        fields.some_field();
        let name = fields.not_null("name");
        let name = fields.name("name", name);
        // To unset it would rename the skill in every stage, which nobody means by `null`.
        let skill_id = fields.not_null::<String>("skillId");
        skill_id::check(fields, skill_id.as_deref());
        Self(SkillPatch { name, skill_id, ..SkillPatch::read_optional_fields(fields) })
    }
}

/// What a body says of each field.
#[derive(Debug, Clone, Default)]
pub struct SkillPatch {
    /// `name`
    pub name: Option<String>,
    /// `skillId`
    pub skill_id: Option<String>,
    /// `description`
    pub description: Patch<String>,
    /// `enabled`; unset it is true.
    pub enabled: Patch<bool>,
    /// `content`
    pub content: Patch<String>,
    /// `params`
    pub params: Patch<Vec<JsonObject>>,
    /// `toolCallAnswer`
    pub tool_call_answer: Patch<Vec<String>>,
    /// `answerMode`; unset it is `sequence`.
    pub answer_mode: Patch<AnswerMode>,
}

impl SkillPatch {
    fn read_optional_fields(fields: &mut Fields<'_>) -> Self {
        let description = fields.patch::<String>("description");
        fields.at_most("description", description.as_set().map(String::as_str), DESCRIPTION_MAX);
        let enabled = fields.patch("enabled");
        let content = fields.patch("content");
        let params = fields.patch::<Vec<JsonObject>>("params");
        let size = params
            .as_set()
            .map_or(0, |params| params.iter().map(|param| param.as_str().len()).sum::<usize>());
        if size > LONG_TEXT_MAX {
            let what = "must take at most 1 MiB of JSON in all";
            let slot = Slot::member("params");
            fields.with_violations(|violations| {
                slot.violation(violations, ViolationCode::TooLong, what);
            });
        }
        Self {
            name: None,
            skill_id: None,
            description,
            enabled,
            content,
            params,
            tool_call_answer: fields.patch("toolCallAnswer"),
            answer_mode: fields.patch("answerMode"),
        }
    }

    /// Changes a skill as told.
    pub(super) fn apply(self, skill: &mut Skill) {
        if let Some(name) = self.name {
            skill.name = name;
        }
        if let Some(skill_id) = self.skill_id {
            skill.skill_id = skill_id;
        }
        self.description.apply(&mut skill.description);
        self.enabled.apply_or(&mut skill.enabled, true);
        self.content.apply(&mut skill.content);
        self.params.apply(&mut skill.params);
        self.tool_call_answer.apply(&mut skill.tool_call_answer);
        self.answer_mode.apply_or(&mut skill.answer_mode, AnswerMode::Sequence);
    }
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

    fn create(body: &str) -> Result<CreateSkill, Violations> {
        CreateSkill::parse(body.as_bytes(), &Rules::default())
    }

    fn update(body: &str) -> Result<UpdateSkill, Violations> {
        UpdateSkill::parse(body.as_bytes(), &Rules::default())
    }

    #[test]
    fn every_violation_is_told_at_once() {
        let violations = create(
            r#"{"skillId":"a b","description":1,"enabled":"yes","content":[],"params":{},
                "toolCallAnswer":[1],"answerMode":"never","_id":"x"}"#,
        )
        .unwrap_err();
        let mut found = codes(&violations);
        found.sort_unstable();
        let expected = [
            ("/_id", "unknown_field"),
            ("/answerMode", "not_allowed"),
            ("/content", "wrong_type"),
            ("/description", "wrong_type"),
            ("/enabled", "wrong_type"),
            ("/name", "missing_field"),
            ("/params", "wrong_type"),
            ("/skillId", "bad_format"),
            ("/toolCallAnswer/0", "wrong_type"),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_skill_id_has_a_form() {
        for good in ["a", "A.b_c-9", &"x".repeat(128)] {
            assert!(create(&format!(r#"{{"name":"n","skillId":"{good}"}}"#)).is_ok(), "{good}");
        }
        let uuid = r#"{"name":1,"skillId":"0197d0c8-3c5e-7000-8000-0123456789ab"}"#;
        let told = create(uuid).unwrap_err();
        assert_eq!(codes(&told), [("/name", "wrong_type"), ("/skillId", "not_allowed")]);
        for bad in ["", " a", "a/b", "ä", "a%20b", &"x".repeat(129)] {
            let violations = create(&format!(r#"{{"name":"n","skillId":"{bad}"}}"#)).unwrap_err();
            assert_eq!(codes(&violations), [("/skillId", "bad_format")], "{bad}");
        }
    }

    #[test]
    fn lengths_are_bounded() {
        let fits = serde_json::json!({"name": "ä".repeat(200), "description": "ä".repeat(10_000)});
        assert!(create(&fits.to_string()).is_ok());
        let long = serde_json::json!({"name": "ä".repeat(201), "description": "ä".repeat(10_001)});
        let violations = create(&long.to_string()).unwrap_err();
        assert_eq!(codes(&violations), [("/name", "too_long"), ("/description", "too_long")]);
        let param = |length: usize| format!(r#"{{"a":"{}"}}"#, "x".repeat(length - 8));
        let half = param(LONG_TEXT_MAX / 2);
        assert!(create(&format!(r#"{{"name":"n","params":[{half},{half}]}}"#)).is_ok());
        let over = param(LONG_TEXT_MAX / 2 + 1);
        let violations =
            create(&format!(r#"{{"name":"n","params":[{half},{over}]}}"#)).unwrap_err();
        assert_eq!(codes(&violations), [("/params", "too_long")]);
    }

    #[test]
    fn an_update_tells_null_from_nothing() {
        let id = crate::id::SkillId::parse("0197d0c8-3c5e-7000-8000-0123456789ab").unwrap();
        let bot = crate::id::BotId::from_uuid(id.uuid());
        let mut skill = Skill::new(id, bot, crate::clock::Timestamp::from_millis(0));
        let set = r#"{"name":" n ","enabled":false,"answerMode":"random","content":"c"}"#;
        create(set).unwrap().0.apply(&mut skill);
        assert_eq!((skill.name.as_str(), skill.enabled), ("n", false));
        let unset = r#"{"enabled":null,"answerMode":null,"content":null}"#;
        update(unset).unwrap().0.apply(&mut skill);
        assert_eq!((skill.enabled, skill.answer_mode), (true, AnswerMode::Sequence));
        assert_eq!(skill.content, None);
        let nulls = update(r#"{"name":null,"skillId":null}"#).unwrap_err();
        assert_eq!(codes(&nulls), [("/name", "null"), ("/skillId", "null")]);
        assert_eq!(codes(&update("{}").unwrap_err()), [("", "no_fields")]);
    }
}
