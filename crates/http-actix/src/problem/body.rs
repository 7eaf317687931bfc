//! How a problem is written.

use actix_web::HttpResponse;
use actix_web::http::header::{
    ALLOW, CONTENT_RANGE, CONTENT_TYPE, ETAG, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE,
};
use domain::access::{Scheme, ScopeSet};
use domain::id::DocumentId;
use domain::violation::InputPart;
use serde::Serialize;

use super::{Problem, ProblemKind};

impl Problem {
    /// The response: a problem body with the request's id, and the headers that HTTP asks for.
    #[must_use]
    pub fn respond(&self, request_id: &str, token_header: Option<(Scheme, &str)>) -> HttpResponse {
        let (code, title) = self.headline();
        let body = ProblemBody {
            r#type: format!("urn:botyard:problem:{code}"),
            title,
            status: self.status().as_u16(),
            detail: &self.0.detail,
            code,
            request_id,
            required_scopes: self.0.required_scopes,
            rule: self.0.rule,
            doc_id: self.0.doc_id,
            oldest_cursor: self.0.oldest_cursor.map(|cursor| cursor.to_string()),
            errors: self.0.violations.iter().map(ViolationBody::from).collect(),
        };
        let mut response = HttpResponse::build(self.status());
        response
            .insert_header((CONTENT_TYPE, HeaderValue::from_static("application/problem+json")));
        if let Some(seconds) = self.0.retry_after {
            response.insert_header((RETRY_AFTER, seconds));
        }
        if let Some(allow) = &self.0.allow {
            response.insert_header((ALLOW, allow.as_str()));
        }
        if let Some(size) = self.0.size {
            response.insert_header((CONTENT_RANGE, format!("bytes */{size}")));
        }
        if let Some(tag) = &self.0.tag {
            response.insert_header((ETAG, tag.as_str()));
        }
        if let (ProblemKind::Unauthenticated, Some((_, header))) = (self.0.kind, token_header) {
            response.insert_header((WWW_AUTHENTICATE, format!("ApiKey header=\"{header}\"")));
        }
        response.body(serde_json::to_vec(&body).unwrap_or_default())
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ProblemBody<'a> {
    r#type: String,
    title: &'static str,
    status: u16,
    detail: &'a str,
    code: &'static str,
    request_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    required_scopes: Option<ScopeSet>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    doc_id: Option<DocumentId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    oldest_cursor: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<ViolationBody<'a>>,
}

#[derive(Serialize)]
struct ViolationBody<'a> {
    pointer: &'a str,
    #[serde(rename = "in")]
    part: &'static str,
    code: &'static str,
    message: &'a str,
}

impl<'a> From<&'a domain::violation::Violation> for ViolationBody<'a> {
    fn from(violation: &'a domain::violation::Violation) -> Self {
        let part = match violation.part {
            InputPart::Body => "body",
            InputPart::Query => "query",
            InputPart::Path => "path",
        };
        let (code, message) = (violation.code.as_str(), violation.message.as_str());
        Self { pointer: &violation.pointer, part, code, message }
    }
}

#[cfg(test)]
mod tests {
    use actix_web::body::MessageBody;
    use domain::archive::ArchiveRule;
    use domain::blob::BlobError;
    use domain::encryption::CipherError;
    use domain::error::{Busy, DomainError, Quota, Resource};
    use domain::violation::{ViolationCode, Violations};
    use serde_json::{Value, json};

    use super::*;

    fn written(error: DomainError) -> (HttpResponse<()>, Value) {
        let response = Problem::from(error).respond("an-id", None);
        let (head, body) = response.into_parts();
        (head, serde_json::from_slice(&body.try_into_bytes().ok().unwrap()).unwrap())
    }

