//! Look-ups by key of what a bot or a project has, which need not look the bot or project up each time.

use std::sync::Arc;

use crate::access::ResolvableClaim;
use crate::context::Context;
use crate::error::DomainError;
use crate::id::ProjectId;
use crate::lock::Lock;
use crate::unit::Unit;

impl Context {
    /// Whether nothing has changed in a project since this version that access to it depends on.
    pub(crate) fn is_access_unchanged(&self, project: ProjectId, since: Option<u64>) -> bool {
        let changed = self.store.access_changed(project);
        changed.zip(since).is_some_and(|(changed, since)| changed <= since)
    }

    /// As [`Self::read_claimed`], for what takes a few look-ups by key. What was found
    /// before is not looked up again, as long as nothing has changed in the project that access depends on, when
    /// the work has been done included.
    pub(crate) async fn look_up_claimed<C, T, F>(
        self: &Arc<Self>,
        claim: &C,
        work: F,
    ) -> Result<T, DomainError>
    where
        C: ResolvableClaim,
        T: Send + 'static,
        F: Fn(&mut Unit<'_, C::Scope>) -> Result<T, DomainError> + Send + 'static,
    {
        let project = claim.project_id();
        let version = self.store.access_version();
        let known = self.scope_cache.find(claim, self.store.access_changed(project));
        let is_known = known.is_some();
        let to_find = claim.clone();
        let done = self
            .look_up(Some(project), move |unit| {
                if let Some(scope) = &known {
                    let done = work(&mut unit.with_scope(scope.clone()));
                    if unit.context.is_access_unchanged(project, version) {
                        return done;
                    }
                }
                let scope = to_find.look_up(unit.tx, Lock::None)?;
                work(&mut unit.with_scope(scope))
            })
            .await?;
        if !is_known {
            self.scope_cache.add(claim, version);
        }
        Ok(done)
    }

    /// Whether what a claim is for is there; not looked up again, as [`Self::look_up_claimed`] says.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if it is not.
    pub(crate) async fn check_claimed<C: ResolvableClaim>(
        self: &Arc<Self>,
        claim: &C,
    ) -> Result<(), DomainError> {
        let changed = self.store.access_changed(claim.project_id());
        if self.scope_cache.find(claim, changed).is_some() {
            return Ok(());
        }
        self.look_up_claimed(claim, |_| Ok(())).await
    }
}
