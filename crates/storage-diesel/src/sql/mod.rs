//! Parts of queries: statements, conditions, columns.

#[cfg(feature = "postgres")]
pub(crate) mod bulk;
pub(crate) mod cached_update;
pub(crate) mod columns;
pub(crate) mod conditions;
pub(crate) mod id;
pub(crate) mod json;
pub(crate) mod keyset;
pub(crate) mod row_macros;
pub(crate) mod schema;
pub(crate) mod statement;
#[cfg(feature = "sqlite")]
pub(crate) mod transaction;
