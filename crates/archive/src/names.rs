//! What may be in the name of an entry, and when two names are the same.

use std::collections::HashMap;

use domain::archive::ArchiveRule::{
    self, BadName, DuplicateName, NameTooLong, PathTraversal, TooDeep,
};
use unicode_normalization::UnicodeNormalization;

use crate::cp437;

/// How many bytes a name has at most.
pub(crate) const LONGEST: usize = 512;
/// How many levels a path has at most, the file included.
const DEEPEST: usize = 32;

/// The text of a name. Many writers use UTF-8 without saying so.
pub(crate) fn decode(name: &[u8], is_utf8: bool) -> Result<String, ArchiveRule> {
    match str::from_utf8(name) {
        Ok(text) => Ok(text.to_owned()),
        Err(_) if is_utf8 => Err(BadName),
        Err(_) => Ok(cp437::decode(name)),
    }
}

/// The names of an archive.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// By their folded paths; whether it is a file.
    taken: HashMap<String, bool>,
}

impl Names {
    /// Adds a name, which must be valid and not taken yet.
    pub(crate) fn take(&mut self, name: &str) -> Result<(), ArchiveRule> {
        let path = fold(&path(name)?);
        if self.taken.insert(path, !name.ends_with('/')).is_some() {
            return Err(DuplicateName);
        }
        Ok(())
    }

    /// A path can't be a file and the folder of another entry.
    pub(crate) fn finish(self) -> Result<(), ArchiveRule> {
        for path in self.taken.keys() {
            let mut folders = path.match_indices('/').filter_map(|(end, _)| path.get(..end));
            if folders.any(|folder| self.taken.get(folder) == Some(&true)) {
                return Err(DuplicateName);
            }
        }
        Ok(())
    }
}

/// The path that a name stands for, without a slash at its end.
fn path(name: &str) -> Result<String, ArchiveRule> {
    if name.is_empty() || name.contains(|c: char| c.is_control() || c == '\\') {
        return Err(BadName);
    }
    if name.len() > LONGEST {
        return Err(NameTooLong);
    }
    let has_drive = matches!(name.as_bytes(), [drive, b':', ..] if drive.is_ascii_alphabetic());
    if has_drive || name.starts_with('/') {
        return Err(PathTraversal);
    }
    let segments = name.strip_suffix('/').unwrap_or(name).split('/');
    let mut path = Vec::new();
    for (level, segment) in segments.enumerate() {
        if level >= DEEPEST {
            return Err(TooDeep);
        }
        // Windows leaves out blanks around it.
        match segment.trim() {
            ".." => return Err(PathTraversal),
            "" => return Err(BadName),
            // Some writers begin every name with `./`.
            "." => {}
            _ if is_another_on_windows(segment) => return Err(BadName),
            _ => path.push(segment),
        }
    }
    let is_itself = name == "." || name.ends_with("/.");
    if is_itself { Err(BadName) } else { Ok(path.join("/")) }
}

/// Whether Windows makes another name of a part of a path: it leaves out dots and blanks at the end, takes
/// what follows a colon for a stream of the file, and some names for devices, whatever follows a dot.
fn is_another_on_windows(segment: &str) -> bool {
    let stem = segment.split('.').next().unwrap_or_default().trim_end();
    segment.ends_with(['.', ' ']) || segment.contains(':') || is_device(stem)
}

/// Whether Windows has a device of this name. Superscript digits count like others.
fn is_device(name: &str) -> bool {
    const ALONE: [&str; 6] = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"];
    const NUMBERED: [&str; 2] = ["COM", "LPT"];
    let is_digit = |rest: &str| {
        let mut chars = rest.chars();
        let first = chars.next();
        first.is_some_and(|char| char.is_ascii_digit() || "¹²³".contains(char))
            && chars.next().is_none()
    };
    let numbered = name.split_at_checked(3).filter(|(_, number)| is_digit(number));
    ALONE.iter().any(|device| name.eq_ignore_ascii_case(device))
        || numbered.is_some_and(|(kind, _)| NUMBERED.iter().any(|it| kind.eq_ignore_ascii_case(it)))
}

