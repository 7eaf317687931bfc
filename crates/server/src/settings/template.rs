//! The text of a `botyard.toml` that has every setting.

use std::fmt::Write as _;

use toml::Value;

use super::define::Setting;
use super::table::{GROUPS, SETTINGS};
use super::value::RawValue;

const HEAD: &str = "\
The settings of botyard, all of them with their defaults. To change one, take away the # in front of its name. Names \
of tables, such as [limits], may stay. A variable wins over this file, and a flag over both: BOTYARD_LIMITS__QUEUE=100 \
and --limits-queue 100 mean what queue = 100 means in the table [limits]. `botyard config` shows the settings in force \
and where each comes from.";

/// How long a line of a comment is at most.
const WIDTH: usize = 100;

/// The text of a settings file in which nothing is set, because each setting stands there as a comment, with its
/// default and its description. A line that begins with `#` and a letter is a setting, one that begins with `#` and
/// a blank is text.
pub fn template() -> String {
    let mut file = File(String::new());
    file.comment(HEAD);
    file.kinds();
    file.settings(None);
    for group in GROUPS {
        file.line("");
        file.comment(group.description());
        file.line(&format!("[{}]", group.name));
        file.settings(Some(group.name));
    }
    file.0
}

struct File(String);

impl File {
    /// How values are written, a line for each kind.
    fn kinds(&mut self) {
        self.line("#");
        let mut seen = Vec::new();
        for Setting { shape, .. } in SETTINGS {
            if !seen.contains(&shape.noun) {
                seen.push(shape.noun);
                self.line(&format!("#   {}: {}", shape.noun, shape.spelling));
            }
        }
    }

    fn settings(&mut self, group: Option<&str>) {
        for setting in SETTINGS.iter().filter(|setting| setting.group() == group) {
            self.line("");
            self.comment(setting.description());
            let key = setting.name.rsplit('.').next().unwrap_or(setting.name);
            self.line(&format!("#{key} = {}", default(setting)));
        }
    }

    /// A comment, broken between words.
    fn comment(&mut self, text: &str) {
        let mut line = String::from("#");
        for word in text.split_whitespace() {
            if line.chars().count() + 1 + word.chars().count() > WIDTH {
                self.line(&line);
                line.truncate(1);
            }
            line.push(' ');
            line.push_str(word);
        }
        self.line(&line);
    }

    fn line(&mut self, line: &str) {
        // Writing to a string can't fail.
        let _ = writeln!(self.0, "{line}");
    }
}

/// The default as TOML.
fn default(setting: &Setting) -> Value {
    match RawValue::from_text(setting.default, setting.shape.list) {
        RawValue::Text(text) => text.parse().map_or(Value::String(text), Value::Integer),
        RawValue::List(texts) => Value::Array(texts.into_iter().map(Value::String).collect()),
    }
}
