//! The environment variables.

use std::ffi::OsString;

use super::ConfigFile;
use crate::settings::error::ErrorLines;
use crate::settings::table::SETTINGS;
use crate::settings::unknown;
use crate::settings::value::{FoundValue, Layer, Origin, RawValue};

const PREFIX: &str = "BOTYARD_";
const CONFIG: &str = "BOTYARD_CONFIG";

/// What the variables say.
#[derive(Default)]
pub struct Variables {
    /// The settings.
    pub layer: Layer,
    /// The file that `BOTYARD_CONFIG` names.
    pub config: Option<ConfigFile>,
}

/// Reads every variable whose name begins with `BOTYARD_`; each must be a setting.
pub fn from_variables(
    variables: impl IntoIterator<Item = (OsString, OsString)>,
    errors: &mut ErrorLines,
) -> Variables {
    let mut all = Variables::default();
    for (name, value) in variables {
        let name = name.to_string_lossy().into_owned();
        let Some(word) = name.strip_prefix(PREFIX) else {
            continue;
        };
        let setting = SETTINGS.iter().find(|setting| setting.variable() == name);
        if setting.is_none() && name != CONFIG {
            errors.add(unknown_variable(&name, word));
            continue;
        }
        let Ok(value) = value.into_string() else {
            errors.add(format!("variable {name}: its value is no UTF-8"));
            continue;
        };
        let origin = Origin::Variable(name);
        match setting {
            Some(setting) => {
                let given = RawValue::from_text(&value, setting.shape.list);
                all.layer.insert(setting.name, FoundValue { given, origin });
            }
            None if value.is_empty() => {}
            None => {
                let path = value;
                all.config = Some(ConfigFile { path, origin });
            }
        }
    }
    all
}

fn unknown_variable(name: &str, word: &str) -> String {
    let setting = word.to_lowercase().replace("__", ".");
    let hint = unknown::nearest(&setting)
        .map(|near| format!("; did you mean {}?", near.variable()))
        .unwrap_or_default();
    format!("unknown setting {setting} (variable {name}){hint}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::error::SettingsError;

    fn read(variables: &[(&str, &str)]) -> (Variables, String) {
        let mut errors = ErrorLines::default();
        let variables = variables.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        let read = from_variables(variables, &mut errors);
        (read, SettingsError::from(errors).to_string())
    }

    #[test]
    fn a_dot_is_two_underscores() {
        let (read, errors) = read(&[
            ("PATH", "/bin"),
            ("botyard_listen", "x"),
            ("BOTYARD_DATA_DIR", "d"),
            ("BOTYARD_LIMITS__JSON_BODY", "1KiB"),
            ("BOTYARD_CONFIG", "x.toml"),
        ]);
        assert_eq!(errors, "");
        let names: Vec<_> = read.layer.keys().copied().collect();
        assert_eq!(names, ["data_dir", "limits.json_body"]);
        assert_eq!(read.config.unwrap().path, "x.toml");
    }

    #[test]
    fn an_unknown_variable_is_named() {
        for (name, error) in [
            ("BOTYARD_NOPE", "unknown setting nope (variable BOTYARD_NOPE)"),
            ("BOTYARD_", "unknown setting  (variable BOTYARD_)"),
            (
                "BOTYARD_LIMITS_JSON_BODY",
                "unknown setting limits_json_body (variable BOTYARD_LIMITS_JSON_BODY); \
                 did you mean BOTYARD_LIMITS__JSON_BODY?",
            ),
        ] {
            let (read, errors) = read(&[(name, "1")]);
            assert_eq!(errors, error);
            assert!(read.layer.is_empty());
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_value_that_is_no_text_is_a_violation() {
        use std::os::unix::ffi::OsStringExt as _;
        let mut errors = ErrorLines::default();
        let odd = OsString::from_vec(vec![0xff]);
        let variables = [("BOTYARD_LISTEN".into(), odd.clone()), ("OTHER".into(), odd)];
        from_variables(variables, &mut errors);
        let errors = SettingsError::from(errors).to_string();
        assert_eq!(errors, "variable BOTYARD_LISTEN: its value is no UTF-8");
    }
}
