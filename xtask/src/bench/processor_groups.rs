//! How Linux divides the processors.

use std::fs;

/// Whether Linux puts processes into groups, one for each that has called `setsid`, and divides the processors by group.
const FILE: &str = "/proc/sys/kernel/sched_autogroup_enabled";

/// Has the system divide the processors by thread and not by group, until this is dropped.
///
/// Each process of PostgreSQL is a group. It gets as much as all threads of the server and the benchmark together, and
/// threads of the lowest priority take from it all the same.
pub struct Ungrouped {
    was_grouped: bool,
}

impl Ungrouped {
    /// Needs root. Without it the figures are worse than they need be, and a warning says so.
    pub fn begin() -> Self {
        let is_grouped = fs::read_to_string(FILE).is_ok_and(|value| value.trim() == "1");
        let mut was_grouped = false;
        if is_grouped {
            match fs::write(FILE, "0") {
                Ok(()) => {
                    was_grouped = true;
                    eprintln!("{FILE} is 0 until the bench ends; if it is killed, write 1 into it");
                }
                Err(error) => eprintln!(
                    "warning: Linux divides the processors by groups of processes, which only root can change \
                     ({FILE}: {error})"
                ),
            }
        }
        Self { was_grouped }
    }
}

impl Drop for Ungrouped {
    fn drop(&mut self) {
        if self.was_grouped
            && let Err(error) = fs::write(FILE, "1")
        {
            eprintln!("warning: {FILE} was 1 and is 0 now: {error}");
        }
    }
}
