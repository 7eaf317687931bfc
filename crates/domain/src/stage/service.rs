//! What can be done with stages.

use std::sync::Arc;

use super::{CreateStage, Stage, UpdateStage};
use crate::access::BotClaim;
use crate::changelog::{Action, ChangedResource, FieldChange};
use crate::context::Context;
use crate::error::{DomainError, Quota, Resource};
use crate::id::StageId;
use crate::input::Valid;
use crate::json::size_of;
use crate::list::list_methods;
use crate::lock::Lock;
use crate::unit::BotUnit;

/// How many stages a change of a skill looks at in one go: where no quota is set, a list can take more than a megabyte.
const CASCADE_PAGE: u32 = 20;

/// Stages.
#[derive(Clone)]
pub struct StageService {
    context: Arc<Context>,
}

impl StageService {
    pub(crate) const fn new(context: Arc<Context>) -> Self {
        Self { context }
    }

    /// The stage with this `_id`.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot or the stage is not there.
    pub async fn get(&self, claim: &BotClaim, id: StageId) -> Result<Stage, DomainError> {
        self.context.look_up_claimed(claim, move |unit| find(unit, id)).await
    }

    /// Creates a stage.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot is not there.
    pub async fn create(
        &self,
        claim: &BotClaim,
        request: Valid<CreateStage>,
    ) -> Result<Stage, DomainError> {
        self.context
            .write_claimed(claim, Lock::Exclusive, move |unit| {
                let (id, bot_id) = (unit.next_id(), unit.scope.bot_id());
                let stage = Stage::new(id, bot_id, &request.0, unit.now());
                unit.tx.insert_stage(&unit.scope, &stage)?;
                check_skill_lists(unit, (0, usize::MAX))?;
                unit.check_content_quota((0, usize::MAX))?;
                let what = (Action::Create, ChangedResource::Stage);
                unit.record(what, stage.id, &stage.fields.as_changes())?;
                Ok(stage)
            })
            .await
    }

    /// Changes the fields that the update names. An update that changes nothing leaves no trace.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot or the stage is not there.
    pub async fn update(
        &self,
        claim: &BotClaim,
        id: StageId,
        request: Valid<UpdateStage>,
    ) -> Result<Stage, DomainError> {
        self.context
            .write_claimed(claim, Lock::Exclusive, move |unit| {
                let before = find(unit, id)?;
                unit.check_precondition(&before)?;
                let mut stage = before.clone();
                request.0.apply(&mut stage.fields);
                let changes = stage.fields.changes_since(&before.fields);
                if !changes.is_empty() {
                    stage.updated_at = unit.now();
                    unit.tx.update_stage(&unit.scope, &before, &stage)?;
                    check_skill_lists(unit, (list_size(&before), list_size(&stage)))?;
                    let sizes = (before.fields.text_size(), stage.fields.text_size());
                    unit.check_content_quota(sizes)?;
                    let what = (Action::Update, ChangedResource::Stage);
                    unit.record(what, stage.id, &changes)?;
                }
                Ok(stage)
            })
            .await
    }

    /// Deletes a stage. Its skills stay.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot or the stage is not there.
    pub async fn delete(&self, claim: &BotClaim, id: StageId) -> Result<StageId, DomainError> {
        self.context
            .delete_claimed(claim, Lock::Exclusive, move |unit| {
                let stage = find(unit, id)?;
                unit.check_precondition(&stage)?;
                unit.tx.delete_stage(&unit.scope, stage.id)?;
                let what = (Action::Delete, ChangedResource::Stage);
                let change = FieldChange::new("title", &stage.fields.title, &None::<()>);
                unit.record(what, stage.id, &[change])?;
                Ok(stage.id)
            })
            .await
    }
}

list_methods! {
    StageService {
        items: "Stages", item: Stage, id: StageId,
        parent: "bot", claim: BotClaim,
    }
}

fn find(unit: &mut BotUnit<'_>, id: StageId) -> Result<Stage, DomainError> {
    unit.tx.stage(&unit.scope, id)?.ok_or(DomainError::NotFound(Resource::Stage))
}

/// How many bytes the list of skills takes as JSON, as it is stored.
fn list_size(stage: &Stage) -> usize {
    stage.fields.skills.as_ref().map_or(0, size_of)
}

/// Checks, after a list of skills went from so many bytes to so many, that those of the bot's stages do not have more
/// than they may. What does not grow is let through, also where the quota was lowered.
fn check_skill_lists(
    unit: &mut BotUnit<'_>,
    (before, after): (usize, usize),
) -> Result<(), DomainError> {
    let limit = unit.limits().skill_lists_per_bot;
    if limit > 0 && after > before && unit.tx.skill_list_bytes(&unit.scope)? > limit {
        return Err(DomainError::QuotaExceeded(Quota::SkillListsPerBot(limit)));
    }
    Ok(())
}

/// Puts a skill's new `skillId` in the place of its old one in every stage of the bot.
pub(crate) fn rename_skill(
    unit: &mut BotUnit<'_>,
    old: &str,
    new: &str,
) -> Result<(), DomainError> {
    replace_skill(unit, old, Some(new))
}

/// Takes a skill out of every stage of the bot.
pub(crate) fn take_skill_out(unit: &mut BotUnit<'_>, skill_id: &str) -> Result<(), DomainError> {
    replace_skill(unit, skill_id, None)
}

fn replace_skill(unit: &mut BotUnit<'_>, old: &str, new: Option<&str>) -> Result<(), DomainError> {
    let mut after = None;
    loop {
        let page = unit.tx.stages_with_skill(&unit.scope, old, after, CASCADE_PAGE)?;
        let count = page.len();
        let (mut lists, mut changes) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for (id, before) in page {
            let skills = with_skill_replaced(&before, old, new);
            let change = FieldChange::new("skills", &before, &skills);
            changes.push((unit.scope.bot_id(), id, change));
            lists.push((id, skills));
            after = Some(id);
        }
        unit.tx.update_skills_of_stages(&unit.scope, &lists, unit.now())?;
        unit.of_project().record_all((Action::Update, ChangedResource::Stage), changes)?;
        if count < CASCADE_PAGE as usize {
            return Ok(());
        }
    }
}

/// The list with another skill in the place of one. Where that makes a duplicate, the first stays.
fn with_skill_replaced(skills: &[String], old: &str, new: Option<&str>) -> Vec<String> {
    let mut is_there = false;
    let replaced = skills.iter().filter_map(|skill| {
        let skill = if skill == old { new? } else { skill.as_str() };
        if Some(skill) == new {
            if is_there {
                return None;
            }
            is_there = true;
        }
        Some(skill.to_owned())
    });
    replaced.collect()
}

#[cfg(test)]
mod tests {
    use super::with_skill_replaced;

    #[test]
    fn the_order_of_the_other_skills_stays() {
        let list =
            |text: &str| -> Vec<String> { text.split_terminator(' ').map(str::to_owned).collect() };
        for (before, old, new, after) in [
            ("a b c", "b", Some("x"), "a x c"),
            ("a b c", "b", None, "a c"),
            ("a b c", "b", Some("c"), "a c"),
            ("c a b", "b", Some("c"), "c a"),
            ("b", "b", None, ""),
            ("a c", "b", Some("x"), "a c"),
        ] {
            assert_eq!(
                with_skill_replaced(&list(before), old, new),
                list(after),
                "{before} {new:?}"
            );
        }
    }
}
