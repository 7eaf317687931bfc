//! The load: wrk, as many requests as the server answers, for a bounded time.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::available_parallelism;

use anyhow::{Context as _, Result, anyhow, bail};
use serde::Deserialize;

use crate::bench::request::Request;
use crate::debian;
use crate::workspace::check;

const SCRIPT: &str = include_str!("load.lua");

/// The load generator.
pub struct Wrk {
    threads: usize,
}

/// How a load went, as the script reports it.
#[derive(Debug, Deserialize)]
pub struct Outcome {
    requests: u64,
    micros: u64,
    /// The time in which half of the requests were answered, in microseconds.
    p50: u64,
    /// The same of 99 of 100.
    p99: u64,
    connect: u64,
    read: u64,
    write: u64,
    timeout: u64,
    /// Answers of a status from 400 on.
    status: u64,
}

impl Wrk {
    pub fn find_or_install() -> Result<Self> {
        debian::find_or_install("wrk")?;
        // The script has numbers for four threads.
        let threads = available_parallelism().map_or(2, |cores| (cores.get() / 2).clamp(2, 4));
        Ok(Self { threads })
    }

    /// Puts a server under load. A request that failed makes the figure void.
    pub fn run(
        &self,
        server: SocketAddr,
        request: &Request,
        connections: u32,
        seconds: u32,
        folder: &Path,
    ) -> Result<Outcome> {
        let script = folder.join("load.lua");
        fs::write(&script, SCRIPT).with_context(|| script.display().to_string())?;
        let paths = folder.join("paths");
        fs::write(&paths, request.paths.join("\n")).with_context(|| paths.display().to_string())?;
        let mut command = Command::new("wrk");
        command
            .args(["--threads", &self.threads.to_string()])
            .args(["--connections", &connections.to_string()])
            .args(["--duration", &format!("{seconds}s")])
            .arg("--script")
            .arg(script)
            .arg(format!("http://{server}{}", request.path()))
            .env("BENCH_METHOD", request.method)
            .env("BENCH_HEADER", request.token.header)
            .env("BENCH_TOKEN", &request.token.secret)
            .env("BENCH_PATHS", paths)
            .env_remove("BENCH_BODY")
            .stdin(Stdio::null())
            .stderr(Stdio::inherit());
        if let Some(body) = &request.body {
            command.env("BENCH_BODY", body);
        }
        let output = command.output().context("wrk can't be started")?;
        check("wrk", output.status)?;
        Outcome::read(&String::from_utf8_lossy(&output.stdout))
    }
}

impl Outcome {
    fn read(output: &str) -> Result<Self> {
        let line = output.lines().rev().find(|line| line.starts_with('{'));
        let line = line.ok_or_else(|| anyhow!("wrk does not tell what came of it: {output}"))?;
        let outcome: Self =
            serde_json::from_str(line).with_context(|| format!("wrk says {line}"))?;
        let failed =
            outcome.connect + outcome.read + outcome.write + outcome.timeout + outcome.status;
        if failed > 0 || outcome.requests == 0 {
            bail!("the figure is void, because requests failed: {outcome:?}");
        }
        Ok(outcome)
    }

    /// How many requests were answered.
    pub const fn requests(&self) -> u64 {
        self.requests
    }

    #[expect(clippy::cast_precision_loss, reason = "nobody answers 2^53 requests")]
    pub fn requests_per_second(&self) -> f64 {
        self.requests as f64 / (self.micros as f64 / 1_000_000.0)
    }

    /// The time in which 99 of 100 requests were answered, in microseconds.
    #[expect(clippy::cast_precision_loss, reason = "nobody waits for 2^53 microseconds")]
    pub const fn p99(&self) -> f64 {
        self.p99 as f64
    }

    /// How many times as long 99 of 100 requests took at most as half of them.
    #[expect(clippy::cast_precision_loss, reason = "nobody waits for 2^53 microseconds")]
    pub fn tail(&self) -> f64 {
        self.p99() / self.p50.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(failed: u32) -> String {
        format!(
            "Running 4s test\n  Requests/sec: 1\n\n{{\"requests\":3000,\"micros\":1500000,\
             \"p50\":1400,\"p99\":4200,\"connect\":0,\"read\":0,\"write\":0,\"timeout\":0,\"status\":{failed}}}\n"
        )
    }

    #[test]
    fn a_load_is_counted_only_if_nothing_failed() {
        let outcome = Outcome::read(&output(0)).unwrap();
        assert!((outcome.requests_per_second() - 2000.0).abs() < 0.001);
        assert!((outcome.p99() - 4200.0).abs() < 0.001 && (outcome.tail() - 3.0).abs() < 0.001);
        let error = Outcome::read(&output(1)).unwrap_err().to_string();
        assert!(error.contains("void") && error.contains("status: 1"), "{error}");
        assert!(Outcome::read("unable to connect").is_err());
    }
}
