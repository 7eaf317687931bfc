//! What a matrix works on: a tenant with a bot of its own for each call, and bots that the API must
//! not find.

use botyard_tests::{Caller, Client, Database, Mint, Tenant, TestApp, TestToken};
use domain::access::Scheme;
use domain::bot::{BotKind, DeleteMode};
use domain::id::BotId;
use http_actix::Operation;
use serde_json::{Value, json};

use super::call::Call;
use super::parts::{CLOSED, Part, Parts, guest_of};
use super::slots::{self, ParamSlot, Slot};
use super::state::{Everything, State};
use super::verdict::Verdict;

/// A UUID that nothing has.
pub const NEVER: &str = "0197d0c8-3c5e-7000-8000-0123456789ab";

/// A tenant on a server of the matrix' own.
pub struct World<'a> {
    /// The tenant who calls.
    pub tenant: Tenant<'a>,
    app: &'a TestApp,
    operations: &'a [Operation],
    /// Counts changes of rows. Without it, the units that write are counted.
    everything: Option<Everything>,
    parts: Parts,
}

impl<'a> World<'a> {
    /// A new tenant. A call that is refused must change no row on a server; in this process it must not even begin to
    /// write.
    pub fn new(app: &'a TestApp, operations: &'a [Operation]) -> Self {
        let everything = (!app.is_in_process()).then(|| Everything::of(app));
        let parts = Parts::default();
        Self { tenant: app.tenant(), app, operations, everything, parts }
    }

    /// The same for calls that are refused by what a unit that writes has found: in this process, too, they must change
    /// no row.
    pub fn counting_changes(app: &'a TestApp, operations: &'a [Operation]) -> Self {
        let (everything, parts) = (Some(Everything::of(app)), Parts::default());
        Self { tenant: app.tenant(), app, operations, everything, parts }
    }

    /// Every operation that there is.
    pub const fn operations(&self) -> &'a [Operation] {
        self.operations
    }

    /// Whether every spelling of an id is tried, or one id for each reason. What is no id is told apart before the
    /// database is asked, so it is enough to try them on one.
    pub fn tries_spellings(&self) -> bool {
        self.app.database() == Database::Sqlite
    }

    /// Every row of the database.
    pub fn state(&self) -> State {
        self.everything.as_ref().expect("a world that counts changes").now(self.app)
    }

    /// That `cell` holds and leaves the database as it was.
    pub fn unchanged_by(&self, cell: impl FnOnce() -> Verdict) -> Verdict {
        if let Some(everything) = &self.everything {
            return everything.unchanged_by(self.app, cell);
        }
        let before = self.app.writes();
        cell()?;
        match self.app.writes() - before {
            0 => Ok(()),
            units => Err(format!("expected that nothing is written, got {units} units")),
        }
    }

    /// A valid call of an operation, on a new bot, by the bearer of a token that allows everything.
    pub fn call(&self, operation: &'a Operation) -> Call<'a> {
        let bot = self.tenant.new_bot("target");
        let client = self.bearer(operation.scheme, bot, Mint::default());
        let call = Call::new(operation, client, bot, self.path(operation, bot));
        match self.body(operation, bot) {
            Some(body) => call.json(&body),
            None => call,
        }
    }

    /// The JSON body of a valid call on this bot: the example, with what the bot has in place of what
    /// that names.
    fn body(&self, operation: &Operation, bot: BotId) -> Option<Value> {
        let mut body = (operation.json()?.example)();
        if let Some(url) = body.get_mut("url") {
            // What happens to a crawl afterwards must not depend on the world outside.
            *url = CLOSED.into();
        }
        if body.get("types").is_some() {
            // Webhooks that are sent whatever happens would be sent all that the matrix does.
            body["types"] = json!(["webhook.test"]);
        }
        for (place, name, slot) in slots::of(operation).unwrap_or_default() {
            if place == ParamSlot::Body
                && matches!(slot, Slot::Part(_))
                && body.get(&name).is_some()
            {
                slots::put(&mut body, &name, &self.own(slot, bot));
            }
        }
        Some(body)
    }

    /// The path of an operation on this bot.
    pub fn path(&self, operation: &Operation, bot: BotId) -> String {
        slots::path(operation, |_, slot| self.own(slot, bot))
    }

    /// What stands in a slot of a valid call on this bot.
    pub fn own(&self, slot: Slot, bot: BotId) -> String {
        match slot {
            Slot::Bot | Slot::Filter => bot.to_string(),
            Slot::Part(part) => self.part(&self.tenant, bot, part),
            Slot::Entry => self.parts.entry(&self.tenant, bot),
            Slot::Guest => {
                let _ = self.part(&self.tenant, bot, Part::User);
                guest_of(bot)
            }
            Slot::Name | Slot::Position | Slot::Opaque(_) | Slot::Gone(_) | Slot::Prefix => {
                NEVER.to_owned()
            }
        }
    }

    /// Something that a bot of this tenant has.
    pub fn part(&self, tenant: &Tenant<'_>, bot: BotId, part: Part) -> String {
        self.parts.of(tenant, bot, part)
    }

    /// The bearer of a new token in this scheme; a bot token is one of this bot.
    pub fn bearer(&self, scheme: Scheme, bot: BotId, mint: Mint) -> Client<'a> {
        self.tenant.client(match scheme {
            Scheme::Bot => Caller::Bot(self.tenant.bot_token(bot, mint)),
            Scheme::Project => Caller::Project(self.tenant.project_token(mint)),
        })
    }
}

/// A bot of a tenant that the API must not find, with a token of its own.
pub struct HiddenBot {
    /// Why it is not found.
    pub why: &'static str,
    /// Whether it is there at all, and its token with it.
    pub exists: bool,
    /// Its identifier.
    pub id: BotId,
    /// A token that allows everything, minted before the bot was hidden.
    pub token: TestToken,
}

/// One bot for each reason not to be found.
pub fn hidden_bots(tenant: &Tenant<'_>) -> Vec<HiddenBot> {
    let modes = [
        ("an archived bot", DeleteMode::Archive, true),
        ("a trashed bot", DeleteMode::Trash, true),
        ("a deleted bot", DeleteMode::Delete, false),
    ];
    let kinds = [("a demo bot", BotKind::Demo), ("a template bot", BotKind::Template)];
    let deleted = modes.into_iter().map(|(why, mode, exists)| {
        let id = tenant.new_bot(why);
        let token = tenant.bot_token(id, Mint::default());
        tenant.delete_bot(id, mode);
        HiddenBot { why, exists, id, token }
    });
    let special = kinds.into_iter().map(|(why, kind)| {
        let id = tenant.new_hidden_bot(kind);
        let token = tenant.bot_token(id, Mint::default());
        HiddenBot { why, exists: true, id, token }
    });
    deleted.chain(special).collect()
}
