//! The repository of lists.

use uuid::Uuid;

use super::query::Condition;
use super::sort::{ListPosition, Sort, SortField};
use crate::access::{BotScope, ProjectScope};
use crate::clock::Timestamp;
use crate::error::StorageError;

/// What stands in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ListedResource {
    /// Bots of a project that can be found.
    Bot,
    /// Skills of a bot.
    Skill,
    /// Stages of a bot.
    Stage,
    /// Fusion-Views of a bot.
    FusionView,
    /// Website-crawls of a bot.
    WebsiteCrawl,
    /// Documents of a project.
    Document,
    /// Users of a bot that are not removed.
    User,
}

/// Whose list it is.
#[derive(Debug, Clone, Copy)]
pub enum ListOwner<'a> {
    /// A bot's.
    Bot(&'a BotScope),
    /// A project's.
    Project(&'a ProjectScope),
}

impl<'a> From<&'a BotScope> for ListOwner<'a> {
    fn from(scope: &'a BotScope) -> Self {
        Self::Bot(scope)
    }
}

impl<'a> From<&'a ProjectScope> for ListOwner<'a> {
    fn from(scope: &'a ProjectScope) -> Self {
        Self::Project(scope)
    }
}

/// Which items are looked for, and in which order.
#[derive(Debug, Clone)]
pub struct ListSelection<'a> {
    /// What the items are.
    pub resource: ListedResource,
    /// What they belong to.
    pub owner: ListOwner<'a>,
    /// In which order.
    pub sort: Sort,
    /// Only what was changed at this time or later.
    pub updated_since: Option<Timestamp>,
    /// What they have in common.
    pub conditions: Vec<Condition>,
    /// Whether the texts are needed in which is searched.
    pub with_texts: bool,
    /// Only what has one of these identifiers, in any order.
    pub among: Option<&'a [Uuid]>,
}

impl ListSelection<'_> {
    /// The condition by which an index finds the items: the first one, where the list goes by identifiers alone, but
    /// not whether something is assigned. That depends on which bots can be found, which no index knows. Items whose
    /// identifiers are known are found by those.
    #[must_use]
    pub fn indexed(&self) -> Option<&Condition> {
        let has_id_order = self.sort.by == SortField::CreatedAt
            && self.resource != ListedResource::User
            && self.among.is_none();
        let is_indexed = |condition: &&Condition| !matches!(condition, Condition::Assigned(_));
        self.conditions.first().filter(|_| has_id_order).filter(is_indexed)
    }

    /// The conditions by which items are filtered one by one as they are read.
    pub fn filters(&self) -> impl Iterator<Item = &Condition> {
        self.conditions.iter().skip(usize::from(self.indexed().is_some()))
    }

    /// Whether it is filtered item by item when each was changed, because the order is another one.
    #[must_use]
    pub fn filters_update(&self) -> bool {
        self.updated_since.is_some() && self.sort.by != SortField::UpdatedAt
    }
}

/// An item that a list may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Its position in the list.
    pub position: ListPosition<Uuid>,
    /// The texts in which is searched, if they are needed.
    pub texts: [Option<String>; 2],
    /// Whether it meets the conditions that are filtered item by item.
    pub meets_conditions: bool,
    /// How many bytes its long values have.
    pub bytes: u64,
}

/// Lists in the database.
pub trait ListRepository {
    /// Items of a list, at most `limit`, after `after` if that is given, with those that don't meet the conditions that
    /// are filtered item by item. So many are read, whatever they are like.
    fn candidates(
        &mut self,
        selection: &ListSelection<'_>,
        after: Option<&ListPosition<Uuid>>,
        limit: u32,
    ) -> Result<Vec<Candidate>, StorageError>;

    /// How many items a list has after `after`, but at most `limit`, where none are filtered item by item.
    fn count_candidates(
        &mut self,
        selection: &ListSelection<'_>,
        after: Option<&ListPosition<Uuid>>,
        limit: u32,
    ) -> Result<u32, StorageError>;

    /// Reserves memory for items of so many bytes, which are read next (see [`crate::memory`]).
    fn reserve_content(&mut self, bytes: u64) -> Result<(), StorageError>;
}
