//! The tables of lists: their columns of names, times and sizes, and which rows are there for clients.

use domain::list::{ListedResource, SortField};

use crate::tables::bot::Live;
use crate::tables::bot_rows::{SIZE, SMALL};
use crate::tables::large_config::CONFIG_BYTES;

/// A table as the source of a list.
pub(super) struct ListTable {
    pub(super) name: &'static str,
    /// What is by [`SortField::Name`].
    pub(super) text: &'static str,
    /// Whether no two rows of a list have the same text there, so that it alone is an order.
    is_text_unique: bool,
    /// What is by [`SortField::CreatedAt`], where that is not the identifier.
    pub(super) created_at: Option<&'static str>,
    /// Which rows are there for clients.
    pub(super) condition: Option<&'static str>,
    /// In what else is searched.
    pub(super) other_text: Option<OtherText>,
    /// The bytes of a row, as SQL.
    pub(super) bytes: &'static str,
}

/// In how many characters of a member is searched, which may be long.
pub(super) const SEARCHED_CHARACTERS: usize = 1_000;

/// A text in which is searched as well.
pub(super) enum OtherText {
    Column(&'static str),
    /// A member of the JSON object in a column, if it is a text.
    Member(&'static str, &'static str),
}

impl ListTable {
    const fn of(name: &'static str, text: &'static str, bytes: &'static str) -> Self {
        Self {
            name,
            text,
            is_text_unique: false,
            created_at: None,
            condition: None,
            other_text: None,
            bytes,
        }
    }

    pub(super) fn new(resource: ListedResource) -> Self {
        match resource {
            ListedResource::Bot => {
                Self { condition: Some(Live::SQL), ..Self::of("bots", "name", CONFIG_BYTES) }
            }
            ListedResource::Skill => {
                Self { is_text_unique: true, ..Self::of("skills", "name", SIZE) }
            }
            ListedResource::Stage => Self {
                other_text: Some(OtherText::Column("title")),
                ..Self::of("stages", "name", SIZE)
            },
            ListedResource::FusionView => Self::of("fusion_views", "title", SIZE),
            ListedResource::WebsiteCrawl => Self {
                other_text: Some(OtherText::Column("url")),
                ..Self::of("website_crawls", "name", SMALL)
            },
            ListedResource::Document => Self::of("documents", "file_name", SMALL),
            ListedResource::User => Self {
                is_text_unique: true,
                created_at: Some("created_at"),
                condition: Some("deleted_at IS NULL"),
                other_text: Some(OtherText::Member("fields", "name")),
                ..Self::of("users", "guest_id", "octet_length(fields)")
            },
        }
    }

    /// The column by which the rows are sorted before their identifiers.
    pub(super) const fn sort_column(&self, by: SortField) -> Option<SortColumn> {
        match by {
            SortField::Name if self.is_text_unique => Some(SortColumn::UniqueText(self.text)),
            SortField::Name => Some(SortColumn::Text(self.text)),
            SortField::Size => Some(SortColumn::Number("size")),
            SortField::UpdatedAt => Some(SortColumn::Number("updated_at")),
            SortField::CreatedAt => match self.created_at {
                Some(column) => Some(SortColumn::Number(column)),
                None => None,
            },
        }
    }
}

/// A column by which rows are sorted.
#[derive(Clone, Copy)]
pub(super) enum SortColumn {
    Text(&'static str),
    UniqueText(&'static str),
    Number(&'static str),
}
