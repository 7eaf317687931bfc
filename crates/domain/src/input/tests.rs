//! An input that a program makes is checked exactly as one that a client sends: here skills, stages and
//! bots, other bodies in `bodies`, what a chat runtime writes in `records`.

mod bodies;
mod records;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{Field, Fields, Input, InputSettings, Patch};
use crate::bot::{BotConfigPatch, CreateBot, UpdateBot};
use crate::free_fields::FreeFieldsPatch;
use crate::json::{Json, JsonObject, Number};
use crate::skill::{AnswerMode, CreateSkill, SkillPatch, UpdateSkill};
use crate::stage::{CreateStage, StagePatch, UpdateStage};
use crate::user::CreateUser;
use crate::violation::{ViolationCode, Violations, codes};

/// Short and long texts, some of them with what no field takes.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z0-9._-]{0,5}",
        "\\PC{0,6}",
        Just("0197d0c8-3c5e-7000-8000-0123456789ab".to_owned()),
        Just("a\0b".to_owned()),
        (190_usize..210).prop_map(|length| "ä".repeat(length)),
        (9_999_usize..10_002).prop_map(|length| "x".repeat(length)),
    ]
}

fn patch<T: Clone + std::fmt::Debug>(
    value: impl Strategy<Value = T>,
) -> impl Strategy<Value = Patch<T>> {
    prop_oneof![2 => value.prop_map(Patch::Set), 1 => Just(Patch::Keep), 1 => Just(Patch::Unset)]
}

