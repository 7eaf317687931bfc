//! How far a copy or a comparison is.

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// What is being done.
    pub phase: TransferPhase,
    /// The table in question, or nothing where it is all of them.
    pub table: &'static str,
    /// Rows of all tables that this phase has done.
    pub done: u64,
    /// Rows of all tables.
    pub total: u64,
}

/// What is being done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransferPhase {
    /// Rows are copied.
    Copying,
    /// Indexes are made, of all rows at once.
    Indexing,
    /// Rows are read again and compared.
    Comparing,
}
