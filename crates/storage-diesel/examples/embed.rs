//! A service of your own with botyard's bots in it, without HTTP: the database, the services on it, a
//! bot, and a token that the HTTP API would take as well.
//!
//! `cargo run -p botyard-storage-diesel --example embed -- sqlite:/tmp/embedded.db`

use std::error::Error;
use std::io::{self, Write};
use std::sync::Arc;

use domain::DomainError;
use domain::access::{MintToken, Operator, TokenDigest, TokenTarget};
use domain::bot::{CreateBot, DeleteMode, UpdateBot};
use domain::changelog::ChangelogFilter;
use domain::input::Input;
use storage_diesel::system::botyard_on;
use storage_diesel::{DatabaseUrl, DieselStore, Options, migrate};

fn main() -> Result<(), Box<dyn Error>> {
    let url = std::env::args().nth(1).ok_or("usage: embed DATABASE_URL")?;
    run(&url.parse()?, &mut io::stdout().lock())
}

/// Takes the whole tour and writes it to `out`.
pub fn run(url: &DatabaseUrl, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    migrate(url)?;
    let store = Arc::new(DieselStore::open(url, Options::default())?);
    // The services do not care which runtime polls them.
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let done = runtime.block_on(tour(&store, out));
    store.close();
    done
}

async fn tour(store: &Arc<DieselStore>, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    // No packages of Fusion-Views here, so no place for them either, and no jobs that crawl.
    let botyard = botyard_on(store.clone()).build();

    // A program that embeds the services runs the installation, and may look across tenants.
    let operator = Operator::of_this_installation();
    let organisation = botyard.organisations.create(operator, "Embedders").await?;
    let project = botyard.projects.create(operator, organisation.id, "Kiosk").await?;

    // Bodies are checked as they are when they come by HTTP: all violations at once.
    let body = br#"{"name": "Kiosk bot", "temperature": 7, "colour": "red"}"#;
    let violations =
        CreateBot::parse(body, botyard.input_settings()).err().ok_or("that body is wrong")?;
    for violation in violations.iter() {
        writeln!(out, "{} {}: {}", violation.pointer, violation.code, violation.message)?;
    }

    let request = CreateBot::parse(br#"{"name": "Kiosk bot"}"#, botyard.input_settings())
        .map_err(DomainError::from)?;
    let bot = botyard.bots.create(&operator.project(&project), request).await?.bot;
    let claim = operator.bot(organisation.id, &bot);
    let change = UpdateBot::parse(br#"{"temperature": 0.5}"#, botyard.input_settings());
    botyard.bots.update(&claim, change.map_err(DomainError::from)?).await?;
    for entry in botyard.changelog.page(&claim, ChangelogFilter::default(), None, 10).await? {
        writeln!(out, "{} {} {}", entry.at, entry.action.as_str(), entry.changes.as_str())?;
    }

    // A token gives its bearer a principal, and the principal a claim on its own bot only.
    let request = MintToken {
        target: TokenTarget::Bot(bot.id),
        name: "Kiosk".to_owned(),
        scopes: None,
        read_only: false,
        expires_in: None,
    };
    let minted = botyard.access.mint(operator, request).await?;
    let scheme = minted.token.owner.scheme();
    let digest = TokenDigest::of_presented(scheme, minted.secret.reveal().as_bytes())
        .ok_or("a fresh token is well formed")?;
    let principal = botyard.access.authenticate(scheme, digest).await?;
    let own = principal.own_bot().ok_or("a bot token has a bot")?;
    writeln!(out, "{} may {}", principal.name(), principal.scopes())?;

    botyard.bots.delete(&own, DeleteMode::Archive).await?;
    let gone = botyard.bots.get(&own).await.err().ok_or("an archived bot is not found")?;
    writeln!(out, "after archiving: {gone}")?;
    let back = botyard.bots.restore(operator, bot.id).await?;
    writeln!(out, "{} is {}", back.name, back.state.as_str())?;
    Ok(())
}
