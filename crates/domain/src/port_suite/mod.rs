//! What every implementation of the [`Store`] port must do, as a suite of tests.
//!
//! An adapter names each case in [`for_each_port_case`](crate::for_each_port_case) a test of its own:
//!
//! ```ignore
//! macro_rules! tests {
//!     ($($group:ident :: $case:ident,)+) => {$(
//!         #[test]
//!         fn $case() {
//!             domain::port_suite::run(stringify!($group::$case), a_fresh_store());
//!         }
//!     )+};
//! }
//! domain::for_each_port_case!(tests);
//! ```
//!
//! A case needs a store that is open and whose tables are there. It makes an organisation of its own,
//! so cases may share a database; only those of `access_version` and those that do jobs, which belong
//! to no organisation, want one that nothing else uses.
//! Cases need no runtime: they wait on threads of their own.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    reason = "this is test code, though it is compiled as a library"
)]

mod access_version;
mod blob_removal;
mod blob_rows;
pub mod blobs;
mod bots;
mod changelog;
mod chunks;
mod clean_up;
mod clean_up_bounds;
mod content_quota;
mod crawl_ends;
mod crawl_pages;
mod crawl_runs;
mod crawl_service;
mod crawls;
mod document_bots;
mod document_changes;
mod document_copies;
mod document_service;
mod documents;
mod duplicate;
mod extraction_ends;
mod extraction_runs;
mod feedback;
mod fusion_views;
mod hidden_users;
mod history;
mod installation;
mod jobs;
mod keyval;
mod keyval_accesses;
mod keyval_deletes;
mod keyval_lists;
mod max_age;
mod organisations;
mod page_sets;
mod places;
mod recorder;
mod scribe;
mod services;
mod site;
mod skills;
mod stages;
mod teardown;
mod tokens;
mod units;
mod uploads;
mod usage;
mod user_removal;
mod user_service;
mod users;
mod visual_blocks;
mod world;

use std::sync::Arc;

use crate::store::Store;

pub use world::wait;

/// One case: it panics if the store does not behave.
pub type Case = fn(Arc<dyn Store>);

