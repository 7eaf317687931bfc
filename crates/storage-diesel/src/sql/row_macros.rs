//! Rows and groups of columns that are made of a list of their fields (see [`columns`](super::columns)).

use domain::StorageError;

/// The columns of a resource's fields.
pub(crate) trait FieldColumns<F> {
    /// Their names.
    const NAMES: &'static [&'static str];

    /// The columns of fields.
    fn of(fields: &F) -> Self;

    /// The fields in the columns.
    fn into_fields(self) -> F;
}

/// What a row with fields counts for in the sum of a bot's content.
pub(crate) trait ContentSize<F> {
    /// Its bytes.
    ///
    /// # Errors
    /// If they are more than a number can say.
    fn size(fields: &F) -> Result<i64, StorageError>;
}

/// Columns of which some are in indices.
pub(crate) trait IndexedColumns<F> {
    /// The others.
    type Unindexed;

    /// Whether those in indices have the same values. SQLite writes every index of which an update sets a column, to
    /// the same value as well.
    fn has_same_indexed(one: &F, other: &F) -> bool;

    /// The columns that are in no index.
    fn unindexed(fields: &F) -> Self::Unindexed;
}

/// Makes [`FieldColumns`] of a list: those that always have a value, which is never long, those that can be empty, and
/// of these those whose columns are in another table: here they are empty. A field is a line here, a column in
/// `schema.rs`, and a column in both migrations. Where the list begins with those that are in an index, and always have a
/// value, it makes [`IndexedColumns`] as well.
macro_rules! field_columns {
    (
        $Columns:ident of $Fields:ident in $table:ident {
            indexed, all but $Unindexed:ident { $($key:ident: $Key:ty,)+ }
            always { $($field:ident: $T:ty,)* }
            optional { $($long:ident: $Long:ty,)+ }
            $(elsewhere { $($other:ident: $Other:ty,)+ })?
        }
    ) => {
        $crate::sql::row_macros::field_columns! {
            $Columns of $Fields in $table {
                always { $($key: $Key,)+ $($field: $T,)* }
                optional { $($long: $Long,)+ }
                $(elsewhere { $($other: $Other,)+ })?
            }
        }

        #[derive(AsChangeset)]
        #[diesel(table_name = $table, treat_none_as_null = true)]
        struct $Unindexed {
            $($field: <$T as $crate::sql::columns::Stored>::Column,)*
            $($long: <Option<$Long> as $crate::sql::columns::Stored>::Column,)+
        }

        impl $crate::sql::row_macros::IndexedColumns<$Fields> for $Columns {
            type Unindexed = $Unindexed;

            fn has_same_indexed(one: &$Fields, other: &$Fields) -> bool {
                $(one.$key == other.$key)&&+
            }

            fn unindexed(fields: &$Fields) -> $Unindexed {
                use $crate::sql::columns::Stored as _;
                $Unindexed {
                    $($field: fields.$field.to_column(),)*
                    $($long: fields.$long.to_column(),)+
                }
            }
        }
    };
    (
        $Columns:ident of $Fields:ident in $table:ident {
            always { $($field:ident: $T:ty,)+ }
            $(
                optional { $($long:ident: $Long:ty,)+ }
                $(elsewhere { $($other:ident: $Other:ty,)+ })?
            )?
        }
    ) => {
        #[derive(Queryable, Selectable, Insertable, AsChangeset)]
        #[diesel(table_name = $table, treat_none_as_null = true, treat_none_as_default_value = false)]
        struct $Columns {
            $($field: <$T as $crate::sql::columns::Stored>::Column,)+
            $($($long: <Option<$Long> as $crate::sql::columns::Stored>::Column,)+)?
        }

        impl $crate::sql::row_macros::FieldColumns<$Fields> for $Columns {
            const NAMES: &'static [&'static str] =
                &[$(stringify!($field),)+ $($(stringify!($long),)+)?];

            fn of(fields: &$Fields) -> Self {
                use $crate::sql::columns::Stored as _;
                Self {
                    $($field: fields.$field.to_column(),)+
                    $($($long: fields.$long.to_column(),)+)?
                }
            }

            fn into_fields(self) -> $Fields {
                use $crate::sql::columns::Stored;
                $Fields {
                    $($field: Stored::from_column(self.$field),)+
                    $($($long: Stored::from_column(self.$long),)+ $($($other: None,)+)?)?
                }
            }
        }

        $(impl $crate::sql::row_macros::ContentSize<$Fields> for $Columns {
            fn size(fields: &$Fields) -> Result<i64, domain::StorageError> {
                use $crate::sql::columns::Stored as _;
                $crate::tables::bot_rows::size_of([
                    $(fields.$long.column_size(),)+
                    $($(fields.$other.column_size(),)+)?
                ])
            }
        })?
    };
}
pub(crate) use field_columns;

/// Makes the row of an entity from its fields: `$Row::of` an entity, and the entity from a row. A table below a
/// bot has the column `project_id` beside them; fields that are structs have [`FieldColumns`] of their own.
macro_rules! table_row {
    (
        $(#[$meta:meta])*
        $Row:ident of $Entity:ident in $table:ident {
            $($field:ident: $T:ty,)+
        }
        $(embed { $($part:ident: $Columns:ident,)+ })?
        $(beside { $beside:ident: $B:ty })?
    ) => {
        $(#[$meta])*
        #[derive(Queryable, Selectable, Insertable)]
        #[diesel(table_name = $table, treat_none_as_default_value = false)]
        struct $Row {
            $($field: <$T as $crate::sql::columns::Stored>::Column,)+
            $($(#[diesel(embed)] $part: $Columns,)+)?
            $($beside: <$B as $crate::sql::columns::Stored>::Column,)?
        }

        impl $Row {
            fn of(entity: &$Entity $(, $beside: $B)?) -> Self {
                use $crate::sql::columns::Stored as _;
                Self {
                    $($field: entity.$field.to_column(),)+
                    $($($part: $crate::sql::row_macros::FieldColumns::of(&entity.$part),)+)?
                    $($beside: $beside.to_column(),)?
                }
            }
        }

        impl From<$Row> for $Entity {
            fn from(row: $Row) -> Self {
                use $crate::sql::columns::Stored;
                Self {
                    $($field: Stored::from_column(row.$field),)+
                    $($($part: $crate::sql::row_macros::FieldColumns::into_fields(row.$part),)+)?
                }
            }
        }
    };
}
pub(crate) use table_row;
