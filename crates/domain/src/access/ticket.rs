//! Tickets: what stands for a token once, where the token itself may not be shown, as in an address.

use super::{Operator, Scheme, TokenDigest};
use crate::clock::Timestamp;
use crate::error::StorageError;
use crate::id::ProjectId;

/// A ticket as it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ticket {
    /// SHA-256 of its text.
    pub digest: TokenDigest,
    /// The project of the token.
    pub project_id: ProjectId,
    /// The scheme of the token that it stands for.
    pub scheme: Scheme,
    /// SHA-256 of the text of that token.
    pub token: TokenDigest,
    /// When it ends.
    pub expires_at: Timestamp,
}

/// Whether a text has the form of a ticket.
#[must_use]
pub fn is_ticket(text: &str) -> bool {
    TokenDigest::of_ticket(text.as_bytes()).is_some()
}

/// Tickets in the database. As tokens, they are looked up without a scope, because that comes from them.
pub trait TicketRepository {
    /// Stores a ticket, and removes all but the latest `kept` ones of its token.
    fn insert_ticket(&mut self, ticket: &Ticket, kept: u32) -> Result<(), StorageError>;

    /// The ticket with this digest, regardless of its validity.
    fn ticket(&mut self, digest: &TokenDigest) -> Result<Option<Ticket>, StorageError>;

    /// Removes a ticket; returns whether it was there.
    fn remove_ticket(&mut self, digest: &TokenDigest) -> Result<bool, StorageError>;

    /// Removes tickets that ended before this, at most `limit`; returns their number.
    fn remove_old_tickets(
        &mut self,
        operator: Operator,
        before: Timestamp,
        limit: u32,
    ) -> Result<u32, StorageError>;
}
