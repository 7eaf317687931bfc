//! Files, what was read from them, and the pages of website-crawls.

diesel::table! {
    use diesel::sql_types::*;
    use crate::sql::id::Id;

    blobs (project_id, id) {
        id -> Id,
        project_id -> Id,
        kind -> Text,
        sha256 -> Text,
        size -> BigInt,
        state -> Text,
        created_at -> BigInt,
    }
}

diesel::table! {
    use diesel::sql_types::*;
    use crate::sql::id::Id;

    page_sets (project_id, id) {
        id -> Id,
        project_id -> Id,
        created_at -> BigInt,
        sealed_at -> Nullable<BigInt>,
    }
}

diesel::table! {
    use diesel::sql_types::*;
    use crate::sql::id::Id;

    pages (project_id, page_set_id, number) {
        id -> Nullable<Id>,
        project_id -> Id,
        page_set_id -> Id,
        number -> BigInt,
        url -> Text,
        depth -> BigInt,
        state -> Text,
        status_code -> Nullable<BigInt>,
        size -> BigInt,
        content_hash -> Nullable<Text>,
        scraped_at -> Nullable<BigInt>,
        error -> Nullable<Text>,
        title -> Nullable<Text>,
        content -> Nullable<Text>,
    }
}

diesel::table! {
    use diesel::sql_types::*;
    use crate::sql::id::Id;

    website_crawls (project_id, bot_id, id) {
        id -> Id,
        project_id -> Id,
        bot_id -> Id,
        page_set_id -> Id,
        url -> Text,
        depth -> BigInt,
        skill_id -> Nullable<Text>,
        description -> Nullable<Text>,
        name -> Text,
        active -> Bool,
        status -> Text,
        error -> Nullable<Text>,
        pages_scraped -> BigInt,
        pages_failed -> BigInt,
        bytes -> BigInt,
        started_at -> Nullable<BigInt>,
        finished_at -> Nullable<BigInt>,
        created_at -> BigInt,
        updated_at -> BigInt,
        sitemaps_read -> Bool,
    }
}

diesel::table! {
    use diesel::sql_types::*;
    use crate::sql::id::Id;

    chunks (project_id, extraction_id, number) {
        id -> Id,
        project_id -> Id,
        extraction_id -> Id,
        number -> BigInt,
        char_start -> BigInt,
        char_end -> BigInt,
        page -> Nullable<BigInt>,
        size -> BigInt,
        heading -> Nullable<Text>,
        text -> Text,
    }
}

diesel::table! {
    use diesel::sql_types::*;
    use crate::sql::id::Id;

    documents (project_id, id) {
        id -> Id,
        project_id -> Id,
        blob_id -> Id,
        file_name -> Text,
        mime_type -> Text,
        size -> BigInt,
        sha256 -> Text,
        skill_id -> Nullable<Text>,
        function_name -> Nullable<Text>,
        extraction_id -> Nullable<Id>,
        extraction_status -> Text,
        extraction_error -> Nullable<Text>,
        extraction_finished_at -> Nullable<BigInt>,
        chunks_of -> Nullable<Id>,
        chunk_count -> BigInt,
        created_at -> BigInt,
        updated_at -> BigInt,
        settings -> Text,
    }
}

diesel::table! {
    use diesel::sql_types::*;
    use crate::sql::id::Id;

    bot_documents (project_id, bot_id, id) {
        id -> Id,
        project_id -> Id,
        bot_id -> Id,
        document_id -> Id,
        skill_id -> Nullable<Text>,
        function_name -> Nullable<Text>,
        created_at -> BigInt,
        updated_at -> BigInt,
    }
}

diesel::allow_tables_to_appear_in_same_query!(bot_documents, documents);
diesel::allow_tables_to_appear_in_same_query!(page_sets, website_crawls);
