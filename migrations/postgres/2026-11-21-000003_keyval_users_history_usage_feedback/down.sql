DROP TABLE feedback_entries;
DROP TABLE usage_statistics;
DROP TABLE history_items;
DROP TABLE users;
DROP TABLE max_age_rules;
DROP TABLE keyval_entries;
