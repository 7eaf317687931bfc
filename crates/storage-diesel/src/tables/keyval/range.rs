//! Which entries a statement looks at: one run of an index, as short as the filter allows.

use std::cmp::Ordering;

use domain::keyval::{EntryAddress, EntryFilter, KeyFilter, KeyvalScope, after_prefix};

use crate::engine::db::Dialect;
use crate::sql::columns::Stored as _;
use crate::sql::id::IdColumn;
use crate::sql::statement::{Statement, Value};

/// An order in which there is an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// That of addresses: the primary key.
    Address,
    /// By key, userId and type: `keyval_entries_of_key`.
    Key,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    User,
    Type,
    Key,
}

impl Order {
    const fn columns(self) -> [Column; 3] {
        match self {
            Self::Address => [Column::User, Column::Type, Column::Key],
            Self::Key => [Column::Key, Column::User, Column::Type],
        }
    }

    /// The columns of the index below an owner.
    const fn names(self) -> &'static str {
        match self {
            Self::Address => "user_id, type, key",
            Self::Key => "key, user_id, type",
        }
    }
}

impl Column {
    const fn name(self) -> &'static str {
        match self {
            Self::User => "user_id",
            Self::Type => "type",
            Self::Key => "key",
        }
    }

    const fn equals(self) -> &'static str {
        match self {
            Self::User => "user_id = ",
            Self::Type => "type = ",
            Self::Key => "key = ",
        }
    }

    fn of(self, address: &EntryAddress) -> &str {
        match self {
            Self::User => &address.user_id,
            Self::Type => &address.entry_type,
            Self::Key => &address.key,
        }
    }

    /// The one value that the filter allows.
    fn required(self, filter: &EntryFilter) -> Option<&str> {
        match self {
            Self::User => filter.user_id.as_deref(),
            Self::Type => filter.entry_type.as_deref(),
            Self::Key => match &filter.key {
                KeyFilter::Is(key) => Some(key),
                KeyFilter::Any | KeyFilter::Prefix(_) => None,
            },
        }
    }
}

/// What is compared with the columns that are not fixed, from the first of them on.
#[derive(Debug, Clone)]
struct Bound {
    comparison: &'static str,
    values: Vec<String>,
}

/// The entries of an owner that a filter means, as a run of an index.
#[derive(Debug, Clone)]
pub(super) struct Range {
    order: Order,
    project_id: IdColumn,
    owner_id: IdColumn,
    /// The values of the first columns.
    fixed: Vec<String>,
    from: Option<Bound>,
    to: Option<Bound>,
    /// Conditions that the index does not serve.
    others: Vec<(&'static str, Value)>,
}

impl Range {
    /// The entries that the filter means.
    pub(super) fn of(scope: &KeyvalScope, filter: &EntryFilter, order: Order) -> Self {
        let columns = order.columns();
        let required = columns.map(|column| column.required(filter));
        let fixed: Vec<_> = required.iter().map_while(|value| value.map(str::to_owned)).collect();
        let free = columns.iter().skip(fixed.len());
        let mut range = Self {
            order,
            project_id: scope.project_id().to_column(),
            owner_id: IdColumn(scope.owner_id()),
            fixed,
            from: None,
            to: None,
            others: Vec::new(),
        };
        for column in free.clone() {
            if let Some(value) = column.required(filter) {
                range.others.push((column.equals(), value.into()));
            }
        }
        if let KeyFilter::Prefix(prefix) = &filter.key {
            let end = after_prefix(prefix);
            if free.clone().next() == Some(&Column::Key) {
                let bound = |comparison, text| Bound { comparison, values: vec![text] };
                range.from = Some(bound(" >= ", prefix.clone()));
                range.to = end.map(|end| bound(" < ", end));
            } else {
                range.others.push(("key >= ", prefix.as_str().into()));
                range.others.extend(end.map(|end| ("key < ", end.into())));
            }
        }
        range
    }

    /// What of it comes after an address in its order, if one is given; `None` if nothing can.
    pub(super) fn after(self, address: Option<&EntryAddress>) -> Option<Self> {
        match address {
            Some(address) => self.beyond(address, " > "),
            None => Some(self),
        }
    }