    #[test]
    fn each_error_of_the_domain_has_its_problem() {
        for (error, status, code) in [
            (DomainError::NotFound(Resource::Skill), 404, "skill_not_found"),
            (DomainError::NotFound(Resource::Stage), 404, "stage_not_found"),
            (DomainError::NotFound(Resource::FusionView), 404, "fusion_view_not_found"),
            (DomainError::NotFound(Resource::WebsiteCrawl), 404, "website_crawl_not_found"),
            (DomainError::NotFound(Resource::Document), 404, "document_not_found"),
            (DomainError::NotFound(Resource::Job), 500, "internal"),
            (DomainError::QuotaExceeded(Quota::BotsPerProject(1)), 403, "quota_exceeded"),
            (DomainError::QuotaExceeded(Quota::DocumentsPerProject(1)), 403, "quota_exceeded"),
            (DomainError::QuotaExceeded(Quota::BlobBytesPerProject(1)), 413, "project_full"),
            (DomainError::BodyTooLarge(1), 413, "body_too_large"),
            (DomainError::UploadNotSupported(Vec::new()), 415, "upload_not_supported"),
            (DomainError::UnsupportedMediaType("no".to_owned()), 415, "unsupported_media_type"),
            (DomainError::Busy(Busy::Uploads(8)), 429, "too_many_at_once"),
            (DomainError::Busy(Busy::Duplicates(4)), 429, "too_many_at_once"),
            (DomainError::Busy(Busy::QueuedCrawls(100)), 429, "too_many_at_once"),
            (DomainError::Busy(Busy::QueuedExtractions(100)), 429, "too_many_at_once"),
            (DomainError::Extractor("nobody may know".to_owned()), 500, "internal"),
            (CipherError::Keys("nobody may know".to_owned()).into(), 500, "internal"),
            (BlobError::Failed("nobody may know".to_owned()).into(), 500, "blob_store_failed"),
            (BlobError::Full("nobody may know".to_owned()).into(), 503, "storage_full"),
        ] {
            let (head, body) = written(error);
            assert_eq!((&body["status"], &body["code"]), (&json!(status), &json!(code)));
            assert_eq!(
                head.headers().contains_key(RETRY_AFTER),
                [429, 503].contains(&status),
                "{code}"
            );
            assert!(!body.to_string().contains("nobody may know"));
        }
    }

    #[test]
    fn types_that_take_packages_are_named() {
        for (types, named) in [(vec!["website", "h5p"], "website, h5p"), (vec![], "none")] {
            let types = types.into_iter().map(str::to_owned).collect();
            let (_, body) = written(DomainError::UploadNotSupported(types));
            let detail =
                format!("Fusion-Views of this type take no package. The types that do: {named}.");
            assert_eq!(body["detail"], detail);
        }
    }

    #[test]
    fn what_is_taken_is_named() {
        let mut violations =
            Violations::one("/name", ViolationCode::NameTaken, "The name is taken.");
        for codes in [vec!["name_taken"], vec!["name_taken", "skill_id_taken"]] {
            let (_, body) = written(DomainError::Taken(violations.clone()));
            assert_eq!((&body["status"], &body["code"]), (&json!(409), &json!("taken")));
            let reported: Vec<_> =
                body["errors"].as_array().unwrap().iter().map(|one| &one["code"]).collect();
            assert_eq!(reported, codes);
            violations.body("/skillId", ViolationCode::SkillIdTaken, "The skillId is taken.");
        }
    }

    #[test]
    fn some_of_the_documents_that_are_not_there_are_named() {
        for (count, named) in [
            (1, "`id1`"),
            (2, "`id1`, `id2`"),
            (5, "`id1`, `id2`, `id3`, `id4`, `id5`"),
            (6, "`id1`, `id2`, `id3`, `id4`, `id5` and 1 more"),
            (1_000, "`id1`, `id2`, `id3`, `id4`, `id5` and 995 more"),
        ] {
            let ids = (1..=count).map(|number| format!("id{number}")).collect();
            let (_, body) = written(DomainError::DocumentsNotFound(ids));
            let (_, one) = written(DomainError::NotFound(Resource::Document));
            for member in ["status", "code", "title", "type"] {
                assert_eq!(body[member], one[member]);
            }
            assert_eq!(body["detail"], json!(format!("There is no such document: {named}.")));
        }
    }

    #[test]
    fn an_unsatisfiable_range_names_the_size() {
        let response = Problem::beyond(7).respond("an-id", None);
        assert_eq!(response.status(), 416);
        assert_eq!(response.headers().get(CONTENT_RANGE).unwrap(), "bytes */7");
    }

    #[test]
    fn a_bad_archive_names_its_rule() {
        let (_, body) = written(DomainError::BadArchive(ArchiveRule::PathTraversal));
        let reported = (&body["status"], &body["code"], &body["rule"]);
        assert_eq!(reported, (&json!(422), &json!("bad_archive"), &json!("path_traversal")));
        assert_eq!(body.get("errors"), None);
    }
}
