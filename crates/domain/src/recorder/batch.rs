//! A unit of work that writes records.
//!
//! All units lock and change rows in the same order, so that they may wait for one another but never deadlock: first
//! the users, in the order of their identifiers, and at the end entries by address, visual blocks by name, and usage by
//! day, kind and model.

use std::collections::{BTreeMap, BTreeSet};

use super::{NewEntry, NewFeedback, NewHistoryItem, NewUsage, NewUser, NewVisualBlock, Record};
use crate::changelog::{Action, ChangedResource};
use crate::clock::Timestamp;
use crate::error::{DomainError, Resource};
use crate::event::EventType;
use crate::feedback::Feedback;
use crate::history::HistoryItem;
use crate::id::{FeedbackId, UserId};
use crate::input::INTEGER_MAX;
use crate::keyval::{KeyvalUnit, new_entry};
use crate::lock::Lock;
use crate::unit::{BotUnit, SINGLE_EVENTS_MAX};
use crate::usage::{Day, UsageAmounts, UsageKey, UsageKind, UsageStatistic};
use crate::user::{User, UserRefusal};
use crate::visual_block::VisualBlock;

/// Writes these records in this unit. What is new has no events of its own if there is much of it, or if the records are
/// part of many.
///
/// # Errors
/// [`DomainError::RecordsRefused`] with every one that can't be written.
pub(crate) fn write_records<'a>(
    unit: &'a mut BotUnit<'_>,
    records: impl Iterator<Item = &'a Record> + Clone,
    is_part_of_many: bool,
) -> Result<(), DomainError> {
    let mut batch = RecordWriter::begin(unit, records.clone())?;
    let mut refused = Vec::new();
    for (index, record) in records.enumerate() {
        match batch.write(record) {
            Ok(()) => {}
            // That is not about the record, and decides whether the unit is run again.
            Err(error @ DomainError::Storage(_)) => return Err(error),
            Err(error) => refused.push((index, error)),
        }
    }
    if !refused.is_empty() {
        return Err(DomainError::RecordsRefused(refused));
    }
    batch.end(is_part_of_many)
}

/// Writes records of one bot.
struct RecordWriter<'a, 'u> {
    unit: &'a mut BotUnit<'u>,
    now: Timestamp,
    /// The users of whom something is recorded, as far as they are there.
    users: BTreeMap<UserId, User>,
    /// Those of them whose stats have changed.
    counted: BTreeSet<UserId>,
    entries: Vec<&'a NewEntry>,
    blocks: Vec<&'a NewVisualBlock>,
    /// The guestIds of the users that were inserted.
    guest_ids: BTreeSet<&'a str>,
    new_users: Vec<(UserId, &'a NewUser)>,
    new_feedback: Vec<FeedbackId>,
    usage: BTreeMap<(Day, &'static str, &'a str), (UsageKind, UsageAmounts)>,
}

impl<'a, 'u> RecordWriter<'a, 'u> {
    /// Holds the users of whom something is recorded, so that they can't be removed meanwhile and
    /// nothing that others count is lost.
    fn begin(
        unit: &'a mut BotUnit<'u>,
        records: impl Iterator<Item = &'a Record>,
    ) -> Result<Self, DomainError> {
        let mut users = BTreeMap::new();
        for id in records.filter_map(Record::counts_for).collect::<BTreeSet<_>>() {
            users.extend(unit.tx.user(&unit.scope, id, Lock::Exclusive)?.map(|user| (id, user)));
        }
        let (now, counted) = (unit.now(), BTreeSet::new());
        let (entries, blocks, usage) = (Vec::new(), Vec::new(), BTreeMap::new());
        let (guest_ids, new_users, new_feedback) = (BTreeSet::new(), Vec::new(), Vec::new());
        Ok(Self {
            unit,
            now,
            users,
            counted,
            entries,
            blocks,
            guest_ids,
            new_users,
            new_feedback,
            usage,
        })
    }

    /// Writes one record, or keeps it for the end.
    fn write(&mut self, record: &'a Record) -> Result<(), DomainError> {
        match record {
            Record::History(item) => self.insert_history_item(item),
            Record::Usage(usage) => {
                self.add_usage(usage);
                Ok(())
            }
            Record::Feedback(feedback) => self.insert_feedback(feedback),
            Record::Entry(entry) => {
                self.entries.push(entry);
                Ok(())
            }
            Record::User(user) => self.insert_user(user),
            Record::VisualBlock(block) => {
                self.blocks.push(block);
                Ok(())
            }
            Record::Tokens(used) => {
                let stats = &mut self.user(used.user_id)?.stats;
                stats.tokens = stats.tokens.saturating_add(used.tokens).min(INTEGER_MAX);
                self.counted.insert(used.user_id);
                Ok(())
            }
        }
    }

