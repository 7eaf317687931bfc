//! A bot, reached in one of the two schemes.

use domain::access::Scheme;
use domain::id::BotId;
use serde_json::Value;

use crate::client::Client;
use crate::raw::Connection;
use crate::response::Response;
use crate::tenant::Tenant;
use crate::token::Mint;

impl<'a> Tenant<'a> {
    /// This tenant's bot, reached with a bot token.
    #[track_caller]
    #[must_use]
    pub fn with_bot_token(self) -> OnBot<'a> {
        OnBot::new(self, Scheme::Bot)
    }

    /// This tenant's bot, reached with a project token.
    #[track_caller]
    #[must_use]
    pub fn with_project_token(self) -> OnBot<'a> {
        OnBot::new(self, Scheme::Project)
    }
}

/// A bot and one of the two ways to it: what exists in both schemes is tested once, over this.
pub struct OnBot<'a> {
    /// Whose bot it is.
    pub tenant: Tenant<'a>,
    /// Who calls.
    pub client: Client<'a>,
    /// The scheme of the caller's token.
    pub scheme: Scheme,
    base: String,
}

impl<'a> OnBot<'a> {
    #[track_caller]
    fn new(tenant: Tenant<'a>, scheme: Scheme) -> Self {
        let client = tenant.bearer(scheme, Mint::default());
        let base = base(scheme, tenant.bot());
        Self { tenant, client, scheme, base }
    }

    /// The path of the bot.
    #[must_use]
    pub fn base(&self) -> &str {
        &self.base
    }

    /// The path of something below the bot, like `/changelog`; of the bot itself for the empty text.
    #[must_use]
    pub fn path(&self, rel: &str) -> String {
        format!("{}{rel}", self.base)
    }

    /// The bot's identifier.
    #[must_use]
    pub const fn id(&self) -> BotId {
        self.tenant.bot()
    }

    /// A text of the tenant.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        self.tenant.text(text)
    }

    /// `GET`
    #[track_caller]
    pub fn get(&self, rel: &str) -> Response {
        self.client.get(&self.path(rel))
    }

    /// `PUT` with a JSON body.
    #[track_caller]
    pub fn put(&self, rel: &str, body: &Value) -> Response {
        self.client.put(&self.path(rel), body)
    }

    /// `PUT` with whatever bytes.
    #[track_caller]
    pub fn put_bytes(&self, rel: &str, body: impl Into<Vec<u8>>) -> Response {
        self.client.request("PUT", &self.path(rel)).body(body).send()
    }

    /// `POST` with a JSON body.
    #[track_caller]
    pub fn post(&self, rel: &str, body: &Value) -> Response {
        self.client.post(&self.path(rel), body)
    }

    /// `DELETE` without a body.
    #[track_caller]
    pub fn delete(&self, rel: &str) -> Response {
        self.client.delete(&self.path(rel))
    }

    /// `DELETE` with a JSON body.
    #[track_caller]
    pub fn delete_with(&self, rel: &str, body: &Value) -> Response {
        self.client.delete_with(&self.path(rel), body)
    }

    /// A connection on which the caller sends what it likes.
    #[track_caller]
    #[must_use]
    pub fn connect(&self) -> Connection<'_> {
        self.client.connect()
    }
}

/// The path of a bot for tokens of this scheme.
fn base(scheme: Scheme, bot: BotId) -> String {
    match scheme {
        Scheme::Bot => http_actix::BOT_BASE.to_owned(),
        Scheme::Project => http_actix::PROJECT_BOT_BASE.replace("{botId}", &bot.to_string()),
    }
}
