//! The tables of events, webhooks, deliveries and tickets.

diesel::table! {
    use diesel::sql_types::*;
    use crate::sql::id::Id;

    tickets (digest) {
        digest -> Binary,
        project_id -> Id,
        scheme -> Text,
        token -> Binary,
        expires_at -> BigInt,
    }
}

diesel::table! {
    use diesel::sql_types::*;
    use crate::sql::id::Id;

    events (project_id, number) {
        project_id -> Id,
        number -> BigInt,
        id -> Id,
        at -> BigInt,
        #[sql_name = "type"]
        event_type -> Text,
        bot_id -> Nullable<Id>,
        resource_id -> Text,
        actor_token_id -> Nullable<Id>,
        actor_scheme -> Nullable<Text>,
        data -> Text,
    }
}

diesel::table! {
    use diesel::sql_types::*;
    use crate::sql::id::Id;

    webhooks (id) {
        id -> Id,
        project_id -> Id,
        url -> Text,
        types -> Text,
        bot_ids -> Nullable<Text>,
        description -> Nullable<Text>,
        enabled -> Bool,
        disabled_reason -> Nullable<Text>,
        failing_since -> Nullable<BigInt>,
        secret -> Binary,
        previous_secret -> Nullable<Binary>,
        previous_until -> Nullable<BigInt>,
        cursor -> BigInt,
        blocked_by -> Nullable<Id>,
        created_at -> BigInt,
        updated_at -> BigInt,
    }
}

diesel::table! {
    use diesel::sql_types::*;
    use crate::sql::id::Id;

    webhook_deliveries (webhook_id, id) {
        webhook_id -> Id,
        id -> Id,
        project_id -> Id,
        event_number -> BigInt,
        event_id -> Id,
        event_type -> Text,
        status -> Text,
        attempts -> Text,
        failures -> BigInt,
        next_attempt_at -> Nullable<BigInt>,
    }
}
