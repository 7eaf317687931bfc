//! The tables of bots and of what they are made of.

diesel::table! {
    use diesel::sql_types::*;
    use crate::sql::id::Id;

    bots (project_id, id) {
        id -> Id,
        project_id -> Id,
        kind -> Text,
        state -> Text,
        config -> Text,
        created_at -> BigInt,
        updated_at -> BigInt,
        deleted_at -> Nullable<BigInt>,
        name -> Text,
        large_config -> Nullable<Id>,
    }
}

diesel::table! {
    use diesel::sql_types::*;
    use crate::sql::id::Id;

    large_configs (project_id, id) {
        id -> Id,
        project_id -> Id,
        bytes -> BigInt,
        bots -> BigInt,
    }
}

diesel::table! {
    use diesel::sql_types::*;
    use crate::sql::id::Id;

    large_config_parts (project_id, id, number) {
        id -> Id,
        project_id -> Id,
        number -> BigInt,
        content -> Text,
    }
}

diesel::table! {
    use diesel::sql_types::*;
    use crate::sql::id::Id;

    bot_contents (project_id, bot_id) {
        project_id -> Id,
        bot_id -> Id,
        bytes -> BigInt,
    }
}

diesel::table! {
    use diesel::sql_types::*;
    use crate::sql::id::Id;

    skills (project_id, bot_id, id) {
        id -> Id,
        project_id -> Id,
        bot_id -> Id,
        name -> Text,
        skill_id -> Text,
        description -> Nullable<Text>,
        enabled -> Bool,
        content -> Nullable<Text>,
        params -> Nullable<Text>,
        tool_call_answer -> Nullable<Text>,
        answer_mode -> Text,
        size -> BigInt,
        created_at -> BigInt,
        updated_at -> BigInt,
    }
}

diesel::table! {
    use diesel::sql_types::*;
    use crate::sql::id::Id;

    stages (project_id, bot_id, id) {
        id -> Id,
        project_id -> Id,
        bot_id -> Id,
        title -> Text,
        name -> Text,
        hidden -> Nullable<Bool>,
        footer -> Nullable<Bool>,
        force_skills -> Nullable<Bool>,
        size -> BigInt,
        created_at -> BigInt,
        updated_at -> BigInt,
        skills -> Nullable<Text>,
    }
}

diesel::table! {
    use diesel::sql_types::*;
    use crate::sql::id::Id;

    stage_scripts (project_id, bot_id, stage_id) {
        stage_id -> Id,
        project_id -> Id,
        bot_id -> Id,
        enter_js -> Nullable<Text>,
        exit_js -> Nullable<Text>,
        pre_condition_js -> Nullable<Text>,
    }
}

diesel::table! {
    use diesel::sql_types::*;
    use crate::sql::id::Id;

    visual_blocks (project_id, bot_id, id) {
        id -> Id,
        project_id -> Id,
        bot_id -> Id,
        name -> Text,
        content -> Text,
        created_at -> BigInt,
        updated_at -> BigInt,
    }
}

diesel::table! {
    use diesel::sql_types::*;
    use crate::sql::id::Id;

    fusion_views (project_id, bot_id, id) {
        id -> Id,
        project_id -> Id,
        bot_id -> Id,
        #[sql_name = "type"]
        view_type -> Text,
        title -> Text,
        blob_id -> Nullable<Id>,
        file_name -> Nullable<Text>,
        file_mime_type -> Nullable<Text>,
        file_size -> Nullable<BigInt>,
        file_sha256 -> Nullable<Text>,
        file_entries -> Nullable<BigInt>,
        file_uploaded_at -> Nullable<BigInt>,
        size -> BigInt,
        created_at -> BigInt,
        updated_at -> BigInt,
        metadata -> Text,
    }
}
