//! The two levels at which there are entries: what holds for both is tested once, over this.

use botyard_tests::{Client, Mint, Response, Tenant, TestApp};
use domain::access::Scheme;
use domain::input::{Input as _, InputSettings};
use domain::json::Json;
use domain::keyval::EntryAddress;
use domain::recorder::{NewEntry, Record};
use serde_json::{Value, json};

use super::{Address, rel};

/// The entries of a bot, or of a project itself, and who reaches them.
pub struct OnKeyval<'a> {
    /// Whose bot or project it is.
    pub tenant: Tenant<'a>,
    /// Who calls.
    pub client: Client<'a>,
    /// The scheme of the caller's token: that for bots reaches the entries of the bot.
    pub scheme: Scheme,
}

impl<'a> OnKeyval<'a> {
    /// The entries of a new tenant.
    #[track_caller]
    pub fn new(app: &'a TestApp, scheme: Scheme) -> Self {
        let tenant = app.tenant();
        let client = tenant.bearer(scheme, Mint::default());
        Self { tenant, client, scheme }
    }

    /// Whether they are those of a bot.
    pub fn is_of_bot(&self) -> bool {
        self.scheme == Scheme::Bot
    }

    /// The path of something below the entries, like `/bulk-delete`.
    pub fn path(&self, rel: &str) -> String {
        let base = if self.is_of_bot() { "" } else { "/projectapi" };
        format!("/api/external{base}/keyval{rel}")
    }

    /// `GET`
    #[track_caller]
    pub fn get(&self, rel: &str) -> Response {
        self.client.get(&self.path(rel))
    }

    /// `DELETE`
    #[track_caller]
    pub fn delete(&self, rel: &str) -> Response {
        self.client.delete(&self.path(rel))
    }

    /// `PUT` with whatever bytes.
    #[track_caller]
    pub fn put_bytes(&self, rel: &str, body: impl Into<Vec<u8>>) -> Response {
        self.client.request("PUT", &self.path(rel)).body(body).send()
    }

    /// `PUT` of a value.
    #[track_caller]
    pub fn put(&self, rel: &str, value: &Value) -> Response {
        self.client.put(&self.path(rel), &json!({"value": value}))
    }

    /// Stores a value.
    #[track_caller]
    pub fn store(&self, address: Address<'_>, value: &Value) -> Value {
        self.put(&rel(address), value).ok()
    }

    /// Stores an entry at each of these addresses, with a text of the tenant as its value.
    #[track_caller]
    pub fn store_all<'b>(&self, addresses: impl IntoIterator<Item = Address<'b>>) {
        for address in addresses {
            let _ = self.store(address, &json!(self.tenant.text("stored")));
        }
    }

    /// The whole list.
    #[track_caller]
    pub fn list(&self) -> Vec<Value> {
        self.get("").items()
    }

    /// `POST …/bulk-delete`
    #[track_caller]
    pub fn bulk_delete(&self, body: &Value) -> Response {
        self.client.post(&self.path("/bulk-delete"), body)
    }

    /// Writes entries as a chat runtime does: permanent ones, too.
    #[track_caller]
    pub fn record<'b>(&self, addresses: impl IntoIterator<Item = Address<'b>>) {
        let value = Json::of(&self.tenant.text("recorded"));
        let entry = |(user, entry_type, key): Address<'_>| {
            let (user_id, entry_type, key) = (user.into(), entry_type.into(), key.into());
            let address = EntryAddress { user_id, entry_type, key };
            let entry = NewEntry { address, value: value.clone() };
            entry.check(&InputSettings::default()).expect("a valid entry")
        };
        let entries: Vec<_> = addresses.into_iter().map(entry).collect();
        let (app, tenant) = (self.tenant.app(), &self.tenant);
        let recorder = &app.botyard().recorder;
        let done = if self.is_of_bot() {
            let claim = tenant.bot_claim(tenant.bot());
            let records = entries.into_iter().map(Record::Entry).collect();
            app.block_on(recorder.record(&claim, records))
        } else {
            app.block_on(recorder.record_entries(&tenant.project_claim(), entries))
        };
        done.expect("the entries are written");
    }

    /// Makes all entries look as if they had not been written or read since 1970.
    #[track_caller]
    pub fn age(&self) {
        let owner = if self.is_of_bot() {
            self.tenant.bot().to_string()
        } else {
            self.tenant.project().id.to_string()
        };
        self.tenant.app().sql().execute(&format!(
            "UPDATE keyval_entries SET created_at = 1, updated_at = 1, accessed_at = 1 \
             WHERE owner_id = '{owner}'"
        ));
    }
}

/// Makes of each function four tests: it gets the entries of a bot and those of a project, on each
/// database. Their names are like `name::of_a_bot::sqlite`.
macro_rules! each_level {
    ($($(#[$doc:meta])* fn $name:ident($on:ident: &OnKeyval) $body:block)+) => {$(
        $(#[$doc])*
        fn $name($on: &$crate::keyval::OnKeyval<'_>) $body

        mod $name {
            use botyard_tests::{Database, TestApp};
            use domain::access::Scheme;

            use $crate::keyval::OnKeyval;

            fn run(database: Database, scheme: Scheme) {
                super::$name(&OnKeyval::new(TestApp::shared(database), scheme));
            }

            mod of_a_bot {
                use super::{Database, Scheme, run};

                #[test]
                fn sqlite() {
                    run(Database::Sqlite, Scheme::Bot);
                }

                #[test]
                fn postgres() {
                    run(Database::Postgres, Scheme::Bot);
                }
            }

            mod of_a_project {
                use super::{Database, Scheme, run};

                #[test]
                fn sqlite() {
                    run(Database::Sqlite, Scheme::Project);
                }

                #[test]
                fn postgres() {
                    run(Database::Postgres, Scheme::Project);
                }
            }
        }
    )+};
}

pub(crate) use each_level;
