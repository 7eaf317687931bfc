//! Archives that were cut off, or changed anywhere.

use std::sync::LazyLock;

use domain::archive::ArchiveError::{Bad, NotAnArchive, Unreadable};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::accepted::{honest, samples};
use crate::check;

/// Accepted archives of moderate size.
static ARCHIVES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let samples = samples().into_iter().map(|(_, bytes)| bytes);
    let honest = honest().into_iter().map(|(_, zip)| zip.bytes());
    samples.chain(honest).filter(|bytes| bytes.len() < 2000 && check(bytes).is_ok()).collect()
});

#[test]
fn archives_that_are_cut_off_are_refused() {
    assert!(ARCHIVES.len() > 40);
    for bytes in ARCHIVES.iter() {
        for end in 0..bytes.len() {
            let refusal = check(&bytes[..end]).unwrap_err();
            let expected =
                if end < 4 { refusal == NotAnArchive } else { matches!(refusal, Bad(_)) };
            assert!(expected, "{refusal:?} at {end} of {bytes:02x?}");
        }
    }
}

/// A change of some bytes.
#[derive(Debug, Clone)]
enum Change {
    Flip(Index, u8),
    Set(Index, u8),
    Insert(Index, Vec<u8>),
    Remove(Index, usize),
    Repeat(Index, usize, Index),
}

impl Change {
    fn any() -> impl Strategy<Value = Self> {
        let values = prop_oneof![Just(0), Just(1), Just(8), Just(0xff), any::<u8>()];
        prop_oneof![
            (any::<Index>(), 0..8_u8).prop_map(|(at, bit)| Self::Flip(at, bit)),
            (any::<Index>(), values).prop_map(|(at, value)| Self::Set(at, value)),
            (any::<Index>(), vec(any::<u8>(), 1..20)).prop_map(|(at, new)| Self::Insert(at, new)),
            (any::<Index>(), 1..40_usize).prop_map(|(at, count)| Self::Remove(at, count)),
            (any::<Index>(), 1..80_usize, any::<Index>())
                .prop_map(|(from, count, to)| Self::Repeat(from, count, to)),
        ]
    }

    fn apply(&self, bytes: &mut Vec<u8>) {
        if bytes.is_empty() {
            return;
        }
        let size = bytes.len();
        match self {
            Self::Flip(at, bit) => bytes[at.index(size)] ^= 1 << bit,
            Self::Set(at, value) => bytes[at.index(size)] = *value,
            Self::Insert(at, new) => {
                let at = at.index(size);
                bytes.splice(at..at, new.iter().copied());
            }
            Self::Remove(at, count) => {
                let at = at.index(size);
                bytes.drain(at..(at + count).min(size));
            }
            Self::Repeat(from, count, to) => {
                let from = from.index(size);
                let copy = bytes[from..(from + count).min(size)].to_vec();
                let to = to.index(size);
                bytes.splice(to..to, copy);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..Default::default() })]

    /// A panic would come back as an archive that could not be read.
    #[test]
    fn changed_archives_are_checked_and_checked_alike(
        archive in any::<Index>(),
        changes in vec(Change::any(), 1..6),
    ) {
        let mut bytes = archive.get(&ARCHIVES).clone();
        for change in &changes {
            change.apply(&mut bytes);
        }
        let answer = check(&bytes);
        prop_assert!(!matches!(answer, Err(Unreadable(_))), "{:?}", answer);
        prop_assert_eq!(answer, check(&bytes));
    }

    #[test]
    fn anything_behind_a_signature_is_checked(
        end in any::<bool>(),
        bytes in vec(any::<u8>(), 0..300),
    ) {
        let signature = if end { b"PK\x05\x06" } else { b"PK\x03\x04" };
        let answer = check(&[signature.as_slice(), &bytes].concat());
        prop_assert!(matches!(answer, Err(Bad(_))), "{:?}", answer);
    }
}
