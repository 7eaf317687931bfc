//! Numbers as they go out.

use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

/// What an input says instead of a number that JSON has not: too large for any field.
const NOT_FINITE: &str = "1e999";

/// A number. One that came in as `1` goes out as `1`, not as `1.0`.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default, Deserialize)]
#[serde(transparent)]
pub struct Number(pub f64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        write_number(&self.0, serializer)
    }
}

/// Writes a number as [`Number`] does; for `#[serde(serialize_with)]`.
///
/// # Errors
/// What the serializer says.
pub fn write_number<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if !number.is_finite() {
        let text = RawValue::from_string(NOT_FINITE.to_owned());
        return text.map_err(serde::ser::Error::custom)?.serialize(serializer);
    }
    if number.fract() == 0.0 && number.abs() < 1e15 {
        #[expect(clippy::cast_possible_truncation, reason = "a whole number below 2^53 is exact")]
        return serializer.serialize_i64(*number as i64);
    }
    serializer.serialize_f64(*number)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Number, write_number};

    proptest! {
        #[test]
        fn a_number_comes_back_as_it_went_in(number in any::<f64>()) {
            prop_assume!(number.is_finite());
            let text = serde_json::to_string(&Number(number)).unwrap();
            prop_assert_eq!(serde_json::from_str::<Number>(&text).unwrap(), Number(number));
        }
    }

    #[test]
    fn the_nearest_number_below_2_is_not_2() {
        let number: Number = serde_json::from_str("1.9999999999999998").unwrap();
        assert_eq!(serde_json::to_string(&number).unwrap(), "1.9999999999999998");
    }

    #[test]
    fn whole_numbers_have_no_fraction() {
        for (number, text) in [
            (1.0, "1"),
            (-0.0, "0"),
            (0.5, "0.5"),
            (999_999_999_999_999.0, "999999999999999"),
            (1e15, "1000000000000000.0"),
            (1e300, "1e+300"),
            (5e-324, "5e-324"),
            (f64::NAN, "1e999"),
            (f64::NEG_INFINITY, "1e999"),
        ] {
            let mut json = Vec::new();
            write_number(&number, &mut serde_json::Serializer::new(&mut json)).unwrap();
            assert_eq!(String::from_utf8(json).unwrap(), text);
        }
    }
}
