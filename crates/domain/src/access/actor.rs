//! Who made a change.

use serde::Serialize;

use super::Scheme;
use crate::id::TokenId;

/// Who made a change, as the changelog keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Actor {
    /// The token.
    pub token_id: TokenId,
    /// The token's name at that time.
    pub name: String,
    /// The token's scheme.
    pub scheme: Scheme,
}
