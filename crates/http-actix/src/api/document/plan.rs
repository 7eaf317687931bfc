//! What must be done so that the project has the files of a client.

use domain::document::{DocumentPlan, PlanDocuments};
use domain::id::DocumentId;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::body::{BodySize, HttpBody, Json};
use crate::pipeline::call::Call;
use crate::pipeline::handler::{Handler, changes};
use crate::pipeline::query::NoQuery;
use crate::pipeline::scopes::ProjectdocRead;
use crate::pipeline::target::OnProject;
use crate::problem::Problem;
use crate::reply::Answer;

pub(super) fn of_files() -> Handler<OnProject<ProjectdocRead>, NoQuery, Json<PlanDocuments>> {
    changes(plan, Answer::<PlanView>::of)
}

async fn plan(
    call: Call<OnProject<ProjectdocRead>, NoQuery, Json<PlanDocuments>>,
) -> Result<DocumentPlan, Problem> {
    Ok(call.botyard.documents.plan(&call.target.claim, call.body.0).await?)
}

impl HttpBody for PlanDocuments {
    const SIZE: BodySize = BodySize::Plan;

    fn example() -> Value {
        json!({
            "files": [{
                "fileName": "opening-hours.md",
                "sha256": "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03",
                "size": 6,
            }],
            "prune": true,
        })
    }
}

/// What must be done so that the project has the files.
#[derive(Serialize, ToSchema)]
#[schema(as = DocumentPlan)]
pub(super) struct PlanView {
    /// The names of files of which there is no document.
    upload: Vec<String>,
    /// Files that are to replace those of documents.
    replace: Vec<ReplacementView>,
    /// Documents that are as they should be.
    #[schema(value_type = Vec<String>)]
    leave: Vec<DocumentId>,
    /// With `prune`, the documents of other files, and older ones of the same names.
    #[schema(value_type = Vec<String>)]
    remove: Vec<DocumentId>,
}

/// A file that is to replace that of a document.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PlannedReplacement)]
pub(super) struct ReplacementView {
    /// The name of the file.
    file_name: String,
    /// The document.
    #[schema(value_type = String, format = Uuid)]
    doc_id: DocumentId,
}

impl From<DocumentPlan> for PlanView {
    fn from(plan: DocumentPlan) -> Self {
        let DocumentPlan { upload, replace, leave, remove } = plan;
        let view = |(file_name, doc_id)| ReplacementView { file_name, doc_id };
        Self { upload, replace: replace.into_iter().map(view).collect(), leave, remove }
    }
}
