//! Tickets, each of which stands for a token once.

use std::sync::Arc;
use std::time::Duration;

use crate::services::installation::Installation;
use crate::world::{OPERATOR, together, wait};
use domain::access::{MintToken, Principal, Scheme, TokenDigest, TokenTarget};
use domain::error::DomainError;
use domain::id::TokenId;
use domain::store::Store;

impl Installation {
    fn bearer(&self) -> (TokenId, Principal) {
        let request = MintToken {
            target: TokenTarget::Project(self.world.project.id),
            name: "token".to_owned(),
            scopes: None,
            read_only: false,
            expires_in: None,
        };
        let access = &self.botyard.access;
        let minted = wait(access.mint(OPERATOR, request)).unwrap();
        let text = minted.secret.reveal().as_bytes();
        let digest = TokenDigest::of_presented(Scheme::Project, text).unwrap();
        (minted.token.id, wait(access.authenticate(Scheme::Project, digest)).unwrap())
    }

    fn ticket(&self, principal: &Principal) -> String {
        let issued = wait(self.botyard.access.issue_ticket(principal)).unwrap();
        issued.secret.reveal().to_owned()
    }

    fn redeem(&self, scheme: Scheme, ticket: &str) -> Result<Principal, DomainError> {
        wait(self.botyard.access.redeem_ticket(scheme, ticket))
    }
}

const REFUSED: Result<Principal, DomainError> = Err(DomainError::Unauthenticated);

pub(crate) fn a_ticket_stands_for_its_token_once(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let (token, principal) = installation.bearer();
    let ticket = installation.ticket(&principal);
    assert_eq!(installation.redeem(Scheme::Bot, &ticket), REFUSED);
    assert_eq!(installation.redeem(Scheme::Project, &ticket), Ok(principal.clone()));
    assert_eq!(installation.redeem(Scheme::Project, &ticket), REFUSED);
    // Of many at once one gets it.
    let ticket = installation.ticket(&principal);
    let got = together(4, |_| installation.redeem(Scheme::Project, &ticket).is_ok());
    assert_eq!(got.into_iter().filter(|got| *got).count(), 1);
    for bad in ["", "byt_", "x", ticket.get(..52).unwrap(), &ticket.replace("byt_", "byp_")] {
        assert_eq!(installation.redeem(Scheme::Project, bad), REFUSED, "{bad}");
    }
    let ticket = installation.ticket(&principal);
    wait(installation.botyard.access.revoke(OPERATOR, token)).unwrap();
    assert_eq!(installation.redeem(Scheme::Project, &ticket), REFUSED);
}

pub(crate) fn a_ticket_ends_and_is_removed(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let (_, principal) = installation.bearer();
    let access = &installation.botyard.access;
    let [early, late] = [59, 60].map(|seconds| (installation.ticket(&principal), seconds));
    for ((ticket, seconds), is_valid) in [(early, true), (late, false)] {
        installation.wait_until(Duration::from_secs(seconds));
        assert_eq!(wait(access.redeem_ticket(Scheme::Project, &ticket)).is_ok(), is_valid);
    }
    let hour = Duration::from_secs(60 * 60);
    let ended = Duration::from_secs(60);
    for (since, removed) in [(ended + hour, 0), (ended + hour + Duration::from_millis(1), 1)] {
        installation.wait_until(since);
        assert_eq!(wait(access.remove_old_tickets(OPERATOR)), Ok(removed), "{since:?}");
    }
    let _ = installation.ticket(&principal);
    assert_eq!(wait(access.remove_old_tickets(OPERATOR)), Ok(0));
}

pub(crate) fn a_token_has_its_latest_tickets(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let ((_, first), (_, second)) = (installation.bearer(), installation.bearer());
    let of_second = installation.ticket(&second);
    let tickets: Vec<_> = (0..102)
        .map(|second| {
            installation.wait_until(Duration::from_millis(second));
            installation.ticket(&first)
        })
        .collect();
    for (number, ticket) in tickets.iter().enumerate() {
        let is_valid = installation.redeem(Scheme::Project, ticket).is_ok();
        assert_eq!(is_valid, number >= 2, "{number}");
    }
    assert!(installation.redeem(Scheme::Project, &of_second).is_ok());
}
