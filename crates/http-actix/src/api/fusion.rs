//! The Fusion-Views of a bot: `{bot}/fusion[/{fusionId}[/upload]]`.

use actix_web::http::Method;
use domain::clock::Timestamp;
use domain::free_fields::FreeFields;
use domain::fusion::{CreateFusionView, FusionFile, FusionView, PackageUpload, UpdateFusionView};
use domain::id::{BotId, FusionViewId};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::openapi::schema::{AdditionalProperties, AllOfBuilder};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::body::{BodySize, HttpBody, Json};
use crate::body::{FileSink, FileSize, Form, FormExample, HttpForm, NoTexts};
use crate::pipeline::call::Call;
use crate::pipeline::handler::{changes, reads};
use crate::pipeline::operation::{Operation, on_bot};
use crate::pipeline::path_param::PathParam;
use crate::pipeline::query::NoQuery;
use crate::pipeline::scopes::{FusionRead, FusionWrite};
use crate::pipeline::target::{OnBot, OnSubresource};
use crate::problem::Problem;
use crate::reply::{Answer, Deleted, List, ListParams, Searchable, TaggedAnswer};

/// A Fusion-View, by its `_id`.
pub(crate) struct FusionParam;

impl PathParam for FusionParam {
    const NAME: &'static str = "fusionId";
    const DESCRIPTION: &'static str = "The `_id` of a Fusion-View.";

    type Value = FusionViewId;
}

type OnFusionView<S> = OnSubresource<S, FusionParam>;

/// The operations on Fusion-Views.
pub(crate) fn operations() -> Vec<Operation> {
    let (all, one) = ("/fusion", "/fusion/{fusionId}");
    let listed = ("listFusionViews", "Lists the Fusion-Views of the bot, oldest first");
    let created = ("createFusionView", "Creates a Fusion-View without a package");
    let got = ("getFusionView", "Returns the Fusion-View");
    let updated = ("updateFusionView", "Changes the members that the body names; null removes one");
    let deleted = ("deleteFusionView", "Deletes the Fusion-View and its package");
    let uploaded = ("uploadFusionPackage", "Makes a ZIP archive the package of the Fusion-View");
    let operations = [
        on_bot(Method::GET, all, listed, reads(list)),
        on_bot(Method::POST, all, created, changes(create, TaggedAnswer::<FusionViewView>::of)),
        on_bot(Method::GET, one, got, reads(get)),
        on_bot(Method::PUT, one, updated, changes(update, TaggedAnswer::<FusionViewView>::of))
            .map(Operation::takes_if_match),
        on_bot(Method::DELETE, one, deleted, changes(delete, Deleted::answer))
            .map(Operation::takes_if_match),
        on_bot(
            Method::POST,
            "/fusion/{fusionId}/upload",
            uploaded,
            changes(upload, Answer::<UploadedPackage>::of),
        )
        .map(Operation::takes_if_match),
    ];
    operations.into_iter().flatten().collect()
}

async fn list(
    call: Call<OnBot<FusionRead>, ListParams<FusionView>>,
) -> Result<List<FusionViewView>, Problem> {
    List::found(call.query, call.target.claim, &call.botyard.fusion, &call.botyard.events).await
}

impl Searchable for FusionView {
    const SEARCH: &'static str = "Only what has this in its title, in whichever case.";
}

async fn create(
    call: Call<OnBot<FusionWrite>, NoQuery, Json<CreateFusionView>>,
) -> Result<FusionView, Problem> {
    Ok(call.botyard.fusion.create(&call.target.claim, call.body.0).await?)
}

async fn get(
    call: Call<OnFusionView<FusionRead>>,
) -> Result<TaggedAnswer<FusionViewView>, Problem> {
    let view = call.botyard.fusion.get(&call.target.claim, call.target.id).await?;
    Ok(TaggedAnswer::of(view))
}

async fn update(
    call: Call<OnFusionView<FusionWrite>, NoQuery, Json<UpdateFusionView>>,
) -> Result<FusionView, Problem> {
    Ok(call.botyard.fusion.update(&call.target.claim, call.target.id, call.body.0).await?)
}

async fn delete(call: Call<OnFusionView<FusionWrite>>) -> Result<FusionViewId, Problem> {
    Ok(call.botyard.fusion.delete(&call.target.claim, call.target.id).await?)
}

async fn upload(
    call: Call<OnFusionView<FusionWrite>, NoQuery, Form<Package>>,
) -> Result<(FusionViewId, FusionFile), Problem> {
    let mut upload = call.botyard.fusion.begin_upload(&call.target.claim, call.target.id).await?;
    let content = call.body.read(&mut upload).await?;
    // Whole by now: it is taken in even if the client does not wait for the answer.
    let finish = async move { upload.finish(content.file.name.as_deref()).await };
    let done = actix_web::rt::spawn(finish).await;
    Ok(done.map_err(|error| Problem::internal(error.to_string()))??)
}

