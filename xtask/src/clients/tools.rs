//! The linters, generators and checkers, each in the version that a file in the repository names.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

/// Where the programs are.
pub struct Tools {
    /// Those from PyPI.
    python: PathBuf,
    /// Those from npm.
    node: PathBuf,
}

/// Where programs come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Registry {
    PyPi,
    Npm,
}

/// A program that is about to be run, and what it is called in errors.
pub struct Program {
    name: String,
    command: Command,
}

impl Tools {
    /// Those below a folder.
    pub fn of(folder: &Path) -> Self {
        Self { python: folder.join("venv/bin"), node: folder.join("node/node_modules") }
    }

    /// Installs what comes from this registry, unless it is there already.
    pub fn install(registry: Registry, sources: &Path, folder: &Path) -> Result<()> {
        match registry {
            Registry::PyPi => from_pypi(sources, &folder.join("venv"))
                .context("the clients need Python 3.11 with venv (Debian: python3-venv) and PyPI"),
            Registry::Npm => from_npm(sources, &folder.join("node"))
                .context("the clients need Node.js 20 with npm and its registry"),
        }
    }

    /// A program from PyPI; others from there are found by it.
    pub fn python(&self, name: &str, folder: &Path) -> Result<Program> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let paths = [self.python.clone()].into_iter().chain(std::env::split_paths(&path));
        let path = std::env::join_paths(paths)?;
        let mut program = Program::new(name, self.python.join(name)).current_dir(folder);
        program.command.env("PATH", path);
        Ok(program)
    }

    /// A program from npm.
    pub fn node(&self, name: &str, folder: &Path) -> Program {
        Program::new(name, self.node.join(".bin").join(name)).current_dir(folder)
    }

    /// Where the packages from npm are.
    pub fn modules(&self) -> &Path {
        &self.node
    }
}

fn from_pypi(sources: &Path, environment: &Path) -> Result<()> {
    let (wanted, installed) =
        (sources.join("requirements.txt"), environment.join("requirements.txt"));
    if is_other(&wanted, &installed)? {
        println!("installing what xtask/clients/requirements.txt names");
        Program::new("python3", "python3").args(["-m", "venv"]).arg(environment).run()?;
        let pip = Program::new("pip", environment.join("bin/pip"));
        pip.args(["install", "--quiet", "--requirement"]).arg(&wanted).run()?;
        fs::copy(&wanted, &installed)?;
    }
    Ok(())
}

fn from_npm(sources: &Path, folder: &Path) -> Result<()> {
    let (wanted, installed) = (sources.join("package.json"), folder.join("package.json"));
    if is_other(&wanted, &installed)? {
        println!("installing what xtask/clients/package.json names");
        fs::create_dir_all(folder)?;
        // npm reads it there. It stays only if everything was installed, so that the next run tries again.
        fs::copy(&wanted, &installed)?;
        let npm = Program::new("npm", "npm").args(["install", "--no-audit", "--no-fund"]);
        if let Err(error) = npm.current_dir(folder).run() {
            fs::remove_file(installed)?;
            return Err(error);
        }
    }
    Ok(())
}

fn is_other(wanted: &Path, installed: &Path) -> Result<bool> {
    let wanted = fs::read(wanted).with_context(|| wanted.display().to_string())?;
    Ok(fs::read(installed).ok().is_none_or(|installed| installed != wanted))
}

impl Program {
    pub fn new(name: &str, path: impl AsRef<OsStr>) -> Self {
        let mut command = Command::new(path);
        command.stdin(Stdio::null());
        Self { name: name.to_owned(), command }
    }

    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.command.arg(argument);
        self
    }

    pub fn args<A: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.command.args(arguments);
        self
    }

    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub fn current_dir(mut self, folder: &Path) -> Self {
        self.command.current_dir(folder);
        self
    }

    /// Runs it, and returns all that it printed.
    pub fn run(mut self) -> Result<String> {
        let name = &self.name;
        let output = self.command.output().with_context(|| format!("`{name}` can't be started"))?;
        let [stdout, stderr] =
            [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
        let printed = format!("{stdout}{stderr}");
        if !output.status.success() {
            bail!("`{name}` failed ({}):\n{}", output.status, printed.trim());
        }
        Ok(printed)
    }
}
