//! What can be done with skills.

use std::sync::Arc;

use super::{CreateSkill, Skill, UpdateSkill, skill_id};
use crate::access::BotClaim;
use crate::changelog::{Action, ChangedResource, FieldChange};
use crate::context::Context;
use crate::crawl;
use crate::document;
use crate::error::{DomainError, Resource};
use crate::id::SkillId;
use crate::input::Valid;
use crate::list::list_methods;
use crate::lock::Lock;
use crate::stage;
use crate::unit::BotUnit;
use crate::violation::{ViolationCode, Violations};
use crate::visual_block;

/// Skills.
#[derive(Clone)]
pub struct SkillService {
    context: Arc<Context>,
}

impl SkillService {
    pub(crate) const fn new(context: Arc<Context>) -> Self {
        Self { context }
    }

    /// The skill with this `skillId` or `_id`.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot or the skill is not there.
    pub async fn get(
        &self,
        claim: &BotClaim,
        id_or_skill_id: String,
    ) -> Result<Skill, DomainError> {
        self.context.look_up_claimed(claim, move |unit| find(unit, &id_or_skill_id)).await
    }

    /// Creates a skill.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot is not there, [`DomainError::QuotaExceeded`] if it has as
    /// much content as it may, [`DomainError::Taken`] if another skill of
    /// the bot has the same name or `skillId`, [`DomainError::Busy`] while a skill of the bot is renamed in its
    /// copies of documents.
    pub async fn create(
        &self,
        claim: &BotClaim,
        request: Valid<CreateSkill>,
    ) -> Result<Skill, DomainError> {
        self.context
            .write_claimed(claim, Lock::Exclusive, move |unit| {
                let id = unit.next_id();
                let skill = Skill::new(id, unit.scope.bot_id(), &request.0, unit.now());
                skill_id::check_own(&skill.fields.skill_id, id)?;
                check_unique(unit, &skill, None)?;
                unit.tx.insert_skill(&unit.scope, &skill)?;
                unit.check_content_quota((0, usize::MAX))?;
                let what = (Action::Create, ChangedResource::Skill);
                unit.record(what, id, &skill.fields.as_changes())?;
                Ok(skill)
            })
            .await
    }

    /// Changes the fields that the update names. A new `skillId` replaces the old one in every stage, crawl and
    /// copy of a document that the bot has; in more than a thousand copies, a job does that. An update that changes
    /// nothing leaves no trace.
    ///
    /// # Errors
    /// As [`Self::create`], and [`DomainError::NotFound`] if there is no such skill.
    pub async fn update(
        &self,
        claim: &BotClaim,
        id_or_skill_id: String,
        request: Valid<UpdateSkill>,
    ) -> Result<Skill, DomainError> {
        self.context
            .write_claimed(claim, Lock::Exclusive, move |unit| {
                let before = find(unit, &id_or_skill_id)?;
                unit.check_precondition(&before)?;
                let mut skill = before.clone();
                request.0.apply(&mut skill.fields);
                let changes = skill.fields.changes_since(&before.fields);
                if changes.is_empty() {
                    return Ok(skill);
                }
                let is_renamed = skill.fields.skill_id != before.fields.skill_id;
                if is_renamed {
                    skill_id::check_own(&skill.fields.skill_id, skill.id)?;
                }
                check_unique(unit, &skill, Some(&before))?;
                skill.updated_at = unit.now();
                unit.tx.update_skill(&unit.scope, &before, &skill)?;
                let sizes = (before.fields.text_size(), skill.fields.text_size());
                unit.check_content_quota(sizes)?;
                let what = (Action::Update, ChangedResource::Skill);
                unit.record(what, skill.id, &changes)?;
                if is_renamed {
                    let (old, new) =
                        (before.fields.skill_id.as_str(), skill.fields.skill_id.as_str());
                    stage::rename_skill(unit, old, new)?;
                    crawl::rename_skill(unit, old, new)?;
                    document::rename_skill(unit, old, new)?;
                }
                Ok(skill)
            })
            .await
    }

    /// Deletes a skill, takes it out of every stage that has it, and removes its visual blocks.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot or the skill is not there.
    pub async fn delete(
        &self,
        claim: &BotClaim,
        id_or_skill_id: String,
    ) -> Result<SkillId, DomainError> {
        self.context
            .delete_claimed(claim, Lock::Exclusive, move |unit| {
                let skill = find(unit, &id_or_skill_id)?;
                unit.check_precondition(&skill)?;
                unit.tx.delete_skill(&unit.scope, skill.id)?;
                let what = (Action::Delete, ChangedResource::Skill);
                let change = FieldChange::new("name", &skill.fields.name, &None::<()>);
                unit.record(what, skill.id, &[change])?;
                stage::take_skill_out(unit, &skill.fields.skill_id)?;
                unit.tx.delete_visual_blocks(&unit.scope, &visual_block::names_of_skill(&skill))?;
                Ok(skill.id)
            })
            .await
    }
}

list_methods! {
    SkillService {
        items: "Skills", item: Skill, id: SkillId,
        parent: "bot", claim: BotClaim,
    }
}

fn find(unit: &mut BotUnit<'_>, id_or_skill_id: &str) -> Result<Skill, DomainError> {
    // Not looked up if it is no valid `skillId`: PostgreSQL refuses some texts, such as U+0000.
    let found = if skill_id::is_valid(id_or_skill_id) {
        unit.tx.skill(&unit.scope, id_or_skill_id)?
    } else {
        None
    };
    found.ok_or(DomainError::NotFound(Resource::Skill))
}

/// Checks that no other skill of the bot has the name or the `skillId`, as far as they are not those
/// that this one had `before`. The bot is locked, so no other unit takes them meanwhile.
fn check_unique(
    unit: &mut BotUnit<'_>,
    skill: &Skill,
    before: Option<&Skill>,
) -> Result<(), DomainError> {
    let is_other = |found: Option<SkillId>| found.is_some_and(|id| id != skill.id);
    let mut violations = Violations::none();
    let is_new = before.is_none_or(|before| before.fields.name != skill.fields.name);
    if is_new && is_other(unit.tx.skill_of_name(&unit.scope, &skill.fields.name)?) {
        let message = "Another skill of this bot has this name.";
        violations.body("/name", ViolationCode::NameTaken, message);
    }
    let is_new = before.is_none_or(|before| before.fields.skill_id != skill.fields.skill_id);
    if is_new {
        document::check_no_rename_goes_on(unit)?;
    }
    if is_new && is_other(unit.tx.skill_of_skill_id(&unit.scope, &skill.fields.skill_id)?) {
        let message = "Another skill of this bot has this `skillId`.";
        violations.body("/skillId", ViolationCode::SkillIdTaken, message);
    }
    if violations.is_empty() { Ok(()) } else { Err(DomainError::Taken(violations)) }
}
