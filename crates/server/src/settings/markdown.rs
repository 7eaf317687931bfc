//! The text of `docs/settings.md`.

use std::fmt::Write as _;

use super::define::Setting;
use super::table::{GROUPS, SETTINGS};

const HEAD: &str = "\
<!-- Made from the code by `cargo xtask openapi`; change crates/server/src/settings/table.rs. -->

# Settings

A setting comes from the first of these that names it:

1. a flag of the command line: `--limits-json-body 4MiB`;
2. an environment variable: `BOTYARD_LIMITS__JSON_BODY=4MiB`, where a dot is two underscores;
3. the file `botyard.toml` in the working directory (in packages `/etc/botyard/botyard.toml`), or
   the one that `--config FILE` or `BOTYARD_CONFIG` names, which then must exist;
4. its default.

A group is a table in the file:

```toml
listen = \"0.0.0.0:8080\"
trusted_proxies = [\"10.0.0.0/8\"]

[limits]
json_body = \"4MiB\"
handler_timeout = \"1m\"
write_batch = 128
```

A list is comma-separated in a variable and in a flag, which may also stand several times; an empty
variable is an empty list. In the file a list is an array. Relative paths start at the working
directory. A password belongs into a variable or the file, because everybody on the machine can see
the flags of a process.

Every flag goes with every command. A name that no setting has, in the file or in a variable that
begins with `BOTYARD_`, is an error, and so is a value of the wrong form; the message says where it
stands. (Kubernetes puts variables such as `BOTYARD_PORT` into the pods beside a service called
`botyard`; `enableServiceLinks: false` keeps them out.) `botyard config` shows the settings in
force, without passwords, and where each came from. `botyard config --toml` prints a file to begin
with, in which every setting stands as a comment.
";

/// The text of `docs/settings.md`: all settings with their defaults and spellings.
pub fn markdown() -> String {
    let mut page = Page(HEAD.to_owned());
    page.values();
    page.section("General", "", None);
    for group in GROUPS {
        let heading = format!("`{}`", group.name);
        page.section(&heading, group.description(), Some(group.name));
    }
    page.0
}

struct Page(String);

impl Page {
    fn values(&mut self) {
        self.heading("How values are written", "");
        self.row(&["Value", "Write"]);
        self.row(&["---", "---"]);
        let mut seen = Vec::new();
        for Setting { shape, .. } in SETTINGS {
            if !seen.contains(&shape.noun) {
                seen.push(shape.noun);
                self.row(&[shape.noun, shape.spelling]);
            }
        }
    }

    fn section(&mut self, heading: &str, description: &str, group: Option<&str>) {
        self.heading(heading, description);
        self.row(&["Setting", "Default", "Value", "Meaning", "Flag", "Variable"]);
        self.row(&["---"; 6]);
        for setting in SETTINGS.iter().filter(|setting| setting.group() == group) {
            self.row(&[
                &code(setting.name),
                &default(setting),
                &value(setting),
                setting.description(),
                &code(&format!("--{}", setting.flag())),
                &code(&setting.variable()),
            ]);
        }
    }

    fn heading(&mut self, heading: &str, description: &str) {
        self.line(&format!("\n## {heading}\n"));
        if !description.is_empty() {
            self.line(&format!("{description}\n"));
        }
    }

    fn row(&mut self, cells: &[&str]) {
        let cells: Vec<_> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
        self.line(&format!("| {} |", cells.join(" | ")));
    }

    fn line(&mut self, line: &str) {
        // Writing to a string can't fail.
        let _ = writeln!(self.0, "{line}");
    }
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

fn default(setting: &Setting) -> String {
    if setting.default.is_empty() {
        return "empty".to_owned();
    }
    code(setting.default)
}

fn value(setting: &Setting) -> String {
    let shape = setting.shape;
    match (shape.list, shape.remark) {
        (true, _) => format!("list of: {}", shape.noun),
        (false, "") => shape.noun.to_owned(),
        (false, remark) => format!("{}, {remark}", shape.noun),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_is_described_once() {
        let page = markdown();
        for setting in SETTINGS {
            let begin = format!("| `{}` |", setting.name);
            let rows: Vec<_> = page.lines().filter(|row| row.starts_with(&begin)).collect();
            let [row] = rows[..] else {
                panic!("{} has {} rows", setting.name, rows.len());
            };
            assert!(row.contains(setting.description()), "{row}");
            assert!(row.contains(&format!("`--{}`", setting.flag())), "{row}");
            assert!(row.ends_with(&format!("`{}` |", setting.variable())), "{row}");
            assert!(row.contains(&default(setting)), "{row}");
        }
        for group in GROUPS {
            assert!(page.contains(&format!("\n## `{}`\n", group.name)));
        }
    }

    #[test]
    fn every_description_is_a_sentence() {
        for setting in SETTINGS {
            let text = setting.description();
            let ends = text.ends_with('.') && text.matches(". ").count() == 0;
            assert!(ends && !text.contains("  "), "{}: {text}", setting.name);
        }
    }
}
