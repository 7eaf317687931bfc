//! Rows of resources that hang on a bot and consist of one table of fields: skills and stages.

/// Makes the row of such a resource, and what is done with one of it: `$Row::find`, `page`, `insert`,
/// `update` and `delete`, each among the rows of the scope's bot. `$what` names it in errors, as `"a stage"`.
macro_rules! bot_resource {
    ($Row:ident of $Resource:ident with $Columns:ident in $table:ident, $what:literal) => {
        #[derive(diesel::Queryable, diesel::Selectable, diesel::Insertable)]
        #[diesel(table_name = $table, treat_none_as_default_value = false)]
        struct $Row {
            id: $crate::sql::columns::IdColumn,
            project_id: $crate::sql::columns::IdColumn,
            bot_id: $crate::sql::columns::IdColumn,
            #[diesel(embed)]
            fields: $Columns,
            size: i64,
            created_at: $crate::sql::columns::TimeColumn,
            updated_at: $crate::sql::columns::TimeColumn,
        }

        impl From<$Row> for $Resource {
            fn from(row: $Row) -> Self {
                Self {
                    id: Stored::from_column(row.id),
                    bot_id: Stored::from_column(row.bot_id),
                    fields: row.fields.into_fields(),
                    created_at: Stored::from_column(row.created_at),
                    updated_at: Stored::from_column(row.updated_at),
                }
            }
        }

        impl $Row {
            const COPIED: Copied = Copied {
                table: stringify!($table),
                columns: &[$Columns::NAMES, &["size"]],
                size: SIZE,
                only: EACH,
                may_go: false,
                with: None,
            };

            fn page(
                tx: &mut Tx<'_>,
                scope: &BotScope,
                after_id: Option<impl Stored<Column = IdColumn>>,
                limit: u32,
            ) -> Result<Batch<$Resource>, StorageError> {
                let after_id = after(after_id);
                let rows = read_batch!(
                    tx,
                    of_bot!($table, scope)
                        .filter($table::id.gt(after_id))
                        .order($table::id),
                    $table::size,
                    $Row,
                    limit
                );
                Ok(rows.map($Resource::from))
            }

            fn with_ids<I: Stored<Column = IdColumn> + Copy>(
                tx: &mut Tx<'_>,
                scope: &BotScope,
                ids: &[I],
            ) -> Result<Vec<$Resource>, StorageError> {
                let rows: Vec<$Row> = $crate::tables::bot_rows::with_ids!(
                    tx,
                    of_bot!($table, scope),
                    $table::id,
                    ids,
                    $Row
                )?;
                Ok(rows.into_iter().map($Resource::from).collect())
            }

            fn insert(
                tx: &mut Tx<'_>,
                scope: &BotScope,
                resource: &$Resource,
            ) -> Result<(), StorageError> {
                Self::check_bot(scope, resource)?;
                let row = Self {
                    id: resource.id.to_column(),
                    project_id: scope.project_id().to_column(),
                    bot_id: resource.bot_id.to_column(),
                    fields: $Columns::of(&resource.fields),
                    size: $Columns::size(&resource.fields)?,
                    created_at: resource.created_at.to_column(),
                    updated_at: resource.updated_at.to_column(),
                };
                tx.change_one(
                    concat!("inserting ", $what),
                    |db| on_db!(db, db => diesel::insert_into($table::table).values(row).execute(db)),
                )
            }

            fn update(
                tx: &mut Tx<'_>,
                scope: &BotScope,
                from: &$Resource,
                to: &$Resource,
            ) -> Result<(), StorageError> {
                use $crate::sql::cached_update::cached_update;
                use $crate::sql::row_macros::IndexedColumns as _;
                Self::check_bot(scope, to)?;
                let updated = (
                    $table::size.eq($Columns::size(&to.fields)?),
                    $table::updated_at.eq(to.updated_at.to_column()),
                );
                let one = of_bot!($table, scope).filter($table::id.eq(to.id.to_column()));
                let what = concat!("updating ", $what);
                if $Columns::has_same_indexed(&from.fields, &to.fields) {
                    let columns = ($Columns::unindexed(&to.fields), updated);
                    tx.change_one(
                        what,
                        |db| on_db!(db, db => cached_update(one, columns).execute(db)),
                    )
                } else {
                    let columns = ($Columns::of(&to.fields), updated);
                    tx.change_one(
                        what,
                        |db| on_db!(db, db => cached_update(one, columns).execute(db)),
                    )
                }
            }

            fn delete(
                tx: &mut Tx<'_>,
                scope: &BotScope,
                id: impl Stored<Column = IdColumn>,
            ) -> Result<(), StorageError> {
                let one = of_bot!($table, scope).filter($table::id.eq(id.to_column()));
                tx.change_one(
                    concat!("deleting ", $what),
                    |db| on_db!(db, db => diesel::delete(one).execute(db)),
                )
            }

            /// Checks that the resource is one of the scope's bot.
            fn check_bot(scope: &BotScope, resource: &$Resource) -> Result<(), StorageError> {
                if resource.bot_id == scope.bot_id() {
                    return Ok(());
                }
                Err(broken(concat!($what, " of another bot was to be stored")))
            }
        }
    };
}
pub(crate) use bot_resource;

