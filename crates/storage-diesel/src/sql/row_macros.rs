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

/// Makes [`FieldColumns`] of a list: those that always have a value, which is never long, those that can be empty, and
/// of these those whose columns are in another table: here they are empty. A field is a line here, a column in
/// `schema.rs`, and a column in both migrations.
macro_rules! field_columns {
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
