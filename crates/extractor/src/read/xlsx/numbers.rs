//! Numbers of cells, of which some are dates: only their format says so (ECMA-376, part 1, 18.8.30).

use std::collections::HashMap;

use domain::document::ExtractionError;
use time::{Date, Time};

use crate::read::package::{Node, Xml};

/// The Julian day from which days are counted.
const DAY_0: i32 = 2_415_019;
/// How many days later the other count begins.
const DAYS_TO_1904: f64 = 1_462.0;
const SECONDS_OF_A_DAY: f64 = 86_400.0;

/// How the cells of a file show numbers.
#[derive(Debug, Default)]
pub(super) struct Formats {
    /// Whether days are counted from 1904 on.
    pub(super) is_1904: bool,
    /// What a number is, by the style of its cell.
    kinds: Vec<NumberKind>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NumberKind {
    Number,
    Date,
    /// A time of day.
    Time,
    /// How long something takes, in hours that may be more than a day has.
    Duration,
    DateTime,
}

impl Formats {
    pub(super) fn read(xml: &mut Xml<'_>) -> Result<Self, ExtractionError> {
        let mut own = HashMap::new();
        let mut kinds = Vec::new();
        let mut is_of_cells = false;
        while let Some(node) = xml.next()? {
            match node {
                Node::Start(tag) => match tag.name() {
                    b"numFmt" => {
                        let code = tag.attribute("formatCode").unwrap_or_default();
                        own.insert(tag.number("numFmtId"), NumberKind::of_code(&code));
                    }
                    b"cellXfs" => is_of_cells = true,
                    b"xf" if is_of_cells => {
                        let id = tag.number("numFmtId");
                        let own = own.get(&id).copied();
                        kinds.push(own.unwrap_or_else(|| NumberKind::of_id(id.unwrap_or(0))));
                    }
                    _ => {}
                },
                Node::End(tag) if tag.name() == b"cellXfs" => is_of_cells = false,
                Node::End(_) | Node::Text(_) => {}
            }
        }
        Ok(Self { is_1904: false, kinds })
    }

    /// The number as a person would write it.
    pub(super) fn write(&self, value: &str, style: Option<u32>) -> String {
        let value = value.trim();
        let kind = style.and_then(|style| self.kinds.get(style as usize)).copied();
        let Some(number) = value.parse::<f64>().ok().filter(|number| number.is_finite()) else {
            return value.to_owned();
        };
        let moment = match kind.unwrap_or(NumberKind::Number) {
            NumberKind::Number => None,
            kind @ (NumberKind::Date
            | NumberKind::Time
            | NumberKind::Duration
            | NumberKind::DateTime) => self.moment(number, kind),
        };
        moment.unwrap_or_else(|| plain(number, value))
    }

    fn moment(&self, number: f64, kind: NumberKind) -> Option<String> {
        let has_date = matches!(kind, NumberKind::Date | NumberKind::DateTime);
        let number = if self.is_1904 && has_date { number + DAYS_TO_1904 } else { number };
        if !(0.0..3_000_000.0).contains(&number) {
            return None;
        }
        let seconds = (number * SECONDS_OF_A_DAY).round() as u64;
        let (day, second) = (seconds / 86_400, (seconds % 86_400) as u32);
        let hours =
            if kind == NumberKind::Duration { seconds / 3_600 } else { u64::from(second / 3_600) };
        let time = format!("{hours:02}:{:02}:{:02}", second / 60 % 60, second % 60);
        if !has_date {
            return Some(time);
        }
        // Excel counts a 29 February 1900, which there was not; only the days after it are counted right.
        let day = if (1..60).contains(&day) { day + 1 } else { day };
        let date = Date::from_julian_day(DAY_0.checked_add(i32::try_from(day).ok()?)?).ok()?;
        let has_time = kind == NumberKind::DateTime && second != u32::from(Time::MIDNIGHT.hour());
        Some(if has_time { format!("{date} {time}") } else { date.to_string() })
    }
}

impl NumberKind {
    /// The formats that every file knows.
    fn of_id(id: u32) -> Self {
        match id {
            14..=17 | 27..=31 | 34..=36 | 50..=58 => Self::Date,
            18..=21 | 32..=33 | 45 | 47 => Self::Time,
            46 => Self::Duration,
            22 => Self::DateTime,
            _ => Self::Number,
        }
    }

