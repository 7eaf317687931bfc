//! The settings file.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use toml::de::{DeTable, DeValue};

use super::ConfigFile;
use crate::settings::error::ErrorLines;
use crate::settings::table::{GROUPS, SETTINGS};
use crate::settings::unknown;
use crate::settings::value::{FoundValue, Layer, Origin, RawValue};

/// The file that is read unless another one is named: `botyard.toml` in the working directory, or in builds for
/// packages, which say so by this variable, that of the system.
pub const FILE: &str = match option_env!("BOTYARD_SETTINGS_FILE") {
    Some(file) => file,
    None => "botyard.toml",
};

/// Reads the file that was named, which must exist, or the usual one, which need not.
pub fn from_file(folder: &Path, named: Option<&ConfigFile>, errors: &mut ErrorLines) -> Layer {
    let name = named.map_or(FILE, |named| named.path.as_str());
    match (fs::read_to_string(folder.join(name)), named) {
        (Ok(text), _) => from_toml(name, &text, errors),
        (Err(error), None) if error.kind() == ErrorKind::NotFound => Layer::new(),
        (Err(error), None) => {
            errors.add(format!("settings file {name} can't be read: {error}"));
            Layer::new()
        }
        (Err(error), Some(named)) => {
            let origin = &named.origin;
            errors.add(format!("settings file {name} ({origin}) can't be read: {error}"));
            Layer::new()
        }
    }
}

fn from_toml(name: &str, text: &str, errors: &mut ErrorLines) -> Layer {
    let mut file = File { name, text, layer: Layer::new(), errors };
    match DeTable::parse(text) {
        Ok(table) => file.read_table(table.get_ref(), None),
        Err(error) => file.refuse_syntax(&error),
    }
    file.layer
}

/// A file while it is read.
struct File<'a> {
    name: &'a str,
    text: &'a str,
    layer: Layer,
    errors: &'a mut ErrorLines,
}

impl File<'_> {
    fn read_table(&mut self, table: &DeTable<'_>, group: Option<&str>) {
        for (key, value) in table {
            let name = match group {
                Some(group) => format!("{group}.{}", key.get_ref()),
                None => key.get_ref().to_string(),
            };
            let origin = Origin::File(self.name.to_owned(), self.line(key.span().start));
            let members = value.get_ref().as_table();
            match members.filter(|_| group.is_none() && is_group(&name)) {
                Some(members) => self.read_table(members, Some(&name)),
                None => self.read_value(&name, value.get_ref(), origin),
            }
        }
    }

    fn read_value(&mut self, name: &str, value: &DeValue<'_>, origin: Origin) {
        if is_group(name) {
            let complaint = format!("is a group of settings; write a table [{name}]");
            self.errors.add_value(name, &origin, &complaint);
            return;
        }
        let Some(setting) = SETTINGS.iter().find(|setting| setting.name == name) else {
            let hint = unknown::nearest(name)
                .map(|near| format!("; did you mean {}?", near.name))
                .unwrap_or_default();
            self.errors.add(format!("unknown setting {name} ({origin:#}){hint}"));
            return;
        };
        match given(value) {
            Some(given) => {
                self.layer.insert(setting.name, FoundValue { given, origin });
            }
            None => {
                let complaint = format!("this {}", setting.shape.mismatch());
                self.errors.add_value(name, &origin, &complaint);
            }
        }
    }

    /// The library would show the line itself, but a password could stand in it.
    fn refuse_syntax(&mut self, error: &toml::de::Error) {
        let line = error.span().map_or(1, |span| self.line(span.start));
        let message = error.message().replace('\n', ", ");
        self.errors.add(format!("settings file {}, line {line}: {message}", self.name));
    }

    fn line(&self, position: usize) -> usize {
        let before = self.text.as_bytes().iter().take(position);
        before.filter(|byte| **byte == b'\n').count() + 1
    }
}

fn is_group(name: &str) -> bool {
    GROUPS.iter().any(|group| group.name == name)
}

/// The value as a variable would give it; `None` for a table, or a list of more than texts.
fn given(value: &DeValue<'_>) -> Option<RawValue> {
    let Some(elements) = value.as_array() else {
        return text(value).map(RawValue::Text);
    };
    let texts = elements.iter().map(|element| text(element.get_ref()));
    texts.collect::<Option<_>>().map(RawValue::List)
}

fn text(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) => i128::from_str_radix(number.as_str(), number.radix())
            .map(|number| number.to_string())
            .ok(),
        DeValue::Float(number) => Some(number.as_str().to_owned()),
        DeValue::Boolean(switch) => Some(switch.to_string()),
        DeValue::Datetime(time) => Some(time.to_string()),
        DeValue::Array(_) | DeValue::Table(_) => None,
    }
}