fn object() -> impl Strategy<Value = JsonObject> {
    const TEXTS: [&str; 4] = [r#"{}"#, r#"{"a":[1.0]}"#, r#"{"a":1,"a":2}"#, r#"{"a":"\u0000"}"#];
    proptest::sample::select(&TEXTS[..]).prop_map(|text| JsonObject::parse(text).unwrap())
}

/// A member as a client would write it, if it is in the body at all.
fn member<T>(members: &mut Map<String, Value>, name: &str, said: &Patch<T>, of: fn(&T) -> Value) {
    match said {
        Patch::Keep => {}
        Patch::Unset => drop(members.insert(name.to_owned(), Value::Null)),
        Patch::Set(value) => drop(members.insert(name.to_owned(), of(value))),
    }
}

fn list(texts: &Vec<String>) -> Value {
    json!(texts)
}

fn string(text: &String) -> Value {
    json!(text)
}

fn switch(on: &bool) -> Value {
    json!(on)
}

/// A number as a client would write it. JSON has none that is not finite: a client can only send one that
/// is too large.
fn number_text(number: f64) -> String {
    match number {
        // Zero has no sign on its way out.
        0.0 => "0".to_owned(),
        finite if finite.is_finite() => format!("{finite:?}"),
        _ => "1e999".to_owned(),
    }
}

/// Texts that are free members, under names that a client may use and others.
fn free_texts() -> impl Strategy<Value = Vec<(String, Option<String>)>> {
    vec((prop_oneof!["[a-c]", Just("stats".to_owned())], option::of(text())), 0..4)
}

/// The same as a program gives them.
fn free_fields(texts: &[(String, Option<String>)]) -> FreeFieldsPatch {
    let json = |text: &Option<String>| text.as_ref().map(Json::of);
    FreeFieldsPatch(texts.iter().map(|(name, text)| (name.clone(), json(text))).collect())
}

/// An object of these members, as text: a name may be there twice. Those without a value are left out.
fn object_text(members: &[(&str, Option<String>)]) -> String {
    let members = members.iter().filter_map(|(name, text)| Some((name, text.as_ref()?)));
    let members: Vec<_> = members.map(|(name, text)| format!("{}:{text}", json!(name))).collect();
    format!("{{{}}}", members.join(","))
}

/// As [`object_text`], and after the members those that are free.
fn object_with_free(
    members: &[(&str, Option<String>)],
    free: &[(String, Option<String>)],
) -> String {
    let free = free.iter().map(|(name, text)| (name.as_str(), Some(json!(text).to_string())));
    object_text(&members.iter().cloned().chain(free).collect::<Vec<_>>())
}

/// A value as JSON, if there is one.
fn written<T: serde::Serialize>(value: &Option<T>) -> Option<String> {
    value.as_ref().map(|value| json!(value).to_string())
}

/// Both ways in end the same way; returns whether the input was accepted.
fn same<I: Input + std::fmt::Debug>(made: &I, sent: &str) -> Result<bool, TestCaseError> {
    let seen = |violations: Violations| -> Vec<_> {
        let mut seen: Vec<_> =
            violations.iter().map(|one| (one.pointer.clone(), one.code.as_str())).collect();
        // Some are found in the order of the text, which a client is free to choose.
        seen.sort_unstable();
        seen
    };
    let settings = InputSettings::default();
    let made = made.check(&settings).map_err(seen);
    let sent = I::parse(sent.as_bytes(), &settings).map_err(seen);
    let shown = |input: &Result<super::Valid<I>, Vec<_>>| format!("{input:?}");
    prop_assert_eq!(shown(&made), shown(&sent));
    Ok(made.is_ok())
}

prop_compose! {
    fn skill_patch()(
        name in patch(text()), skill_id in patch(text()), description in patch(text()),
        enabled in patch(any::<bool>()), content in patch(text()),
        params in patch(vec(object(), 0..3)), tool_call_answer in patch(vec(text(), 0..3)),
    ) -> SkillPatch {
        let answers_at_random =
            SkillPatch { answer_mode: AnswerMode::Random.into(), ..SkillPatch::default() };
        SkillPatch {
            name, skill_id, description, enabled, content, params, tool_call_answer,
            ..answers_at_random
        }
    }
}

/// The JSON of a client who means the same, put together without the code under test.
fn skill_body(skill: &SkillPatch) -> String {
    let mut body = Map::new();
    member(&mut body, "name", &skill.name, string);
    member(&mut body, "skillId", &skill.skill_id, string);
    member(&mut body, "description", &skill.description, string);
    member(&mut body, "enabled", &skill.enabled, switch);
    member(&mut body, "content", &skill.content, string);
    member(&mut body, "toolCallAnswer", &skill.tool_call_answer, list);
    body.insert("answerMode".to_owned(), json!("random"));
    let mut text = Value::Object(body).to_string();
    match &skill.params {
        Patch::Keep => {}
        Patch::Unset => text.insert_str(1, r#""params":null,"#),
        // Not by way of a `Value`, which would forget a member that is there twice.
        Patch::Set(params) => {
            let params: Vec<_> = params.iter().map(JsonObject::as_str).collect();
            text.insert_str(1, &format!(r#""params":[{}],"#, params.join(",")));
        }
    }
    text
}

proptest! {
    #[test]
    fn a_skill(skill in skill_patch()) {
        let body = skill_body(&skill);
        same(&CreateSkill(skill.clone()), &body)?;
        same(&UpdateSkill(skill), &body)?;
    }

    #[test]
    fn a_stage(
        title in patch(text()), name in patch(text()), hidden in patch(any::<bool>()),
        skills in patch(vec(text(), 0..4)), enter_js in patch(text()),
    ) {
        let mut body = Map::new();
        member(&mut body, "title", &title, string);
        member(&mut body, "name", &name, string);
        member(&mut body, "hidden", &hidden, switch);
        member(&mut body, "skills", &skills, list);
        member(&mut body, "enterJS", &enter_js, string);
        let body = Value::Object(body).to_string();
        let stage = StagePatch { title, name, hidden, skills, enter_js, ..StagePatch::default() };
        same(&CreateStage(stage.clone()), &body)?;
        same(&UpdateStage(stage), &body)?;
    }

    #[test]
    fn a_bot(
        name in patch(text()), model in patch(text()), model_source in patch("hosted|other"),
        temperature in patch(prop_oneof![any::<f64>(), -1.0..3.0]),
        user_documents_max_mb in patch(any::<u64>()), tag_list in patch(vec(text(), 0..3)),
    ) {
        let mut body = Map::new();
        member(&mut body, "name", &name, string);
        member(&mut body, "model", &model, string);
        member(&mut body, "modelSource", &model_source, string);
        member(&mut body, "userDocumentsMaxMb", &user_documents_max_mb, |number| json!(number));
        member(&mut body, "tagList", &tag_list, list);
        let mut text = Value::Object(body).to_string();
        let comma = if text == "{}" { "" } else { "," };
        match &temperature {
            Patch::Keep => {}
            Patch::Unset => text.insert_str(1, &format!("\"temperature\":null{comma}")),
            Patch::Set(number) => {
                let number = number_text(*number);
                text.insert_str(1, &format!("\"temperature\":{number}{comma}"));
            }
        }
        let temperature = match temperature {
            Patch::Keep => Patch::Keep,
            Patch::Unset => Patch::Unset,
            Patch::Set(number) => Patch::Set(Number(number)),
        };
        let bot = BotConfigPatch {
            name, model, model_source, temperature, user_documents_max_mb, tag_list,
            ..BotConfigPatch::default()
        };
        same(&CreateBot(bot.clone()), &text)?;
        same(&UpdateBot(bot), &text)?;
    }
}

#[test]
fn what_a_program_must_not_store_is_refused() {
    let settings = InputSettings::default();
    let refused = |skill: SkillPatch| CreateSkill(skill).check(&settings).is_err();
    let named = || SkillPatch { name: "n".into(), ..SkillPatch::default() };
    assert!(!refused(named()));
    assert!(refused(SkillPatch { name: "".into(), ..named() }));
    assert!(refused(SkillPatch { skill_id: "../a b".into(), ..named() }));
    assert!(refused(SkillPatch { content: "\0".into(), ..named() }));
    let bot = BotConfigPatch { temperature: Number(f64::NAN).into(), ..BotConfigPatch::default() };
    assert!(UpdateBot(bot).check(&settings).is_err());
    let guest_id = Some("g".repeat(1_000_000));
    let user = CreateUser { guest_id, fields: FreeFieldsPatch::default() };
    assert!(user.check(&settings).is_err());
}

#[test]
fn every_check_of_a_field_runs() {
    #[derive(serde::Serialize)]
    struct Word;
    impl Input for Word {
        fn read(fields: &mut Fields<'_>) -> Self {
            let word = Field::<String>::new("word").at_most(3).check(|word, check| {
                if word.contains(' ') {
                    check.violation(ViolationCode::BadCharacter, "must have no blank");
                }
            });
            fields.required(word);
            Self
        }
    }
    let violations = Word::parse(br#"{"word":"a word"}"#, &InputSettings::default()).err();
    let expected = [("/word", "too_long"), ("/word", "bad_character")];
    assert_eq!(codes(&violations.unwrap_or_default()), expected);
}
