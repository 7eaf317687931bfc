//! What a unit of work may do with the database, and how it locks the rows that it finds.

/// What a unit of work may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// A few look-ups by key, each of which may see a later state of the database than the one before:
    /// what takes so little time that it need not be kept away from threads on which others wait. What another
    /// process has committed may be seen a moment later.
    LookUp,
    /// Look-ups only, however long they take, all of them on one state of the database.
    Read,
    /// Look-ups and changes, all or nothing.
    Write,
}

/// How a look-up inside a writing unit locks what it finds, until the unit ends.
///
/// SQLite has one writer at a time, so there all three are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lock {
    /// Not at all.
    None,
    /// Other units may not change or remove it, but may lock it the same way.
    Shared,
    /// Other units may not change or lock it. Rows that refer to it can still be inserted.
    Exclusive,
}
