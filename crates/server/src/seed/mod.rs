//! Samples to try the service with. Filling in twice changes nothing: whatever is there already under
//! its sample name stays as it is. [`samples`] and [`conversation_samples`] have the texts, [`content`]
//! and [`conversation`] fill them into a bot, [`package`] makes the packages that are uploaded, [`crawl`]
//! crawls a [`site`], [`documents`] uploads files.

mod content;
mod conversation;
mod conversation_samples;
mod crawl;
mod documents;
mod errand;
mod package;
mod samples;
mod site;

use anyhow::{Context, Result};
use domain::Botyard;
use domain::access::{MintTarget, MintToken, ProjectClaim, Scheme, Secret};
use domain::bot::{Bot, BotKind, DeleteMode};
use domain::id::{BotId, OrganisationId, ProjectId};
use domain::organisation::Organisation;
use domain::project::Project;
use serde::Serialize;

use self::documents::SeededDocument;
use crate::composition::Composition;
use crate::operator::OPERATOR;
use crate::output::revealed;
use crate::settings::Settings;

const ORGANISATION: &str = "Sample organisation";
const PROJECT: &str = "Sample project";

/// The sample bots: name, kind, and how they were deleted, if they were.
const BOTS: [(&str, BotKind, Option<DeleteMode>); 6] = [
    ("Ada, the support bot", BotKind::Regular, None),
    ("Ben, the sales bot", BotKind::Regular, None),
    ("Cleo, in the archive", BotKind::Regular, Some(DeleteMode::Archive)),
    ("Dan, in the trash", BotKind::Regular, Some(DeleteMode::Trash)),
    ("A demo bot", BotKind::Demo, None),
    ("A template bot", BotKind::Template, None),
];

/// What was filled in.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Seeded {
    organisation_id: OrganisationId,
    project_id: ProjectId,
    bot_ids: Vec<BotId>,
    documents: Vec<SeededDocument>,
    /// The tokens minted just now; those minted before can't be shown again.
    tokens: Vec<SeededToken>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct SeededToken {
    name: &'static str,
    scheme: Scheme,
    #[serde(serialize_with = "revealed")]
    token: Secret,
}

/// Whether the database holds nothing yet.
pub async fn is_empty(botyard: &Botyard) -> Result<bool> {
    Ok(botyard.organisations.list(OPERATOR).await?.is_empty())
}

/// Fills in whatever sample is missing.
///
/// # Errors
/// If the database fails; what was filled in until then stays, and the next call goes on.
pub async fn fill(composition: &Composition) -> Result<Seeded> {
    let botyard = &composition.botyard;
    let organisation = organisation(botyard).await?;
    let project = project(botyard, organisation.id).await?;
    let bots = bots(botyard, &project).await?;
    // A bot that no client can see needs no content.
    let live = bots.iter().filter(|bot| bot.is_live());
    let live: Vec<_> = live.map(|bot| OPERATOR.bot(organisation.id, bot)).collect();
    for claim in &live {
        content::fill(botyard, claim).await?;
        conversation::fill(botyard, claim).await?;
    }
    crawl::fill(composition, &live).await?;
    let whole = OPERATOR.project(&project);
    conversation::fill_project(botyard, &whole).await?;
    let documents = documents::fill(botyard, &whole, &live).await?;
    let first = bots.first().context("there are no sample bots")?;
    let (bot, whole_project) = (MintTarget::Bot(first.id), MintTarget::Project(project.id));
    let mut tokens = Vec::new();
    for (target, name, read_only) in [
        (whole_project, "Sample project token", false),
        (bot, "Sample bot token", false),
        (bot, "Sample read-only bot token", true),
    ] {
        tokens.extend(token(botyard, target, name, read_only).await?);
    }
    Ok(Seeded {
        organisation_id: organisation.id,
        project_id: project.id,
        bot_ids: bots.iter().map(|bot| bot.id).collect(),
        documents,
        tokens,
    })
}

