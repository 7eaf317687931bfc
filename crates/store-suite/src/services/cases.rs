//! The list of what services do on any store.

/// Hands the list of cases of `services` (services on any store) to another macro, as `services: group { case, … } …`.
#[macro_export]
macro_rules! for_each_service_case {
    ($instantiate:ident) => {
        $instantiate! {
            services:
            accounts {
                users_of_other_projects_are_read_on_account_of_the_reader,
                a_ticket_is_redeemed_on_account_of_its_project,
            }
            audit {
                what_an_operator_changes_is_recorded_with_it,
            }
            encryption {
                nodes_that_begin_at_once_have_one_key,
                a_rotation_replaces_the_key,
            }
            skills {
                names_are_unique_within_a_bot,
                a_name_is_given_once,
                a_new_skill_id_is_followed_by_every_stage,
                a_deleted_skill_leaves_stages_and_takes_visual_blocks,
                a_skill_is_changed_by_either_address,
            }
            stages {
                every_change_of_a_stage_is_recorded,
            }
            visual_blocks {
                a_block_has_a_name_and_a_bounded_content,
            }
            fusion_views {
                every_change_of_a_view_is_recorded,
            }
            lists {
                skills_and_stages_are_found,
                views_and_bots_are_found,
                users_are_found,
                a_few_of_many_are_found,
                what_ignores_case_is_found_on_every_store,
                crawls_are_found_by_their_status,
                documents_are_found_by_what_they_have,
                a_position_of_another_order_is_refused,
            }
            uploads {
                a_package_becomes_the_file_of_its_view,
                the_same_content_is_stored_once_in_a_project,
                the_same_content_at_once_is_stored_once,
                a_replaced_file_is_released,
                nothing_is_kept_of_an_upload_that_fails,
                bytes_stay_when_it_is_unknown_whether_their_row_is_there,
                content_that_is_being_removed_is_stored_anew,
                the_bytes_of_a_project_are_bounded,
                uploads_at_once_do_not_share_the_last_room,
                so_many_uploads_at_once_and_no_more,
                only_some_types_have_a_package,
            }
            blob_removal {
                a_blob_goes_only_when_nothing_refers_to_it,
                a_removal_that_was_cut_short_is_taken_up,
                old_bytes_without_a_row_are_swept,
                a_sweep_goes_on_where_it_stopped,
            }
            content_quota {
                content_is_counted_until_it_goes,
                content_of_all_bots_of_a_project_is_counted,
                lists_of_skills_of_a_bot_are_bounded,
            }
            jobs {
                jobs_for_which_no_client_waits_run_in_the_background,
                a_missing_job_is_queued_once,
                a_job_is_forgotten_unless_it_runs,
                projects_take_turns_at_the_jobs_of_a_queue,
                concurrent_claims_do_not_skip_a_project,
                projects_without_a_due_job_are_passed_over,
                a_clock_that_was_ahead_delays_no_repeating_job,
                a_failed_attempt_is_retried_later_and_later,
                a_definite_failure_ends_a_job_until_it_is_retried,
                a_requeued_job_is_due_at_once,
                a_repeating_job_is_queued_once_and_again_when_due,
                what_no_worker_takes_is_overdue,
            }
            document_service {
                an_upload_becomes_a_document,
                an_upload_through_a_bot_is_assigned_to_it,
                nothing_is_kept_of_a_document_that_is_refused,
                concurrent_uploads_do_not_exceed_the_document_quota,
                bytes_go_with_the_last_document_that_has_them,
            }
            same_files {
                a_document_has_its_old_chunks_until_those_of_its_new_file_are_there,
                nothing_is_stored_of_a_file_that_is_skipped,
                a_file_that_was_skipped_for_what_went_meanwhile_is_sent_again,
            }
            document_changes {
                a_replaced_document_leads_its_copies_along,
                a_deleted_document_is_gone_from_every_bot,
            }
            document_bots {
                documents_are_assigned_and_taken_away,
                copies_go_with_their_bot_and_their_skill,
                what_is_done_to_documents_at_once_ends,
                a_page_ends_early_where_documents_have_many_bots,
            }
            document_crowds {
                what_is_done_to_a_document_is_recorded_for_each_of_many_bots,
                a_bot_gets_many_documents_at_once,
                a_skill_of_many_copies_is_renamed_by_a_job,
            }
            extraction_runs {
                an_extracted_document_has_chunks,
                chunks_of_different_extractions_are_never_of_one_list,
                old_chunks_stay_until_the_new_ones_are_there,
                what_is_wrong_with_a_file_ends_its_extraction,
                a_replaced_document_is_extracted_anew,
                a_document_asked_for_anew_is_extracted_once_more,
                a_deleted_document_is_extracted_no_more,
            }
            extraction_ends {
                an_extraction_goes_on_after_its_worker_died,
                an_extractor_that_lost_its_lease_stores_nothing,
                an_extraction_is_given_up_after_its_third_attempt,
                an_extraction_waits_for_a_slot,
                what_another_attempt_stored_is_not_taken_away,
            }
            extraction_waits {
                every_end_of_an_extraction_wakes_its_waiters,
                what_another_process_ends_is_seen_at_the_next_look,
            }
            slots {
                the_oldest_that_waits_is_woken,
                an_extraction_that_ends_wakes_the_next_one,
                a_free_slot_is_requested_at_once,
                an_extraction_that_failed_for_now_holds_no_slot,
                an_extraction_that_is_given_up_wakes_the_next_one,
                a_crawl_that_ends_wakes_the_next_one,
                a_crawl_in_back_off_holds_no_slot,
            }
            duplicate {
                a_duplicate_has_all_that_the_bot_is_made_of,
                many_rows_are_copied_in_their_order,
                rows_are_copied_within_a_project,
                a_duplicate_is_made_as_a_whole_or_not_at_all,
                duplicates_beside_changes_are_of_one_state,
            }
            duplicate_steps {
                a_large_bot_is_copied_in_steps_and_shown_at_the_end,
                a_bot_of_many_small_rows_is_copied_in_steps,
                a_copy_begins_again_when_the_bot_was_changed,
                a_copy_has_the_configuration_that_the_bot_was_given_meanwhile,
                a_copy_goes_on_while_the_changelog_is_trimmed,
                a_copy_that_breaks_off_is_not_published_and_goes,
                a_copy_that_is_removed_meanwhile_is_not_filled,
                a_quota_that_was_used_up_meanwhile_holds,
                so_many_duplicates_of_a_project_are_made_at_once,
                a_copy_that_breaks_off_keeps_its_slot_until_it_is_removed,
                a_copy_is_not_shown_if_its_project_has_no_room_for_it_any_more,
            }
            crawl_service {
                a_crawl_is_begun_once_however_many_ask,
                every_change_of_a_crawl_is_recorded,
                a_new_skill_id_is_followed_by_every_crawl,
                so_many_crawls_wait_and_no_more,
                a_deleted_crawl_takes_its_pages_unless_a_copy_has_them,
                a_bot_keeps_so_many_crawls,
            }
            crawl_runs {
                a_site_is_crawled_breadth_first_within_the_depth,
                a_page_is_kept_once_whatever_its_addresses,
                a_crawl_without_its_first_page_has_failed,
                a_crawl_ends_where_it_has_enough,
                a_crawl_goes_on_in_steps_and_tells_how_far_it_is,
            }
            crawl_pages {
                a_page_stands_where_its_redirect_led,
                links_of_another_address_of_a_page_are_followed,
                a_page_with_too_much_text_is_not_kept,
                what_a_page_takes_to_keep_counts,
                after_an_attempt_that_came_to_nothing_pages_come_one_by_one,
                addresses_stay_what_they_are_when_a_crawl_goes_on,
            }
            crawl_ends {
                crawls_of_a_deleted_bot_hold_no_slot,
                a_new_job_is_claimed_by_one,
                a_crawl_goes_on_where_another_worker_left_it,
                a_worker_that_lost_its_lease_writes_nothing,
                an_archived_bot_crawls_no_more,
                a_deleted_crawl_is_broken_off,
                a_bot_in_teardown_crawls_no_more,
                a_crawl_is_given_up_after_its_third_attempt,
                a_crawl_whose_workers_die_is_given_up,
                an_attempt_that_gets_on_is_no_failure,
                so_many_crawls_run_at_once_and_no_more,
            }
            crawl_sitemaps {
                links_of_the_sitemap_are_two_hops_away,
                the_first_pages_are_there_while_sitemaps_are_read,
                sitemaps_are_read_once,
                a_crawl_that_has_enough_waits_for_no_sitemap,
            }
            crawl_addresses {
                a_page_that_redirects_to_an_address_that_it_links_is_fetched_once,
                a_page_that_is_found_nearer_is_nearer,
                a_page_is_another_address_of_one_that_has_the_same_content,
                a_page_with_content_of_its_own_is_kept,
                pages_that_name_each_other_do_not_vanish,
                a_canonical_address_that_leads_back_is_no_other_page,
                there_need_be_no_room_for_a_canonical_address,
                a_page_that_was_held_is_fetched_again_by_the_next_worker,
                links_of_a_page_that_is_not_kept_are_followed,
                a_way_that_broke_off_hides_no_page,
            }
            user_service {
                a_unit_of_work_has_one_time,
                what_is_done_to_users_is_recorded,
                users_are_refused_for_a_reason,
                users_of_a_bot_that_is_not_there_are_out_of_reach,
                a_guest_id_is_won_by_one_alone,
                the_bots_of_the_organisation_are_handed_out,
            }
            user_removal {
                what_a_deleted_user_had_goes_along,
                a_job_ends_what_a_broken_off_delete_left,
                many_users_go_in_bounded_batches,
                users_go_whatever_becomes_of_their_bot,
            }
            keyval {
                addresses_that_no_entry_can_have_are_refused,
                one_key_can_be_written_at_once,
            }
            preconditions {
                what_has_nothing_to_evaluate_is_refused,
                a_change_in_the_middle_of_an_upload_is_noticed,
                the_precondition_of_a_duplicate_is_about_the_bot_that_is_copied,
            }
            large_configurations {
                changes_in_between_are_kept,
                what_changes_nothing_leaves_no_trace,
                preconditions_are_evaluated_by_the_bot_as_it_is,
                a_bot_that_was_deleted_meanwhile_is_not_found,
                a_configuration_of_several_parts_comes_back_as_it_was,
                a_configuration_can_be_read_while_it_is_replaced,
            }
            large_configuration_steps {
                a_large_configuration_is_stored_in_steps,
                a_large_configuration_that_no_bot_gets_is_removed,
                a_configuration_that_is_being_removed_is_given_to_no_bot,
                a_large_configuration_stays_as_long_as_a_bot_has_it,
                nothing_is_stored_in_vain,
                large_configurations_of_a_project_have_a_quota,
                changes_of_a_large_configuration_at_once_all_hold,
            }
            events {
                changes_of_a_bot_are_events,
                changes_of_the_content_of_a_bot_are_events,
                a_crawl_has_events_from_its_start_to_its_end,
                a_document_has_one_event_however_many_bots_have_it,
                users_feedback_and_clean_ups_have_events,
                tokens_have_events_and_actors_are_named,
            }
            event_pages {
                events_are_read_from_a_cursor_on,
                old_events_are_removed_and_their_cursors_expire,
            }
            event_followers {
                each_follower_gets_each_event_once,
                a_follower_begins_where_there_is_something_to_follow,
            }
            following {
                what_has_changed_is_handed_out_once,
                every_list_can_be_followed,
                a_follower_knows_the_list_that_many_write,
            }
            idempotency {
                a_request_takes_effect_once,
                a_change_of_a_large_configuration_takes_effect_once,
                a_duplicate_that_reads_its_bot_again_takes_effect_once,
                the_answer_of_a_large_bot_is_not_stored,
                one_of_many_at_once_takes_effect,
                what_is_refused_is_not_kept,
                a_key_is_taken_until_its_lease_ends,
                an_answer_is_replaced_and_forgotten,
                the_oldest_answers_go,
            }
            keyval_accesses {
                only_what_is_read_alone_counts_as_read,
            }
            keyval_deletes {
                a_bulk_delete_is_done_in_batches,
                permanent_entries_are_kept_from_clients,
                deletes_and_writes_at_once_all_succeed,
            }
            clean_up_bounds {
                a_project_has_so_many_rules,
                accesses_count_before_they_are_written,
            }
            clean_up {
                rules_are_those_of_their_project,
                what_is_older_than_its_rule_goes,
                many_entries_go_batch_by_batch,
                what_is_read_on_any_node_stays,
                what_is_read_at_the_last_moment_stays,
                nothing_goes_by_a_rule_that_has_changed,
                a_clean_up_that_was_taken_over_deletes_nothing,
            }
            clean_up_turns {
                a_project_with_many_entries_does_not_keep_others_waiting,
                a_clean_up_goes_on_where_it_stopped,
                new_entries_of_others_go_while_a_project_has_more_to_do,
            }
            imports {
                a_long_file_goes_on_where_it_stopped,
                what_adds_up_is_stored_once,
                what_replaces_begins_anew,
                many_that_are_imported_are_counted,
                nothing_of_a_long_file_is_stored_before_all_was_checked,
                what_changed_since_the_check_is_refused,
                only_one_process_stores_a_file,
                large_lines_are_stored_a_few_at_once,
                entries_are_imported_for_a_project,
                what_is_known_of_an_import_goes_with_the_bot,
            }
            recorder {
                a_batch_of_every_kind_is_written,
                a_batch_with_a_bad_record_is_not_written,
                records_of_one_time_keep_their_order,
                stats_count_what_users_write,
                what_is_recorded_at_once_is_all_counted,
                usage_of_a_batch_adds_up,
                feedback_need_not_be_of_a_known_user,
                entries_are_recorded_for_bots_and_projects,
                nothing_is_recorded_of_a_bot_that_is_gone,
            }
            disk_reserve {
                nothing_is_added_and_all_can_be_removed,
            }
            teardown {
                a_deleted_bot_is_gone_at_once_with_its_tokens,
                a_teardown_leaves_nothing_and_touches_no_other_bot,
                a_bot_with_large_rows_is_torn_down,
                a_teardown_goes_on_where_another_worker_left_it,
                only_a_deleted_bot_is_torn_down,
                emptied_trash_is_torn_down,
                a_changelog_in_teardown_is_not_trimmed,
            }
            tickets {
                a_ticket_stands_for_its_token_once,
                a_ticket_ends_and_is_removed,
                a_token_has_its_latest_tickets,
            }
            trash {
                a_bot_that_is_restored_in_time_is_not_purged,
            }
            webhook_deliveries {
                events_are_delivered_in_their_order,
                what_fails_is_sent_again_and_holds_up_what_is_behind,
                a_delivery_fails_in_the_end_and_can_be_sent_again,
                deliveries_go_with_their_webhook_and_their_events,
                a_project_has_so_many_deliveries_at_once,
                only_the_lease_holder_records_a_delivery,
                only_webhooks_of_projects_with_new_events_are_woken,
                new_events_of_several_projects_wake_the_webhooks_of_each,
                a_retry_during_an_attempt_is_not_forgotten,
                an_old_event_that_fails_once_more_disables_nothing,
                all_that_waits_for_a_disabled_webhook_fails,
            }
            webhooks {
                a_receiver_that_is_gone_is_disabled,
                a_receiver_that_fails_for_five_days_is_disabled,
                messages_are_signed_with_both_secrets_after_a_rotation,
                webhooks_keep_their_secrets_when_the_key_is_replaced,
                a_webhook_is_tested_in_its_turn,
                a_webhook_is_of_its_project_and_its_bots,
                what_was_not_for_a_webhook_is_not_sent_when_it_changes,
                a_webhook_that_changes_on_the_way_stays_as_it_was_made,
            }
        }
    };
}
