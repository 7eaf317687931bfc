//! The worker: the side of the child process. It reads one file, answers with records, and ends.
//!
//! In its folder, which is the current one, lie [`HEAD`] and [`FILE`](crate::work_dir_files::FILE); the latter is its
//! standard input, too. Standard output belongs to the records alone.

use std::fs::File;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::slice;
use std::thread;

use domain::document::ExtractionError;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::stdio::{dup2_stdout, stderr, stdin, stdout};

use crate::chunk;
use crate::read::{self, Html, Input, ReadError, ReadOptions};
use crate::record::{Head, Record};
use crate::sandbox;
use crate::work_dir_files::HEAD;

/// What the program is called with, and with nothing else, when it is to be a worker.
pub const COMMAND: &str = "extract-worker";
/// How a worker ends that could not begin.
pub(crate) const NOT_BEGUN: u8 = 69;
/// How it ends if the machine keeps it from its work, about which it says no more than that.
pub(crate) const HINDERED: u8 = 74;

/// How much stack parsers have. Those that follow a file into its depth need more than usual; one that
/// follows it without end shall meet the end of its stack before that of the memory.
const STACK: usize = 64 << 20;

/// Does the work of a child process: takes a file in, and writes what is in it to standard output.
///
/// To be called by a program that has done nothing else, because whatever it has open, a file that takes
/// its reader over has, too.
pub fn run(html: Html) -> ExitCode {
    match work(html) {
        Ok(code) => code,
        Err(error) => {
            tell(&format!("the worker can't begin: {error}"));
            ExitCode::from(NOT_BEGUN)
        }
    }
}

fn work(html: Html) -> io::Result<ExitCode> {
    let answer = take_stdout()?;
    let head = Head::read(&mut File::open(HEAD)?)?;
    let file = File::from(stdin().try_clone_to_owned()?);
    for refused in sandbox::enter(&head.limits)? {
        tell(refused.refusal());
    }
    // From here on it dies with its parent; that may have gone before.
    if is_alone(&answer)? {
        return Ok(ExitCode::FAILURE);
    }
    let reading = thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || answer_with(answer, head, file, html))?;
    // A panic here is a defect of ours, and ends without a last record.
    Ok(reading.join().unwrap_or(Ok(ExitCode::FAILURE)).unwrap_or(ExitCode::FAILURE))
}

/// Libraries print; what they print must not come between the records.
fn take_stdout() -> io::Result<File> {
    let answer = File::from(stdout().try_clone_to_owned()?);
    dup2_stdout(stderr())?;
    Ok(answer)
}

/// Whether no process is left to read the answer.
fn is_alone(answer: &File) -> io::Result<bool> {
    let mut end = PollFd::new(answer, PollFlags::empty());
    poll(slice::from_mut(&mut end), Some(&Timespec::default()))?;
    Ok(end.revents().intersects(PollFlags::ERR | PollFlags::HUP))
}

fn answer_with(answer: File, head: Head, file: File, html: Html) -> io::Result<ExitCode> {
    let mut answer = io::BufWriter::new(answer);
    let last = match write_chunks(&mut answer, head, file, html)? {
        Ok(()) => Record::End,
        Err(ReadError::File(error)) => Record::Failed(error),
        Err(ReadError::Machine(why)) => {
            tell(&format!("the worker can't go on: {why}"));
            return Ok(ExitCode::from(HINDERED));
        }
    };
    answer.write_all(&last.encode()?)?;
    answer.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn write_chunks(
    answer: &mut impl Write,
    head: Head,
    file: File,
    html: Html,
) -> io::Result<Result<(), ReadError>> {
    let Head { settings, media_type, limits } = head;
    let options = ReadOptions { settings, limits, html };
    let reading = || read::read(Input::new(file), &media_type, &options);
    // Parsers panic at what they did not expect of a file.
    let document = match catch_unwind(AssertUnwindSafe(reading)) {
        Ok(Ok(document)) => document,
        Ok(Err(error)) => return Ok(Err(error)),
        Err(_) => return Ok(Err(ExtractionError::Corrupt.into())),
    };
    for chunk in chunk::chunks(&document, &options.settings, &options.limits) {
        match chunk {
            Ok(chunk) => answer.write_all(&Record::Chunk(chunk).encode()?)?,
            Err(error) => return Ok(Err(error.into())),
        }
    }
    Ok(Ok(()))
}

/// Says something to the log of the parent, if anybody listens.
fn tell(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}
