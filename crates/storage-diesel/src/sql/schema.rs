//! The tables, as both databases have them.

mod content;
mod feed;
mod files;

pub(crate) use content::{
    bot_contents, bots, fusion_views, large_config_parts, large_configs, skills, stage_scripts,
    stages, visual_blocks,
};
pub(crate) use feed::{events, tickets, webhook_deliveries, webhooks};
pub(crate) use files::{blobs, bot_documents, chunks, documents, page_sets, pages, website_crawls};

diesel::table! {
    use diesel::sql_types::*;
    use crate::sql::id::Id;

    organisations (id) {
        id -> Id,
        name -> Text,
        created_at -> BigInt,
    }
}

diesel::table! {
    use diesel::sql_types::*;
    use crate::sql::id::Id;

    installation (number) {
        number -> BigInt,
        id -> Id,
        marked_at -> Nullable<BigInt>,
        encryption_key -> Nullable<Text>,
    }
}

diesel::table! {
    use diesel::sql_types::*;
    use crate::sql::id::Id;

    audit_entries (id) {
        id -> Id,
        at -> BigInt,
        command -> Text,
        uid -> BigInt,
        user_name -> Text,
        sudo_user -> Nullable<Text>,
        host -> Text,
        resource -> Text,
        subject -> Text,
    }
}

diesel::table! {
    use diesel::sql_types::*;
    use crate::sql::id::Id;

    projects (id) {
        id -> Id,
        organisation_id -> Id,
        name -> Text,
        created_at -> BigInt,
    }
}

diesel::table! {
    use diesel::sql_types::*;
    use crate::sql::id::Id;

    tokens (id) {
        id -> Id,
        organisation_id -> Id,
        project_id -> Id,
        owner -> Text,
        bot_id -> Nullable<Id>,
        digest -> Binary,
        last_four -> Text,
        name -> Text,
        scopes -> Text,
        read_only -> Bool,
        created_at -> BigInt,
        expires_at -> Nullable<BigInt>,
        revoked_at -> Nullable<BigInt>,
        last_used_at -> Nullable<BigInt>,
    }
}

diesel::table! {
    use diesel::sql_types::*;
    use crate::sql::id::Id;

    imports (project_id, sha256) {
        project_id -> Id,
        sha256 -> Text,
        bot_id -> Id,
        records -> BigInt,
        is_complete -> Bool,
        updated_at -> BigInt,
    }
}

diesel::table! {
    use diesel::sql_types::*;
    use crate::sql::id::Id;

    idempotent_requests (project_id, token_id, key) {
        project_id -> Id,
        token_id -> Id,
        key -> Text,
        id -> Id,
        target -> Text,
        lease_until -> BigInt,
        bot_id -> Nullable<Id>,
        body -> Nullable<Text>,
        entity_tag -> Nullable<Text>,
        answer -> Nullable<Text>,
        bytes -> BigInt,
    }
}

diesel::table! {
    use diesel::sql_types::*;
    use crate::sql::id::Id;

    changelog_entries (project_id, bot_id, id) {
        id -> Id,
        project_id -> Id,
        bot_id -> Id,
        at -> BigInt,
        actor_token_id -> Nullable<Id>,
        actor_name -> Nullable<Text>,
        actor_scheme -> Nullable<Text>,
        action -> Text,
        resource -> Text,
        resource_id -> Text,
        changes -> Text,
    }
}

diesel::table! {
    use diesel::sql_types::*;
    use crate::sql::id::Id;

    jobs (id) {
        id -> Id,
        kind -> Text,
        subject -> Text,
        project_id -> Nullable<Id>,
        state -> Text,
        attempt -> BigInt,
        failures -> BigInt,
        run_at -> BigInt,
        leased_until -> Nullable<BigInt>,
        last_error -> Nullable<Text>,
        created_at -> BigInt,
        position -> Nullable<Text>,
    }
}

diesel::table! {
    use diesel::sql_types::*;
    use crate::sql::id::Id;

    keyval_entries (project_id, owner_id, user_id, entry_type, key) {
        owner_id -> Id,
        user_id -> Text,
        #[sql_name = "type"]
        entry_type -> Text,
        key -> Text,
        id -> Id,
        project_id -> Id,
        bot_id -> Nullable<Id>,
        created_at -> BigInt,
        updated_at -> BigInt,
        accessed_at -> BigInt,
        value -> Text,
    }
}

diesel::table! {
    use diesel::sql_types::*;
    use crate::sql::id::Id;

    max_age_rules (project_id, id) {
        id -> Id,
        project_id -> Id,
        key_pattern -> Text,
        max_age_seconds -> Double,
        created_at -> BigInt,
        updated_at -> BigInt,
        position -> Nullable<Text>,
    }
}

diesel::table! {
    use diesel::sql_types::*;
    use crate::sql::id::Id;

    users (project_id, bot_id, id) {
        id -> Id,
        project_id -> Id,
        bot_id -> Id,
        guest_id -> Text,
        messages -> BigInt,
        tokens -> BigInt,
        last_active_at -> Nullable<BigInt>,
        reset_at -> Nullable<BigInt>,
        supervised -> Bool,
        chat_at -> Nullable<BigInt>,
        created_at -> BigInt,
        updated_at -> BigInt,
        deleted_at -> Nullable<BigInt>,
        fields -> Text,
    }
}

diesel::table! {
    use diesel::sql_types::*;
    use crate::sql::id::Id;

    history_items (project_id, bot_id, id) {
        id -> Id,
        project_id -> Id,
        bot_id -> Id,
        user_id -> Id,
        role -> Text,
        kind -> Text,
        supervisor_enabled -> Bool,
        created_at -> BigInt,
        text -> Text,
    }
}

diesel::table! {
    use diesel::sql_types::*;
    use crate::sql::id::Id;

    usage_statistics (project_id, bot_id, id) {
        id -> Id,
        project_id -> Id,
        bot_id -> Id,
        day -> Text,
        kind -> Text,
        model -> Text,
        requests -> BigInt,
        input_tokens -> BigInt,
        output_tokens -> BigInt,
        characters -> BigInt,
        seconds -> Double,
        cost -> Double,
    }
}

diesel::table! {
    use diesel::sql_types::*;
    use crate::sql::id::Id;

    feedback_entries (project_id, bot_id, id) {
        id -> Id,
        project_id -> Id,
        bot_id -> Id,
        message_id -> Text,
        user_id -> Nullable<Text>,
        guest_id -> Nullable<Text>,
        rating -> Text,
        created_at -> BigInt,
        comment -> Nullable<Text>,
        question -> Nullable<Text>,
        answer -> Nullable<Text>,
    }
}

diesel::allow_tables_to_appear_in_same_query!(bots, projects);
diesel::allow_tables_to_appear_in_same_query!(history_items, users);
