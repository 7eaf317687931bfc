//! Threads that stand for programs on other machines, so that they must take nothing from what is measured
//! on this one.

/// Has this thread, and those that it starts, get what others leave of the processors. Where the system
/// can't do that, the figures are worse than they need be.
pub fn take() {
    #[cfg(target_os = "linux")]
    {
        use thread_priority::{
            NormalThreadSchedulePolicy, ThreadPriority, ThreadSchedulePolicy,
            set_thread_priority_and_policy, thread_native_id,
        };
        let idle = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Idle);
        if set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Min, idle).is_err() {
            eprintln!("a thread that stands for another machine keeps its priority");
        }
    }
}
