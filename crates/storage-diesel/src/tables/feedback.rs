//! Message feedback in the database.

use diesel::prelude::*;
use domain::StorageError;
use domain::access::BotScope;
use domain::clock::{TimeCursor, Timestamp};
use domain::feedback::{Feedback, FeedbackRepository, Rating};
use domain::id::{BotId, FeedbackId};

use crate::engine::db::on_db;
use crate::engine::tx::{Tx, corrupt, decode};
use crate::sql::keyset::{beyond, from_oldest};
use crate::sql::schema::feedback_entries;
use crate::tables::rows::of_bot;

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = feedback_entries)]
struct FeedbackRow {
    id: String,
    project_id: String,
    bot_id: String,
    message_id: String,
    user_id: Option<String>,
    guest_id: Option<String>,
    rating: String,
    created_at: i64,
    comment: Option<String>,
    question: Option<String>,
    answer: Option<String>,
}

impl TryFrom<FeedbackRow> for Feedback {
    type Error = StorageError;

    fn try_from(row: FeedbackRow) -> Result<Self, StorageError> {
        let id = row.id.as_str();
        Ok(Self {
            id: decode("feedback_entries.id", id, FeedbackId::parse(id))?,
            bot_id: decode("feedback_entries.bot_id", id, BotId::parse(&row.bot_id))?,
            rating: decode("feedback_entries.rating", id, Rating::parse(&row.rating))?,
            message_id: row.message_id,
            user_id: row.user_id,
            guest_id: row.guest_id,
            comment: row.comment,
            question: row.question,
            answer: row.answer,
            created_at: Timestamp::from_millis(row.created_at),
        })
    }
}

impl FeedbackRepository for Tx<'_> {
    fn insert_feedback(
        &mut self,
        scope: &BotScope,
        feedback: &Feedback,
    ) -> Result<(), StorageError> {
        if feedback.bot_id != scope.bot_id() {
            return Err(corrupt("feedback of another bot was to be stored"));
        }
        let row = FeedbackRow {
            id: feedback.id.to_string(),
            project_id: scope.project_id().to_string(),
            bot_id: scope.bot_id().to_string(),
            message_id: feedback.message_id.clone(),
            user_id: feedback.user_id.clone(),
            guest_id: feedback.guest_id.clone(),
            rating: feedback.rating.as_str().to_owned(),
            created_at: feedback.created_at.millis(),
            comment: feedback.comment.clone(),
            question: feedback.question.clone(),
            answer: feedback.answer.clone(),
        };
        let insert = diesel::insert_into(feedback_entries::table).values(row);
        self.change_one("inserting feedback", |db| on_db!(db, db => insert.execute(db)))
    }

    fn feedback(
        &mut self,
        scope: &BotScope,
        after: Option<TimeCursor<FeedbackId>>,
        limit: u32,
    ) -> Result<Vec<Feedback>, StorageError> {
        let order = (feedback_entries::created_at, feedback_entries::id);
        let query = of_bot!(feedback_entries, scope)
            .filter(beyond(order, from_oldest(after)))
            .order(order)
            .limit(i64::from(limit));
        let rows =
            self.query(|db| on_db!(db, db => query.select(FeedbackRow::as_select()).load(db)))?;
        rows.into_iter().map(Feedback::try_from).collect()
    }

    fn remove_feedback(&mut self, scope: &BotScope, limit: u32) -> Result<u32, StorageError> {
        self.remove_rows("feedback_entries", scope, limit)
    }
}
