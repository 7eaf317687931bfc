//! Tenants: who owns what in a test, and how it is reached.

use domain::access::{BotClaim, MintToken, ProjectClaim, Scheme, TokenTarget};
use domain::bot::{Bot, BotKind, CreateBot, DeleteMode};
use domain::id::BotId;
use domain::input::{Input as _, InputSettings};
use domain::organisation::Organisation;
use domain::project::Project;
use domain::{DomainError, StorageError};
use serde_json::{Map, Value, json};

use crate::app::TestApp;
use crate::audit::MARKER;
use crate::client::{Caller, Client, Relatives};
use crate::database::random;
use crate::sample;
use crate::token::{Mint, TestToken};

/// How often a test tries to write its first row. Another process can get SQLite's file only between two transactions
/// of the server, which may have work for longer than one attempt waits while other tests send it megabytes.
const ATTEMPTS: u32 = 6;

/// A project with a bot, whose texts all carry one marker.
pub struct Tenant<'a> {
    app: &'a TestApp,
    marker: String,
    relatives: Relatives,
    organisation: Organisation,
    project: Project,
    bot: BotId,
}

impl TestApp {
    /// A new tenant: a project with a bot, in an organisation of its own.
    #[track_caller]
    #[must_use]
    pub fn tenant(&self) -> Tenant<'_> {
        Tenant::new(self)
    }
}

impl<'a> Tenant<'a> {
    #[track_caller]
    fn new(app: &'a TestApp) -> Self {
        let (botyard, operator) = (app.botyard(), app.operator());
        let marker = new_marker();
        let name = format!("organisation {marker}");
        let create = |_| app.block_on(botyard.organisations.create(operator, &name));
        let is_busy =
            |error: &DomainError| matches!(error, DomainError::Storage(StorageError::Contended(_)));
        let mut attempts = (0..ATTEMPTS).map(create);
        let created = attempts.find(|created| !created.as_ref().is_err_and(is_busy));
        let organisation = created.expect("a database that is not busy").expect("an organisation");
        Self::in_organisation(app, organisation, Relatives::default(), marker)
    }

    #[track_caller]
    fn in_organisation(
        app: &'a TestApp,
        organisation: Organisation,
        relatives: Relatives,
        marker: String,
    ) -> Self {
        relatives.lock().expect("the relatives").push(marker.clone());
        let (botyard, operator) = (app.botyard(), app.operator());
        let name = format!("project {marker}");
        let project = botyard.projects.create(operator, organisation.id, &name);
        let project = app.block_on(project).expect("a project");
        let claim = operator.project(&project);
        let config = sample::full_config(&marker);
        let bot = create(app, &claim, &config, BotKind::Regular).id;
        Self { app, marker, relatives, organisation, project, bot }
    }

    /// Another project of the same organisation: as foreign as any other tenant.
    #[track_caller]
    #[must_use]
    pub fn sibling(&self) -> Self {
        let (organisation, relatives) = (self.organisation.clone(), self.relatives.clone());
        Self::in_organisation(self.app, organisation, relatives, new_marker())
    }

