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
//! so cases may share a database; only those of `access_version` want one that nothing else uses.
//! Cases need no runtime: they wait on threads of their own.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    reason = "this is test code, though it is compiled as a library"
)]

mod access_version;
mod bots;
mod changelog;
mod organisations;
mod services;
mod tokens;
mod units;
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
            bots::a_bot_goes_with_all_that_is_its_own,
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
            changelog::an_entry_comes_back_as_it_was,
            changelog::entries_are_paged_newest_first,
            changelog::changelogs_are_kept_apart,
            changelog::only_the_latest_entries_are_shown_and_kept,
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
