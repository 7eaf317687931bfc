//! What operations on stages take.

use serde::Serialize;

use super::StagePatch;
use crate::input::{Fields, Input, Intent};
use crate::violation::ViolationCode;

/// A new stage; `title` or `name` is required, and the one is the other where it is left out.
#[derive(Debug, Clone, Serialize)]
pub struct CreateStage(pub StagePatch);

impl Input for CreateStage {
    fn read(fields: &mut Fields<'_>) -> Self {
        // A member that is there but wrong is not missing as well.
        if !(fields.has_value("title") || fields.has_value("name")) {
            let what = "is required where there is no `name`";
            fields.violation("title", ViolationCode::MissingField, what);
        }
        Self(StagePatch::read(fields, Intent::Create))
    }
}

/// A partial update of a stage.
#[derive(Debug, Clone, Serialize)]
pub struct UpdateStage(pub StagePatch);

impl Input for UpdateStage {
    fn read(fields: &mut Fields<'_>) -> Self {
        fields.some_field();
        Self(StagePatch::read(fields, Intent::Update))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    use crate::clock::Timestamp;
    use crate::id::{BotId, StageId};
    use crate::input::{InputSettings, Valid};
    use crate::stage::Stage;
    use crate::violation::{Violations, codes};

    fn create(body: &str) -> Result<Valid<CreateStage>, Violations> {
        CreateStage::parse(body.as_bytes(), &InputSettings::default())
    }

    fn update(body: &str) -> Result<Valid<UpdateStage>, Violations> {
        UpdateStage::parse(body.as_bytes(), &InputSettings::default())
    }

    #[test]
    fn title_and_name_stand_in_for_each_other() {
        for (body, title, name) in [
            (r#"{"title":" t "}"#, "t", "t"),
            (r#"{"name":"n"}"#, "n", "n"),
            (r#"{"title":"t","name":"n"}"#, "t", "n"),
            (r#"{"title":null,"name":"n"}"#, "n", "n"),
        ] {
            let (id, bot_id) = (StageId::from_uuid(Uuid::nil()), BotId::from_uuid(Uuid::nil()));
            let now = Timestamp::from_millis(0);
            let stage = Stage::new(id, bot_id, &create(body).unwrap().0, now).fields;
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
        assert_eq!(kept.0.skills.as_set().unwrap(), &["b", "a", "unknown one"]);
        let long = "x".repeat(129);
        let body = format!(r#"{{"name":"n","skills":["a","","a","{long}",1]}}"#);
        let expected = [
            ("/skills/4", "wrong_type"),
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
