//! Identifiers: UUIDv7 (RFC 9562, section 5.7) in hyphenated lower-case form, one type a resource.

use std::fmt;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use uuid::{Builder, Uuid};

use crate::clock::Clock;
use crate::entropy::Entropy;
use crate::input::{FieldType, FieldValue, ValueLocation};
use crate::violation::{ViolationCode, Violations};

/// An identifier of any kind of resource.
pub trait Identifier:
    Copy + Ord + Hash + fmt::Debug + fmt::Display + From<Uuid> + Send + Sync + 'static
{
    /// The bare UUID.
    fn uuid(self) -> Uuid;

    /// Reads the one accepted spelling.
    #[must_use]
    fn parse(text: &str) -> Option<Self> {
        parse_canonical(text).map(Self::from)
    }
}

/// Declares the identifier type of one resource.
macro_rules! id {
    ($($(#[$doc:meta])* $name:ident;)+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
        #[serde(transparent)]
        pub struct $name(uuid::Uuid);

        impl From<uuid::Uuid> for $name {
            fn from(uuid: uuid::Uuid) -> Self {
                Self(uuid)
            }
        }

        impl Identifier for $name {
            fn uuid(self) -> uuid::Uuid {
                self.0
            }
        }

        impl $name {
            /// The identifier with this UUID, which the caller knows to be one of this type.
            #[must_use]
            pub const fn from_uuid(uuid: uuid::Uuid) -> Self {
                Self(uuid)
            }

            /// The nil UUID, which no resource has.
            pub const NIL: Self = Self(uuid::Uuid::nil());

            /// The bare UUID.
            #[must_use]
            pub const fn uuid(self) -> uuid::Uuid {
                self.0
            }

            /// Reads the one accepted spelling; `None` for anything else, which then addresses
            /// nothing.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                $crate::id::parse_canonical(text).map(Self)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.hyphenated().fmt(f)
            }
        }
    )+};
}

id! {
    /// An organisation.
    OrganisationId;
    /// A project of an organisation.
    ProjectId;
    /// A bot of a project.
    BotId;
    /// A stored configuration of a bot.
    ConfigId;
    /// An installation: a database and its blob store.
    InstallationId;
    /// An entry of the audit log.
    AuditEntryId;
    /// A token, never its secret text.
    TokenId;
    /// An entry of a bot's changelog.
    ChangelogEntryId;
    /// Something that has happened.
    EventId;
    /// A skill; not its `skillId`, which clients choose.
    SkillId;
    /// A stage.
    StageId;
    /// A Fusion-View.
    FusionViewId;
    /// A visual block.
    VisualBlockId;
    /// The bytes of a file.
    BlobId;
    /// An attempt at a request with a key.
    IdempotentRequestId;
    /// A piece of work that is done later.
    JobId;
    /// A key-value entry.
    KeyvalEntryId;
    /// A MaxAge rule.
    MaxAgeRuleId;
    /// A user of a bot.
    UserId;
    /// An item of a user's history.
    HistoryItemId;
    /// A usage statistic.
    UsageStatisticId;
    /// A feedback entry.
    FeedbackId;
    /// A website-crawl.
    CrawlId;
    /// What a website-crawl found.
    PageSetId;
    /// A page of a website-crawl.
    PageId;
    /// A document of a project.
    DocumentId;
    /// A bot's copy of a document.
    BotDocumentId;
    /// One extraction of a document, and the chunks that it gave.
    ExtractionId;
    /// A chunk of a document.
    ChunkId;
    /// A webhook.
    WebhookId;
    /// An event on its way to a webhook.
    DeliveryId;
}

impl FieldValue for UserId {
    fn field_type() -> FieldType {
        FieldType::Text
    }

    fn read(raw: &str, location: ValueLocation<'_>, violations: &mut Violations) -> Option<Self> {
        let text = String::read(raw, location, violations)?;
        let id = Self::parse(&text);
        if id.is_none() {
            location.violation(violations, ViolationCode::BadFormat, "must be the `_id` of a user");
        }
        id
    }
}

