//! Issuing, redeeming and removing tickets.

use std::time::Duration;

use super::{AccessService, Operator, Principal, Scheme, Secret, Ticket, TokenDigest};
use crate::clock::Timestamp;
use crate::error::DomainError;
use crate::store::Repositories;
use crate::unit::Unit;

/// How long a ticket is valid.
const VALID: Duration = Duration::from_secs(60);

/// How long one that was not used stays after its end. There is no hurry: it opens nothing.
const KEPT: Duration = Duration::from_secs(60 * 60);

/// How many tickets of a token there are at once. With one more, the oldest is not valid any more.
const PER_TOKEN: u32 = 100;

/// How many expired tickets one unit of work removes.
const REMOVE_BATCH: u32 = 500;

/// A ticket just made, with its text, which is not stored and can't be shown again.
#[derive(Debug)]
pub struct IssuedTicket {
    /// What the bearer presents.
    pub secret: Secret,
    /// When it ends.
    pub expires_at: Timestamp,
}

impl AccessService {
    /// Makes a ticket that stands for the token of this principal, once, for a minute.
    ///
    /// # Errors
    /// [`DomainError::Storage`] if the database fails.
    pub async fn issue_ticket(&self, principal: &Principal) -> Result<IssuedTicket, DomainError> {
        let secret = Secret::ticket(&*self.context.entropy);
        let expires_at = self.context.clock.now().plus(VALID);
        let ticket = Ticket {
            digest: secret.digest(),
            project_id: principal.project_id(),
            scheme: principal.scheme(),
            token: principal.digest(),
            expires_at,
        };
        let insert = move |unit: &mut Unit<'_>| Ok(unit.tx.insert_ticket(&ticket, PER_TOKEN)?);
        self.context.write(Some(principal.project_id()), insert).await?;
        Ok(IssuedTicket { secret, expires_at })
    }

    /// Who bears the token for which a ticket stands. The ticket is used up by that.
    ///
    /// # Errors
    /// [`DomainError::Unauthenticated`] for every reason there is, without telling which.
    pub async fn redeem_ticket(
        &self,
        scheme: Scheme,
        text: &str,
    ) -> Result<Principal, DomainError> {
        let digest = TokenDigest::of_ticket(text.as_bytes()).ok_or(DomainError::Unauthenticated)?;
        // Before anything is written: who has no ticket must not make the service do that.
        let found = self.context.store.read(move |tx| Ok(tx.ticket(&digest)?)).await?;
        let now = self.context.clock.now();
        let ticket = found
            .filter(|ticket| ticket.digest.matches(&digest))
            .filter(|ticket| ticket.scheme == scheme && now < ticket.expires_at)
            .ok_or(DomainError::Unauthenticated)?;
        // On account of the project, like any other unit that a client asks for.
        let remove = move |unit: &mut Unit<'_>| Ok(unit.tx.remove_ticket(&digest)?);
        let was_there = self.context.delete(Some(ticket.project_id), remove).await?;
        if !was_there {
            return Err(DomainError::Unauthenticated);
        }
        self.authenticate(scheme, ticket.token).await
    }

    /// Removes tickets that were not used and ended an hour ago; returns their number.
    ///
    /// # Errors
    /// [`DomainError::Storage`] if the database fails.
    pub async fn remove_old_tickets(&self, operator: Operator) -> Result<u64, DomainError> {
        let before = self.context.clock.now().minus(KEPT);
        let mut removed = 0;
        loop {
            let remove = move |tx: &mut dyn Repositories| {
                Ok(tx.remove_old_tickets(operator, before, REMOVE_BATCH)?)
            };
            let batch = self.context.store.write(remove).await?;
            removed += u64::from(batch);
            if batch < REMOVE_BATCH {
                return Ok(removed);
            }
        }
    }
}
