//! Who comes first when there are fewer cores than work.

/// From now on the calling thread, with all that it starts, gets what the others leave of the processors,
/// so that its work does not delay requests. Where the system can't do that, nothing changes.
pub fn step_back() {
    #[cfg(target_os = "linux")]
    if let Err(error) = linux::step_back() {
        tracing::debug!(?error, "background work has the priority of all other work");
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use thread_priority::{
        Error, NormalThreadSchedulePolicy, ThreadPriority, ThreadSchedulePolicy,
        set_thread_priority_and_policy, thread_native_id,
    };

    /// A higher nice value would not do: such a thread goes on to the end of its turn while others wait,
    /// an idle one makes way at once.
    pub(super) fn step_back() -> Result<(), Error> {
        let idle = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Idle);
        set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Min, idle)
    }
}
