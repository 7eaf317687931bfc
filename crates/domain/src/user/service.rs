//! What can be done with users.

use std::sync::Arc;
use std::time::Duration;

use super::job::{RemoveUsers, remove_all};
use super::{
    BotOfOrganisation, CreateUser, DeleteUsers, GUEST_ID_MAX, ResetStats, UpdateUser, User,
    UserRefusal, UserStats,
};
use crate::access::{BotClaim, Conditional as _, ResolvableClaim as _, UsersClaim};
use crate::batch::Batch;
use crate::changelog::{Action, ChangedResource, FieldChange};
use crate::clock::TimeCursor;
use crate::context::Context;
use crate::error::DomainError;
use crate::free_fields::FreeFields;
use crate::id::{BotId, UserId};
use crate::input::Valid;
use crate::job::handler::JobHandler as _;
use crate::list::list_methods;
use crate::lock::Lock;
use crate::unit::BotUnit;

/// How long after a delete its job is due. By then most deletes have done all of it themselves.
const GRACE: Duration = Duration::from_secs(60);

/// Users.
#[derive(Clone)]
pub struct UserService {
    context: Arc<Context>,
}

impl UserService {
    pub(crate) const fn new(context: Arc<Context>) -> Self {
        Self { context }
    }

    /// The user with this `_id`, if there is one.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot is not there.
    pub async fn by_id(&self, claim: &BotClaim, id: UserId) -> Result<Option<User>, DomainError> {
        self.context
            .look_up_claimed(claim, move |unit| Ok(unit.tx.user(&unit.scope, id, Lock::None)?))
            .await
    }

    /// The user with this guestId, if there is one.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot is not there.
    pub async fn by_guest_id(
        &self,
        claim: &BotClaim,
        guest_id: String,
    ) -> Result<Option<User>, DomainError> {
        self.context
            .look_up_claimed(claim, move |unit| {
                // A guestId that no user can have is not looked up.
                if guest_id.len() > GUEST_ID_MAX || guest_id.contains('\0') {
                    return Ok(None);
                }
                Ok(unit.tx.user_of_guest(&unit.scope, &guest_id)?)
            })
            .await
    }

    /// The active bots of the claimed bot's organisation, with the rights to read their users, oldest first, at
    /// most `limit`, after `after` if that is given.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot is not there.
    pub async fn bots_of_organisation(
        &self,
        claim: &BotClaim,
        after: Option<BotId>,
        limit: u32,
    ) -> Result<Vec<(BotOfOrganisation, UsersClaim)>, DomainError> {
        let own = claim.clone();
        self.context
            .read_claimed(claim, move |unit| {
                let bots =
                    unit.tx.bots_of_organisation(unit.scope.organisation_id(), after, limit)?;
                let claimed = bots.into_iter().map(|bot| {
                    let users = own.users_of(bot.project_id, bot.id);
                    (bot, users)
                });
                Ok(claimed.collect())
            })
            .await
    }

    /// Users of a bot that [`Self::bots_of_organisation`] named, oldest first, at most `limit`, after `after` if that
    /// is given. A bot that went away meanwhile has no users.
    pub async fn page_in_organisation(
        &self,
        claim: &UsersClaim,
        after: Option<TimeCursor<UserId>>,
        limit: u32,
    ) -> Result<Batch<User>, DomainError> {
        let bot = claim.bot.clone();
        let page = self.context.read(Some(claim.reader), move |unit| {
            let scope = bot.look_up(unit.tx, Lock::None)?;
            Ok(unit.tx.users(&scope, false, after, limit)?)
        });
        match page.await {
            Err(DomainError::NotFound(_)) => Ok(Batch::empty()),
            found => found,
        }
    }

    /// Makes a user.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot is not there, [`DomainError::Invalid`] if the free fields
    /// are too large, [`DomainError::UserRefused`] if there is no guestId or another user has it.
    pub async fn create(
        &self,
        claim: &BotClaim,
        request: Valid<CreateUser>,
    ) -> Result<User, DomainError> {
        let CreateUser { guest_id, fields: patch } = request.into_inner();
        let mut fields = FreeFields::default();
        let of_fields = fields.apply(&patch)?;
        let guest_id = guest_id.filter(|guest_id| !guest_id.is_empty());
        let guest_id = guest_id.ok_or(DomainError::UserRefused(UserRefusal::NoGuestId))?;
        let mut changes = Vec::from([FieldChange::new("guestId", &None::<()>, &guest_id)]);
        changes.extend(of_fields);
        self.context
            .write_claimed(claim, Lock::Exclusive, move |unit| {
                let now = unit.now();
                let user = User {
                    id: unit.next_id(),
                    bot_id: unit.scope.bot_id(),
                    guest_id: guest_id.clone(),
                    fields: fields.clone(),
                    stats: UserStats::default(),
                    created_at: now,
                    updated_at: now,
                };
                if !unit.tx.insert_user(&unit.scope, &user)? {
                    return Err(DomainError::UserRefused(UserRefusal::GuestIdTaken));
                }
                let what = (Action::Create, ChangedResource::User);
                unit.record(what, user.id, &changes)?;
                Ok(user)
            })
            .await
    }

