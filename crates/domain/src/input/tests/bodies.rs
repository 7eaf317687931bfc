//! Bodies of the other resources.

use super::*;
use crate::bot::{DeleteBot, DeleteMode, DuplicateBot};
use crate::crawl::{CrawlPatch, CrawlUrl, CreateCrawl, UpdateCrawl};
use crate::document::{
    DocIds, ExtractDocument, ReplaceDocument, SettingsPatch, Strategy as Chunking, UploadDocument,
};
use crate::fusion::{CreateFusionView, UpdateFusionView};
use crate::id::UserId;
use crate::keyval::{BulkDelete, PutEntry};
use crate::max_age::{CreateMaxAgeRule, KeyPattern, UpdateMaxAgeRule};
use crate::user::{DeleteUsers, ResetStats, UpdateUser};

/// Texts that are bounded in bytes elsewhere, too.
fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => text(),
        1 => (255_usize..258).prop_map(|length| "g".repeat(length)),
        1 => (1_023_usize..1_026).prop_map(|length| "k".repeat(length)),
    ]
}

fn settings() -> impl Strategy<Value = SettingsPatch> {
    let words = ["eng", "deu+eng", "", "a b", "+"];
    let strategy = proptest::sample::select(&[Chunking::Text, Chunking::Markdown][..]);
    let language = proptest::sample::select(words.to_vec()).prop_map(str::to_owned);
    let switches = (option::of(any::<bool>()), option::of(any::<bool>()));
    let sizes = (option::of(0_u32..12_000), option::of(0_u32..12_000));
    (sizes, option::of(strategy), switches, option::of(language)).prop_map(
        |((max_chars, max_overlap), strategy, (images_enabled, ocr_enabled), ocr_language)| {
            SettingsPatch {
                max_chars,
                max_overlap,
                strategy,
                images_enabled,
                ocr_enabled,
                ocr_language,
            }
        },
    )
}

fn settings_members(settings: &SettingsPatch) -> Vec<(&'static str, Option<String>)> {
    Vec::from([
        ("maxChars", written(&settings.max_chars)),
        ("maxOverlap", written(&settings.max_overlap)),
        ("chunking_strategy", written(&settings.strategy)),
        ("imagesEnabled", written(&settings.images_enabled)),
        ("ocrEnabled", written(&settings.ocr_enabled)),
        ("ocrLanguage", written(&settings.ocr_language)),
    ])
}

/// Texts that are JSON as a program would give it, some of them with what no value takes.
fn json_text() -> impl Strategy<Value = &'static str> {
    const TEXTS: [&str; 6] =
        ["null", "1.10", r#"{"a":1,"a":2}"#, r#"["\u0000"]"#, r#""text""#, "123456789012345678901"];
    proptest::sample::select(&TEXTS[..])
}

