//! The list of what every store must do.

/// Hands the list of cases of `contract` (what every store must do) to another macro, as `contract: group { case, … }
/// …`.
#[macro_export]
macro_rules! for_each_contract_case {
    ($instantiate:ident) => {
        $instantiate! {
            contract:
            organisations {
                an_organisation_comes_back_as_it_was,
                a_project_comes_back_as_it_was,
                projects_are_listed_by_organisation_oldest_first,
                a_project_is_claimed_only_in_its_organisation,
                a_project_needs_its_organisation,
            }
            audit {
                an_audit_entry_comes_back_as_it_was,
            }
            installation {
                there_is_one_installation,
                the_installation_names_a_key_for_secrets,
                a_key_that_is_held_is_not_replaced,
            }
            bots {
                a_bot_comes_back_as_it_was,
                a_bot_comes_back_in_every_state_and_kind,
                only_active_regular_bots_are_live,
                live_bots_are_paged_oldest_first,
                an_update_changes_one_bot_only,
                a_large_configuration_is_read_only_on_demand,
                a_deleted_bot_is_found_only_by_its_teardown,
                bots_of_another_project_are_out_of_reach,
                a_bot_needs_its_own_project,
                trash_is_found_by_its_age,
            }
            batches {
                large_rows_come_few_at_a_time,
                large_rows_of_conversations_come_few_at_a_time,
                large_bots_come_few_at_a_time,
            }
            tokens {
                a_token_comes_back_as_it_was,
                an_unknown_digest_finds_nothing,
                only_valid_tokens_of_a_bot_are_listed,
                live_tokens_of_several_bots_come_in_one_list,
                tokens_are_listed_oldest_first,
                a_token_is_revoked_once,
                the_time_of_use_never_goes_back,
                a_token_needs_its_bot_in_its_project,
                a_bot_loses_all_its_tokens_at_once,
            }
            changelog {
                an_entry_comes_back_as_it_was,
                entries_are_paged_newest_first,
                changelogs_are_kept_apart,
                many_entries_are_recorded_at_once_or_none,
                only_the_latest_entries_are_shown_and_kept,
                entries_about_users_are_counted_apart,
                entries_are_found_by_what_they_say,
                a_changelog_is_removed_bit_by_bit,
            }
            events {
                an_event_comes_back_as_it_was,
                events_of_projects_are_kept_apart,
                events_are_found_by_number_type_and_bot,
                old_events_go_and_numbers_go_on,
                a_bot_is_known_until_its_last_event_goes,
                a_unit_that_is_undone_has_no_events,
                a_reader_misses_nothing_that_many_write,
            }
            skills {
                a_skill_comes_back_as_it_was,
                skills_are_paged_oldest_first,
                a_skill_id_stands_ahead_of_an_id,
                names_are_compared_byte_by_byte,
                skills_of_another_bot_are_out_of_reach,
            }
            stages {
                a_stage_comes_back_as_it_was,
                stages_are_paged_oldest_first,
                stages_with_a_skill_are_found_exactly,
                stages_of_another_bot_are_out_of_reach,
            }
            visual_blocks {
                a_block_replaces_the_one_of_its_name,
                blocks_are_paged_oldest_first,
                blocks_are_deleted_by_name_within_their_bot,
            }
            fusion_views {
                a_view_comes_back_as_it_was,
                views_are_paged_oldest_first,
                views_of_another_bot_are_out_of_reach,
            }
            blob_rows {
                a_blob_comes_back_as_it_was,
                only_present_content_is_found_again,
                content_and_bytes_are_counted_by_project,
                references_to_a_blob_are_found,
            }
            jobs {
                a_job_comes_back_as_it_was,
                what_has_been_due_for_longest_is_claimed_first,
                a_lease_can_be_ended,
                jobs_of_some_kinds_are_claimed,
                owners_of_due_jobs_are_found_in_their_order,
                no_job_is_claimed_twice,
                a_lost_attempt_changes_nothing,
                a_held_job_is_not_taken_over,
                jobs_are_counted_by_what_they_wait_for,
            }
            documents {
                a_document_comes_back_as_it_was,
                documents_are_paged_oldest_first,
                documents_of_another_project_are_out_of_reach,
                what_is_extracted_is_found_and_counted,
            }
            document_copies {
                a_copy_comes_back_as_it_was,
                bots_of_documents_are_those_that_are_found,
                copies_follow_a_new_skill_id,
                copies_are_copied_and_removed_bit_by_bit,
            }
            chunks {
                a_chunk_comes_back_as_it_was,
                chunks_are_paged_by_their_index,
                a_page_ends_early_where_chunks_are_large,
                chunks_go_when_no_document_has_them,
            }
            users {
                a_user_comes_back_as_it_was,
                users_are_paged_by_time_then_identifier,
                guest_ids_are_compared_byte_by_byte,
                a_guest_id_is_given_once_in_a_bot,
                a_guest_id_given_at_once_is_given_once,
                users_of_another_bot_are_out_of_reach,
                users_are_removed_bit_by_bit,
                the_bots_of_an_organisation_are_its_live_ones,
            }
            deleted_users {
                a_deleted_user_is_not_there,
                many_users_are_deleted_at_once,
                a_guest_id_is_freed_beside_others_who_want_it,
            }
            history {
                an_item_comes_back_as_it_was,
                a_chat_has_messages_for_supervisors_only,
                items_are_paged_oldest_first,
                chats_are_paged_latest_first,
                an_older_item_does_not_make_a_chat_older,
                a_change_of_a_user_keeps_the_chat,
                history_of_a_deleted_user_is_removed_bit_by_bit,
                history_of_another_bot_is_out_of_reach,
                history_is_removed_bit_by_bit,
            }
            crawls {
                a_crawl_comes_back_as_it_was,
                crawls_are_paged_oldest_first,
                crawls_of_another_bot_are_out_of_reach,
                an_address_is_crawled_once_at_a_time,
                crawls_are_counted,
                going_crawls_are_cancelled_at_once,
                crawls_for_a_skill_are_found,
                copies_share_sealed_page_sets,
                crawls_are_removed_bit_by_bit,
                a_crawl_to_do_is_found_unless_its_bot_is_gone,
            }
            page_sets {
                a_page_comes_back_as_it_was,
                pages_are_paged_by_number,
                a_page_ends_early_where_pages_are_large,
                an_address_stands_in_a_set_once,
                many_addresses_are_added_at_once,
                sets_of_another_bot_are_out_of_reach,
                a_sealed_set_never_changes,
                an_unused_set_is_removed_bit_by_bit,
            }
            usage {
                usage_adds_up_by_day_kind_and_model,
                whole_numbers_of_usage_stop_at_their_end,
                usage_added_at_once_is_all_counted,
                usage_is_paged_within_its_days,
                usage_of_another_bot_is_out_of_reach,
                usage_is_removed_bit_by_bit,
            }
            feedback {
                feedback_comes_back_as_it_was,
                feedback_is_paged_oldest_first,
                feedback_is_found_by_rating_and_time,
                feedback_outlives_its_user,
                feedback_of_another_bot_is_out_of_reach,
                feedback_is_removed_bit_by_bit,
            }
            keyval {
                a_keyval_entry_comes_back_as_it_was,
                an_entry_is_put_in_place_of_what_was_there,
                an_entry_is_inserted_only_where_there_is_none,
                addresses_are_compared_byte_by_byte,
                entries_of_another_owner_are_out_of_reach,
                an_entry_needs_its_owner,
                guest_ids_come_and_go_with_their_users,
            }
            keyval_accesses {
                the_time_of_an_access_never_goes_back,
                many_accesses_at_once_are_all_recorded,
            }
            keyval_lists {
                entries_are_listed_by_user_type_and_key,
                every_filter_finds_what_it_means,
                a_list_is_read_page_by_page,
                a_page_ends_early_where_values_are_large,
            }
            keyval_deletes {
                a_delete_takes_what_its_filter_means,
                what_stays_is_not_looked_at_again,
                a_delete_goes_on_after_a_cursor,
                idle_entries_are_found_by_key,
                a_look_for_idle_entries_is_bounded,
                of_large_entries_a_unit_deletes_few,
                entries_of_a_user_go_with_the_user,
                entries_are_removed_bit_by_bit,
            }
            max_age {
                a_rule_comes_back_as_it_was,
                rules_are_paged_oldest_first,
                rules_of_another_project_are_out_of_reach,
                a_clean_up_finds_where_it_stopped,
            }
            units {
                an_error_undoes_the_unit,
                a_unit_sees_its_own_changes,
                failing_and_panicking_units_do_not_affect_other_units,
                a_failure_that_the_unit_swallows_is_never_half_kept,
                a_reading_unit_changes_nothing,
                counting_under_an_exclusive_lock_loses_nothing,
                concurrent_inserts_do_not_exceed_a_quota,
                a_shared_lock_keeps_a_bot_in_place,
                units_that_lock_crosswise_end_all_the_same,
                readers_never_see_half_a_unit,
                a_reading_unit_sees_one_state,
                the_store_says_that_it_works,
            }
            access_version {
                changes_of_tokens_raise_the_version,
                other_changes_leave_the_version_alone,
            }
        }
    };
}