    /// Changes the members that the update names; `null` removes a free one. An update that changes
    /// nothing leaves no trace.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot is not there, [`DomainError::Invalid`] if the free fields
    /// become too large, [`DomainError::UserRefused`] if there is no such user, or no user may have the
    /// new guestId.
    pub async fn update(
        &self,
        claim: &BotClaim,
        request: Valid<UpdateUser>,
    ) -> Result<User, DomainError> {
        self.context
            .write_claimed(claim, Lock::Exclusive, move |unit| {
                let id = request.user_id.as_ref();
                let id = id.ok_or(DomainError::UserRefused(UserRefusal::NoUser))?;
                let mut user = locked_user(unit, id)?;
                unit.check_precondition(&user)?;
                let mut changes = Vec::new();
                if let Some(guest_id) = &request.guest_id {
                    check_guest_id(unit, &user, guest_id)?;
                    changes.extend(FieldChange::between("guestId", &user.guest_id, guest_id));
                    user.guest_id.clone_from(guest_id);
                }
                changes.extend(user.fields.apply(&request.fields)?);
                if !changes.is_empty() {
                    store(unit, &mut user, &changes)?;
                }
                Ok(user)
            })
            .await
    }

    /// Sets the numbers of a user back to 0.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot is not there, [`DomainError::UserRefused`] if there is no
    /// such user.
    pub async fn reset_stats(
        &self,
        claim: &BotClaim,
        request: Valid<ResetStats>,
    ) -> Result<User, DomainError> {
        self.context
            .write_claimed(claim, Lock::Exclusive, move |unit| {
                let mut user = locked_user(unit, &request.user_id)?;
                let before = user.stats;
                user.stats = UserStats {
                    messages: 0,
                    tokens: 0,
                    last_active_at: before.last_active_at,
                    reset_at: Some(unit.now()),
                };
                let change = FieldChange::new("stats", &before, &user.stats);
                store(unit, &mut user, &[change])?;
                Ok(user)
            })
            .await
    }

    /// Deletes those of these users who are there, with their history and what is kept under their
    /// `_id`; returns how many there were. They are gone at once; what belonged to them goes bit by
    /// bit, which may take long. If the caller does not wait for it, a job ends it.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot is not there.
    pub async fn delete(
        &self,
        claim: &BotClaim,
        request: Valid<DeleteUsers>,
    ) -> Result<u64, DomainError> {
        let deleted = self
            .context
            .delete_claimed(claim, Lock::Exclusive, move |unit| {
                let now = unit.now();
                let deleted = unit.tx.delete_users(&unit.scope, &request.user_ids, now)?;
                if deleted.is_empty() {
                    return Ok(0);
                }
                for (id, guest_id) in &deleted {
                    let what = (Action::Delete, ChangedResource::User);
                    let change = FieldChange::new("guestId", guest_id, &None::<()>);
                    unit.record(what, id, &[change])?;
                }
                let job = RemoveUsers::new_job(unit, &unit.scope.bot_id());
                unit.enqueue(&job.of_project(unit.scope.project_id()).due(now.plus(GRACE)))?;
                Ok(deleted.len() as u64)
            })
            .await?;
        if deleted > 0 {
            // They are deleted, whatever becomes of this: the job does what is left.
            drop(remove_all(&self.context, &claim.without_idempotency_key()).await);
        }
        Ok(deleted)
    }
}

list_methods! {
    UserService {
        items: "Users", item: User, id: UserId,
        parent: "bot", claim: BotClaim,
    }
}

/// The user, locked exclusively, so that no other unit counts meanwhile what the user does.
fn locked_user(unit: &mut BotUnit<'_>, id: &str) -> Result<User, DomainError> {
    let found = UserId::parse(id).map(|id| unit.tx.user(&unit.scope, id, Lock::Exclusive));
    let found = found.transpose()?.flatten();
    found.ok_or(DomainError::UserRefused(UserRefusal::UnknownUser))
}

/// Checks that a user may get this guestId.
fn check_guest_id(unit: &mut BotUnit<'_>, user: &User, guest_id: &str) -> Result<(), DomainError> {
    if guest_id.is_empty() {
        return Err(DomainError::UserRefused(UserRefusal::NoGuestId));
    }
    let bearer = unit.tx.user_of_guest(&unit.scope, guest_id)?;
    if bearer.is_some_and(|bearer| bearer.id != user.id) {
        return Err(DomainError::UserRefused(UserRefusal::GuestIdTaken));
    }
    Ok(())
}

/// Stores a changed user and what changed.
fn store(
    unit: &mut BotUnit<'_>,
    user: &mut User,
    changes: &[FieldChange],
) -> Result<(), DomainError> {
    user.updated_at = unit.now();
    unit.tx.update_user(&unit.scope, user)?;
    let what = (Action::Update, ChangedResource::User);
    unit.record(what, user.id, changes)
}