    fn of_code(code: &str) -> Self {
        let (mut has_day, mut has_hour, mut has_other) = (false, false, false);
        let mut is_duration = false;
        let mut chars = code.chars().map(|char| char.to_ascii_lowercase()).peekable();
        while let Some(char) = chars.next() {
            match char {
                '"' => _ = chars.by_ref().find(|end| *end == '"'),
                '\\' | '_' | '*' => _ = chars.next(),
                // `[h]` is hours, and any other word in brackets a colour or a place.
                '[' => {
                    let word: String = chars.by_ref().take_while(|end| *end != ']').collect();
                    is_duration |= ["h", "hh", "m", "mm", "s", "ss"].contains(&word.as_str());
                }
                'y' | 'd' => has_day = true,
                'h' | 's' => has_hour = true,
                'm' => has_other = true,
                // What follows is for negative numbers.
                ';' => break,
                _ => {}
            }
        }
        match (has_day, has_hour) {
            (false, _) if is_duration => Self::Duration,
            (true, true) => Self::DateTime,
            (false, true) => Self::Time,
            (true, false) => Self::Date,
            (false, false) if has_other => Self::Date,
            (false, false) => Self::Number,
        }
    }
}

/// A number with the fifteen digits that Excel shows: `0.30000000000000004` is 0.3.
fn plain(number: f64, value: &str) -> String {
    let rounded = format!("{number:.14e}").parse::<f64>();
    match rounded {
        Ok(rounded) if (1e-9..1e15).contains(&rounded.abs()) || rounded == 0.0 => {
            rounded.to_string()
        }
        Ok(_) | Err(_) => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_they_are_shown() {
        let formats = Formats::default();
        for (value, expected) in [
            ("0.30000000000000004", "0.3"),
            ("42.0", "42"),
            ("-1234567", "-1234567"),
            ("1E+20", "1E+20"),
            ("0", "0"),
            ("NaN", "NaN"),
            ("x", "x"),
        ] {
            assert_eq!(formats.write(value, Some(7)), expected);
        }
    }

    #[test]
    fn dates_are_recognised_by_their_format() {
        let kinds =
            vec![NumberKind::Date, NumberKind::Time, NumberKind::DateTime, NumberKind::Duration];
        let mut formats = Formats { is_1904: false, kinds };
        let shown = |formats: &Formats, value, style| formats.write(value, Some(style));
        assert_eq!(shown(&formats, "46347", 0), "2026-11-21");
        assert_eq!(shown(&formats, "46347.75", 2), "2026-11-21 18:00:00");
        assert_eq!(shown(&formats, "46347.999999", 2), "2026-11-22");
        assert_eq!(shown(&formats, "0.5", 1), "12:00:00");
        assert_eq!(shown(&formats, "46347.5", 1), "12:00:00");
        assert_eq!(shown(&formats, "1.5", 3), "36:00:00");
        assert_eq!(shown(&formats, "1", 0), "1900-01-01");
        assert_eq!(shown(&formats, "59", 0), "1900-02-28");
        assert_eq!(shown(&formats, "61", 0), "1900-03-01");
        assert_eq!(shown(&formats, "-1", 0), "-1");
        assert_eq!(shown(&formats, "1e300", 0), "1e300");
        formats.is_1904 = true;
        assert_eq!(shown(&formats, "44885", 0), "2026-11-21");
        assert_eq!(shown(&formats, "1.5", 3), "36:00:00");
    }

    #[test]
    fn codes_say_what_a_number_is() {
        for (code, kind) in [
            ("General", NumberKind::Number),
            ("0.00%", NumberKind::Number),
            ("#,##0.00\\ \"days\"", NumberKind::Number),
            ("[Red]0.00", NumberKind::Number),
            ("dd.mm.yyyy", NumberKind::Date),
            ("mmm", NumberKind::Date),
            ("[h]:mm", NumberKind::Duration),
            ("hh:mm", NumberKind::Time),
            ("[$-407]yyyy-mm-dd hh:mm;@", NumberKind::DateTime),
        ] {
            assert_eq!(NumberKind::of_code(code), kind, "{code}");
        }
    }
}
