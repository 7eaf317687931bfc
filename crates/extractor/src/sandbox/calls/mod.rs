//! Which system calls a worker can make: those that `allowed.rs` lists, some of them in certain cases only.
//!
//! A list of what is allowed, because a list of what is forbidden lacks what each new kernel adds. Every
//! other call is answered as if the kernel did not have it: programs of the system run in here too, and each
//! release of their libraries tries newer calls first, and does without them only if it gets this answer.

mod allowed;

use std::collections::BTreeMap;
use std::env::consts::ARCH;
use std::process;

use seccompiler::{
    BackendError, BpfProgram, Error, SeccompAction, SeccompCmpArgLen, SeccompCmpOp,
    SeccompCondition, SeccompFilter, SeccompRule, TargetArch, apply_filter,
};

use allowed::{ALWAYS, OF_ITSELF};

/// What `fcntl` may be asked for: copies of descriptors, their flags, and locks. What is missing tells of
/// changes to folders and files, has signals sent to other processes, and enlarges pipes, whose content
/// belongs to no process.
const DESCRIPTOR_COMMANDS: [libc::c_int; 12] = [
    libc::F_DUPFD,
    libc::F_DUPFD_CLOEXEC,
    libc::F_GETFD,
    libc::F_SETFD,
    libc::F_GETFL,
    libc::F_SETFL,
    libc::F_GETLK,
    libc::F_SETLK,
    libc::F_SETLKW,
    libc::F_OFD_GETLK,
    libc::F_OFD_SETLK,
    libc::F_OFD_SETLKW,
];

/// What `ioctl` may be asked for: whether this is a terminal (`TCGETS`), its size (`TIOCGWINSZ`), how much
/// there is to read (`FIONREAD`), and flags of the descriptor (`FIONCLEX`, `FIOCLEX`, `FIONBIO`). Their types
/// differ between C libraries, so the numbers stand here.
const DEVICE_COMMANDS: [u64; 6] = [0x5401, 0x5413, 0x541b, 0x5450, 0x5451, 0x5421];

/// What `prctl` may be asked for: the name of a thread, whether there is a capability or a filter of calls, and names
/// for memory. What is missing lets processes outlive those that started them, be traced, or take what others leave.
const PROCESS_COMMANDS: [libc::c_int; 7] = [
    libc::PR_SET_NAME,
    libc::PR_GET_NAME,
    libc::PR_CAPBSET_READ,
    libc::PR_GET_DUMPABLE,
    libc::PR_GET_SECCOMP,
    libc::PR_GET_NO_NEW_PRIVS,
    libc::PR_SET_VMA,
];

/// Flags with which `clone` makes namespaces, or a child of this process's parent: the server would get
/// SIGCHLD for a process that it has not started.
const FORBIDDEN_CLONE_FLAGS: libc::c_int = libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWUTS
    | libc::CLONE_PARENT;

pub(super) fn confine() -> Result<(), Error> {
    let refusal = SeccompAction::Errno(libc::ENOSYS.unsigned_abs());
    let arch: TargetArch = ARCH.try_into().map_err(Error::Backend)?;
    let filter = rules(process::id())
        .and_then(|rules| SeccompFilter::new(rules, refusal, SeccompAction::Allow, arch));
    let program: Result<BpfProgram, BackendError> = filter.and_then(TryInto::try_into);
    apply_filter(&program.map_err(Error::Backend)?)
}

/// What is allowed to the process of this number: the calls, and of each in which cases; without any,
/// always.
fn rules(own: u32) -> Result<BTreeMap<libc::c_long, Vec<SeccompRule>>, BackendError> {
    let always = ALWAYS.iter().map(|call| (*call, Vec::new()));
    let itself = any_of(0, [0, u64::from(own)])?;
    let of_itself = OF_ITSELF.iter().map(|call| (*call, itself.clone()));
    let flags = u64::from(FORBIDDEN_CLONE_FLAGS.unsigned_abs());
    let own_priority = vec![is(0, SeccompCmpOp::Eq, 0)?, is(1, SeccompCmpOp::Eq, 0)?];
    let in_cases = [
        (libc::SYS_fcntl, any_of(1, DESCRIPTOR_COMMANDS.map(|it| u64::from(it.unsigned_abs())))?),
        (libc::SYS_prctl, any_of(0, PROCESS_COMMANDS.map(|it| u64::from(it.unsigned_abs())))?),
        (libc::SYS_ioctl, any_of(1, DEVICE_COMMANDS)?),
        (libc::SYS_clone, vec![SeccompRule::new(vec![is(0, SeccompCmpOp::MaskedEq(flags), 0)?])?]),
        // Of a process (the first is `PRIO_PROCESS`), which is this one.
        (libc::SYS_setpriority, vec![SeccompRule::new(own_priority)?]),
    ];
    Ok(always.chain(of_itself).chain(in_cases).collect())
}

/// The cases in which an argument has one of these values.
fn any_of(
    argument: u8,
    values: impl IntoIterator<Item = u64>,
) -> Result<Vec<SeccompRule>, BackendError> {
    let case = |value| SeccompRule::new(vec![is(argument, SeccompCmpOp::Eq, value)?]);
    values.into_iter().map(case).collect()
}

/// What holds for an argument of 32 bits.
fn is(argument: u8, operator: SeccompCmpOp, value: u64) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)
}