proptest! {
    #[test]
    fn deleting_and_copying_a_bot(
        mode in option::of(proptest::sample::select(&[
            (DeleteMode::Delete, "delete"), (DeleteMode::Archive, "archive"), (DeleteMode::Trash, "trash"),
        ][..])),
        name in option::of(text()),
    ) {
        let body = object_text(&[("mode", written(&mode.map(|(_, word)| word)))]);
        same(&DeleteBot { mode: mode.map(|(mode, _)| mode) }, &body)?;
        same(&DuplicateBot { name: name.clone() }, &object_text(&[("name", written(&name))]))?;
    }

    #[test]
    fn a_crawl(
        url in proptest::sample::select(&[
            "https://a.example/", "http://a.example/b?c=d", "http://a.example:81/",
        ][..]),
        is_named in any::<bool>(), depth in any::<u8>(),
        name in patch(text()), description in patch(text()), skill_id in patch(text()),
        active in patch(any::<bool>()),
    ) {
        let mut body = Map::new();
        member(&mut body, "name", &name, string);
        member(&mut body, "description", &description, string);
        member(&mut body, "skillId", &skill_id, string);
        member(&mut body, "active", &active, switch);
        let fields = CrawlPatch { name, description, skill_id, active };
        same(&UpdateCrawl(fields.clone()), &Value::Object(body.clone()).to_string())?;
        body.insert("depth".to_owned(), json!(depth));
        if is_named {
            body.insert("url".to_owned(), json!(url));
        }
        let url = is_named.then(|| CrawlUrl::parse(url, true).unwrap());
        same(&CreateCrawl { url, depth, fields }, &Value::Object(body).to_string())?;
    }

    #[test]
    fn a_fusion_view(
        view_type in prop_oneof!["[a-z0-9-]{0,5}", text(), Just("t".repeat(65))],
        title in option::of(text()), free in free_texts(),
    ) {
        let title_text = title.clone().unwrap_or_default();
        let members = [("type", Some(json!(view_type).to_string())), ("title", Some(json!(title_text).to_string()))];
        let metadata = free_fields(&free);
        let create = CreateFusionView { view_type, title: title_text, metadata: metadata.clone() };
        same(&create, &object_with_free(&members, &free))?;
        let body = object_with_free(&[("title", written(&title))], &free);
        same(&UpdateFusionView { title, metadata }, &body)?;
    }

    #[test]
    fn a_document(
        extract in any::<bool>(), skill_id in option::of(text()),
        function_name in option::of(text()), settings in settings(),
        doc_ids in vec(text(), 0..3),
    ) {
        let of_settings = settings_members(&settings);
        same(&ExtractDocument(settings.clone()), &object_text(&of_settings))?;
        let mut members = of_settings;
        members.push(("extract", Some(extract.to_string())));
        same(&ReplaceDocument { extract, settings: settings.clone() }, &object_text(&members))?;
        members.push(("skillId", written(&skill_id)));
        members.push(("functionName", written(&function_name)));
        let upload = UploadDocument { extract, skill_id, function_name, settings };
        same(&upload, &object_text(&members))?;
        let body = object_text(&[("docIds", Some(json!(doc_ids).to_string()))]);
        same(&DocIds { doc_ids }, &body)?;
    }

    #[test]
    fn an_entry(
        value in json_text(), user_id in option::of(word()), entry_type in option::of(word()),
        key_prefix in option::of(word()), keep_permanent in any::<bool>(),
    ) {
        let put = PutEntry { value: Json::parse_text(value).unwrap() };
        same(&put, &object_text(&[("value", Some(value.to_owned()))]))?;
        let body = object_text(&[
            ("userId", written(&user_id)), ("type", written(&entry_type)),
            ("keyPrefix", written(&key_prefix)), ("keepPermanent", Some(keep_permanent.to_string())),
        ]);
        same(&BulkDelete { user_id, entry_type, key_prefix, keep_permanent }, &body)?;
    }

    #[test]
    fn a_max_age_rule(
        key_pattern in option::of(proptest::sample::select(&["a", "a*", "*", " \u{e4}\\*"][..])),
        max_age in option::of(prop_oneof![any::<f64>(), -1.0..3.0]),
    ) {
        let members = |pattern: Option<&str>, max_age: Option<f64>| object_text(&[
            ("keyPattern", written(&pattern)), ("maxAgeSeconds", max_age.map(number_text)),
        ]);
        let parsed = key_pattern.map(|pattern| KeyPattern::parse(pattern).unwrap());
        let update = UpdateMaxAgeRule {
            key_pattern: parsed.clone(), max_age_seconds: max_age.map(Number),
        };
        same(&update, &members(key_pattern, max_age))?;
        if let (Some(key_pattern), Some(max_age_seconds)) = (parsed, max_age) {
            let body = members(Some(key_pattern.as_str()), Some(max_age_seconds));
            same(&CreateMaxAgeRule { key_pattern: key_pattern.clone(), max_age_seconds }, &body)?;
        }
    }

    #[test]
    fn a_user(
        guest_id in option::of(word()), user_id in option::of(word()), free in free_texts(),
        ids in vec(any::<u128>(), 0..3),
    ) {
        let fields = free_fields(&free);
        let body = object_with_free(&[("guestId", written(&guest_id))], &free);
        same(&CreateUser { guest_id: guest_id.clone(), fields: fields.clone() }, &body)?;
        let members = [("userId", written(&user_id)), ("guestId", written(&guest_id))];
        let body = object_with_free(&members, &free);
        same(&UpdateUser { user_id: user_id.clone(), guest_id, fields }, &body)?;
        let body = object_text(&[("userId", Some(json!(user_id.clone().unwrap_or_default()).to_string()))]);
        same(&ResetStats { user_id: user_id.unwrap_or_default() }, &body)?;
        let user_ids: Vec<_> =
            ids.into_iter().map(|id| UserId::from_uuid(uuid::Uuid::from_u128(id))).collect();
        let texts: Vec<_> = user_ids.iter().map(|id| id.uuid().to_string()).collect();
        let body = object_text(&[("userIds", Some(json!(texts).to_string()))]);
        same(&DeleteUsers { user_ids }, &body)?;
    }
}
