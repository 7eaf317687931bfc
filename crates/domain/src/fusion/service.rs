//! What can be done with Fusion-Views.

use std::sync::Arc;

use super::{CreateFusionView, FusionView, PackageUpload, UpdateFusionView};
use crate::access::{BotClaim, Conditional as _};
use crate::blob;
use crate::changelog::{Action, ChangedResource, FieldChange};
use crate::context::Context;
use crate::entity_tag::Tagged as _;
use crate::error::{DomainError, Resource};
use crate::free_fields::FreeFields;
use crate::id::FusionViewId;
use crate::input::Valid;
use crate::list::list_methods;
use crate::lock::Lock;
use crate::unit::BotUnit;

/// Fusion-Views.
#[derive(Clone)]
pub struct FusionViewService {
    context: Arc<Context>,
}

impl FusionViewService {
    pub(crate) const fn new(context: Arc<Context>) -> Self {
        Self { context }
    }

    /// The Fusion-View with this `_id`.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot or the Fusion-View is not there.
    pub async fn get(&self, claim: &BotClaim, id: FusionViewId) -> Result<FusionView, DomainError> {
        self.context.look_up_claimed(claim, move |unit| find(unit, id)).await
    }

    /// Creates a Fusion-View without a package.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot is not there, [`DomainError::Invalid`] if the metadata is
    /// too large.
    pub async fn create(
        &self,
        claim: &BotClaim,
        request: Valid<CreateFusionView>,
    ) -> Result<FusionView, DomainError> {
        let CreateFusionView { view_type, title, metadata } = request.into_inner();
        let mut free = FreeFields::default();
        let of_metadata = free.apply(&metadata)?;
        let nothing = None::<()>;
        let mut changes = Vec::from([
            FieldChange::new("type", &nothing, &view_type),
            FieldChange::new("title", &nothing, &title),
        ]);
        changes.extend(of_metadata);
        self.context
            .write_claimed(claim, Lock::Exclusive, move |unit| {
                let now = unit.now();
                let view = FusionView {
                    id: unit.next_id(),
                    bot_id: unit.scope.bot_id(),
                    view_type: view_type.clone(),
                    title: title.clone(),
                    metadata: free.clone(),
                    file: None,
                    created_at: now,
                    updated_at: now,
                };
                unit.tx.insert_fusion_view(&unit.scope, &view)?;
                unit.check_content_quota((0, usize::MAX))?;
                let what = (Action::Create, ChangedResource::Fusion);
                unit.record(what, view.id, &changes)?;
                Ok(view)
            })
            .await
    }

    /// Changes the members that the update names; `null` removes one. An update that changes nothing
    /// leaves no trace.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot or the Fusion-View is not there, [`DomainError::Invalid`]
    /// if the metadata becomes too large.
    pub async fn update(
        &self,
        claim: &BotClaim,
        id: FusionViewId,
        request: Valid<UpdateFusionView>,
    ) -> Result<FusionView, DomainError> {
        self.context
            .write_claimed(claim, Lock::Exclusive, move |unit| {
                let before = find(unit, id)?;
                unit.check_precondition(&before)?;
                let mut view = before.clone();
                let title = request.title.as_ref().unwrap_or(&view.title).clone();
                let mut changes = Vec::new();
                changes.extend(FieldChange::between("title", &view.title, &title));
                view.title = title;
                changes.extend(view.metadata.apply(&request.metadata)?);
                if !changes.is_empty() {
                    view.updated_at = unit.now();
                    unit.tx.update_fusion_view(&unit.scope, &before, &view)?;
                    unit.check_content_quota((before.metadata.size(), view.metadata.size()))?;
                    let what = (Action::Update, ChangedResource::Fusion);
                    unit.record(what, view.id, &changes)?;
                }
                Ok(view)
            })
            .await
    }

    /// Deletes a Fusion-View. Its package goes later, if nothing else has the same.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot or the Fusion-View is not there.
    pub async fn delete(
        &self,
        claim: &BotClaim,
        id: FusionViewId,
    ) -> Result<FusionViewId, DomainError> {
        self.context
            .delete_claimed(claim, Lock::Exclusive, move |unit| {
                let view = find(unit, id)?;
                unit.check_precondition(&view)?;
                unit.tx.delete_fusion_view(&unit.scope, view.id)?;
                if let Some(file) = &view.file {
                    blob::release(unit, file.blob_id)?;
                }
                let what = (Action::Delete, ChangedResource::Fusion);
                let change = FieldChange::new("title", &view.title, &None::<()>);
                unit.record(what, view.id, &[change])?;
                Ok(view.id)
            })
            .await
    }

    /// Begins the upload of a package, ahead of its first byte.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot or the Fusion-View is not there,
    /// [`DomainError::UploadNotSupported`] if its type has no package, [`DomainError::Busy`] if the
    /// project has too many uploads in progress, [`DomainError::Blob`] if it can't be stored.
    pub async fn begin_upload(
        &self,
        claim: &BotClaim,
        id: FusionViewId,
    ) -> Result<PackageUpload, DomainError> {
        let view = self.get(claim, id).await?;
        let types = &self.context.input_settings.package_types;
        if !types.contains(&view.view_type) {
            return Err(DomainError::UploadNotSupported(types.clone()));
        }
        // Evaluated again when the package has come; a client should not send one that will be refused.
        claim
            .precondition()
            .map_or(Ok(()), |condition| condition.evaluate(Some(view.entity_tag())))?;
        PackageUpload::begin(self.context.clone(), claim.clone(), view.id).await
    }
}

list_methods! {
    FusionViewService {
        items: "Fusion-Views", item: FusionView, id: FusionViewId,
        parent: "bot", claim: BotClaim,
    }
}

pub(super) fn find(unit: &mut BotUnit<'_>, id: FusionViewId) -> Result<FusionView, DomainError> {
    unit.tx.fusion_view(&unit.scope, id)?.ok_or(DomainError::NotFound(Resource::FusionView))
}
