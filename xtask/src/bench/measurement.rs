//! What can be measured.

use clap::ValueEnum;

/// What can be measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Measurement {
    /// The memory that a server takes when it is idle.
    Idle,
    /// Requests of checkauth.
    Checkauth,
    /// Reading a bot.
    GetBot,
    /// Changing a bot, and what group commit brings.
    PutBot,
    /// Reading all skills of a bot.
    ListSkills,
    /// Changing skills of one bot and of many.
    PutSkill,
    /// Uploading packages of 200 MB: speed and memory.
    Upload,
    /// Duplicating a large bot.
    Duplicate,
    /// Reading a key-value entry.
    GetEntry,
    /// Writing key-value entries, and what group commit brings.
    PutEntry,
    /// Reading all of 100 000 key-value entries: speed and memory.
    ListEntries,
    /// Pages of lists of 100 000 items that are sorted, searched and filtered, beside those of 1 000; takes 1 GB on the
    /// disk.
    Lists,
    /// Streams of events: memory, and how far behind they are.
    EventStreams,
    /// Webhooks: how far behind deliveries are, and whether all arrive although servers are killed.
    Webhooks,
    /// Finding a key-value entry and a page of them among 5 000 000; takes 2 GB on the disk.
    ManyEntries,
    /// Writing while a bot with 1 000 000 key-value entries is torn down; takes 1 GB on the disk.
    TeardownEntries,
    /// Starting on a database that is there.
    Start,
    /// Crawling a website of 2 000 pages: speed, memory, and what other requests feel of it.
    Crawl,
    /// Documents: the extraction of a PDF, and the memory for files of 500 MB and for 10 000 chunks; takes
    /// 2 GB on the disk.
    Documents,
    /// What the requests of one project feel of another one that takes all it can get; takes six minutes
    /// for each round and database, and 2 GB on the disk.
    Neighbours,
}
