//! How much memory a parent needs, whatever its workers read and answer.

use std::env;
use std::fs;
use std::process::{Command, ExitCode};

use async_trait::async_trait;
use domain::blob::{BlobError, BlobReader};
use extractor::Limits;

use crate::stage::{Blocks, Stage};

crate::trials![a_parent_stays_small];

/// How many bytes the file has, and how many a block of it.
const FILE: usize = 200 << 20;
const BLOCK: usize = 64 << 10;
/// How many bytes a parent may grow.
const GROWTH: u64 = 16 << 20;

/// A large file is read, and a large answer, in a process of its own, which says how much it grew.
async fn a_parent_stays_small() {
    let output = Command::new(env::current_exe().unwrap()).arg("grow").output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let growth: u64 = String::from_utf8(output.stdout).unwrap().trim().parse().unwrap();
    assert!(growth <= GROWTH, "it grew by {growth} bytes");
}

/// A parent that says how many bytes it grew.
pub fn grow() -> ExitCode {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let stage = Stage::of_liars("long", Limits::default());
        // What every parent needs.
        let small = Stage::of_liars("noise", Limits::default());
        assert_eq!(read(&small, Box::new(Blocks(Vec::new()))).await, 5);
        let before = peak();
        assert!(read(&stage, Box::new(Zeros(FILE))).await > 50 << 20);
        println!("{}", peak() - before);
        stage.is_empty().await;
    });
    ExitCode::SUCCESS
}

/// Reads the answer to a file, and keeps nothing of it.
async fn read(stage: &Stage, bytes: Box<dyn BlobReader>) -> usize {
    let mut reader = stage.extract("text/plain", 0, bytes).await.unwrap();
    let mut length = 0;
    while let Some(chunks) = reader.next().await.unwrap() {
        length += chunks.iter().map(|chunk| chunk.text.len()).sum::<usize>();
    }
    length
}

/// The most memory that this process ever had, in bytes.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
}

/// So many bytes.
struct Zeros(usize);

#[async_trait]
impl BlobReader for Zeros {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, BlobError> {
        let length = self.0.min(BLOCK);
        self.0 -= length;
        Ok((length > 0).then(|| vec![0; length]))
    }
}