/// What is the same for all names that some file system takes for one: neither case nor the way in
/// which accents are written count. Going through upper case makes one of letters that have several
/// forms, such as `σ` and `ς`, `ß` and `ss`.
fn fold(path: &str) -> String {
    let lower = path.nfd().flat_map(char::to_uppercase).flat_map(char::to_lowercase);
    lower.nfd().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(names: &[&str]) -> Result<(), ArchiveRule> {
        let mut all = Names::default();
        names.iter().try_for_each(|name| all.take(name))?;
        all.finish()
    }

    #[test]
    fn names_are_utf8_or_code_page_437() {
        assert_eq!(decode("Grüße".as_bytes(), true).unwrap(), "Grüße");
        assert_eq!(decode("Grüße".as_bytes(), false).unwrap(), "Grüße");
        assert_eq!(decode(b"Gr\x81\xe1e", false).unwrap(), "Grüße");
        assert_eq!(decode(b"Gr\x81\xe1e", true), Err(BadName));
    }

    #[test]
    fn ordinary_names_are_taken() {
        let deepest = "d/".repeat(DEEPEST - 1) + "f";
        let longest = "ä".repeat(LONGEST / 2);
        let names = [
            "./",
            "./a",
            "a.b/",
            "a.b/c",
            "a.b/./d",
            "..a",
            "größe/日本.txt",
            " x",
            "com",
            "COM10",
            "console.log",
            "nulls",
            "x.nul",
            "a b",
            "-",
            "\u{1f600}",
            &deepest,
            &longest,
        ];
        assert_eq!(taken(&names), Ok(()));
    }

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        for name in [
            "..",
            "../",
            "../x",
            "a/..",
            "a/../b",
            "a/../../x",
            ".. /x",
            "a/ ..",
            "./../x",
            "/",
            "/x",
            "//x/y",
            "C:",
            "C:x",
            "c:/x",
        ] {
            assert_eq!(taken(&[name]), Err(PathTraversal), "{name:?}");
        }
    }

    #[test]
    fn names_that_are_none_are_refused() {
        for name in [
            "", "a\\b", "..\\x", "\\", "a\0", "a\nb", "\u{7f}", "a\u{85}", "a//b", "a//", " ",
            "a/ /b", ".", "a/.",
        ] {
            assert_eq!(taken(&[name]), Err(BadName), "{name:?}");
        }
    }

    #[test]
    fn names_that_windows_takes_for_another_are_refused() {
        for name in [
            "a.",
            "a ",
            "a. ",
            "a .",
            "...",
            "b..",
            "a./b",
            "a /b",
            "a/b./",
            "aa:b",
            "a/b:c",
            "CON",
            "nul",
            "NUL.txt",
            "nul.tar.gz",
            "Aux.js",
            "a/prn",
            "nul /a",
            "con .x",
            "COM0",
            "com1",
            "LPT9.c",
            "COM¹",
            "lpt³.x",
            "CONIN$",
            "conout$.x",
        ] {
            assert_eq!(taken(&[name]), Err(BadName), "{name:?}");
        }
    }

    #[test]
    fn names_have_bounds() {
        assert_eq!(taken(&[&"x".repeat(LONGEST + 1)]), Err(NameTooLong));
        assert_eq!(taken(&[&("d/".repeat(DEEPEST) + "f")]), Err(TooDeep));
        assert_eq!(taken(&[&"d/".repeat(DEEPEST)]), Ok(()));
        assert_eq!(taken(&[&"d/".repeat(DEEPEST + 1)]), Err(TooDeep));
    }

    #[test]
    fn names_that_some_file_system_takes_for_one_are_refused() {
        for [one, other] in [
            ["a", "a"],
            ["a/", "a/"],
            ["a", "a/"],
            ["./a", "a"],
            ["a/b", "a/./b"],
            ["a", "A"],
            ["Ärger", "ärger"],
            ["a\u{308}", "\u{e4}"],
            ["A\u{308}", "\u{e4}"],
            ["Straße", "STRASSE"],
            ["ΣΑΣ", "σας"],
            ["\u{212a}", "k"],
            ["\u{1f80}", "\u{1f08}\u{399}"],
        ] {
            assert_eq!(taken(&[one, other]), Err(DuplicateName), "{one:?} {other:?}");
            assert_eq!(taken(&[other, one]), Err(DuplicateName), "{other:?} {one:?}");
        }
    }

    #[test]
    fn a_file_is_no_folder() {
        for [file, inside] in [["a", "a/b"], ["A", "a/b/c/"], ["x/a", "x/a/b"]] {
            assert_eq!(taken(&[file, inside]), Err(DuplicateName), "{file:?} {inside:?}");
            assert_eq!(taken(&[inside, file]), Err(DuplicateName), "{inside:?} {file:?}");
        }
        assert_eq!(taken(&["a/", "a/b", "ab", "a.b/c"]), Ok(()));
    }
}