    /// As [`Self::after`], but in the order of addresses: of a range in the order of keys that is
    /// about one key only, or in the order of addresses.
    pub(super) fn after_by_address(self, address: Option<&EntryAddress>) -> Option<Self> {
        match (self.order, self.fixed.first(), address) {
            (Order::Key, Some(key), Some(address)) => {
                let comparison = if *key > address.key { " >= " } else { " > " };
                let address = EntryAddress { key: key.clone(), ..address.clone() };
                self.beyond(&address, comparison)
            }
            (Order::Key | Order::Address, _, _) => self.after(address),
        }
    }

    /// What of it compares so with an address.
    ///
    /// Each end is one comparison that begins with the first column that is not fixed: of several, an
    /// index would serve one only, and skip the rest row by row.
    fn beyond(mut self, address: &EntryAddress, comparison: &'static str) -> Option<Self> {
        let mut values = self.order.columns().map(|column| column.of(address).to_owned()).to_vec();
        let free = values.split_off(self.fixed.len());
        match values.cmp(&self.fixed) {
            Ordering::Less => return Some(self),
            Ordering::Greater => return None,
            Ordering::Equal => {}
        }
        if free.is_empty() {
            return None;
        }
        let starts_later = self.from.as_ref().is_some_and(|from| from.values > free);
        if !starts_later {
            self.from = Some(Bound { comparison, values: free });
        }
        Some(self)
    }

    /// What of it comes up to an address, that included.
    pub(super) fn up_to(mut self, address: &EntryAddress) -> Self {
        let values = self.order.columns().into_iter().skip(self.fixed.len());
        let values: Vec<_> = values.map(|column| column.of(address).to_owned()).collect();
        if !values.is_empty() {
            self.to = Some(Bound { comparison: " <= ", values });
        }
        self
    }

    /// Only those to which this condition applies too, which ends before its value.
    pub(super) fn with(mut self, condition: &'static str, value: impl Into<Value>) -> Self {
        self.others.push((condition, value.into()));
        self
    }

    /// Whether the index serves all that is asked.
    pub(super) const fn is_exact(&self) -> bool {
        self.others.is_empty()
    }

    /// Without the conditions that the index does not serve.
    pub(super) fn without_others(&self) -> Self {
        Self { others: Vec::new(), ..self.clone() }
    }

    /// Goes on with the table and the conditions.
    ///
    /// For SQLite the statement names the index of keys: where the columns of the primary key are
    /// compared too, SQLite would take that, and scan all entries of an owner for those of one key.
    pub(super) fn in_table<T>(&self, dialect: Dialect, statement: Statement<T>) -> Statement<T> {
        let index = match (dialect, self.order) {
            (Dialect::Sqlite, Order::Key) => " INDEXED BY keyval_entries_of_key",
            (Dialect::Sqlite, Order::Address) | (Dialect::Postgres, _) => "",
        };
        let columns = self.order.columns();
        let mut statement = statement
            .sql(" FROM keyval_entries")
            .sql(index)
            .sql(" WHERE project_id = ")
            .bind(self.project_id)
            .sql(" AND owner_id = ")
            .bind(self.owner_id);
        for (column, value) in columns.iter().zip(&self.fixed) {
            statement = statement.sql(" AND ").sql(column.equals()).bind(value.as_str());
        }
        for Bound { comparison, values } in [&self.from, &self.to].into_iter().flatten() {
            let columns = columns.iter().skip(self.fixed.len()).take(values.len());
            let names: Vec<_> = columns.map(|column| column.name()).collect();
            statement = statement
                .sql(format!(" AND ({}){comparison}(", names.join(", ")))
                .bind_all(values.iter().map(String::as_str))
                .sql(")");
        }
        self.others(statement, " AND ")
    }

    /// Goes on with the conditions that the index does not serve, the first one behind `link`.
    pub(super) fn others<T>(
        &self,
        mut statement: Statement<T>,
        link: &'static str,
    ) -> Statement<T> {
        let mut link = link;
        for (condition, value) in &self.others {
            statement = statement.sql(link).sql(*condition).bind(value.clone());
            link = " AND ";
        }
        statement
    }

    /// As [`Self::in_table`], but only the first ones in the order of the index.
    pub(super) fn first<T>(
        &self,
        dialect: Dialect,
        statement: Statement<T>,
        limit: impl Into<i64>,
    ) -> Statement<T> {
        self.in_table(dialect, statement)
            .sql(" ORDER BY ")
            .sql(self.order.names())
            .sql(" LIMIT ")
            .bind(limit.into())
    }
}
