//! The file of a document, block by block.

use super::path::OnDocument;
use crate::pipeline::call::Call;
use crate::pipeline::scopes::ProjectdocRead;
use crate::problem::Problem;
use crate::reply::{File, FileHead};

pub(super) async fn download(call: Call<OnDocument<ProjectdocRead>>) -> Result<File, Problem> {
    let documents = &call.botyard.documents;
    let document = documents.get_without_bots(&call.target.claim, call.target.id).await?;
    let file = &document.file;
    let head = FileHead {
        name: file.file_name.clone(),
        media_type: file.mime_type.clone(),
        size: file.size,
        sha256: file.sha256,
    };
    File::answer(&head, &call.head, async |range| documents.read(&document, range).await).await
}
