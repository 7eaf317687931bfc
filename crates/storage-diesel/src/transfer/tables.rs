//! All tables, with their columns, as a list that programs can go through.
//!
//! Names and types come from the schema that the queries use. A test compares the list with the tables, columns, keys
//! and references of both databases.

use diesel::Expression;
use diesel::query_source::{Column as SchemaColumn, Table as SchemaTable};
use diesel::sql_types::{BigInt, Binary, Bool, Double, Nullable, Text};

use crate::sql::id::Id;
use crate::sql::schema;

/// A table of the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Table {
    /// What it is called.
    pub name: &'static str,
    /// The columns of its primary key, in the order of the key.
    pub key: &'static [&'static str],
    /// Its columns, but for those that only the database itself uses.
    pub columns: &'static [Column],
    /// Generated columns, which can't be inserted.
    pub generated: &'static [&'static str],
}

impl Table {
    /// The columns that are stored, in a fixed order.
    pub fn stored_columns(&self) -> impl Iterator<Item = &'static Column> {
        self.columns.iter().filter(|column| !self.generated.contains(&column.name))
    }
}

/// A column of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// What it is called.
    pub name: &'static str,
    /// What it has.
    pub column_type: ColumnType,
    /// Whether it may have nothing.
    pub nullable: bool,
}

/// What a column has. The databases have types of their own for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    /// An identifier: `UUID` on PostgreSQL, a `BLOB` of 16 bytes on SQLite.
    Id,
    /// `TEXT`
    Text,
    /// `BIGINT`, on SQLite `INTEGER`; times are milliseconds since 1970.
    Number,
    /// `BOOLEAN`, on SQLite the `INTEGER` 0 or 1.
    Bool,
    /// `DOUBLE PRECISION`, on SQLite `REAL`.
    Double,
    /// `BYTEA`, on SQLite `BLOB`.
    Binary,
}

/// A type of the schema.
trait TypeInSchema {
    const TYPE: ColumnType;
    const NULLABLE: bool = false;
}

macro_rules! types_in_schema {
    ($($sql_type:ty => $column_type:ident,)+) => {$(
        impl TypeInSchema for $sql_type {
            const TYPE: ColumnType = ColumnType::$column_type;
        }
    )+};
}

types_in_schema! {
    Id => Id,
    Text => Text,
    BigInt => Number,
    Bool => Bool,
    Double => Double,
    Binary => Binary,
}

impl<T: TypeInSchema> TypeInSchema for Nullable<T> {
    const TYPE: ColumnType = T::TYPE;
    const NULLABLE: bool = true;
}

/// The columns of a table in the schema, which are a tuple.
trait ColumnsInSchema {
    const ALL: &'static [Column];
}

macro_rules! columns_in_schema {
    () => {};
    ($first:ident $($other:ident)*) => {
        impl<$first, $($other,)*> ColumnsInSchema for ($first, $($other,)*)
        where
            $first: SchemaColumn,
            <$first as Expression>::SqlType: TypeInSchema,
            $($other: SchemaColumn, <$other as Expression>::SqlType: TypeInSchema,)*
        {
            const ALL: &'static [Column] =
                &[column_of::<$first>(), $(column_of::<$other>(),)*];
        }
        columns_in_schema!($($other)*);
    };
}

columns_in_schema!(C1 C2 C3 C4 C5 C6 C7 C8 C9 C10 C11 C12 C13 C14 C15 C16 C17 C18 C19 C20 C21 C22 C23 C24);

const fn column_of<C>() -> Column
where
    C: SchemaColumn,
    <C as Expression>::SqlType: TypeInSchema,
{
    Column {
        name: C::NAME,
        column_type: <C::SqlType as TypeInSchema>::TYPE,
        nullable: <C::SqlType as TypeInSchema>::NULLABLE,
    }
}

macro_rules! tables {
    ($($table:ident ($($key:literal),+) $(computes $generated:literal)?,)+) => {
        /// All tables, each behind those to which its rows refer, so that they can be filled in this order and emptied
        /// in the opposite one. Triggers count the bots of a large configuration and the content of a bot, where there is
        /// a row for it. So these rows come behind those that are counted: the counts in them are complete already.
        pub const TABLES: &[Table] = &[$(
            Table {
                name: stringify!($table),
                key: &[$($key),+],
                columns: <<schema::$table::table as SchemaTable>::AllColumns as ColumnsInSchema>::ALL,
                generated: &[$($generated)?],
            },
        )+];
    };
}

tables! {
    organisations ("id"),
    projects ("id"),
    bots ("project_id", "id"),
    large_configs ("project_id", "id"),
    large_config_parts ("project_id", "id", "number"),
    tokens ("id"),
    changelog_entries ("project_id", "bot_id", "id"),
    skills ("project_id", "bot_id", "id"),
    stages ("project_id", "bot_id", "id"),
    stage_scripts ("project_id", "bot_id", "stage_id"),
    visual_blocks ("project_id", "bot_id", "id"),
    blobs ("project_id", "id"),
    fusion_views ("project_id", "bot_id", "id"),
    bot_contents ("project_id", "bot_id"),
    keyval_entries ("project_id", "owner_id", "user_id", "type", "key") computes "bot_id",
    max_age_rules ("project_id", "id"),
    users ("project_id", "bot_id", "id"),
    history_items ("project_id", "bot_id", "id"),
    usage_statistics ("project_id", "bot_id", "id"),
    feedback_entries ("project_id", "bot_id", "id"),
    page_sets ("project_id", "id"),
    pages ("project_id", "page_set_id", "number"),
    website_crawls ("project_id", "bot_id", "id"),
    chunks ("project_id", "extraction_id", "number"),
    documents ("project_id", "id"),
    bot_documents ("project_id", "bot_id", "id"),
    jobs ("id"),
    idempotent_requests ("project_id", "token_id", "key"),
    imports ("project_id", "sha256"),
    events ("project_id", "number"),
    tickets ("digest"),
    webhooks ("id"),
    webhook_deliveries ("webhook_id", "id"),
    audit_entries ("id"),
    installation ("number"),
}
