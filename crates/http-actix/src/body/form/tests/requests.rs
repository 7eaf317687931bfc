//! Forms on the way of a request: a handler that refuses one need not read what is left of it.

use std::sync::Arc;
use std::time::Duration;

use actix_web::App;
use actix_web::body::BoxBody;
use actix_web::dev::ServiceResponse;
use actix_web::http::{ConnectionType, Method, StatusCode};
use actix_web::test::{call_service, init_service, read_body_json};
use actix_web::web::{self, Data};
use domain::access::Scheme;
use domain::error::DomainError;
use domain::input::InputSettings;
use serde_json::json;

use super::*;
use crate::openapi::document;
use crate::options::HttpOptions;
use crate::pipeline::call::Call;
use crate::pipeline::dispatch::dispatch;
use crate::pipeline::handler::reads;
use crate::pipeline::operation::{Operation, operation};
use crate::pipeline::query::NoQuery;
use crate::pipeline::state::AppState;
use crate::pipeline::target::OnToken;
use crate::reply::Answer;
use crate::samples::{Failing, botyard, secret};

type Upload = Call<OnToken, NoQuery, Form<Sample>>;

const PATH: &str = "/api/external/upload";

async fn taken(call: Upload) -> Result<Answer<String>, Problem> {
    let content = call.body.read(&mut |_: &[u8]| Ok(())).await?;
    Ok(Answer(content.file.name.unwrap_or_default()))
}

async fn refused(_: Upload) -> Result<Answer<String>, Problem> {
    Err(DomainError::UploadNotSupported(Vec::new()).into())
}

async fn panicking(_: Upload) -> Result<Answer<String>, Problem> {
    panic!("what nobody may know")
}

async fn endless(_: Upload) -> Result<Answer<String>, Problem> {
    std::future::pending().await
}

fn row<F>(handler: impl Fn(Upload) -> F + Send + Sync + Copy + 'static) -> Operation
where
    F: Future<Output = Result<Answer<String>, Problem>> + 'static,
{
    operation(Scheme::Bot, Method::POST, PATH, ("upload", "Takes a file"), reads(handler))
}

/// Sends a form to the only operation that there is.
async fn send(
    operation: Operation,
    limits: HttpLimits,
    query: &str,
    body: String,
) -> ServiceResponse<BoxBody> {
    let store = Failing::InTheMiddle(Arc::default());
    let options = HttpOptions { limits, ..HttpOptions::default() };
    let state = AppState::with(botyard(store), options, vec![operation], &[], "test".to_owned());
    let app = App::new().app_data(Data::new(Arc::new(state.unwrap())));
    let app = init_service(app.default_service(web::to(dispatch))).await;
    let request = TestRequest::post()
        .uri(&format!("{PATH}{query}"))
        .insert_header(("X-Api-Key", secret(Scheme::Bot).reveal()))
        .insert_header(("Content-Type", CONTENT_TYPE))
        .insert_header(("Content-Length", body.len()))
        .set_payload(body);
    call_service(&app, request.to_request()).await
}

fn closes(answer: &ServiceResponse<BoxBody>) -> bool {
    answer.response().head().connection_type() == ConnectionType::Close
}

async fn code(answer: ServiceResponse<BoxBody>) -> String {
    let problem: Value = read_body_json(answer).await;
    problem["code"].as_str().unwrap().to_owned()
}

#[actix_web::test]
async fn a_handler_reads_its_form() {
    let answer = send(row(taken), HttpLimits::default(), "", file("PK") + END).await;
    assert_eq!((answer.status(), closes(&answer)), (StatusCode::OK, false));
    let name: Value = read_body_json(answer).await;
    assert_eq!(name, "a.zip");
}

#[actix_web::test]
async fn a_refusal_closes_the_connection_unless_the_form_was_read() {
    let quick = HttpLimits { upload_timeout: Duration::from_millis(1), ..HttpLimits::default() };
    let valid = file("PK") + END;
    for (operation, limits, query, body, expected) in [
        (row(refused), HttpLimits::default(), "", &valid, "upload_not_supported"),
        (row(panicking), HttpLimits::default(), "", &valid, "internal"),
        (row(endless), quick, "", &valid, "timeout"),
        (row(taken), HttpLimits::default(), "?nope=1", &valid, "bad_query"),
        (
            row(taken),
            HttpLimits { archive: 1, ..HttpLimits::default() },
            "",
            &valid,
            "body_too_large",
        ),
    ] {
        let answer = send(operation, limits, query, body.clone()).await;
        assert_eq!((closes(&answer), code(answer).await), (true, expected.to_owned()));
    }
    for (body, expected) in [(END.to_owned(), "missing_field"), (file("PK"), "bad_form")] {
        let answer = send(row(taken), HttpLimits::default(), "", body).await;
        assert_eq!((closes(&answer), code(answer).await), (false, expected.to_owned()));
    }
}

#[test]
fn an_upload_has_time_of_its_own() {
    let options = HttpOptions::default();
    let limits = &options.limits;
    assert_eq!(row(taken).timeout(&options), Some(limits.upload_timeout));
    let with_wait = limits.upload_timeout + options.extraction_wait;
    assert_eq!(row(taken).awaits_extraction().timeout(&options), Some(with_wait));
    for operation in crate::operations().iter().filter(|operation| operation.form().is_none()) {
        let wait =
            if operation.awaits_extraction { options.extraction_wait } else { Duration::ZERO };
        let expected = (!operation.has_no_timeout).then_some(limits.handler_timeout + wait);
        assert_eq!(operation.timeout(&options), expected, "{}", operation.id);
    }
}

#[test]
fn a_form_is_described() {
    let text = document(&[row(taken)], &InputSettings::default(), &HttpOptions::default());
    let document: Value = serde_json::from_str(&text).unwrap();
    let (_, name) = document["paths"][PATH]["post"]["requestBody"]["$ref"]
        .as_str()
        .and_then(|reference| reference.rsplit_once('/'))
        .unwrap();
    let body = &document["components"]["requestBodies"][name];
    assert_eq!(body["required"], true);
    let form = &body["content"]["multipart/form-data"];
    let schema = &document["components"]["schemas"][name];
    assert_eq!(form["schema"]["$ref"], format!("#/components/schemas/{name}"));
    assert_eq!(
        schema["properties"]["file"],
        json!({
            "type": "string",
            "format": "binary",
            "contentMediaType": "application/zip",
            "description": "The file, with its name.",
        })
    );
    assert_eq!(schema["properties"]["note"]["type"], "string");
    assert_eq!(schema["required"], json!(["file"]));
    assert_eq!(schema["additionalProperties"], false);
    assert_eq!(form["example"], json!({"file": "a.zip", "note": "a note"}));
    let types = "application/zip, application/octet-stream";
    assert_eq!(form["encoding"]["file"]["contentType"], types);
    let statuses = row(taken).statuses();
    assert!([400, 413, 415, 422].iter().all(|status| statuses.contains(status)), "{statuses:?}");
}
