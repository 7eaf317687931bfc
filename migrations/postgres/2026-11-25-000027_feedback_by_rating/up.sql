-- The feedback of a bot with one rating, oldest first.
CREATE INDEX feedback_entries_by_rating ON feedback_entries (project_id, bot_id, rating, created_at, id);
