//! Tickets in the database.

use diesel::prelude::*;
use domain::StorageError;
use domain::access::{Operator, Scheme, Ticket, TicketRepository, TokenDigest};
use domain::clock::Timestamp;

use crate::engine::db::on_db;
use crate::engine::tx::{Tx, broken, decode};
use crate::sql::columns::{IdColumn, Stored};
use crate::sql::schema::tickets;

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = tickets)]
struct TicketRow {
    digest: Vec<u8>,
    project_id: IdColumn,
    scheme: String,
    token: Vec<u8>,
    expires_at: i64,
}

impl TryFrom<TicketRow> for Ticket {
    type Error = StorageError;

    fn try_from(row: TicketRow) -> Result<Self, StorageError> {
        let digest = |column: &str, bytes: Vec<u8>| {
            let bytes = <[u8; 32]>::try_from(bytes).ok();
            decode(column, "a ticket", bytes.map(TokenDigest::from_bytes))
        };
        Ok(Self {
            digest: digest("tickets.digest", row.digest)?,
            project_id: Stored::from_column(row.project_id),
            scheme: decode("tickets.scheme", "a ticket", Scheme::parse(&row.scheme))?,
            token: digest("tickets.token", row.token)?,
            expires_at: Timestamp::from_millis(row.expires_at),
        })
    }
}

impl TicketRepository for Tx<'_> {
    fn insert_ticket(&mut self, ticket: &Ticket, kept: u32) -> Result<(), StorageError> {
        let row = TicketRow {
            digest: ticket.digest.as_bytes().to_vec(),
            project_id: ticket.project_id.to_column(),
            scheme: ticket.scheme.as_str().to_owned(),
            token: ticket.token.as_bytes().to_vec(),
            expires_at: ticket.expires_at.millis(),
        };
        let token = row.token.clone();
        self.change_one(
            "a new ticket",
            |db| on_db!(db, db => diesel::insert_into(tickets::table).values(&row).execute(db)),
        )?;
        let surplus = tickets::table
            .filter(tickets::token.eq(&token))
            .order((tickets::expires_at.desc(), tickets::digest))
            .offset(i64::from(kept))
            .limit(i64::from(kept))
            .select(tickets::digest);
        let surplus: Vec<Vec<u8>> = self.query(|db| on_db!(db, db => surplus.load(db)))?;
        if !surplus.is_empty() {
            let surplus = tickets::table.filter(tickets::digest.eq_any(surplus));
            self.query(|db| on_db!(db, db => diesel::delete(surplus).execute(db)))?;
        }
        Ok(())
    }

    fn ticket(&mut self, digest: &TokenDigest) -> Result<Option<Ticket>, StorageError> {
        let query = tickets::table.filter(tickets::digest.eq(digest.as_bytes().as_slice()));
        let row = self.look_up(
            |db| on_db!(db, db => query.select(TicketRow::as_select()).get_result(db).optional()),
        )?;
        row.map(Ticket::try_from).transpose()
    }

    fn remove_ticket(&mut self, digest: &TokenDigest) -> Result<bool, StorageError> {
        let row = tickets::table.filter(tickets::digest.eq(digest.as_bytes().as_slice()));
        let removed = self.query(|db| on_db!(db, db => diesel::delete(row).execute(db)))?;
        Ok(removed > 0)
    }

    fn remove_old_tickets(
        &mut self,
        _: Operator,
        before: Timestamp,
        limit: u32,
    ) -> Result<u32, StorageError> {
        let old = diesel::alias!(tickets as old);
        let ended = old
            .filter(old.field(tickets::expires_at).lt(before.millis()))
            .order(old.field(tickets::expires_at))
            .limit(i64::from(limit))
            .select(old.field(tickets::digest));
        let ended = tickets::table.filter(tickets::digest.eq_any(ended));
        let removed = self.query(|db| on_db!(db, db => diesel::delete(ended).execute(db)))?;
        u32::try_from(removed).map_err(|_| broken("more tickets removed than asked for"))
    }
}