    /// Writes what was kept.
    fn end(self, is_part_of_many: bool) -> Result<(), DomainError> {
        let Self {
            unit, users, counted, entries, mut blocks, new_users, new_feedback, usage, ..
        } = self;
        let is_much = |count| is_part_of_many || count > SINGLE_EVENTS_MAX;
        match new_users.as_slice() {
            [] => {}
            [(id, new)] if !is_part_of_many => {
                unit.record((Action::Create, ChangedResource::User), id, &new.as_changes())?;
            }
            several => {
                let ids: Vec<_> = several.iter().map(|(id, _)| *id).collect();
                unit.record_new_users(&ids, is_much(ids.len()))?;
            }
        }
        if is_much(new_feedback.len()) && !new_feedback.is_empty() {
            unit.emit_count(EventType::FeedbackImported, new_feedback.len())?;
        } else {
            unit.emit_all(EventType::FeedbackCreated, &new_feedback)?;
        }
        for user in users.values().filter(|user| counted.contains(&user.id)) {
            unit.tx.update_user(&unit.scope, user)?;
        }
        let scope = (&unit.scope).into();
        put_entries(&mut unit.with_scope(scope), entries)?;
        // Those of one name stay in their order, so that the last one stays.
        blocks.sort_by(|one, other| one.name.cmp(&other.name));
        for block in blocks {
            let id = unit.next_id();
            let now = unit.now();
            let block = VisualBlock::new(id, unit.scope.bot_id(), block, now);
            unit.tx.put_visual_block(&unit.scope, &block)?;
        }
        for ((day, _, model), (kind, amounts)) in usage {
            let statistic = UsageStatistic {
                id: unit.next_id(),
                bot_id: unit.scope.bot_id(),
                of: UsageKey { day, kind, model: model.to_owned() },
                amounts,
            };
            unit.tx.add_usage(&unit.scope, &statistic)?;
        }
        Ok(())
    }

    fn user(&mut self, id: UserId) -> Result<&mut User, DomainError> {
        self.users.get_mut(&id).ok_or(DomainError::NotFound(Resource::User))
    }

    fn insert_history_item(&mut self, item: &NewHistoryItem) -> Result<(), DomainError> {
        let created_at = item.created_at.unwrap_or(self.now);
        let stats = &mut self.user(item.user_id)?.stats;
        if item.is_of_user() {
            stats.messages = stats.messages.saturating_add(1).min(INTEGER_MAX);
            stats.last_active_at = stats.last_active_at.max(Some(created_at));
            self.counted.insert(item.user_id);
        }
        let item = HistoryItem {
            id: self.unit.next_id(),
            bot_id: self.unit.scope.bot_id(),
            user_id: item.user_id,
            role: item.role,
            kind: item.kind,
            supervisor_enabled: item.supervisor_enabled,
            text: item.text.clone(),
            created_at,
        };
        Ok(self.unit.tx.insert_history_item(&self.unit.scope, &item)?)
    }

    fn add_usage(&mut self, usage: &'a NewUsage) {
        let UsageKey { day, kind, model } = &usage.of;
        let key = (*day, kind.as_str(), model.as_str());
        let (_, sum) = self.usage.entry(key).or_insert((*kind, UsageAmounts::default()));
        *sum = sum.plus(&usage.amounts);
    }

    fn insert_feedback(&mut self, feedback: &NewFeedback) -> Result<(), DomainError> {
        let user = match feedback.user_id.as_deref().and_then(UserId::parse) {
            Some(id) => self.unit.tx.user(&self.unit.scope, id, Lock::None)?,
            None => None,
        };
        let feedback = Feedback {
            id: self.unit.next_id(),
            bot_id: self.unit.scope.bot_id(),
            message_id: feedback.message_id.clone(),
            user_id: feedback.user_id.clone(),
            guest_id: user.map(|user| user.guest_id),
            rating: feedback.rating,
            comment: feedback.comment.clone(),
            question: feedback.question.clone(),
            answer: feedback.answer.clone(),
            created_at: feedback.created_at.unwrap_or(self.now),
        };
        self.unit.tx.insert_feedback(&self.unit.scope, &feedback)?;
        self.new_feedback.push(feedback.id);
        Ok(())
    }

    fn insert_user(&mut self, new: &'a NewUser) -> Result<(), DomainError> {
        let created_at = new.created_at.unwrap_or(self.now);
        let user = User {
            id: self.unit.next_id(),
            bot_id: self.unit.scope.bot_id(),
            guest_id: new.guest_id.clone(),
            fields: new.fields.clone(),
            stats: new.stats,
            created_at,
            updated_at: created_at,
        };
        if !self.unit.tx.insert_user(&self.unit.scope, &user)? {
            let is_repeated = self.guest_ids.contains(new.guest_id.as_str());
            return Err(DomainError::UserRefused(match is_repeated {
                true => UserRefusal::GuestIdRepeated,
                false => UserRefusal::GuestIdTaken,
            }));
        }
        self.guest_ids.insert(&new.guest_id);
        self.new_users.push((user.id, new));
        Ok(())
    }
}

/// Stores entries; of several at one address, the last.
pub(crate) fn put_entries(
    unit: &mut KeyvalUnit<'_>,
    mut entries: Vec<&NewEntry>,
) -> Result<(), DomainError> {
    entries.sort_by(|one, other| one.address.cmp(&other.address));
    for NewEntry { address, value } in entries {
        let entry = new_entry(unit, address.clone(), value.clone());
        unit.tx.put_entry(&unit.scope, entry)?;
    }
    Ok(())
}
