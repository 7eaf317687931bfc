//! The bodies and forms of the document operations.

use super::SettingsPatch;
use crate::body::{Body, Fields, Rules};
use crate::skill;

/// How many documents one request names at most.
const DOC_IDS_MAX: usize = 1_000;

/// The fields beside the file of an upload.
#[derive(Debug, Clone)]
pub struct UploadDocument {
    /// `extract`
    pub extract: bool,
    /// `skillId`
    pub skill_id: Option<String>,
    /// `functionName`
    pub function_name: Option<String>,
    /// The settings of the extraction.
    pub settings: SettingsPatch,
}

impl Body for UploadDocument {
    fn read(fields: &mut Fields<'_>, _: &Rules) -> Self {
        let extract = extract(fields);
        let skill_id = fields.optional::<String>("skillId");
        fields.document_meaning("The skill that it is for. There need not be such a skill.");
        skill::check_reference(fields, skill_id.as_deref());
        let function_name = fields.optional("functionName");
        fields.document_meaning("The function that it is for.");
        let function_name = fields.name("functionName", function_name);
        let settings = SettingsPatch::read(fields);
        SettingsPatch::document_defaults(fields);
        Self { extract, skill_id, function_name, settings }
    }
}

/// The fields beside the file that replaces another.
#[derive(Debug, Clone)]
pub struct ReplaceDocument {
    /// `extract`
    pub extract: bool,
    /// The settings of the extraction.
    pub settings: SettingsPatch,
}

impl Body for ReplaceDocument {
    fn read(fields: &mut Fields<'_>, _: &Rules) -> Self {
        let extract = extract(fields);
        Self { extract, settings: SettingsPatch::read(fields) }
    }
}

fn extract(fields: &mut Fields<'_>) -> bool {
    let extract = fields.optional("extract");
    fields.document_meaning("Whether the file is made into chunks.");
    fields.document_default("extract", true);
    extract.unwrap_or(true)
}

/// An extraction of a document that is there.
#[derive(Debug, Clone)]
pub struct ExtractDocument(pub SettingsPatch);

impl Body for ExtractDocument {
    fn read(fields: &mut Fields<'_>, _: &Rules) -> Self {
        Self(SettingsPatch::read(fields))
    }
}

/// The documents that are assigned to a bot or taken away from it.
#[derive(Debug, Clone)]
pub struct DocIds {
    /// `docIds`
    pub doc_ids: Vec<String>,
}

impl Body for DocIds {
    fn read(fields: &mut Fields<'_>, _: &Rules) -> Self {
        let doc_ids = fields.required::<Vec<String>>("docIds");
        fields.some_items("docIds", doc_ids.as_deref(), DOC_IDS_MAX);
        Self { doc_ids: doc_ids.unwrap_or_default() }
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

    fn texts(texts: &[(&str, &str)]) -> Vec<(String, String)> {
        texts.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn the_texts_of_a_form_are_read_as_what_they_stand_for() {
        let rules = Rules::default();
        let form = texts(&[("maxChars", "500"), ("ocrEnabled", "true"), ("functionName", "12")]);
        let upload = UploadDocument::parse_texts(&form, &rules).unwrap();
        assert!(upload.extract);
        assert_eq!(upload.settings.max_chars, Some(500));
        assert_eq!(upload.settings.ocr_enabled, Some(true));
        assert_eq!(upload.function_name.as_deref(), Some("12"));
        let bad = [
            ("extract", "yes"),
            ("skillId", ""),
            ("maxChars", "99"),
            ("maxOverlap", " 1"),
            ("chunking_strategy", "pages"),
            ("ocrLanguage", "-l deu"),
            ("colour", "red"),
        ];
        let violations = UploadDocument::parse_texts(&texts(&bad), &rules).unwrap_err();
        let expected = [
            ("/extract", "wrong_type"),
            ("/skillId", "too_short"),
            ("/maxChars", "out_of_range"),
            ("/maxOverlap", "wrong_type"),
            ("/chunking_strategy", "not_allowed"),
            ("/ocrLanguage", "bad_format"),
            ("/colour", "unknown_field"),
        ];
        assert_eq!(codes(&violations), expected);
        let unknown = ReplaceDocument::parse_texts(&texts(&[("skillId", "a")]), &rules);
        assert_eq!(codes(&unknown.unwrap_err()), [("/skillId", "unknown_field")]);
    }

    #[test]
    fn an_overlap_is_less_than_the_chunk() {
        let parse = |body: &str| ExtractDocument::parse(body.as_bytes(), &Rules::default());
        parse("{}").unwrap();
        let violations = parse(r#"{"maxChars":200,"maxOverlap":200}"#).unwrap_err();
        assert_eq!(codes(&violations), [("/maxOverlap", "out_of_range")]);
    }

    #[test]
    fn some_documents_are_named() {
        let parse = |body: &str| DocIds::parse(body.as_bytes(), &Rules::default());
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
