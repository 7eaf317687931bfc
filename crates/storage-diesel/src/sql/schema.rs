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
        removed_at -> Nullable<BigInt>,
        name -> Text,
        large_config -> Nullable<Text>,
    }
}

diesel::table! {
    large_configs (project_id, id) {
        id -> Text,
        project_id -> Text,
        bots -> BigInt,
    }
}

diesel::table! {
    large_config_texts (project_id, id) {
        id -> Text,
        project_id -> Text,
        config -> Text,
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

diesel::table! {
    skills (project_id, bot_id, id) {
        id -> Text,
        project_id -> Text,
        bot_id -> Text,
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
    stages (project_id, bot_id, id) {
        id -> Text,
        project_id -> Text,
        bot_id -> Text,
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
    stage_scripts (project_id, bot_id, stage_id) {
        stage_id -> Text,
        project_id -> Text,
        bot_id -> Text,
        enter_js -> Nullable<Text>,
        exit_js -> Nullable<Text>,
        pre_condition_js -> Nullable<Text>,
    }
}

diesel::table! {
    visual_blocks (project_id, bot_id, id) {
        id -> Text,
        project_id -> Text,
        bot_id -> Text,
        name -> Text,
        content -> Text,
        created_at -> BigInt,
        updated_at -> BigInt,
    }
}

diesel::table! {
    blobs (id) {
        id -> Text,
        project_id -> Text,
        kind -> Text,
        sha256 -> Text,
        size -> BigInt,
        state -> Text,
        created_at -> BigInt,
    }
}

diesel::table! {
    fusion_views (project_id, bot_id, id) {
        id -> Text,
        project_id -> Text,
        bot_id -> Text,
        #[sql_name = "type"]
        view_type -> Text,
        title -> Text,
        blob_id -> Nullable<Text>,
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

diesel::table! {
    jobs (id) {
        id -> Text,
        kind -> Text,
        subject -> Text,
        project_id -> Nullable<Text>,
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
    keyval_entries (owner_id, user_id, entry_type, key) {
        owner_id -> Text,
        user_id -> Text,
        #[sql_name = "type"]
        entry_type -> Text,
        key -> Text,
        id -> Text,
        project_id -> Text,
        bot_id -> Nullable<Text>,
        created_at -> BigInt,
        updated_at -> BigInt,
        accessed_at -> BigInt,
        value -> Text,
    }
}

diesel::table! {
    max_age_rules (project_id, id) {
        id -> Text,
        project_id -> Text,
        key_pattern -> Text,
        max_age_seconds -> Double,
        created_at -> BigInt,
        updated_at -> BigInt,
        position -> Nullable<Text>,
    }
}

diesel::table! {
    users (project_id, bot_id, id) {
        id -> Text,
        project_id -> Text,
        bot_id -> Text,
        guest_id -> Text,
        messages -> BigInt,
        tokens -> BigInt,
        last_active_at -> Nullable<BigInt>,
        reset_at -> Nullable<BigInt>,
        supervised -> Bool,
        chat_at -> Nullable<BigInt>,
        created_at -> BigInt,
        updated_at -> BigInt,
        removed_at -> Nullable<BigInt>,
        fields -> Text,
    }
}

diesel::table! {
    history_items (project_id, bot_id, id) {
        id -> Text,
        project_id -> Text,
        bot_id -> Text,
        user_id -> Text,
        role -> Text,
        kind -> Text,
        supervisor_enabled -> Bool,
        created_at -> BigInt,
        text -> Text,
    }
}

diesel::table! {
    usage_statistics (project_id, bot_id, id) {
        id -> Text,
        project_id -> Text,
        bot_id -> Text,
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
    feedback_entries (project_id, bot_id, id) {
        id -> Text,
        project_id -> Text,
        bot_id -> Text,
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

diesel::table! {
    page_sets (id) {
        id -> Text,
        project_id -> Text,
        created_at -> BigInt,
        sealed_at -> Nullable<BigInt>,
    }
}

diesel::table! {
    pages (project_id, page_set_id, number) {
        id -> Nullable<Text>,
        project_id -> Text,
        page_set_id -> Text,
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
    website_crawls (project_id, bot_id, id) {
        id -> Text,
        project_id -> Text,
        bot_id -> Text,
        page_set_id -> Text,
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
    chunks (extraction_id, number) {
        id -> Text,
        project_id -> Text,
        extraction_id -> Text,
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
    documents (project_id, id) {
        id -> Text,
        project_id -> Text,
        blob_id -> Text,
        file_name -> Text,
        mime_type -> Text,
        size -> BigInt,
        sha256 -> Text,
        skill_id -> Nullable<Text>,
        function_name -> Nullable<Text>,
        extraction_id -> Nullable<Text>,
        extraction_status -> Text,
        extraction_error -> Nullable<Text>,
        extraction_finished_at -> Nullable<BigInt>,
        chunks_of -> Nullable<Text>,
        chunk_count -> BigInt,
        created_at -> BigInt,
        updated_at -> BigInt,
        settings -> Text,
    }
}

diesel::table! {
    bot_documents (project_id, bot_id, id) {
        id -> Text,
        project_id -> Text,
        bot_id -> Text,
        document_id -> Text,
        skill_id -> Nullable<Text>,
        function_name -> Nullable<Text>,
        created_at -> BigInt,
        updated_at -> BigInt,
    }
}

diesel::allow_tables_to_appear_in_same_query!(bot_documents, documents);
diesel::allow_tables_to_appear_in_same_query!(bots, projects);
diesel::allow_tables_to_appear_in_same_query!(history_items, users);
diesel::allow_tables_to_appear_in_same_query!(page_sets, website_crawls);
