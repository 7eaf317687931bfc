//! Names that no setting has, and what was probably meant.

use super::define::Setting;
use super::table::SETTINGS;

/// The setting whose name is nearest, if one is near: written alike, or the same word in a group.
pub fn nearest(name: &str) -> Option<&'static Setting> {
    let same_word = SETTINGS.iter().find(|setting| {
        let word = setting.name.rsplit_once('.').map(|(_, word)| word);
        word == Some(name)
    });
    same_word.or_else(|| {
        let bound = (name.len() / 3).max(1);
        SETTINGS
            .iter()
            .map(|setting| (strsim::damerau_levenshtein(name, setting.name), setting))
            .filter(|(distance, _)| *distance <= bound)
            .min_by_key(|(distance, _)| *distance)
            .map(|(_, setting)| setting)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_alike_is_found() {
        for (name, meant) in [
            ("listn", Some("listen")),
            ("datadir", Some("data_dir")),
            ("limits.jsonbody", Some("limits.json_body")),
            ("limits_json_body", Some("limits.json_body")),
            ("json_body", Some("limits.json_body")),
            ("nope", None),
            ("", None),
        ] {
            assert_eq!(nearest(name).map(|setting| setting.name), meant, "{name}");
        }
    }
}
