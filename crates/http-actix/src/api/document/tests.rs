//! Waiting for an extraction, on a store with scripted answers.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use actix_web::App;
use actix_web::http::StatusCode;
use actix_web::test::{TestRequest, call_service, init_service, read_body_json};
use actix_web::web::{self, Data};
use async_trait::async_trait;
use domain::access::{Scheme, Token};
use domain::blob::Sha256;
use domain::clock::Timestamp;
use domain::document::{
    Document, DocumentFile, Extraction, ExtractionError, ExtractionSettings, ExtractionStatus,
};
use domain::error::{DomainError, Resource, StorageError};
use domain::id::{BlobId, DocumentId, ExtractionId, Ids, ProjectId};
use domain::lock::Mode;
use domain::store::{BoxedUnit, Outcome, Store};
use domain::testing::{SeededEntropy, SetClock};
use serde_json::{Value, json};

use crate::options::HttpOptions;
use crate::pipeline::dispatch::dispatch;
use crate::pipeline::state::AppState;
use crate::samples::{botyard, secret, token};

/// What one unit comes to.
type LookResult = Result<Outcome, DomainError>;

/// Answers unit by unit.
struct Script(Mutex<VecDeque<LookResult>>);

#[async_trait]
impl Store for Script {
    async fn run(&self, _: Mode, _: Option<ProjectId>, _: BoxedUnit) -> LookResult {
        self.0.lock().unwrap().pop_front().unwrap()
    }

    fn access_version(&self) -> Option<u64> {
        Some(0)
    }

    async fn check(&self) -> Result<(), StorageError> {
        Ok(())
    }
}

fn document(asked: u64, status: ExtractionStatus, error: Option<ExtractionError>) -> Document {
    let ids = Ids::new(Arc::new(SetClock::at(1_000)), Arc::new(SeededEntropy::new(asked)));
    Document {
        id: DocumentId::from_uuid(Default::default()),
        project_id: ProjectId::from_uuid(Default::default()),
        file: DocumentFile {
            blob_id: BlobId::from_uuid(Default::default()),
            file_name: "a.pdf".to_owned(),
            mime_type: "application/pdf".to_owned(),
            size: 1,
            sha256: Sha256::from_bytes([0; 32]),
        },
        skill_id: None,
        function_name: None,
        extraction: Extraction {
            id: Some(ExtractionId::from_uuid(ids.next())),
            status,
            error,
            settings: ExtractionSettings::of_type("application/pdf"),
            chunks_of: None,
            chunk_count: 0,
            finished_at: None,
        },
        created_at: Timestamp::from_millis(0),
        updated_at: Timestamp::from_millis(0),
    }
}

/// How the document looks to the client that asks for it, without its bots: waiting does not need them.
fn seen(asked: u64, status: ExtractionStatus, error: Option<ExtractionError>) -> LookResult {
    Ok(Box::new(document(asked, status, error)))
}

/// Asks for an extraction with the identifier 1, which is queued, on a store that goes on with these
/// answers. Returns the answer to the client, and how many of the store's answers were not used.
async fn extract(
    wait: Duration,
    going_down: bool,
    looks: Vec<LookResult>,
) -> (StatusCode, Value, usize) {
    let queued = document(1, ExtractionStatus::Queued, None);
    let begun: [LookResult; 3] = [
        Ok(Box::new(Some::<Token>(token(Scheme::Project)))),
        Ok(Box::new(())),
        Ok(Box::new(queued)),
    ];
    let store = Arc::new(Script(Mutex::new(begun.into_iter().chain(looks).collect())));
    let options = HttpOptions { extraction_wait: wait, ..HttpOptions::default() };
    let state = AppState::new(botyard(store.clone()), options, &SeededEntropy::new(2)).unwrap();
    if going_down {
        state.go_down();
    }
    let app = App::new().app_data(Data::new(Arc::new(state)));
    let app = init_service(app.default_service(web::to(dispatch))).await;
    let id = DocumentId::from_uuid(Default::default());
    let request = TestRequest::post()
        .uri(&format!("/api/external/projectapi/doc/extract/{id}"))
        .insert_header(("X-Project-Api-Key", secret(Scheme::Project).reveal()));
    let answer = call_service(&app, request.to_request()).await;
    let status = answer.status();
    let left = store.0.lock().unwrap().len();
    (status, read_body_json(answer).await, left)
}

const LONG: Duration = Duration::from_secs(600);

fn busy() -> LookResult {
    Err(StorageError::Overloaded.into())
}

#[actix_web::test]
async fn an_extraction_is_waited_for() {
    use ExtractionStatus::{Finished, Queued, Running};
    for (looks, expected) in [
        (vec![seen(1, Finished, None)], "finished"),
        (vec![seen(1, Queued, None), seen(1, Running, None), seen(1, Finished, None)], "finished"),
        // A look that fails does not undo what was asked for.
        (vec![busy(), seen(1, Finished, None)], "finished"),
        (vec![Err(DomainError::NotFound(Resource::Document))], "queued"),
        // Another client asks for another extraction meanwhile, which is not waited for.
        (vec![seen(2, Queued, None)], "queued"),
        (vec![seen(2, ExtractionStatus::Failed, Some(ExtractionError::Corrupt))], "failed"),
    ] {
        let (status, answer, left) = extract(LONG, false, looks).await;
        assert_eq!((status.as_u16(), left), (200, 0), "{answer}");
        assert_eq!(answer["docId"], "00000000-0000-0000-0000-000000000000");
        assert_eq!(answer["extraction"]["status"], expected);
        assert_eq!(answer["extraction"]["settings"]["chunking_strategy"], "text");
    }
}

#[actix_web::test]
async fn an_extraction_that_fails_meanwhile_is_a_problem_with_its_reason() {
    let failed = seen(1, ExtractionStatus::Failed, Some(ExtractionError::Encrypted));
    let (status, problem, _) = extract(LONG, false, vec![failed]).await;
    assert_eq!(status, 500);
    assert_eq!(problem["code"], "extraction_failed");
    assert_eq!(problem["docId"], "00000000-0000-0000-0000-000000000000");
    assert_eq!(problem["detail"], "The file is encrypted.");
}

#[actix_web::test]
async fn a_request_waits_no_longer_than_it_may() {
    for (wait, going_down) in [(Duration::ZERO, false), (LONG, true)] {
        let unasked = vec![seen(1, ExtractionStatus::Finished, None)];
        let (status, answer, left) = extract(wait, going_down, unasked).await;
        assert_eq!((status.as_u16(), left), (200, 1));
        assert_eq!(answer["extraction"]["status"], "queued");
    }
    let looks = (0..100).map(|_| seen(1, ExtractionStatus::Running, None)).collect();
    let (status, answer, _) = extract(Duration::from_millis(100), false, looks).await;
    assert_eq!(status, 200);
    let expected = json!({"status": "running", "error": null, "chunkCount": 0});
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(&answer["extraction"][name], value);
    }
}
