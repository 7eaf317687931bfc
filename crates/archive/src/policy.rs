//! The order of the checks: from the end record to the central directory to the entries.

use std::iter::once;

use domain::archive::Archive;
use domain::archive::ArchiveRule::{
    Empty, LeadingData, Malformed, OverlappingEntries, TooManyEntries,
};
use domain::blob::Staged;

use crate::content::Unpacker;
use crate::limits::ArchiveLimits;
use crate::refusal::Refusal;
use crate::source::Source;
use crate::watch::Watch;
use crate::{central, end_record, local};

/// Holds an archive against the policy. Blocks.
pub(crate) fn check(
    file: &dyn Staged,
    limits: &ArchiveLimits,
    watch: &Watch,
) -> Result<Archive, Refusal> {
    let mut source = Source::open(file)?;
    looks_like_an_archive(&mut source)?;
    let directory = end_record::find(&mut source)?;
    if directory.entries > limits.entries {
        return Err(TooManyEntries.into());
    }
    let mut entries = central::read(&mut source, &directory, limits, watch)?;
    // Folders are no content.
    if entries.iter().all(central::Entry::is_folder) {
        return Err(Empty.into());
    }

    // The directory may have any order. What an entry is given here ends where the next one begins,
    // so that no byte belongs to two entries, and it must use all of it, so that every byte belongs
    // to one.
    entries.sort_by_key(|entry| entry.start);
    if entries.first().is_some_and(|first| first.start > 0) {
        return Err(LeadingData.into());
    }
    let ends = entries.iter().skip(1).map(|next| next.start).chain(once(directory.start));
    let mut unpacker = Unpacker::new(watch);
    for (entry, end) in entries.iter().zip(ends) {
        watch.check()?;
        let mut bytes = source.stretch(entry.start..end, OverlappingEntries)?;
        local::header(entry, &mut bytes)?;
        unpacker.check(entry, &mut bytes.part(entry.packed)?)?;
        local::descriptor(entry, &mut bytes)?;
    }
    Ok(Archive { entries: directory.entries })
}

/// A ZIP archive begins with its first entry, or with its end record if it has none.
fn looks_like_an_archive(source: &mut Source) -> Result<(), Refusal> {
    if source.size() < 4 {
        return Err(Refusal::NotAnArchive);
    }
    let first = source.stretch(0..4, Malformed)?.array()?;
    match &first {
        b"PK\x03\x04" | b"PK\x05\x06" => Ok(()),
        _ => Err(Refusal::NotAnArchive),
    }
}
