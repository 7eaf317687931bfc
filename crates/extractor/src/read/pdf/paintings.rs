//! What is drawn on a page, as `pdfimages -list` has it.

use std::collections::HashSet;

/// An image on a page each time that it is drawn there.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Painting {
    /// Counted from 0.
    pub(super) number: u32,
    pub(super) width: u64,
    pub(super) height: u64,
    /// Whether the same was drawn before.
    pub(super) is_known: bool,
}

/// The paintings on a page in their order. What is no row about one is passed over, as the heading is.
pub(super) fn listed(list: &[u8]) -> Vec<Painting> {
    let list = String::from_utf8_lossy(list);
    let mut known = HashSet::new();
    list.lines().filter_map(|row| painting(row, &mut known)).collect()
}

fn painting<'a>(row: &'a str, known: &mut HashSet<(&'a str, u32)>) -> Option<Painting> {
    let columns: Vec<_> = row.split_whitespace().collect();
    // The page, the number, the kind, the size; colour, components, bits, encoding, interpolation; the object.
    let [_, number, kind, width, height, _, _, _, _, _, object, ..] = columns.as_slice() else {
        return None;
    };
    // What stands in the page itself is no object, and another one each time. An image and its mask are
    // one object.
    let is_known = object.parse().is_ok_and(|object| !known.insert((*kind, object)));
    let [width, height] = [width.parse().ok()?, height.parse().ok()?];
    Some(Painting { number: number.parse().ok()?, width, height, is_known })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_and_what_comes_again_is_known() {
        let list = "\
page   num  type   width height color comp bpc  enc interp  object ID x-ppi y-ppi size ratio
--------------------------------------------------------------------------------------------
   1     0 image    5000  4000  gray    1   8  image  no         4  0  3600  3600 23.8M 100%
   1     1 smask     100   100  gray    1   8  image  no         4  0  3600  3600 23.8M 100%
   1     2 image    5000  4000  gray    1   8  image  no         4  0  3600  3600 23.8M 100%
   1     3 image       4     4  gray    1   8  image  no   [inline]      29    29    0B 0.0%
   1     4 image       4     4  gray    1   8  image  no   [inline]      29    29    0B 0.0%
";
        let row = |number, width, height, is_known| Painting { number, width, height, is_known };
        let expected = [
            row(0, 5_000, 4_000, false),
            row(1, 100, 100, false),
            row(2, 5_000, 4_000, true),
            row(3, 4, 4, false),
            row(4, 4, 4, false),
        ];
        assert_eq!(listed(list.as_bytes()), expected);
        assert_eq!(listed(b"page num\n\xff\n1 x image 1 1 - 1 1 - - 1 0\n"), []);
    }
}