/// Hands the list of all cases, `group::case` each, to another macro.
#[macro_export]
macro_rules! for_each_port_case {
    ($instantiate:ident) => {
        $instantiate! {
            organisations::an_organisation_comes_back_as_it_was,
            organisations::a_project_comes_back_as_it_was,
            organisations::projects_are_listed_by_organisation_oldest_first,
            organisations::a_project_is_claimed_only_in_its_organisation,
            organisations::a_project_needs_its_organisation,
            bots::a_bot_comes_back_as_it_was,
            bots::a_bot_comes_back_in_every_state_and_kind,
            bots::only_active_regular_bots_are_live,
            bots::live_bots_are_paged_oldest_first,
            bots::an_update_changes_one_bot_only,
            bots::a_removed_bot_is_found_by_nobody_but_its_teardown,
            bots::bots_of_another_project_are_out_of_reach,
            bots::a_bot_needs_its_own_project,
            bots::trash_is_found_by_its_age,
            tokens::a_token_comes_back_as_it_was,
            tokens::an_unknown_digest_finds_nothing,
            tokens::only_valid_tokens_of_a_bot_are_live,
            tokens::live_tokens_of_several_bots_come_in_one_list,
            tokens::tokens_are_listed_oldest_first,
            tokens::a_token_is_revoked_once,
            tokens::the_time_of_use_never_goes_back,
            tokens::a_token_needs_its_bot_in_its_project,
            tokens::a_bot_loses_all_its_tokens_at_once,
            changelog::an_entry_comes_back_as_it_was,
            changelog::entries_are_paged_newest_first,
            changelog::changelogs_are_kept_apart,
            changelog::only_the_latest_entries_are_shown_and_kept,
            changelog::a_changelog_is_removed_bit_by_bit,
            skills::a_skill_comes_back_as_it_was,
            skills::skills_are_paged_oldest_first,
            skills::a_skill_id_stands_ahead_of_an_id,
            skills::names_are_compared_byte_by_byte,
            skills::skills_of_another_bot_are_out_of_reach,
            skills::names_are_unique_within_a_bot,
            skills::a_name_is_given_once,
            skills::a_new_skill_id_is_followed_by_every_stage,
            skills::a_deleted_skill_leaves_stages_and_takes_visual_blocks,
            skills::a_skill_is_changed_by_either_address,
            stages::a_stage_comes_back_as_it_was,
            stages::stages_are_paged_oldest_first,
            stages::stages_with_a_skill_are_found_exactly,
            stages::stages_of_another_bot_are_out_of_reach,
            stages::every_change_of_a_stage_is_told,
            visual_blocks::a_block_is_put_in_place_of_its_namesake,
            visual_blocks::blocks_are_paged_oldest_first,
            visual_blocks::blocks_are_deleted_by_name_within_their_bot,
            visual_blocks::a_block_has_a_name_and_a_bounded_content,
            fusion_views::a_view_comes_back_as_it_was,
            fusion_views::views_are_paged_oldest_first,
            fusion_views::views_of_another_bot_are_out_of_reach,
            fusion_views::every_change_of_a_view_is_told,
            uploads::a_package_becomes_the_file_of_its_view,
            uploads::the_same_content_is_stored_once_in_a_project,
            uploads::the_same_content_at_once_is_stored_once,
            uploads::a_replaced_file_is_released,
            uploads::nothing_is_kept_of_an_upload_that_fails,
            uploads::bytes_stay_when_nobody_knows_of_their_row,
            uploads::content_that_is_being_removed_is_stored_anew,
            uploads::the_bytes_of_a_project_are_bounded,
            uploads::uploads_at_once_do_not_share_the_last_room,
            uploads::so_many_uploads_at_once_and_no_more,
            uploads::only_some_types_have_a_package,
            blob_rows::a_blob_comes_back_as_it_was,
            blob_rows::only_present_content_is_found_again,
            blob_rows::content_and_bytes_are_counted_by_project,
            blob_rows::references_to_a_blob_are_found,
            blob_removal::a_blob_goes_only_when_nothing_refers_to_it,
            blob_removal::a_removal_that_was_cut_short_is_taken_up,
            blob_removal::old_bytes_of_which_nobody_knows_are_swept,
            content_quota::content_is_counted_until_it_goes,
            jobs::a_job_comes_back_as_it_was,
            jobs::what_has_been_due_for_longest_is_claimed_first,
            jobs::a_lease_can_be_ended,
            jobs::workers_claim_jobs_of_their_lane,
            jobs::no_job_is_claimed_twice,
            jobs::a_lost_attempt_changes_nothing,
            jobs::a_held_job_is_not_taken_over,
            jobs::a_failed_attempt_is_put_off_longer_and_longer,
            jobs::a_definite_failure_ends_a_job_until_somebody_retries_it,
            jobs::a_job_given_back_is_due_at_once,
            jobs::what_repeats_is_noted_once_and_comes_again,
            documents::a_document_comes_back_as_it_was,
            documents::documents_are_paged_oldest_first,
            documents::documents_of_another_project_are_out_of_reach,
            documents::what_is_extracted_is_found_and_counted,
            document_copies::a_copy_comes_back_as_it_was,
            document_copies::bots_of_documents_are_those_that_are_found,
            document_copies::copies_follow_a_new_skill_id,
            document_copies::copies_are_copied_and_removed_bit_by_bit,
            chunks::a_chunk_comes_back_as_it_was,
            chunks::chunks_are_paged_by_their_index,
            chunks::a_page_ends_early_where_chunks_are_large,
            chunks::chunks_go_when_no_document_has_them,
            document_service::an_upload_becomes_a_document,
            document_service::an_upload_through_a_bot_is_assigned_to_it,
            document_service::nothing_is_kept_of_a_document_that_is_refused,
            document_service::uploads_at_once_do_not_take_the_last_place_twice,
            document_service::bytes_go_with_the_last_document_that_has_them,
            document_changes::a_replaced_document_leads_its_copies_along,
            document_changes::a_deleted_document_is_gone_from_every_bot,
            document_bots::documents_are_assigned_and_taken_away,
            document_bots::copies_go_with_their_bot_and_their_skill,
            document_bots::what_is_done_to_documents_at_once_ends,
            document_bots::a_page_ends_early_where_documents_have_many_bots,
            extraction_runs::an_extracted_document_has_chunks,
            extraction_runs::chunks_of_different_extractions_are_never_of_one_list,
            extraction_runs::old_chunks_stay_until_the_new_ones_are_there,
            extraction_runs::what_is_wrong_with_a_file_ends_its_extraction,
            extraction_runs::a_replaced_document_is_extracted_anew,
            extraction_runs::a_document_asked_for_anew_is_extracted_once_more,
            extraction_runs::a_deleted_document_is_extracted_no_more,
            extraction_ends::an_extraction_goes_on_after_its_worker_died,
            extraction_ends::an_extractor_that_lost_its_lease_stores_nothing,
            extraction_ends::an_extraction_is_given_up_after_its_third_attempt,
            extraction_ends::an_extraction_waits_for_its_place,
            extraction_ends::what_another_attempt_stored_is_not_taken_away,
            places::the_oldest_that_waits_is_woken,
            places::whoever_ends_wakes_the_next_one,
            places::a_place_that_came_free_is_asked_for_at_once,
            places::an_extraction_that_is_put_back_has_no_place,
            places::whoever_is_given_up_wakes_the_next_one,
            places::a_crawl_that_ends_wakes_the_next_one,
            duplicate::a_duplicate_has_all_that_the_bot_is_made_of,
            duplicate::many_rows_are_copied_in_their_order,
            duplicate::rows_are_copied_within_a_project,
            duplicate::a_duplicate_is_made_as_a_whole_or_not_at_all,
            duplicate::duplicates_beside_changes_are_of_one_state,
            users::a_user_comes_back_as_it_was,
            users::users_are_paged_by_time_then_identifier,
            users::guest_ids_are_compared_byte_by_byte,
            users::a_guest_id_is_given_once_in_a_bot,
            users::a_guest_id_given_at_once_is_given_once,
            users::users_of_another_bot_are_out_of_reach,
            users::users_are_removed_bit_by_bit,
            users::the_bots_of_an_organisation_are_its_live_ones,
            hidden_users::a_hidden_user_is_not_there,
            hidden_users::many_users_are_hidden_at_once,
            hidden_users::a_guest_id_is_freed_beside_others_who_want_it,
            history::an_item_comes_back_as_it_was,
            history::a_chat_has_messages_for_supervisors_only,
            history::items_are_paged_oldest_first,
            history::chats_are_paged_latest_first,
            history::an_older_item_does_not_make_a_chat_older,
            history::a_change_of_a_user_keeps_the_chat,
            history::history_of_a_hidden_user_is_cleared_bit_by_bit,
            history::history_of_another_bot_is_out_of_reach,
            history::history_is_removed_bit_by_bit,
            crawls::a_crawl_comes_back_as_it_was,
            crawls::crawls_are_paged_oldest_first,
            crawls::crawls_of_another_bot_are_out_of_reach,
            crawls::an_address_is_crawled_once_at_a_time,
            crawls::crawls_at_once_are_counted,
            crawls::going_crawls_are_cancelled_at_once,
            crawls::crawls_for_a_skill_are_found,
            crawls::copies_share_sealed_page_sets,
            crawls::crawls_are_removed_bit_by_bit,
            crawls::a_crawl_to_do_is_found_unless_its_bot_is_gone,
            page_sets::a_page_comes_back_as_it_was,
            page_sets::pages_are_paged_by_number,
            page_sets::a_page_ends_early_where_pages_are_large,
            page_sets::an_address_stands_in_a_set_once,
            page_sets::many_addresses_are_added_at_once,
            page_sets::sets_of_another_bot_are_out_of_reach,
            page_sets::a_sealed_set_never_changes,
            page_sets::an_unused_set_is_removed_bit_by_bit,
            crawl_service::a_crawl_is_begun_once_however_many_ask,
            crawl_service::every_change_of_a_crawl_is_told,
            crawl_service::a_new_skill_id_is_followed_by_every_crawl,
            crawl_service::so_many_crawls_wait_and_no_more,
            crawl_service::a_deleted_crawl_takes_its_pages_unless_a_copy_has_them,
            crawl_runs::a_site_is_walked_breadth_first_within_the_depth,
            crawl_pages::a_page_stands_where_its_redirect_led,
            crawl_pages::links_of_another_address_of_a_page_are_followed,
            crawl_pages::a_page_with_too_much_text_is_not_kept,
            crawl_pages::what_a_page_takes_to_keep_counts,
            crawl_pages::after_an_attempt_that_came_to_nothing_pages_come_one_by_one,
            crawl_ends::crawls_of_a_bot_that_was_deleted_take_no_place,
            crawl_ends::a_new_job_is_claimed_by_one,
            crawl_service::a_bot_keeps_so_many_crawls,
            crawl_runs::links_of_the_sitemap_are_two_hops_away,
            crawl_runs::a_page_is_kept_once_whatever_its_addresses,
            crawl_runs::a_crawl_without_its_first_page_has_failed,
            crawl_runs::a_crawl_ends_where_it_has_enough,
            crawl_runs::a_crawl_goes_on_in_steps_and_tells_how_far_it_is,
            crawl_ends::a_crawl_goes_on_where_another_worker_left_it,
            crawl_ends::a_worker_that_lost_its_lease_writes_nothing,
            crawl_ends::an_archived_bot_crawls_no_more,
            crawl_ends::a_deleted_crawl_is_broken_off,
            crawl_ends::a_bot_in_teardown_crawls_no_more,
            crawl_ends::a_crawl_is_given_up_after_its_third_attempt,
            crawl_ends::a_crawl_whose_workers_die_is_given_up,
            crawl_ends::an_attempt_that_gets_on_is_no_failure,
            crawl_ends::so_many_crawls_run_at_once_and_no_more,
            usage::usage_adds_up_by_day_kind_and_model,
            usage::whole_numbers_of_usage_stop_at_their_end,
            usage::usage_added_at_once_is_all_counted,
            usage::usage_is_paged_within_its_days,
            usage::usage_of_another_bot_is_out_of_reach,
            usage::usage_is_removed_bit_by_bit,
            feedback::feedback_comes_back_as_it_was,
            feedback::feedback_is_paged_oldest_first,
            feedback::feedback_outlives_its_user,
            feedback::feedback_of_another_bot_is_out_of_reach,
            feedback::feedback_is_removed_bit_by_bit,
            user_service::what_is_done_to_users_is_told,
            user_service::users_are_refused_for_a_reason,
            user_service::users_of_a_bot_that_is_not_there_are_out_of_reach,
            user_service::a_guest_id_is_won_by_one_alone,
            user_removal::what_a_deleted_user_had_goes_along,
            user_removal::a_job_ends_what_a_broken_off_delete_left,
            user_removal::many_users_go_in_bounded_batches,
            user_removal::users_go_whatever_becomes_of_their_bot,
            user_service::the_bots_of_the_organisation_are_handed_out,
            keyval::a_keyval_entry_comes_back_as_it_was,
            keyval::an_entry_is_put_in_place_of_what_was_there,
            keyval::addresses_are_compared_byte_by_byte,
            keyval::entries_of_another_owner_are_out_of_reach,
            keyval::an_entry_needs_its_owner,
            keyval::one_key_can_be_written_at_once,
            keyval::guest_ids_come_and_go_with_their_users,
            keyval_accesses::only_what_is_read_alone_counts_as_read,
            keyval_accesses::the_time_of_an_access_never_goes_back,
            keyval_accesses::many_accesses_at_once_are_all_noted,
            keyval_lists::entries_are_listed_by_user_type_and_key,
            keyval_lists::every_filter_finds_what_it_means,
            keyval_lists::a_list_is_read_page_by_page,
            keyval_lists::a_page_ends_early_where_values_are_large,
            keyval_deletes::a_delete_takes_what_its_filter_means,
            keyval_deletes::what_stays_is_not_looked_at_again,
            keyval_deletes::a_delete_goes_on_after_a_cursor,
            keyval_deletes::a_bulk_delete_is_done_in_batches,
            keyval_deletes::permanent_entries_are_kept_from_clients,
            keyval_deletes::deletes_and_writes_at_once_all_succeed,
            keyval_deletes::idle_entries_are_found_by_key,
            keyval_deletes::a_look_for_idle_entries_is_bounded,
            keyval_deletes::entries_of_a_user_go_with_the_user,
            keyval_deletes::entries_are_removed_bit_by_bit,
            max_age::a_rule_comes_back_as_it_was,
            max_age::rules_are_paged_oldest_first,
            max_age::rules_of_another_project_are_out_of_reach,
            clean_up_bounds::a_project_has_so_many_rules,
            clean_up_bounds::accesses_count_before_they_are_written,
            clean_up::rules_are_those_of_their_project,
            clean_up::what_is_older_than_its_rule_goes,
            clean_up::many_entries_go_batch_by_batch,
            clean_up::what_is_read_on_any_node_stays,
            clean_up::what_is_read_at_the_last_moment_stays,
            clean_up::nothing_goes_by_a_rule_that_has_changed,
            clean_up::a_clean_up_that_was_taken_over_deletes_nothing,
            recorder::a_batch_of_every_kind_is_written,
            recorder::a_batch_with_a_bad_record_is_not_written,
            recorder::records_of_one_time_keep_their_order,
            recorder::stats_count_what_users_write,
            recorder::what_is_recorded_at_once_is_all_counted,
            recorder::usage_of_a_batch_adds_up,
            recorder::feedback_need_not_be_of_a_known_user,
            recorder::entries_are_recorded_for_bots_and_projects,
            recorder::nothing_is_recorded_of_a_bot_that_is_gone,
            teardown::a_deleted_bot_is_gone_at_once_with_its_tokens,
            teardown::a_teardown_leaves_nothing_and_touches_nobody_else,
            teardown::a_teardown_goes_on_where_another_worker_left_it,
            teardown::only_a_removed_bot_is_torn_down,
            teardown::emptied_trash_is_torn_down,
            teardown::a_changelog_in_teardown_is_not_trimmed,
            units::an_error_undoes_the_unit,
            units::a_unit_sees_its_own_changes,
            units::failing_and_panicking_units_leave_their_neighbours_alone,
            units::a_failure_that_the_unit_swallows_is_never_half_kept,
            units::a_reading_unit_changes_nothing,
            units::counting_under_an_exclusive_lock_loses_nothing,
            units::the_last_place_is_given_once,
            units::a_shared_lock_keeps_a_bot_in_place,
            units::units_that_lock_crosswise_end_all_the_same,
            units::readers_never_see_half_a_unit,
            units::a_reading_unit_sees_one_state,
            units::the_store_says_that_it_works,
            services::a_bot_that_is_restored_in_time_is_not_purged,
            access_version::changes_of_tokens_raise_the_version,
            access_version::other_changes_leave_the_version_alone,
        }
    };
}

macro_rules! table {
    ($($group:ident :: $case:ident,)+) => {
        /// Every case and its name, `group::case`.
        pub const CASES: &[(&str, Case)] = &[
            $((concat!(stringify!($group), "::", stringify!($case)), $group::$case),)+
        ];
    };
}

for_each_port_case!(table);

/// Runs the case of this name.
pub fn run(name: &str, store: Arc<dyn Store>) {
    let name = name.replace(' ', "");
    let Some((_, case)) = CASES.iter().find(|(known, _)| *known == name) else {
        panic!("there is no case {name}");
    };
    case(store);
}
