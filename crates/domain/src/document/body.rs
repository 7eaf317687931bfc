//! The bodies and forms of the document operations.

use serde::Serialize;

use super::{ExtractionSettings, SettingsPatch};
use crate::input::{Field, Fields, Input};
use crate::skill::SkillReference as _;

/// How many documents one request names at most.
const DOC_IDS_MAX: usize = 1_000;

/// The fields beside the file of an upload.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UploadDocument {
    /// `extract`
    pub extract: bool,
    /// `skillId`
    pub skill_id: Option<String>,
    /// `functionName`
    pub function_name: Option<String>,
    /// The settings of the extraction.
    #[serde(flatten)]
    pub settings: SettingsPatch,
}

impl Input for UploadDocument {
    fn read(fields: &mut Fields<'_>) -> Self {
        let extract = extract(fields);
        let skill_id = Field::new("skillId").skill_reference();
        let skill_id =
            skill_id.description("The skill that it is for. There need not be such a skill.");
        let function_name = Field::new("functionName").as_name();
        let function_name = function_name.description("The function that it is for.");
        Self {
            extract,
            skill_id: fields.optional(skill_id),
            function_name: fields.optional(function_name),
            settings: SettingsPatch::read(fields, Some(&ExtractionSettings::of_type("text/plain"))),
        }
    }
}

/// The fields beside the file that replaces another.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReplaceDocument {
    /// `extract`
    pub extract: bool,
    /// The settings of the extraction.
    #[serde(flatten)]
    pub settings: SettingsPatch,
}

impl Input for ReplaceDocument {
    fn read(fields: &mut Fields<'_>) -> Self {
        let extract = extract(fields);
        Self { extract, settings: SettingsPatch::read(fields, None) }
    }
}

fn extract(fields: &mut Fields<'_>) -> bool {
    let extract = Field::new("extract").description("Whether the file is made into chunks.");
    fields.optional(extract.default(true)).unwrap_or(true)
}

/// An extraction of a document that is there.
#[derive(Debug, Clone, Serialize)]
pub struct ExtractDocument(pub SettingsPatch);

impl Input for ExtractDocument {
    fn read(fields: &mut Fields<'_>) -> Self {
        Self(SettingsPatch::read(fields, None))
    }
}

/// The documents that are assigned to a bot or taken away from it.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DocIds {
    /// `docIds`
    pub doc_ids: Vec<String>,
}

impl Input for DocIds {
    fn read(fields: &mut Fields<'_>) -> Self {
        let doc_ids = Field::new("docIds").some_items(DOC_IDS_MAX);
        let doc_ids =
            fields.required(doc_ids.description("The `_id`s of documents of the project."));
        Self { doc_ids: doc_ids.unwrap_or_default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::InputSettings;
    use crate::violation::codes;

    fn texts(texts: &[(&str, &str)]) -> Vec<(String, String)> {
        texts.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn the_texts_of_a_form_are_read_as_what_they_stand_for() {
        let settings = InputSettings::default();
        let form = texts(&[("maxChars", "500"), ("ocrEnabled", "true"), ("functionName", "12")]);
        let upload = UploadDocument::parse_texts(&form, &settings).unwrap();
        assert!(upload.extract);
        assert_eq!(upload.settings.max_chars, Some(500));
        assert_eq!(upload.settings.ocr_enabled, Some(true));
        assert_eq!(upload.function_name.as_deref(), Some("12"));
        let form = texts(&[("extract", "False"), ("ocrEnabled", "True"), ("functionName", "True")]);
        let upload = UploadDocument::parse_texts(&form, &settings).unwrap();
        assert_eq!((upload.extract, upload.settings.ocr_enabled), (false, Some(true)));
        assert_eq!(upload.function_name.as_deref(), Some("True"));
        let bad = [
            ("extract", "yes"),
            ("ocrEnabled", "TRUE"),
            ("imagesEnabled", " True"),
            ("skillId", ""),
            ("maxChars", "99"),
            ("maxOverlap", " 1"),
            ("chunking_strategy", "pages"),
            ("ocrLanguage", "-l deu"),
            ("colour", "red"),
        ];
        let violations = UploadDocument::parse_texts(&texts(&bad), &settings).unwrap_err();
        let expected = [
            ("/extract", "wrong_type"),
            ("/skillId", "too_short"),
            ("/maxChars", "out_of_range"),
            ("/maxOverlap", "wrong_type"),
            ("/chunking_strategy", "not_allowed"),
            ("/imagesEnabled", "wrong_type"),
            ("/ocrEnabled", "wrong_type"),
            ("/ocrLanguage", "bad_format"),
            ("/colour", "unknown_field"),
        ];
        assert_eq!(codes(&violations), expected);
        let unknown = ReplaceDocument::parse_texts(&texts(&[("skillId", "a")]), &settings);
        assert_eq!(codes(&unknown.unwrap_err()), [("/skillId", "unknown_field")]);
    }

    #[test]
    fn an_overlap_is_less_than_the_chunk() {
        let parse = |body: &str| ExtractDocument::parse(body.as_bytes(), &InputSettings::default());
        parse("{}").unwrap();
        let violations = parse(r#"{"maxChars":200,"maxOverlap":200}"#).unwrap_err();
        assert_eq!(codes(&violations), [("/maxOverlap", "out_of_range")]);
        // A number that is out of its own range is not compared as well.
        for (body, field) in [
            (r#"{"maxChars":99,"maxOverlap":500}"#, "/maxChars"),
            (r#"{"maxChars":200,"maxOverlap":100000}"#, "/maxOverlap"),
        ] {
            let violations = parse(body).unwrap_err();
            assert_eq!(codes(&violations), [(field, "out_of_range")], "{body}");
        }
    }

    #[test]
    fn some_documents_are_named() {
        let parse = |body: &str| DocIds::parse(body.as_bytes(), &InputSettings::default());
        assert_eq!(parse(r#"{"docIds":["a"]}"#).unwrap().doc_ids, ["a"]);
        for (body, code) in [
            ("{}", "missing_field"),
            (r#"{"docIds":[]}"#, "too_short"),
            (r#"{"docIds":"a"}"#, "wrong_type"),
        ] {
            assert_eq!(codes(&parse(body).unwrap_err()), [("/docIds", code)], "{body}");
        }
    }
}
