//! Numbers, sizes, and yes or no.

use super::{Scalar, Shape};

/// The number that a text of digits stands for; one beyond `u64` becomes the largest, which every
/// caller then finds too large.
fn digits(text: &str) -> Option<u64> {
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().unwrap_or(u64::MAX))
}

/// The number before one of the units, times what that unit stands for.
pub fn measured(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    units.iter().find_map(|(unit, factor)| {
        let number = digits(text.strip_suffix(unit)?)?;
        Some(number.saturating_mul(*factor))
    })
}

macro_rules! whole_numbers {
    ($($number:ty),+) => { $(
        impl Scalar for $number {
            type Value = Self;
            const SHAPE: Shape = Shape::new("whole number", "digits only, such as 250", "NUMBER");

            fn read(text: &str) -> Result<Self, String> {
                let number = digits(text).ok_or_else(|| Self::SHAPE.mismatch())?;
                Self::try_from(number)
                    .ok()
                    .filter(|_| number != u64::MAX)
                    .ok_or_else(|| format!("is too large; the most is {}", <$number>::MAX))
            }
        }
    )+ };
}

whole_numbers!(u8, u32, u64, usize);

/// A number of bytes.
pub struct Size;

const SIZE_UNITS: [(&str, u64); 4] =
    [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("", 1)];

impl Scalar for Size {
    type Value = usize;
    const SHAPE: Shape = Shape::new("size", "a number of bytes or 64KiB, 100MiB, 50GiB", "SIZE");

    fn read(text: &str) -> Result<usize, String> {
        let bytes = measured(text, &SIZE_UNITS).ok_or_else(|| Self::SHAPE.mismatch())?;
        usize::try_from(bytes)
            .ok()
            .filter(|_| bytes != u64::MAX)
            .ok_or_else(|| "is more than this machine can address".to_owned())
    }
}

impl Scalar for bool {
    type Value = Self;
    const SHAPE: Shape = Shape::new("switch", "true or false", "true|false");

    fn read(text: &str) -> Result<Self, String> {
        text.parse().map_err(|_| Self::SHAPE.mismatch())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_digits() {
        assert_eq!(<u32 as Scalar>::read("0"), Ok(0));
        assert_eq!(<u32 as Scalar>::read("4294967295"), Ok(u32::MAX));
        for bad in ["", "-1", "+1", "1.0", "1e3", "0x10", " 1", "1_000", "one", "١"] {
            let complaint = <u32 as Scalar>::read(bad).unwrap_err();
            assert!(complaint.starts_with("is no whole number"), "{bad}");
        }
        let complaint = <u32 as Scalar>::read("4294967296").unwrap_err();
        assert_eq!(complaint, "is too large; the most is 4294967295");
        assert!(<u64 as Scalar>::read("99999999999999999999").is_err());
    }

    #[test]
    fn sizes_have_binary_units() {
        for (text, bytes) in [
            ("0", 0),
            ("1000", 1000),
            ("64KiB", 65_536),
            ("100MiB", 104_857_600),
            ("50GiB", 53_687_091_200),
        ] {
            assert_eq!(Size::read(text), Ok(bytes));
        }
        for bad in ["", "2MB", "2M", "2mib", "2 MiB", "MiB", "-1", "1.5MiB", "2MiBKiB"] {
            let complaint = Size::read(bad).unwrap_err();
            assert_eq!(complaint, "is no size; write a number of bytes or 64KiB, 100MiB, 50GiB");
        }
        assert!(Size::read("99999999999GiB").is_err());
        assert!(Size::read("99999999999999999999").is_err());
    }

    #[test]
    fn switches_are_true_or_false() {
        assert_eq!(<bool as Scalar>::read("true"), Ok(true));
        assert_eq!(<bool as Scalar>::read("false"), Ok(false));
        for bad in ["", "1", "yes", "True"] {
            assert!(<bool as Scalar>::read(bad).is_err(), "{bad}");
        }
    }
}
