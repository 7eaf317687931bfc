//! What protects projects from one another without a setting.

use crate::composition::http_options;

use super::load_from;

#[test]
fn by_default_a_project_has_a_rate_and_a_share_of_what_is_heavy() {
    let settings = load_from(&[], &[], "").unwrap().settings;
    let options = http_options(&settings, None);
    let rate = options.project_rate.unwrap();
    assert_eq!((rate.requests_per_second, rate.burst), (1_000, 2_000));
    let limits = options.limits;
    assert!(0 < limits.requests_per_project);
    assert!(limits.requests_per_project < limits.requests_in_flight);
    assert!(0 < limits.lists_per_project);
    assert!(0 < limits.event_streams_per_project);
    assert!(limits.event_streams_per_project < limits.event_streams);
}
