//! Workers that answer what none should.

use std::io::{self, Write};
use std::process::ExitCode;
use std::thread;

/// Answers in the wrong way of this name.
pub fn lie(how: &str) -> ExitCode {
    let mut stdout = io::stdout().lock();
    // Who is killed meanwhile can't write any more.
    let _ = match how {
        "garbage" => endless(&mut stdout, |_| b"\xffgarbage".to_vec()),
        "flood" => endless(&mut stdout, |start| chunk(start, &"a".repeat(1_000))),
        "long" => {
            let text = "a".repeat(1_000);
            let chunks = (0..60_000).try_for_each(|at| stdout.write_all(&chunk(at * 1_000, &text)));
            chunks.and_then(|()| stdout.write_all(&record("\"end\"")))
        }
        "nul" => stdout.write_all(&[chunk(0, "a\\u0000b"), record("\"end\"")].concat()),
        "cut" => stdout.write_all(&[chunk(0, "whole"), b"\0\0\x01\0{".to_vec()].concat()),
        "nothing" => Ok(()),
        "more" => stdout.write_all(&[record("\"end\""), chunk(0, "more")].concat()),
        "end and fail" => {
            let _ = stdout.write_all(&record("\"end\"")).and_then(|()| stdout.flush());
            return ExitCode::FAILURE;
        }
        "end and hang" => {
            let _ = stdout.write_all(&record("\"end\"")).and_then(|()| stdout.flush());
            loop {
                thread::park();
            }
        }
        "noise" => {
            let _ = io::stderr().write_all(&vec![b'x'; 5 << 20]);
            stdout.write_all(&[chunk(0, "heard"), record("\"end\"")].concat())
        }
        "cannot begin" => return ExitCode::from(69),
        _ => Err(io::ErrorKind::InvalidInput.into()),
    };
    let _ = stdout.flush();
    ExitCode::SUCCESS
}

fn endless(to: &mut impl Write, bytes: impl Fn(u64) -> Vec<u8>) -> io::Result<()> {
    let mut start = 0;
    loop {
        to.write_all(&bytes(start))?;
        start += 1_000;
    }
}

fn chunk(start: u64, text: &str) -> Vec<u8> {
    let end = start + text.replace("\\u0000", "0").chars().count() as u64;
    record(&format!(
        r#"{{"chunk":{{"text":"{text}","char_start":{start},"char_end":{end},"page":null,"heading":[]}}}}"#
    ))
}

fn record(json: &str) -> Vec<u8> {
    [&u32::try_from(json.len()).unwrap().to_be_bytes()[..], json.as_bytes()].concat()
}