impl FileSink for PackageUpload {
    async fn write(&mut self, bytes: &[u8]) -> Result<(), Problem> {
        Ok(Self::write(self, bytes).await?)
    }
}

/// The form with a package.
struct Package;

impl HttpForm for Package {
    const SIZE: FileSize = FileSize::Archive;
    const MEDIA_TYPES: &'static [&'static str] =
        &["application/zip", "application/x-zip-compressed", "application/octet-stream"];

    type Texts = NoTexts;

    fn example() -> FormExample {
        FormExample {
            file_name: "package.zip",
            media_type: "application/zip",
            content: PACKAGE.to_vec(),
            texts: Vec::new(),
        }
    }
}

/// An archive with one entry, `index.html`, which holds `<h1>Hi</h1>`.
const PACKAGE: &[u8] = include_bytes!("fusion/package.zip");

impl HttpBody for CreateFusionView {
    const SIZE: BodySize = BodySize::Metadata;

    fn example() -> Value {
        json!({"type": "h5p", "title": "Course", "language": "en", "tags": ["intro"]})
    }
}

impl HttpBody for UpdateFusionView {
    const SIZE: BodySize = BodySize::Metadata;

    fn example() -> Value {
        json!({"title": "Course, second edition", "edition": 2, "tags": null})
    }
}

/// A Fusion-View as clients see it. Its metadata stand beside its other members.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FusionViewView {
    #[serde(rename = "_id")]
    id: FusionViewId,
    bot_id: BotId,
    #[serde(rename = "type")]
    view_type: String,
    title: String,
    #[serde(flatten)]
    metadata: FreeFields,
    file: Option<FusionFile>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl From<FusionView> for FusionViewView {
    fn from(view: FusionView) -> Self {
        Self {
            id: view.id,
            bot_id: view.bot_id,
            view_type: view.view_type,
            title: view.title,
            metadata: view.metadata,
            file: view.file,
            created_at: view.created_at,
            updated_at: view.updated_at,
        }
    }
}

/// A Fusion-View as clients see it; what it has beside these members is its metadata.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "the fields are read by the derived schema")]
struct FusionViewFrame {
    #[schema(rename = "_id", format = Uuid)]
    id: String,
    #[schema(format = Uuid)]
    bot_id: String,
    /// What kind of Fusion-View it is.
    r#type: String,
    /// What people call it.
    title: String,
    /// The package; `null` until one was uploaded.
    file: Option<PackageFile>,
    #[schema(format = DateTime)]
    created_at: String,
    #[schema(format = DateTime)]
    updated_at: String,
}

impl ToSchema for FusionViewView {
    fn name() -> std::borrow::Cow<'static, str> {
        "FusionView".into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((PackageFile::name().into_owned(), PackageFile::schema()));
    }
}

impl PartialSchema for FusionViewView {
    /// Every other member is metadata.
    fn schema() -> RefOr<Schema> {
        let mut frame = FusionViewFrame::schema();
        if let RefOr::T(Schema::Object(object)) = &mut frame {
            let free = AdditionalProperties::<Schema>::FreeForm(true);
            object.additional_properties = Some(Box::new(free));
        }
        frame
    }
}

/// A package.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase", as = FusionFile)]
#[expect(dead_code, reason = "the fields are read by the derived schema")]
struct PackageFile {
    /// What the archive is called.
    file_name: String,
    /// The media type of the archive.
    #[schema(example = "application/zip")]
    mime_type: String,
    /// How many bytes the archive has.
    size: u64,
    /// The SHA-256 of the archive, 64 hexadecimal digits.
    #[schema(pattern = "^[0-9a-f]{64}$")]
    sha256: String,
    /// How many entries the archive has, folders included.
    entries: u64,
    /// When it was uploaded.
    #[schema(format = DateTime)]
    uploaded_at: String,
}

/// What an upload answers: the package and whose it is.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UploadedPackage {
    fusion_id: FusionViewId,
    #[serde(flatten)]
    file: FusionFile,
}

impl From<(FusionViewId, FusionFile)> for UploadedPackage {
    fn from((fusion_id, file): (FusionViewId, FusionFile)) -> Self {
        Self { fusion_id, file }
    }
}

/// Whose an uploaded package is.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "the fields are read by the derived schema")]
struct UploadedPackageFrame {
    /// The Fusion-View.
    #[schema(format = Uuid)]
    fusion_id: String,
}

impl ToSchema for UploadedPackage {
    fn name() -> std::borrow::Cow<'static, str> {
        "UploadedPackage".into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        FusionViewView::schemas(schemas);
    }
}

impl PartialSchema for UploadedPackage {
    fn schema() -> RefOr<Schema> {
        let both =
            AllOfBuilder::new().item(UploadedPackageFrame::schema()).item(PackageFile::schema());
        let both = both.description(Some("The package of a Fusion-View."));
        RefOr::T(Schema::AllOf(both.build()))
    }
}
