//! What the processes of a group use together. No limit of the kernel counts that: its limits hold for each
//! process alone.

use std::fs;

use rustix::process::Pid;

/// How many processes there are in a group beside the one that leads it, and how many bytes of memory they
/// have, swapped out or not. What they share counts for each of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Usage {
    pub(super) processes: u64,
    pub(super) memory: u64,
}

impl Usage {
    /// The usage of this group, as far as `/proc` shows its processes.
    pub(super) fn of(group: Pid) -> Self {
        let group = group.as_raw_pid();
        let mut usage = Self::default();
        for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
            let number = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok());
            if number.is_none_or(|process| process == group) {
                continue;
            }
            // It may end at any time, and uses nothing then.
            let read = |file| fs::read_to_string(entry.path().join(file)).unwrap_or_default();
            if group_of(&read("stat")) == Some(group) {
                usage.processes += 1;
                usage.memory = usage.memory.saturating_add(memory(&read("status")));
            }
        }
        usage
    }
}

/// The number of the group in the line about a process.
fn group_of(stat: &str) -> Option<i32> {
    // The name of its program comes first, in round brackets, and may contain anything.
    let (_, numbers) = stat.rsplit_once(')')?;
    numbers.split_ascii_whitespace().nth(2)?.parse().ok()
}

/// The bytes of memory in the status of a process.
fn memory(status: &str) -> u64 {
    let lines = status.lines().filter_map(|line| line.split_once(':'));
    let memory = lines.filter(|(name, _)| ["VmRSS", "VmSwap"].contains(name));
    let kibibytes = memory.filter_map(|(_, size)| size.trim().strip_suffix(" kB")?.parse().ok());
    kibibytes.fold(0, |sum: u64, size: u64| sum.saturating_add(size.saturating_mul(1 << 10)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_does_not_choose_its_group_by_its_name() {
        assert_eq!(group_of("7 (sh) S 1 5 5 0 -1 4194560 97\n"), Some(5));
        assert_eq!(group_of("7 (sh) S 1 9 (x) S 1 5 5 0 -1\n"), Some(5));
        assert_eq!(group_of(""), None);
    }

    #[test]
    fn what_is_swapped_out_counts() {
        let status = "Name:\tsh\nVmPeak:\t 900 kB\nVmRSS:\t     100 kB\nVmSwap:\t       8 kB\n";
        assert_eq!(memory(status), 108 << 10);
        // A process that has ended and was not waited for.
        assert_eq!(memory("Name:\tsh\nState:\tZ (zombie)\n"), 0);
    }
}