/// The methods of the resource's repository that need nothing but its rows, each under its name; the words are those of
/// the macro of this name in `domain/src/bot_resource.rs`.
macro_rules! bot_resource_methods {
    ($Row:ident of $Resource:ident, $Id:ident in $table:ident;) => {};
    ($Row:ident of $Resource:ident, $Id:ident in $table:ident; page $name:ident $($rest:tt)*) => {
        fn $name(
            &mut self,
            scope: &BotScope,
            after: Option<$Id>,
            limit: u32,
        ) -> Result<Batch<$Resource>, StorageError> {
            $Row::page(self, scope, after, limit)
        }

        bot_resource_methods! { $Row of $Resource, $Id in $table; $($rest)* }
    };
    ($Row:ident of $Resource:ident, $Id:ident in $table:ident; with_ids $name:ident $($rest:tt)*) => {
        fn $name(
            &mut self,
            scope: &BotScope,
            ids: &[$Id],
        ) -> Result<Vec<$Resource>, StorageError> {
            $Row::with_ids(self, scope, ids)
        }

        bot_resource_methods! { $Row of $Resource, $Id in $table; $($rest)* }
    };
    ($Row:ident of $Resource:ident, $Id:ident in $table:ident; insert $name:ident $($rest:tt)*) => {
        fn $name(
            &mut self,
            scope: &BotScope,
            new: &$Resource,
        ) -> Result<(), StorageError> {
            $Row::insert(self, scope, new)
        }

        bot_resource_methods! { $Row of $Resource, $Id in $table; $($rest)* }
    };
    ($Row:ident of $Resource:ident, $Id:ident in $table:ident; update $name:ident $($rest:tt)*) => {
        fn $name(
            &mut self,
            scope: &BotScope,
            from: &$Resource,
            to: &$Resource,
        ) -> Result<(), StorageError> {
            $Row::update(self, scope, from, to)
        }

        bot_resource_methods! { $Row of $Resource, $Id in $table; $($rest)* }
    };
    ($Row:ident of $Resource:ident, $Id:ident in $table:ident; delete $name:ident $($rest:tt)*) => {
        fn $name(
            &mut self,
            scope: &BotScope,
            id: $Id,
        ) -> Result<(), StorageError> {
            $Row::delete(self, scope, id)
        }

        bot_resource_methods! { $Row of $Resource, $Id in $table; $($rest)* }
    };
    ($Row:ident of $Resource:ident, $Id:ident in $table:ident; copy $name:ident $($rest:tt)*) => {
        fn $name(
            &mut self,
            bots: (&BotScope, &BotScope),
            now: Timestamp,
            step: &mut CopyStep,
            next_id: &mut dyn FnMut() -> $Id,
        ) -> Result<bool, StorageError> {
            self.copy_rows(&$Row::COPIED, bots, now, step, || next_id().to_column())
        }

        bot_resource_methods! { $Row of $Resource, $Id in $table; $($rest)* }
    };
    ($Row:ident of $Resource:ident, $Id:ident in $table:ident; remove $name:ident $($rest:tt)*) => {
        fn $name(
            &mut self,
            scope: &BotScope,
            limit: u32,
        ) -> Result<u32, StorageError> {
            self.remove_rows((stringify!($table), SIZE), scope, limit)
        }

        bot_resource_methods! { $Row of $Resource, $Id in $table; $($rest)* }
    };
}
pub(crate) use bot_resource_methods;
