//! Message feedback in the database.

use diesel::prelude::*;
use domain::StorageError;
use domain::access::BotScope;
use domain::batch::Batch;
use domain::clock::{TimeCursor, TimeRange, Timestamp};
use domain::feedback::{Feedback, FeedbackFilter, FeedbackOrder, FeedbackRepository, Rating};
use domain::id::{BotId, FeedbackId, ProjectId};
use uuid::Uuid;

use crate::engine::db::on_db;
use crate::engine::tx::{Tx, broken};
use crate::sql::columns::Stored;
use crate::sql::keyset::{from_latest, from_oldest, row_gt, row_lt};
use crate::sql::row_macros::table_row;
use crate::sql::schema::feedback_entries;
use crate::tables::bot_rows::{of_bot, read_batch, row_bytes};

/// The bytes of a row's texts, as SQL.
const BYTES: &str = "coalesce(octet_length(comment), 0) + coalesce(octet_length(question), 0) \
                     + coalesce(octet_length(answer), 0)";

table_row! {
    FeedbackRow of Feedback in feedback_entries {
        id: FeedbackId,
        bot_id: BotId,
        message_id: String,
        user_id: Option<String>,
        guest_id: Option<String>,
        rating: Rating,
        created_at: Timestamp,
        comment: Option<String>,
        question: Option<String>,
        answer: Option<String>,
    }
    beside { project_id: ProjectId }
}

impl FeedbackRepository for Tx<'_> {
    fn insert_feedback(
        &mut self,
        scope: &BotScope,
        feedback: &Feedback,
    ) -> Result<(), StorageError> {
        if feedback.bot_id != scope.bot_id() {
            return Err(broken("feedback of another bot was to be stored"));
        }
        let row = FeedbackRow::of(feedback, scope.project_id());
        let insert = diesel::insert_into(feedback_entries::table).values(row);
        self.change_one("inserting feedback", |db| on_db!(db, db => insert.execute(db)))
    }

    fn feedback(
        &mut self,
        scope: &BotScope,
        filter: FeedbackFilter,
        order: FeedbackOrder,
        after: Option<TimeCursor<FeedbackId>>,
        limit: u32,
    ) -> Result<Batch<Feedback>, StorageError> {
        /// A page of these rows, with the rating that is asked for.
        macro_rules! page_of {
            ($rows:expr) => {
                match filter.rating {
                    None => read_batch!(self, $rows, row_bytes(BYTES), FeedbackRow, limit),
                    Some(rating) => read_batch!(
                        self,
                        $rows.filter(feedback_entries::rating.eq(rating.as_str())),
                        row_bytes(BYTES),
                        FeedbackRow,
                        limit
                    ),
                }
            };
        }
        let columns = (feedback_entries::created_at, feedback_entries::id);
        let TimeRange { from, to } = filter.times;
        let rows = match order {
            FeedbackOrder::OldestFirst => {
                // Nothing comes before the first possible entry of that time.
                let begin = from.map(|at| TimeCursor { at, id: FeedbackId::NIL });
                let after = from_oldest(after.max(begin));
                let to = to.map_or(i64::MAX, Timestamp::millis);
                page_of!(
                    of_bot!(feedback_entries, scope)
                        .filter(row_gt(columns, after))
                        .filter(feedback_entries::created_at.le(to))
                        .order(columns)
                )
            }
            FeedbackOrder::NewestFirst => {
                let end = to.map(|at| TimeCursor { at, id: FeedbackId::from_uuid(Uuid::max()) });
                let before = from_latest([after, end].into_iter().flatten().min());
                let from = from.map_or(i64::MIN, Timestamp::millis);
                page_of!(
                    of_bot!(feedback_entries, scope)
                        .filter(row_lt(columns, before))
                        .filter(feedback_entries::created_at.ge(from))
                        .order((feedback_entries::created_at.desc(), feedback_entries::id.desc()))
                )
            }
        };
        Ok(rows.map(Feedback::from))
    }

    fn count_feedback(
        &mut self,
        scope: &BotScope,
        filter: FeedbackFilter,
        limit: u32,
    ) -> Result<u32, StorageError> {
        let FeedbackFilter { rating, times: TimeRange { from, to } } = filter;
        let mut conditions = Vec::new();
        conditions.extend(rating.map(|rating| (" AND rating = ", rating.as_str().into())));
        conditions.extend(from.map(|from| (" AND created_at >= ", from.millis().into())));
        conditions.extend(to.map(|to| (" AND created_at <= ", to.millis().into())));
        self.count_rows("feedback_entries", scope, conditions, limit)
    }

    fn remove_feedback(&mut self, scope: &BotScope, limit: u32) -> Result<u32, StorageError> {
        self.remove_rows(("feedback_entries", BYTES), scope, limit)
    }
}
