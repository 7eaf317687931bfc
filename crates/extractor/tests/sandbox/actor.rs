//! A reader of HTML that does what its file says, in the place of a parser that a file has taken over.

use std::fs;
use std::io::ErrorKind;
use std::net::{TcpListener, UdpSocket};
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::thread;

/// Where a worker leaves the numbers of processes, in its folder.
pub const PIDS: &str = "pids";

/// Plays a part; what it finds out is the text of the file.
pub fn act(part: &[u8]) -> Option<String> {
    let part = str::from_utf8(part).ok()?;
    let (part, detail) = part.split_once(' ').unwrap_or((part, ""));
    match part {
        "say" => Some(detail.to_owned()),
        "refuse" => None,
        "hang" => hang(),
        "compute" => loop {
            std::hint::black_box(part);
        },
        "overflow" => Some(deeper(&[0; 1024]).to_string()),
        "allocate" => Some(allocate().to_string()),
        "abort" => std::process::abort(),
        "panic" => panic!("as a parser does"),
        "print" => {
            println!("as a library does");
            Some("printed".to_owned())
        }
        "fill" => Some(format!("{:?}", fs::write("large", vec![0; 65 << 20]))),
        "litter" => litter(detail),
        "open" => Some(open(detail)),
        "network" => Some(network()),
        "run" => Some(run(detail)),
        "signal" => Some(run(&format!("kill -0 {detail}; echo $?"))),
        "environment" => {
            let mut names: Vec<_> = std::env::vars().map(|(name, _)| name).collect();
            names.sort();
            Some(names.join(" "))
        }
        _ => None,
    }
}

/// Leaves word of itself and of a child, and waits for its end.
#[expect(clippy::zombie_processes, reason = "it is to be killed with this one")]
fn hang() -> ! {
    let child = Command::new("sleep").arg("1000").spawn().unwrap();
    let pids = format!("{} {}", std::process::id(), child.id());
    fs::write("pids.new", pids).unwrap();
    fs::rename("pids.new", PIDS).unwrap();
    loop {
        thread::park();
    }
}

/// Leaves so many files of so many bytes in a folder of its own, and waits for its end.
fn litter(what: &str) -> ! {
    let (files, bytes) = what.split_once(' ').unwrap();
    fs::create_dir("litter").unwrap();
    for file in 0..files.parse::<u32>().unwrap() {
        fs::write(format!("litter/{file}"), vec![1; bytes.parse().unwrap()]).unwrap();
    }
    loop {
        thread::park();
    }
}

#[expect(unconditional_recursion, reason = "that is the part")]
fn deeper(stack: &[u8; 1024]) -> usize {
    let mut more = *stack;
    more[0] = more[0].wrapping_add(1);
    deeper(std::hint::black_box(&more)) + 1
}

fn allocate() -> usize {
    let mut all = Vec::new();
    loop {
        all.push(vec![1_u8; 1 << 20]);
        std::hint::black_box(&all);
    }
}

/// Whether a file can be read, or made.
fn open(path: &str) -> String {
    let reading = fs::read(path).map(|_| ()).or_else(|error| {
        let is_folder = error.kind() == ErrorKind::IsADirectory;
        if is_folder { fs::read_dir(path).map(|_| ()) } else { Err(error) }
    });
    let writing = fs::OpenOptions::new().append(true).create(true).open(path).map(|_| ());
    let word = |result: std::io::Result<()>| match result {
        Ok(()) => "done".to_owned(),
        Err(error) => error.kind().to_string(),
    };
    format!("read: {}, write: {}", word(reading), word(writing))
}

fn network() -> String {
    let kinds = [
        TcpListener::bind("127.0.0.1:0").map(|_| ()),
        UdpSocket::bind("127.0.0.1:0").map(|_| ()),
        UnixStream::pair().map(|_| ()),
    ];
    kinds
        .map(|result| result.map_or_else(|error| error.kind().to_string(), |()| "done".to_owned()))
        .join(", ")
}

fn run(script: &str) -> String {
    let output = Command::new("sh").args(["-c", script]).stdin(Stdio::null()).output();
    match output {
        Ok(output) => {
            let said = [output.stdout, output.stderr].concat();
            String::from_utf8_lossy(&said).into_owned()
        }
        Err(error) => error.to_string(),
    }
}
