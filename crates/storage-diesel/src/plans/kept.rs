//! What the most frequent units of work run is prepared once by each connection: to prepare a statement takes
//! longer than to run it. And it sets no column of an index that does not change.

use std::collections::BTreeSet;
use std::mem;

use domain::StorageError;
use domain::access::{BotScope, TokenRepository as _};
use domain::bot::{BotRepository as _, BotUnlessLarge};
use domain::changelog::{
    Action, ChangedResource, ChangelogEntry, ChangelogRepository as _, FieldChange,
};
use domain::event::{Event, EventData, EventType};
use domain::id::{BotId, ChangelogEntryId, EventId, KeyvalEntryId, SkillId, StageId};
use domain::json::Json;
use domain::keyval::{Entry, EntryAddress, KeyvalRepository as _, KeyvalScope};
use domain::lock::{Lock, Mode};
use domain::skill::{Skill, SkillFields, SkillRepository as _};
use domain::stage::{Stage, StageFields, StageRepository as _};
use uuid::Uuid;

use super::{EPOCH, ID, Watched, postgres, sqlite};
use crate::engine::db::OwnDb;
use crate::engine::tx::Tx;

impl Watched {
    /// Runs a unit, and returns its statements.
    fn run(
        &mut self,
        unit: impl FnOnce(&mut Tx<'_>, &BotScope) -> Result<(), StorageError>,
    ) -> BTreeSet<String> {
        self.statements.lock().unwrap().clear();
        unit(&mut Tx::new(self.db.lend(), Mode::Write), &self.scope).unwrap();
        let run: BTreeSet<_> =
            mem::take(&mut *self.statements.lock().unwrap()).into_iter().collect();
        assert!(!run.is_empty());
        run
    }

    /// Runs a unit, and returns the statements of it that are not kept prepared.
    fn not_kept(
        &mut self,
        unit: impl FnOnce(&mut Tx<'_>, &BotScope) -> Result<(), StorageError>,
    ) -> BTreeSet<String> {
        let run = self.run(unit);
        run.difference(&self.kept.lock().unwrap()).cloned().collect()
    }
}

const SKILL_ID: &str = "a skill";

/// A skill and a stage of a bot.
fn resources(bot: BotId) -> (Skill, Stage) {
    let skill = Skill {
        id: SkillId::from_uuid(ID),
        bot_id: bot,
        fields: SkillFields { skill_id: SKILL_ID.to_owned(), ..SkillFields::default() },
        created_at: EPOCH,
        updated_at: EPOCH,
    };
    let stage = Stage {
        id: StageId::from_uuid(ID),
        bot_id: bot,
        fields: StageFields::default(),
        created_at: EPOCH,
        updated_at: EPOCH,
    };
    (skill, stage)
}

/// The same with other names.
fn renamed((mut skill, mut stage): (Skill, Stage)) -> (Skill, Stage) {
    skill.fields.name.push('s');
    stage.fields.name.push('s');
    (skill, stage)
}

fn an_update_sets_no_column_of_an_index_that_stays(db: OwnDb) {
    let mut watched = Watched::new(db);
    let claim = watched.claim.clone();
    let (skill, stage) = resources(watched.scope.bot_id());
    let _ = watched.run(|tx, scope| {
        tx.insert_skill(scope, &skill)?;
        tx.insert_stage(scope, &stage)
    });
    let same = (skill.clone(), stage.clone());
    for (to, is_renamed) in [(same.clone(), false), (renamed(same), true)] {
        let run = watched.run(|tx, scope| {
            let bot = tx.live_bot(&claim, Lock::Exclusive)?.expect("the bot");
            let before = if is_renamed { "before" } else { &bot.config.name };
            tx.update_bot(scope, before, (&bot.config, None), EPOCH)?;
            tx.update_skill(scope, &skill, &to.0)?;
            tx.update_stage(scope, &stage, &to.1)
        });
        let updates: Vec<_> = run.iter().filter(|text| text.starts_with("UPDATE")).collect();
        assert_eq!(updates.len(), 3, "{run:?}");
        for update in updates {
            let sets_name = ["`name` = ", "\"name\" = "].iter().any(|set| update.contains(set));
            assert_eq!(sets_name, is_renamed, "{update}");
        }
    }
}

fn frequent_statements_are_kept(db: OwnDb) {
    let mut watched = Watched::new(db);
    let claim = watched.claim.clone();
    let (mut skill, stage) = resources(watched.scope.bot_id());
    let mut first = true;
    // The optional columns have values or none.
    for description in [None, Some("a text".to_owned())] {
        skill.fields.description = description;
        let (renamed_skill, renamed_stage) = renamed((skill.clone(), stage.clone()));
        let unkept = watched.not_kept(|tx, scope| {
            let Some(BotUnlessLarge::Small(mut bot)) =
                tx.live_bot_unless_large(&claim, Lock::Exclusive)?
            else {
                panic!("there is no bot with a short configuration");
            };
            assert!(tx.has_live_bot(&claim, Lock::Shared)?);
            let before = bot.config.name.clone();
            tx.update_bot(scope, &before, (&bot.config, None), bot.updated_at)?;
            bot.config.name.push('s');
            tx.update_bot(scope, &before, (&bot.config, None), bot.updated_at)?;
            tx.valid_tokens_of_bot(scope, EPOCH)?;
            if mem::take(&mut first) {
                tx.insert_skill(scope, &skill)?;
                tx.insert_stage(scope, &stage)?;
            }
            tx.skill(scope, SKILL_ID)?;
            tx.update_skill(scope, &skill, &skill)?;
            tx.update_skill(scope, &skill, &renamed_skill)?;
            tx.update_stage(scope, &stage, &stage)?;
            tx.update_stage(scope, &stage, &renamed_stage)
        });
        assert_eq!(unkept, BTreeSet::new());
    }
    let entry = |number: u128, at| Entry {
        id: KeyvalEntryId::from_uuid(Uuid::from_u128(number)),
        address: EntryAddress {
            user_id: "user".to_owned(),
            entry_type: "type".to_owned(),
            key: number.to_string(),
        },
        value: Json::parse_text("1").unwrap(),
        created_at: at,
        updated_at: at,
        accessed_at: at,
    };
    for number in [1, 2] {
        let unkept = watched.not_kept(|tx, scope| {
            let of_entries = KeyvalScope::from(scope);
            let entry = tx.put_entry(&of_entries, entry(number, EPOCH))?;
            tx.entry(&of_entries, &entry.address, Lock::None)?;
            let change = [FieldChange::new("field", &1, &2)];
            let (id, what) = (ChangelogEntryId::from_uuid(Uuid::from_u128(number)), "a thing");
            let (action, resource) = (Action::Update, ChangedResource::Bot);
            let of_operator =
                ChangelogEntry::new(id, EPOCH, scope, action, resource, what, &change);
            let event = Event {
                id: EventId::from_uuid(Uuid::from_u128(number)),
                project_id: scope.project_id(),
                bot_id: Some(scope.bot_id()),
                at: EPOCH,
                event_type: EventType::BotUpdated,
                resource_id: what.to_owned(),
                actor: None,
                data: Json::of(&EventData::NONE),
            };
            tx.record(scope, &of_operator, Some(&event))
        });
        assert_eq!(unkept, BTreeSet::new());
    }
}

#[test]
fn on_sqlite() {
    frequent_statements_are_kept(sqlite());
    an_update_sets_no_column_of_an_index_that_stays(sqlite());
}

#[test]
fn on_postgres() {
    frequent_statements_are_kept(postgres());
    an_update_sets_no_column_of_an_index_that_stays(postgres());
}