/// A UUID in the spelling that this service writes: 36 characters, hyphenated, lower-case.
#[must_use]
pub fn parse_canonical(text: &str) -> Option<Uuid> {
    if text.len() != 36 || text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return None;
    }
    Uuid::try_parse(text).ok()
}

/// Makes identifiers that sort in the order in which they were made, also within one millisecond.
#[derive(Clone)]
pub struct Ids {
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    last: Arc<Mutex<LastId>>,
    random: Arc<Mutex<RandomBlock>>,
}

/// Random bytes that are not used yet. They are fetched for many identifiers at once, because each time is a
/// system call; identifiers are no secrets.
struct RandomBlock {
    bytes: [u8; Self::BYTES],
    used: usize,
}

impl RandomBlock {
    const BYTES: usize = 1_000;
}

impl Default for RandomBlock {
    fn default() -> Self {
        Self { bytes: [0; Self::BYTES], used: Self::BYTES }
    }
}

/// The counter method of RFC 9562, section 6.2: the 12 bits after the milliseconds count up.
#[derive(Default)]
struct LastId {
    millis: u64,
    counter: u16,
}

impl Ids {
    /// How far the 12-bit counter reaches.
    const COUNTER_MAX: u16 = 0x0fff;

    /// Identifiers from this clock and this generator.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>, entropy: Arc<dyn Entropy>) -> Self {
        Self { clock, entropy, last: Arc::default(), random: Arc::default() }
    }

    /// The random bytes of one identifier.
    fn random(&self) -> [u8; 10] {
        let mut block = self.random.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let unused = block.bytes.get(block.used..).unwrap_or_default();
            if let Some(random) = unused.first_chunk().copied() {
                block.used += random.len();
                return random;
            }
            self.entropy.fill(&mut block.bytes);
            block.used = 0;
        }
    }

    /// The next identifier.
    #[must_use]
    pub fn next(&self) -> Uuid {
        let random = self.random();
        let [first, second, ..] = random;
        // The top bit starts clear, so that at least half of the range is left to count through.
        let fresh = u16::from_be_bytes([first, second]) & 0x07ff;
        let now = u64::try_from(self.clock.now().millis()).unwrap_or_default();
        let (millis, counter) = {
            let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
            if now > last.millis {
                *last = LastId { millis: now, counter: fresh };
            } else if last.counter < Self::COUNTER_MAX {
                last.counter += 1;
            } else {
                // The counter ran out, or the clock stands still or went back: borrow from the
                // next millisecond.
                *last = LastId { millis: last.millis + 1, counter: fresh };
            }
            (last.millis, last.counter)
        };
        let [_, _, rest @ ..] = random;
        let [high, low] = counter.to_be_bytes();
        let [c, d, e, f, g, h, i, j] = rest;
        Builder::from_unix_timestamp_millis(millis, &[high, low, c, d, e, f, g, h, i, j])
            .into_uuid()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{SeededEntropy, SetClock};

    #[test]
    fn ids_sort_in_the_order_in_which_they_were_made() {
        let clock = Arc::new(SetClock::at(1_000));
        let ids = Ids::new(clock.clone(), Arc::new(SeededEntropy::new(7)));
        let mut made = Vec::new();
        for step in 0..10_000 {
            // The clock stands, steps on and goes back.
            clock.set(1_000 + step % 3);
            made.push(ids.next());
        }
        assert!(made.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(made.iter().all(|id| id.get_version_num() == 7));
    }

    #[test]
    fn only_the_canonical_spelling_is_an_id() {
        let text = "0197d0c8-3c5e-7000-8000-0123456789ab";
        assert_eq!(BotId::parse(text).unwrap().to_string(), text);
        for other in [
            "",
            "0197D0C8-3C5E-7000-8000-0123456789AB",
            "0197d0c83c5e700080000123456789ab",
            "{0197d0c8-3c5e-7000-8000-0123456789ab}",
            "urn:uuid:0197d0c8-3c5e-7000-8000-0123456789ab",
            "0197d0c8-3c5e-7000-8000-0123456789ag",
        ] {
            assert_eq!(BotId::parse(other), None, "{other}");
        }
    }
}
