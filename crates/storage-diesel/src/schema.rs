//! The tables, as both databases have them.

diesel::table! {
    organisations (id) {
        id -> Text,
        name -> Text,
        created_at -> BigInt,
    }
}

diesel::table! {
    projects (id) {
        id -> Text,
        organisation_id -> Text,
        name -> Text,
        created_at -> BigInt,
    }
}

diesel::table! {
    bots (id) {
        id -> Text,
        project_id -> Text,
        kind -> Text,
        state -> Text,
        config -> Text,
        created_at -> BigInt,
        updated_at -> BigInt,
    }
}

diesel::table! {
    tokens (id) {
        id -> Text,
        organisation_id -> Text,
        project_id -> Text,
        owner -> Text,
        bot_id -> Nullable<Text>,
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
    changelog_entries (project_id, bot_id, id) {
        id -> Text,
        project_id -> Text,
        bot_id -> Text,
        at -> BigInt,
        actor_token_id -> Nullable<Text>,
        actor_name -> Nullable<Text>,
        actor_scheme -> Nullable<Text>,
        action -> Text,
        resource -> Text,
        resource_id -> Text,
        changes -> Text,
    }
}
