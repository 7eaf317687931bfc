//! The flags of the command line.

use clap::{Arg, ArgAction, ArgMatches, ValueHint};

use super::ConfigFile;
use super::file::FILE;
use crate::settings::define::Setting;
use crate::settings::table::SETTINGS;
use crate::settings::value::{FoundValue, Layer, Origin, RawValue};

const HEADING: &str = "Settings";
const CONFIG: &str = "config";
/// Settings that people need first.
const SHOWN_EVERYWHERE: [&str; 3] = ["listen", "data_dir", "database_url"];

/// A flag for every setting and `--config`, for every command. The help shows only those that people need first,
/// because there are too many settings to find a command's own flags among them.
pub fn flags() -> Vec<Arg> {
    let config = Arg::new(CONFIG)
        .long(CONFIG)
        .value_name("FILE")
        .value_hint(ValueHint::FilePath)
        .help(format!("File to read settings from [default: {FILE}, if there is one]"))
        .global(true)
        .help_heading(HEADING);
    let settings = SETTINGS.iter().map(|setting| {
        let flag = flag(setting).global(true).help_heading(HEADING);
        flag.hide(!SHOWN_EVERYWHERE.contains(&setting.name))
    });
    std::iter::once(config).chain(settings).collect()
}

/// The flags of all settings as a help shows them that is about nothing else: by group.
pub fn listed_flags() -> Vec<Arg> {
    let listed =
        |setting: &'static Setting| flag(setting).help_heading(setting.group().unwrap_or(HEADING));
    SETTINGS.iter().map(listed).collect()
}

fn flag(setting: &'static Setting) -> Arg {
    let shape = setting.shape;
    let (action, placeholder) = if shape.list {
        (ArgAction::Append, format!("{},…", shape.placeholder))
    } else {
        (ArgAction::Set, shape.placeholder.to_owned())
    };
    Arg::new(setting.name)
        .long(setting.flag())
        .value_name(placeholder)
        .help(help(setting))
        .action(action)
}

fn help(setting: &Setting) -> String {
    let description = setting.description().trim_end_matches('.').replace('`', "");
    if setting.default.is_empty() {
        return description;
    }
    format!("{description} [default: {}]", setting.default)
}

/// The settings that stand on the command line. A list may be written in several flags.
pub fn from_flags(matches: &ArgMatches) -> Layer {
    let found = |setting: &'static Setting| {
        let values = matches.try_get_many::<String>(setting.name).ok()??;
        let text = values.map(String::as_str).collect::<Vec<_>>().join(",");
        let given = RawValue::from_text(&text, setting.shape.list);
        let origin = Origin::Flag(setting.flag());
        Some((setting.name, FoundValue { given, origin }))
    };
    SETTINGS.iter().filter_map(found).collect()
}

/// The file that `--config` names.
pub fn config_flag(matches: &ArgMatches) -> Option<ConfigFile> {
    let path = matches.try_get_one::<String>(CONFIG).ok()??;
    (!path.is_empty())
        .then(|| ConfigFile { path: path.clone(), origin: Origin::Flag(CONFIG.to_owned()) })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::Command;

    use super::*;

    fn command() -> Command {
        Command::new("botyard").subcommand(Command::new("serve")).args(flags())
    }

    #[test]
    fn every_setting_has_a_flag_of_its_own() {
        command().debug_assert();
        let names: BTreeSet<_> = SETTINGS.iter().map(Setting::flag).collect();
        assert_eq!(names.len(), SETTINGS.len());
        assert!(names.contains("data-dir") && names.contains("limits-json-body"));
    }

    #[test]
    fn the_help_shows_few_settings() {
        let shown: Vec<_> = flags().into_iter().filter(|flag| !flag.is_hide_set()).collect();
        let shown: Vec<_> = shown.iter().filter_map(Arg::get_long).collect();
        assert_eq!(shown, ["config", "listen", "data-dir", "database-url"]);
        let help = command().render_long_help().to_string();
        assert!(help.contains("Settings:") && help.contains("--listen <ADDRESS:PORT>"), "{help}");
        assert!(!help.contains("--limits-"), "{help}");
    }

    #[test]
    fn a_list_of_flags_has_groups_and_defaults() {
        let help = Command::new("settings").args(listed_flags()).render_help().to_string();
        let limits = help.split("\nlimits:\n").nth(1).unwrap();
        assert!(limits.contains("--limits-json-body <SIZE>"), "{help}");
        assert!(limits.contains("[default: 2MiB]"), "{help}");
    }

    #[test]
    fn flags_stand_before_or_after_the_subcommand() {
        for line in [
            ["botyard", "--listen", "1.2.3.4:5", "serve"],
            ["botyard", "serve", "--listen", "1.2.3.4:5"],
        ] {
            let matches = command().try_get_matches_from(line).unwrap();
            let layer = from_flags(&matches);
            assert_eq!(layer.len(), 1);
            let found = layer.get("listen").unwrap();
            assert_eq!(found.given.to_string(), "1.2.3.4:5");
            assert_eq!(found.origin.to_string(), "flag --listen");
        }
    }

    #[test]
    fn the_flags_of_a_list_add_up() {
        let line = ["botyard", "--trusted-proxies", "a, b", "--trusted-proxies=c"];
        let matches = command().try_get_matches_from(line).unwrap();
        let layer = from_flags(&matches);
        let found = layer.get("trusted_proxies").unwrap();
        assert_eq!(found.given.to_string(), "a,b,c");
    }
}
