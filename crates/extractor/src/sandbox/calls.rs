//! Which system calls a worker can't make: those that lead to a network, to other processes, or out of the
//! sandbox. A list of what is forbidden and not of what is allowed, because programs of the system run in here
//! too, and each release of them asks for something else.

use std::collections::BTreeMap;
use std::env::consts::ARCH;
use std::process;

use seccompiler::{
    BackendError, BpfProgram, Error, SeccompAction, SeccompCmpArgLen, SeccompCmpOp,
    SeccompCondition, SeccompFilter, SeccompRule, TargetArch, apply_filter,
};

/// What is answered with "operation not permitted".
const FORBIDDEN: &[libc::c_long] = &[
    // No network, and no other process to talk to.
    libc::SYS_socket,
    libc::SYS_socketpair,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_accept,
    libc::SYS_accept4,
    // It makes calls that pass by this filter.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    // No other process to look into or to end, and none that escapes the end of its group.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_pidfd_send_signal,
    libc::SYS_kill,
    libc::SYS_tkill,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_setsid,
    libc::SYS_setpgid,
    // None that is slowed down.
    libc::SYS_setpriority,
    libc::SYS_ioprio_set,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    // Of other files Landlock lets these through, or did so in its first versions.
    libc::SYS_truncate,
    libc::SYS_fchmodat,
    libc::SYS_fchmodat2,
    libc::SYS_fchownat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
    // No other view of the system.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_setns,
    libc::SYS_unshare,
    libc::SYS_open_by_handle_at,
    // Parts of the kernel that no parser needs, and that were the way out of many a sandbox.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_kexec_load,
    libc::SYS_personality,
];

/// What a process may do to itself only. It names itself by its number or by 0, but who ends itself with
/// `tgkill`, as `abort` does, by its number only: programs that the worker starts end by another signal.
const OF_ITSELF: [libc::c_long; 6] = [
    libc::SYS_tgkill,
    libc::SYS_prlimit64,
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setattr,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setscheduler,
];

/// What `fcntl` must not be asked for: to have signals sent to another process. The second is
/// `F_SETOWN_EX`.
const OWNERS: [libc::c_int; 2] = [libc::F_SETOWN, 15];

/// The mark of the calls in x86-64's other numbering, which reach the same.
const X32: libc::c_long = 0x4000_0000;
/// Those of the forbidden calls that have other numbers there: `ptrace`, `rt_sigqueueinfo`, `kexec_load`,
/// `move_pages`, `rt_tgsigqueueinfo`, `process_vm_readv`, `process_vm_writev`.
const FORBIDDEN_X32: [libc::c_long; 7] = [521, 524, 528, 533, 536, 539, 540];

pub(super) fn confine() -> Result<(), Error> {
    let refusal = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let arch: TargetArch = ARCH.try_into().map_err(Error::Backend)?;
    let filter = rules(process::id())
        .and_then(|rules| SeccompFilter::new(rules, SeccompAction::Allow, refusal, arch));
    let program: Result<BpfProgram, BackendError> = filter.and_then(TryInto::try_into);
    apply_filter(&program.map_err(Error::Backend)?)
}

/// What is forbidden to the process of this number: the calls, and of each in which cases; without any,
/// always.
fn rules(own: u32) -> Result<BTreeMap<libc::c_long, Vec<SeccompRule>>, BackendError> {
    let is = |argument, operator, value| {
        SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)
    };
    let others = SeccompRule::new(vec![
        is(0, SeccompCmpOp::Ne, 0)?,
        is(0, SeccompCmpOp::Ne, u64::from(own))?,
    ])?;
    let mut owners = Vec::new();
    for owner in OWNERS {
        let owner = u64::from(owner.unsigned_abs());
        owners.push(SeccompRule::new(vec![is(1, SeccompCmpOp::Eq, owner)?])?);
    }
    let always = FORBIDDEN.iter().map(|call| (*call, Vec::new()));
    let of_itself = OF_ITSELF.iter().map(|call| (*call, vec![others.clone()]));
    let by_owner = [(libc::SYS_fcntl, owners)];
    let rules = always.chain(of_itself).chain(by_owner);
    let both = rules.flat_map(|(call, cases)| [(call, cases.clone()), (call | X32, cases)]);
    let of_x32 = FORBIDDEN_X32.iter().map(|call| (*call | X32, Vec::new()));
    Ok(both.chain(of_x32).collect())
}
