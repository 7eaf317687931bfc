//! Which system calls a worker can't make: those that lead to a network, to other processes, or out of the
//! cage. A list of what is forbidden and not of what is allowed, because programs of the system run in here
//! too, and each release of them asks for something else.

use std::env::consts::ARCH;

use seccompiler::{
    BackendError, BpfProgram, Error, SeccompAction, SeccompFilter, TargetArch, apply_filter,
};

/// What is answered with "operation not permitted".
const FORBIDDEN: [libc::c_long; 35] = [
    // No network, and no other process to talk to.
    libc::SYS_socket,
    libc::SYS_socketpair,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_accept,
    libc::SYS_accept4,
    // It makes calls that nobody filters.
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
    libc::SYS_setsid,
    libc::SYS_setpgid,
    // No other view of the system.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_setns,
    libc::SYS_unshare,
    libc::SYS_open_by_handle_at,
    // Parts of the kernel that no parser needs, and that were the way out of many a cage.
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

/// The mark of the calls in x86-64's other numbering, which reach the same.
const X32: libc::c_long = 0x4000_0000;

pub(super) fn confine() -> Result<(), Error> {
    let forbidden = FORBIDDEN.iter().flat_map(|call| [*call, *call | X32]);
    let rules = forbidden.map(|call| (call, Vec::new())).collect();
    let refusal = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let arch: TargetArch = ARCH.try_into().map_err(Error::Backend)?;
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refusal, arch);
    let program: Result<BpfProgram, BackendError> = filter.and_then(TryInto::try_into);
    apply_filter(&program.map_err(Error::Backend)?)
}
