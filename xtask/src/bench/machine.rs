//! Where, when and of what a report was made.

use std::fs;
use std::process::Command;
use std::thread::available_parallelism;

use anyhow::{Context as _, Result};

use crate::workspace::{Workspace, check};

/// The head of a report, a line each.
pub fn describe(workspace: &Workspace) -> Result<Vec<String>> {
    let cores = available_parallelism().map_or(0, usize::from);
    let kernel = read("/proc/sys/kernel/osrelease")?;
    let load = read("/proc/loadavg")?;
    let load = load.split(' ').next().unwrap_or_default();
    Ok(vec![
        format!("Machine: {}, {cores} cores, Linux {}", processor()?, kernel.trim()),
        format!("Load of the machine before: {load}"),
        format!("Date: {}", output(Command::new("date").args(["-u", "+%Y-%m-%d"]))?),
        format!("Commit: {}", commit(workspace)?),
    ])
}

fn processor() -> Result<String> {
    let processors = read("/proc/cpuinfo")?;
    let name = processors.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    Ok(name.map_or("an unknown processor", |(_, name)| name.trim()).to_owned())
}

fn commit(workspace: &Workspace) -> Result<String> {
    let git = |arguments: &[&str]| {
        output(Command::new("git").args(arguments).current_dir(&workspace.root))
    };
    let commit = git(&["rev-parse", "--short=10", "HEAD"])?;
    let is_changed = !git(&["status", "--porcelain"])?.is_empty();
    Ok(if is_changed { format!("{commit}, with changes") } else { commit })
}

fn read(file: &str) -> Result<String> {
    fs::read_to_string(file).with_context(|| file.to_owned())
}

fn output(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("`{name}` can't be started"))?;
    check(&name, output.status)?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