async fn organisation(botyard: &Botyard) -> Result<Organisation> {
    let all = botyard.organisations.list(OPERATOR).await?;
    match all.into_iter().find(|organisation| organisation.name == ORGANISATION) {
        Some(found) => Ok(found),
        None => Ok(botyard.organisations.create(OPERATOR, ORGANISATION).await?),
    }
}

async fn project(botyard: &Botyard, organisation: OrganisationId) -> Result<Project> {
    let all = botyard.projects.list(OPERATOR, Some(organisation)).await?;
    match all.into_iter().find(|project| project.name == PROJECT) {
        Some(found) => Ok(found),
        None => Ok(botyard.projects.create(OPERATOR, organisation, PROJECT).await?),
    }
}

async fn bots(botyard: &Botyard, project: &Project) -> Result<Vec<Bot>> {
    let claim = OPERATOR.project(project);
    let known = botyard.bots.list_all(OPERATOR, project.id).await?;
    for (name, kind, deleted) in BOTS {
        if !known.iter().any(|bot| bot.config.name == name) {
            bot(botyard, &claim, name, kind, deleted).await?;
        }
    }
    let all = botyard.bots.list_all(OPERATOR, project.id).await?;
    let named = |name: &str| all.iter().find(|bot| bot.config.name == name).cloned();
    BOTS.iter().map(|(name, ..)| named(name).context("a sample bot went away")).collect()
}

async fn bot(
    botyard: &Botyard,
    claim: &ProjectClaim,
    name: &str,
    kind: BotKind,
    deleted: Option<DeleteMode>,
) -> Result<()> {
    let settings = botyard.input_settings();
    let request = content::body(&samples::bot(name, &settings.model_sources.hosted), settings)?;
    let bot = botyard.bots.create_hidden(OPERATOR, claim, request, kind).await?.bot;
    if let Some(mode) = deleted {
        let claim = OPERATOR.bot(claim.organisation_id(), &bot);
        botyard.bots.delete(&claim, mode).await?;
    }
    Ok(())
}

async fn token(
    botyard: &Botyard,
    target: MintTarget,
    name: &'static str,
    read_only: bool,
) -> Result<Option<SeededToken>> {
    let known = botyard.access.list(OPERATOR, target).await?;
    if known.iter().any(|token| token.name == name) {
        return Ok(None);
    }
    let request =
        MintToken { target, name: name.to_owned(), scopes: None, read_only, expires_in: None };
    let minted = botyard.access.mint(OPERATOR, request).await?;
    let scheme = minted.token.owner.scheme();
    Ok(Some(SeededToken { name, scheme, token: minted.secret }))
}

impl Seeded {
    /// What a person reads: the tokens, and lines to copy and paste.
    pub fn lines(&self, address: &str, settings: &Settings) -> Vec<String> {
        let mut lines = Vec::new();
        lines.push(format!("project  {}  {PROJECT}", self.project_id));
        for (id, (name, ..)) in self.bot_ids.iter().zip(BOTS) {
            lines.push(format!("bot      {id}  {name}"));
        }
        for SeededDocument { id, name } in &self.documents {
            lines.push(format!("document {id}  {name}"));
        }
        if self.tokens.is_empty() {
            lines.push("The sample tokens were minted before and can't be shown again; `botyard token mint` makes \
                 new ones.".to_owned());
        }
        for SeededToken { name, token, .. } in &self.tokens {
            lines.push(format!("token    {}  {name}", token.reveal()));
        }
        for SeededToken { name, scheme, token } in &self.tokens {
            let (header, path) = match scheme {
                Scheme::Project => (&settings.auth.project_header, "projectapi/bots"),
                Scheme::Bot => (&settings.auth.bot_header, "bot"),
            };
            lines.push(format!("# {name}"));
            let token = token.reveal();
            lines.push(format!("curl -H '{header}: {token}' {address}/api/external/{path}"));
        }
        lines
    }
}
