//! One client: generated, checked by its language's compiler or type checker, and run.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use super::tools::{Program, Tools};
use super::{Place, without_warnings};
use crate::bench::Botyard;

/// What the scripts upload.
const MANUAL: &str = "# Opening hours\n\nWe are open from 9 to 17.\n";

/// What openapi-generator says of every document of this version, of every schema with `additionalProperties`,
/// whatever they are, and of names that are words of Go, for which it finds others (`type`, `range`).
const EXPECTED_OF_GO: [&str; 5] = [
    "openapi 3.1 support is still in beta",
    "failed to get the schema name: null",
    "(reserved word)",
    // Names of files with "error" in them.
    "writing file",
    "skipped",
];

/// A client that is made and run in a folder of its own.
pub struct Client<'a> {
    pub tools: &'a Tools,
    pub place: &'a Place,
    pub server: &'a Botyard,
    pub folder: PathBuf,
}

impl Client<'_> {
    /// openapi-python-client, checked by mypy.
    pub fn python(&self) -> Result<String> {
        let package = self.folder.join("package");
        let printed = self
            .tools
            .python("openapi-python-client", &self.folder)?
            .args(["generate", "--fail-on-warning", "--path"])
            .arg(&self.place.document)
            .arg("--output-path")
            .arg(&package)
            .run()?;
        without_warnings(&printed, &[])?;
        self.copy("python_client.py")?;
        self.mypy("python_client.py", &package)?;
        self.script(self.tools.python("python", &self.folder)?, "python_client.py")
            .and_then(|python| python.env("PYTHONPATH", package).run())
    }

    /// datamodel-codegen, checked by mypy.
    pub fn models(&self) -> Result<String> {
        let printed = self
            .tools
            .python("datamodel-codegen", &self.folder)?
            .args(["--output", "models.py", "--output-model-type", "pydantic_v2.BaseModel"])
            .args(["--use-annotated", "--parent-scoped-naming", "--formatters", "builtin"])
            .args(["--target-python-version", "3.11", "--input-file-type", "openapi", "--input"])
            .arg(&self.place.document)
            .run()?;
        without_warnings(&printed, &[])?;
        fs::copy(self.place.sources.join("models.py"), self.folder.join("round.py"))?;
        self.mypy("round.py", &self.folder)?;
        self.script(self.tools.python("python", &self.folder)?, "round.py")?.run()
    }

    /// openapi-typescript, checked by the TypeScript compiler.
    pub fn typescript(&self) -> Result<String> {
        let printed = self
            .tools
            .node("openapi-typescript", &self.folder)
            .arg(&self.place.document)
            .args(["-o", "botyard.d.ts"])
            .run()?;
        without_warnings(&printed, &[])?;
        self.copy("fetch.ts")?;
        self.copy("tsconfig.json")?;
        fs::write(self.folder.join("package.json"), r#"{"type": "module"}"#)?;
        symlink(self.tools.modules(), self.folder.join("node_modules"))?;
        self.tools.node("tsc", &self.folder).run()?;
        self.script(Program::new("node", "node").current_dir(&self.folder), "built/fetch.js")?.run()
    }

    /// openapi-generator for Go, checked by its compiler.
    pub fn go(&self) -> Result<String> {
        let package = self.folder.join("botyard");
        let printed = self
            .tools
            .python("openapi-generator-cli", &self.folder)?
            .args(["generate", "-g", "go", "--package-name", "botyard", "-i"])
            .arg(&self.place.document)
            .arg("-o")
            .arg(&package)
            .args(["--additional-properties", "enumClassPrefix=true"])
            .args([
                "--global-property",
                "apiTests=false,modelTests=false,apiDocs=false,modelDocs=false",
            ])
            .run()?;
        without_warnings(&printed, &EXPECTED_OF_GO)?;
        fs::write(package.join("go.mod"), "module botyard\n\ngo 1.23\n")?;
        let main = self.folder.join("main.go");
        fs::copy(self.place.sources.join("go/main.go"), &main)
            .context("xtask/clients/go/main.go")?;
        let module =
            "module client\n\ngo 1.23\n\nrequire botyard v0.0.0\n\nreplace botyard => ./botyard\n";
        fs::write(self.folder.join("go.mod"), module)?;
        self.tools
            .python("go", &self.folder)?
            .args(["vet", "."])
            .env("GOFLAGS", "-mod=mod")
            .run()?;
        let program = self.folder.join("client");
        self.tools
            .python("go", &self.folder)?
            .args(["build", "-o"])
            .arg(&program)
            .arg(".")
            .run()?;
        let manual = self.manual()?;
        self.with_tokens(Program::new("client", &program)).arg(manual).run()
    }

    /// Webhooks that are verified with standardwebhooks for Python, checked by mypy.
    pub fn webhooks_in_python(&self) -> Result<String> {
        self.copy("webhook_receiver.py")?;
        self.mypy("webhook_receiver.py", &self.folder)?;
        let python = self.tools.python("python", &self.folder)?;
        self.with_tokens(python).arg("webhook_receiver.py").run()
    }

    /// Webhooks that are verified with standardwebhooks for JavaScript.
    pub fn webhooks_in_javascript(&self) -> Result<String> {
        self.copy("webhook_receiver.js")?;
        fs::write(self.folder.join("package.json"), r#"{"type": "module"}"#)?;
        symlink(self.tools.modules(), self.folder.join("node_modules"))?;
        let node = Program::new("node", "node").current_dir(&self.folder);
        self.with_tokens(node).arg("webhook_receiver.js").run()
    }

    fn copy(&self, name: &str) -> Result<()> {
        fs::copy(self.place.sources.join(name), self.folder.join(name))
            .with_context(|| name.to_owned())?;
        Ok(())
    }

    fn mypy(&self, script: &str, package: &Path) -> Result<()> {
        let mypy = self.tools.python("mypy", &self.folder)?.env("MYPYPATH", package);
        mypy.args(["--strict", script]).run()?;
        Ok(())
    }

    /// A script that is about to call the server.
    fn script(&self, program: Program, script: &str) -> Result<Program> {
        Ok(self.with_tokens(program).arg(script).arg(self.manual()?))
    }

    fn with_tokens(&self, program: Program) -> Program {
        program
            .env("ADDRESS", format!("http://{}", self.server.address))
            .env("PROJECT_TOKEN", &self.server.project.secret)
            .env("BOT_TOKEN", &self.server.bot.secret)
    }

    fn manual(&self) -> Result<PathBuf> {
        let manual = self.folder.join("manual.md");
        fs::write(&manual, MANUAL)?;
        Ok(manual)
    }
}
