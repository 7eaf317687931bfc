//! What operations on skills take.

use serde::Serialize;

use super::{SkillPatch, skill_id};
use crate::input::{Fields, Input, Intent};

/// A new skill; `name` is required.
#[derive(Debug, Clone, Serialize)]
pub struct CreateSkill(pub SkillPatch);

impl Input for CreateSkill {
    fn read(fields: &mut Fields<'_>) -> Self {
        let skill = SkillPatch::read(fields, Intent::Create);
        skill_id::check_new(fields, skill.skill_id.as_set());
        Self(skill)
    }
}

/// A partial update of a skill.
#[derive(Debug, Clone, Serialize)]
pub struct UpdateSkill(pub SkillPatch);

impl Input for UpdateSkill {
    fn read(fields: &mut Fields<'_>) -> Self {
        fields.some_field();
        Self(SkillPatch::read(fields, Intent::Update))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{InputSettings, Valid};
    use crate::skill::{AnswerMode, SkillFields};
    use crate::text::LONG_TEXT_MAX;
    use crate::violation::{Violations, codes};

    fn create(body: &str) -> Result<Valid<CreateSkill>, Violations> {
        CreateSkill::parse(body.as_bytes(), &InputSettings::default())
    }

    fn update(body: &str) -> Result<Valid<UpdateSkill>, Violations> {
        UpdateSkill::parse(body.as_bytes(), &InputSettings::default())
    }

    #[test]
    fn every_violation_is_reported_at_once() {
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
        let violations = create(uuid).unwrap_err();
        assert_eq!(codes(&violations), [("/name", "wrong_type"), ("/skillId", "not_allowed")]);
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
        let mut skill = SkillFields::default();
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
