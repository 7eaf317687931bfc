//! What lists consist of, and by what each goes on.

use domain::access::UsersClaim;
use domain::changelog::ChangelogEntry;
use domain::clock::TimeCursor;
use domain::crawl::Page;
use domain::document::{Chunk, ChunkPosition};
use domain::history::{HistoryItem, SupervisorChat};
use domain::id::{
    BotId, ChangelogEntryId, DeliveryId, DocumentId, HistoryItemId, MaxAgeRuleId, UserId, WebhookId,
};
use domain::keyval::{EntryAddress, EntryOfGuest};
use domain::max_age::MaxAgeRule;
use domain::usage::{UsageKey, UsageStatistic};
use domain::user::{BotOfOrganisation, User};
use domain::webhook::{Delivery, Webhook};

use crate::reply::ListItem;

/// A chunk, with its position and its document.
pub(crate) type ChunkOfDocument = (ChunkPosition, DocumentId, Chunk);

macro_rules! items {
    ($($Item:ty, by $Cursor:ty: $cursor:expr;)+) => {$(
        impl ListItem for $Item {
            type Cursor = $Cursor;

            fn cursor(&self) -> $Cursor {
                let cursor: fn(&Self) -> $Cursor = $cursor;
                cursor(self)
            }
        }
    )+};
}

items! {
    Page, by u32: |page| page.number;
    ChunkOfDocument, by ChunkPosition: |(position, ..)| *position;
    EntryOfGuest, by EntryAddress: |found| found.entry.address.clone();
    MaxAgeRule, by MaxAgeRuleId: |rule| rule.id;
    Webhook, by WebhookId: |webhook| webhook.id;
    Delivery, by DeliveryId: |delivery| delivery.id;
    User, by TimeCursor<UserId>: |user| TimeCursor { at: user.created_at, id: user.id };
    (BotOfOrganisation, UsersClaim), by BotId: |(bot, _)| bot.id;
    // Only the chat of one user can be without items, and that stands in no list.
    SupervisorChat, by TimeCursor<UserId>: |chat| {
        TimeCursor { at: chat.last_at.unwrap_or_default(), id: chat.user_id }
    };
    HistoryItem, by TimeCursor<HistoryItemId>: |item| TimeCursor { at: item.created_at, id: item.id };
    UsageStatistic, by UsageKey: |statistic| statistic.of.clone();
    ChangelogEntry, by ChangelogEntryId: |entry| entry.id;
}
