//! Parts of queries: statements, conditions, columns.

pub(crate) mod bulk;
pub(crate) mod columns;
pub(crate) mod conditions;
pub(crate) mod id;
pub(crate) mod json;
pub(crate) mod kept;
pub(crate) mod keyset;
pub(crate) mod row_macros;
pub(crate) mod schema;
pub(crate) mod statement;
pub(crate) mod transaction;
