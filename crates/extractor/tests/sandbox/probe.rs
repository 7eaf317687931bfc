//! A program that tries what the sandbox forbids, and must fail at each.
//!
//! The worker starts it, as it starts programs that read documents. It is a script in Perl, which can make any
//! system call by its number, as safe Rust can't.

use std::time::Duration;

use domain::document::ExtractionError;
use extractor::Limits;

use crate::forbidden::FORBIDDEN;
use crate::stage::{Stage, file};

crate::trials![
    no_forbidden_call_is_made,
    what_a_process_may_do_to_itself_is_done,
    processes_are_bounded,
    many_processes_share_their_memory,
];

/// What a call is answered that is not allowed.
const REFUSED: &str = "Function not implemented";

async fn no_forbidden_call_is_made() {
    let answers = answers(FORBIDDEN).await;
    assert_eq!(answers.len(), FORBIDDEN.len());
    let made: Vec<_> = answers.iter().filter(|answer| !answer.ends_with(REFUSED)).collect();
    assert!(made.is_empty(), "{made:#?}");
}

/// What is refused above for another process, or another kind of it.
async fn what_a_process_may_do_to_itself_is_done() {
    let allowed = [
        ("prlimit64", libc::SYS_prlimit64, r#"0, 4, 0, "\0" x 16"#),
        ("sched_setaffinity", libc::SYS_sched_setaffinity, r#"0, 128, "\xff" x 128"#),
        ("setpriority", libc::SYS_setpriority, "0, 0, 19"),
        ("fcntl", libc::SYS_fcntl, "0, 1, 0"),
        ("ioctl", libc::SYS_ioctl, "0, 0x5451, 0"),
        ("prctl", libc::SYS_prctl, r#"15, "probe", 0, 0, 0"#),
    ];
    for answer in answers(&allowed).await {
        assert!(answer.ends_with(": done"), "{answer}");
    }
}

/// What each of these calls says.
async fn answers(calls: &[(&str, libc::c_long, &str)]) -> Vec<String> {
    let mut script = String::from("$| = 1; sub attempt { ($name, $call, @with) = @_; ");
    script.push_str(r#"print "$name: ", syscall($call, @with) == -1 ? $! : "done", "\n"; } "#);
    for (name, call, with) in calls {
        script.push_str(&format!("attempt(\"{name}\", {call}, {with}); "));
    }
    let answers = Stage::new().play(&format!("run perl -e '{script}'")).await.unwrap();
    answers.lines().map(str::to_owned).collect()
}

/// The kernel refuses more, or the parent ends them all; which of them, depends on the account and on the
/// kernel.
async fn processes_are_bounded() {
    let stage = Stage::with(Limits { wall: Duration::from_secs(20), ..Limits::default() });
    let script =
        "i=0; while [ $i -lt 300 ]; do i=$((i + 1)); sleep 1000 >/dev/null 2>&1 & done; wait";
    match stage.play(&format!("run {script}")).await {
        Ok(said) => assert!(said.contains("fork"), "{said}"),
        Err(error) => assert_eq!(error, file(ExtractionError::Crashed)),
    }
}

/// Each process stays far below what it may have alone.
async fn many_processes_share_their_memory() {
    let limits = Limits { memory: 300 << 20, wall: Duration::from_secs(20), ..Limits::default() };
    let large = r#"perl -e '$x = "x" x 100_000_000; sleep 1000'"#;
    let script = format!("for i in 1 2 3 4 5 6 7 8; do {large} & done; wait");
    let said = Stage::with(limits).play(&format!("run {script}")).await;
    assert_eq!(said, Err(file(ExtractionError::Memory)));
}
