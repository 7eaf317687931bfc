//! Units of work on the entries of an owner.

use super::KeyvalScope;
use crate::access::OwnerScope;
use crate::unit::Unit;

/// A unit of work on the entries of an owner that was looked up.
pub(crate) type KeyvalUnit<'a> = Unit<'a, KeyvalScope>;

/// The same unit with the right to the entries of the owner that was looked up.
pub(super) fn on_entries<'a>(unit: &'a mut Unit<'_, OwnerScope>) -> KeyvalUnit<'a> {
    let scope = (&unit.scope).into();
    unit.with_scope(scope)
}
