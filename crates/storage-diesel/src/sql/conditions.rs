//! Conditions with their words spelt out: an index with a condition serves only queries that state the
//! same condition, which one with placeholders does not.

/// Declares conditions on the columns of a table.
macro_rules! conditions {
    ($($(#[$doc:meta])* $name:ident of $table:ident = $sql:literal;)+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, diesel::query_builder::QueryId)]
        pub(crate) struct $name;

        impl $name {
            /// The condition itself.
            pub(crate) const SQL: &'static str = $sql;
        }

        impl diesel::expression::Expression for $name {
            type SqlType = diesel::sql_types::Bool;
        }

        impl<DB: diesel::backend::Backend> diesel::query_builder::QueryFragment<DB> for $name {
            fn walk_ast<'b>(
                &'b self,
                mut out: diesel::query_builder::AstPass<'_, 'b, DB>,
            ) -> diesel::QueryResult<()> {
                out.push_sql(Self::SQL);
                Ok(())
            }
        }

        impl diesel::expression::ValidGrouping<()> for $name {
            type IsAggregate = diesel::expression::is_aggregate::Never;
        }

        impl diesel::SelectableExpression<$table::table> for $name {}
        impl diesel::AppearsOnTable<$table::table> for $name {}
    )+};
}
pub(crate) use conditions;
