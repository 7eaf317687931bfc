DROP TABLE feedback_entries;
DROP TABLE usage_statistics;
DROP TABLE history_items;
DROP TABLE users;
DROP TABLE max_age_rules;
DROP TRIGGER bots_outlive_their_keyval_entries;
DROP TRIGGER keyval_entries_have_their_bot;
DROP TABLE keyval_entries;