    /// The server.
    #[must_use]
    pub const fn app(&self) -> &'a TestApp {
        self.app
    }

    /// What stands in every text of this tenant and in none of another's.
    #[must_use]
    pub fn marker(&self) -> &str {
        &self.marker
    }

    /// A text of this tenant.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        format!("{text} {}", self.marker)
    }

    /// The organisation.
    #[must_use]
    pub const fn organisation(&self) -> &Organisation {
        &self.organisation
    }

    /// The project.
    #[must_use]
    pub const fn project(&self) -> &Project {
        &self.project
    }

    /// The bot that every tenant begins with; each config field of it is set.
    #[must_use]
    pub const fn bot(&self) -> BotId {
        self.bot
    }

    /// A claim on the project, for calls of services.
    #[must_use]
    pub fn project_claim(&self) -> ProjectClaim {
        self.app.operator().project(&self.project)
    }

    /// A claim on a bot, for calls of services.
    #[track_caller]
    #[must_use]
    pub fn bot_claim(&self, bot: BotId) -> BotClaim {
        let (botyard, operator) = (self.app.botyard(), self.app.operator());
        let bots = self.app.block_on(botyard.bots.list_all(operator, self.project.id));
        let bots = bots.expect("the bots");
        let found = bots.iter().find(|known| known.id == bot);
        let found = found.expect("the bot");
        operator.bot_with_id(self.organisation.id, found.project_id, found.id)
    }

    /// One more bot, with nothing but a name.
    #[track_caller]
    #[must_use]
    pub fn new_bot(&self, name: &str) -> BotId {
        let config = Map::from_iter([("name".to_owned(), json!(self.text(name)))]);
        self.new_bot_with(&config)
    }

    /// One more bot.
    #[track_caller]
    #[must_use]
    pub fn new_bot_with(&self, config: &Map<String, Value>) -> BotId {
        create(self.app, &self.project_claim(), config, BotKind::Regular).id
    }

    /// One more bot that the API does not find.
    #[track_caller]
    #[must_use]
    pub fn new_hidden_bot(&self, kind: BotKind) -> BotId {
        let config = Map::from_iter([("name".to_owned(), json!(self.text(kind.as_str())))]);
        create(self.app, &self.project_claim(), &config, kind).id
    }

    /// Deletes a bot past the API.
    #[track_caller]
    pub fn delete_bot(&self, bot: BotId, mode: DeleteMode) {
        let claim = self.bot_claim(bot);
        let done = self.app.block_on(self.app.botyard().bots.delete(&claim, mode));
        done.expect("the bot goes");
    }

    /// Restores a bot, as an operator does.
    #[track_caller]
    pub fn restore_bot(&self, bot: BotId) {
        let bots = &self.app.botyard().bots;
        let done = self.app.block_on(bots.restore(self.app.operator(), bot));
        done.expect("the bot comes back");
    }

    /// A token of this project.
    #[track_caller]
    #[must_use]
    pub fn project_token(&self, mint: Mint) -> TestToken {
        self.mint(TokenTarget::Project(self.project.id), mint)
    }

    /// A token of one bot.
    #[track_caller]
    #[must_use]
    pub fn bot_token(&self, bot: BotId, mint: Mint) -> TestToken {
        self.mint(TokenTarget::Bot(bot), mint)
    }

    #[track_caller]
    fn mint(&self, target: TokenTarget, mint: Mint) -> TestToken {
        let name = match target {
            TokenTarget::Project(_) => self.text("project token"),
            TokenTarget::Bot(_) => self.text("bot token"),
        };
        let request = MintToken {
            target,
            name,
            scopes: mint.scopes,
            read_only: mint.read_only,
            expires_in: mint.expires_in,
        };
        let (access, operator) = (&self.app.botyard().access, self.app.operator());
        let minted = self.app.block_on(access.mint(operator, request));
        minted.expect("a token").into()
    }

    /// Revokes a token.
    #[track_caller]
    pub fn revoke(&self, token: &TestToken) {
        let (access, operator) = (&self.app.botyard().access, self.app.operator());
        let done = self.app.block_on(access.revoke(operator, token.token().id));
        done.expect("the token is revoked");
    }

    /// A caller of this tenant.
    #[must_use]
    pub fn client(&self, caller: Caller) -> Client<'a> {
        Client::new(self.app, caller, Some(self.marker.clone()), self.relatives.clone())
    }

    /// A caller without a token, who knows this tenant's ids.
    #[must_use]
    pub fn anonymous(&self) -> Client<'a> {
        self.client(Caller::Anonymous)
    }

    /// The bearer of a new project token that allows everything.
    #[track_caller]
    #[must_use]
    pub fn as_project(&self) -> Client<'a> {
        self.client(Caller::Project(self.project_token(Mint::default())))
    }

    /// The bearer of a new bot token that allows everything.
    #[track_caller]
    #[must_use]
    pub fn as_bot(&self, bot: BotId) -> Client<'a> {
        self.client(Caller::Bot(self.bot_token(bot, Mint::default())))
    }

    /// The bearer of a token like this on this tenant's first bot, in either scheme.
    #[track_caller]
    #[must_use]
    pub fn bearer(&self, scheme: Scheme, mint: Mint) -> Client<'a> {
        self.client(match scheme {
            Scheme::Bot => Caller::Bot(self.bot_token(self.bot, mint)),
            Scheme::Project => Caller::Project(self.project_token(mint)),
        })
    }
}

#[track_caller]
fn create(app: &TestApp, claim: &ProjectClaim, config: &Map<String, Value>, kind: BotKind) -> Bot {
    let body = serde_json::to_vec(config).expect("JSON");
    let body = CreateBot::parse(&body, &InputSettings::default());
    let body = body.unwrap_or_else(|violations| panic!("{violations:?}"));
    let (bots, operator) = (&app.botyard().bots, app.operator());
    let created = app.block_on(bots.create_hidden(operator, claim, body, kind));
    created.expect("a bot").bot
}

fn new_marker() -> String {
    let mut random_bytes = [0; 8];
    random(&mut random_bytes);
    format!("{MARKER}{:016x}", u64::from_le_bytes(random_bytes))
}
