//! Who may do what: tokens, scopes, principals, and the claims that a token gives on bots and
//! projects (`docs/api.md`, "Tokens and scopes").
//!
//! The way of a call: a presented text becomes a [`Principal`]; the principal hands out a [`BotClaim`] or
//! [`ProjectClaim`]; a unit of work turns the claim into a [`BotScope`] or [`ProjectScope`] by looking the bot or the
//! project up. Scopes have no public constructor but that of [`testing`](crate::testing), which lint keeps to tests of
//! stores, and every repository method on content takes one, so content of another tenant can't be addressed at all.

mod actor;
mod claim;
mod conditions;
mod operator;
mod owner;
mod principal;
mod repository;
mod resolve;
mod scheme;
mod scope;
mod scope_cache;
mod secret;
mod service;
mod tenant_scope;
mod ticket;
mod ticket_service;
mod token;
mod token_cache;

pub use actor::Actor;
pub use claim::{BotClaim, ProjectClaim, UsersClaim};
pub use conditions::Claim;
pub(crate) use conditions::Conditional;
pub use operator::Operator;
pub use owner::OwnerClaim;
pub(crate) use owner::OwnerScope;
pub use principal::Principal;
pub use repository::{TokenRepository, TokenUse};
pub(crate) use resolve::ResolvableClaim;
pub use scheme::Scheme;
pub use scope::{Scope, ScopeSet};
pub(crate) use scope_cache::ScopeCache;
pub use secret::{SECRET_PREFIXES, Secret, TokenDigest, contains_token};
pub use service::{AccessService, MintToken, MintedToken, TokenTarget};
pub(crate) use tenant_scope::InProject;
pub use tenant_scope::{BotScope, ProjectScope};
pub use ticket::{Ticket, TicketRepository, is_ticket};
pub use ticket_service::IssuedTicket;
pub use token::{Token, TokenOwner};
pub(crate) use token_cache::TokenCache;
