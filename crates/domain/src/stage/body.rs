//! The bodies of the stage operations.

use std::collections::HashSet;

use super::Stage;
use crate::body::{Body, Fields, Rules, Slot};
use crate::patch::Patch;
use crate::violation::ViolationCode;

/// How many characters an item of `skills` has at most, as a `skillId` does.
const SKILL_MAX: usize = 128;

/// A new stage; `title` or `name` is required, and the one is the other where it is left out.
#[derive(Debug, Clone)]
pub struct CreateStage {
    /// `title`
    pub title: String,
    /// `name`
    pub name: String,
    /// All other fields.
    pub rest: StagePatch,
}

impl Body for CreateStage {
    fn read(fields: &mut Fields<'_>, _: &Rules) -> Self {
        // A member that is there but wrong was told already, and is not missing.
        let has_either = fields.has_value("title") || fields.has_value("name");
        let title = fields.optional("title");
        let title = fields.name("title", title);
        let name = fields.optional("name");
        let name = fields.name("name", name);
        if !has_either {
            let what = "is required where there is no `name`";
            let slot = Slot::member("title");
            fields.with_violations(|violations| {
                slot.violation(violations, ViolationCode::MissingField, what);
            });
        }
        Self {
            title: title.clone().or_else(|| name.clone()).unwrap_or_default(),
            name: name.or(title).unwrap_or_default(),
            rest: StagePatch::read_optional_fields(fields),
        }
    }
}

/// A partial update of a stage.
#[derive(Debug, Clone)]
pub struct UpdateStage(pub StagePatch);

impl Body for UpdateStage {
    fn read(fields: &mut Fields<'_>, _: &Rules) -> Self {
        fields.some_field();
        let title = fields.not_null("title");
        let title = fields.name("title", title);
        let name = fields.not_null("name");
        let name = fields.name("name", name);
        Self(StagePatch { title, name, ..StagePatch::read_optional_fields(fields) })
    }
}

/// What a body says of each field.
#[derive(Debug, Clone, Default)]
pub struct StagePatch {
    /// `title`
    pub title: Option<String>,
    /// `name`
    pub name: Option<String>,
    /// `hidden`
    pub hidden: Patch<bool>,
    /// `footer`
    pub footer: Patch<bool>,
    /// `forceSkills`
    pub force_skills: Patch<bool>,
    /// `skills`
    pub skills: Patch<Vec<String>>,
    /// `enterJS`
    pub enter_js: Patch<String>,
    /// `exitJS`
    pub exit_js: Patch<String>,
    /// `preConditionJS`
    pub pre_condition_js: Patch<String>,
}

impl StagePatch {
    fn read_optional_fields(fields: &mut Fields<'_>) -> Self {
        Self {
            title: None,
            name: None,
            hidden: fields.patch("hidden"),
            footer: fields.patch("footer"),
            force_skills: fields.patch("forceSkills"),
            skills: skills(fields),
            enter_js: fields.patch("enterJS"),
            exit_js: fields.patch("exitJS"),
            pre_condition_js: fields.patch("preConditionJS"),
        }
    }

    /// Changes a stage as told.
    pub(super) fn apply(self, stage: &mut Stage) {
        if let Some(title) = self.title {
            stage.title = title;
        }
        if let Some(name) = self.name {
            stage.name = name;
        }
        self.hidden.apply(&mut stage.hidden);
        self.footer.apply(&mut stage.footer);
        self.force_skills.apply(&mut stage.force_skills);
        self.skills.apply(&mut stage.skills);
        self.enter_js.apply(&mut stage.enter_js);
        self.exit_js.apply(&mut stage.exit_js);
        self.pre_condition_js.apply(&mut stage.pre_condition_js);
    }
}

/// `skills`: each item once, and none longer than a `skillId`.
fn skills(fields: &mut Fields<'_>) -> Patch<Vec<String>> {
    let given = fields.patch::<Vec<String>>("skills");
    fields.document_length(1, SKILL_MAX);
    let mut seen = HashSet::new();
    for (index, skill) in given.as_set().into_iter().flatten().enumerate() {
        let violation = if skill.is_empty() {
            Some((ViolationCode::TooShort, "must have at least one character".to_owned()))
        } else if skill.chars().count() > SKILL_MAX {
            Some((ViolationCode::TooLong, format!("must have at most {SKILL_MAX} characters")))
        } else if !seen.insert(skill.as_str()) {
            Some((ViolationCode::DuplicateItem, "stands in the list already".to_owned()))
        } else {
            None
        };
        if let Some((code, what)) = violation {
            let slot = Slot::member("skills").item(index);
            fields.with_violations(|violations| slot.violation(violations, code, what));
        }
    }
    given
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

    fn create(body: &str) -> Result<CreateStage, Violations> {
        CreateStage::parse(body.as_bytes(), &Rules::default())
    }

    fn update(body: &str) -> Result<UpdateStage, Violations> {
        UpdateStage::parse(body.as_bytes(), &Rules::default())
    }

    #[test]
    fn title_and_name_stand_in_for_each_other() {
        for (body, title, name) in [
            (r#"{"title":" t "}"#, "t", "t"),
            (r#"{"name":"n"}"#, "n", "n"),
            (r#"{"title":"t","name":"n"}"#, "t", "n"),
            (r#"{"title":null,"name":"n"}"#, "n", "n"),
        ] {
            let stage = create(body).unwrap();
            assert_eq!((stage.title.as_str(), stage.name.as_str()), (title, name), "{body}");
        }
        for (body, expected) in [
            ("{}", ("/title", "missing_field")),
            (r#"{"title":null,"name":null}"#, ("/title", "missing_field")),
            (r#"{"title":1}"#, ("/title", "wrong_type")),
            (r#"{"name":" "}"#, ("/name", "too_short")),
        ] {
            assert_eq!(codes(&create(body).unwrap_err()), [expected], "{body}");
        }
    }

    #[test]
    fn a_skill_stands_in_a_stage_once() {
        let kept = create(r#"{"name":"n","skills":["b","a","unknown one"]}"#).unwrap();
        assert_eq!(kept.rest.skills.as_set().unwrap(), &["b", "a", "unknown one"]);
        let long = "x".repeat(129);
        let body = format!(r#"{{"name":"n","skills":["a","","a","{long}",1]}}"#);
        // Items of another type are told by themselves.
        assert_eq!(codes(&create(&body).unwrap_err()), [("/skills/4", "wrong_type")]);
        let body = format!(r#"{{"name":"n","skills":["a","","a","{long}"]}}"#);
        let expected = [
            ("/skills/1", "too_short"),
            ("/skills/2", "duplicate_item"),
            ("/skills/3", "too_long"),
        ];
        assert_eq!(codes(&create(&body).unwrap_err()), expected);
    }

    #[test]
    fn names_can_be_changed_but_not_unset() {
        let nulls = update(r#"{"title":null,"name":null,"enterJS":null}"#).unwrap_err();
        assert_eq!(codes(&nulls), [("/title", "null"), ("/name", "null")]);
        assert_eq!(codes(&update("{}").unwrap_err()), [("", "no_fields")]);
    }
}
