//! Samples to try the service with. Filling in twice changes nothing: whatever is there already under
//! its sample name stays as it is. [`samples`] and [`conversation_samples`] have the texts, [`content`]
//! and [`conversation`] fill them into a bot, [`package`] makes the packages that are uploaded, [`crawl`]
//! crawls a [`site`], [`documents`] uploads files, a [`webhook`] is for a receiver. [`tokens`] are minted for
//! them, and [`report`] says what is there.

mod content;
mod conversation;
mod conversation_samples;
mod crawl;
mod documents;
mod errand;
mod package;
mod report;
mod samples;
mod site;
mod tokens;
mod webhook;

use anyhow::{Context, Result};
use domain::Botyard;
use domain::access::ProjectClaim;
use domain::bot::{BotKind, BotSummary, DeleteMode};
use domain::id::{BotId, OrganisationId, ProjectId};
use domain::organisation::Organisation;
use domain::project::Project;
use serde::Serialize;

pub use self::report::Report;

use self::documents::SeededDocument;
use self::tokens::{SampleToken, SeededToken};
use self::webhook::SeededWebhook;
use crate::composition::Composition;
use crate::operator::OPERATOR;

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
    /// The webhook, if it was created just now.
    webhook: Option<SeededWebhook>,
    /// The tokens that were minted just now.
    tokens: Vec<SeededToken>,
    /// Those that were minted before and can't be shown again.
    #[serde(skip)]
    lost: Vec<SampleToken>,
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
    let whole = OPERATOR.project(&project);
    let webhook = webhook::fill(botyard, &whole).await?;
    let bots = bots(botyard, &project).await?;
    // A bot that no client can see needs no content.
    let live = bots.iter().filter(|bot| bot.is_live());
    let claim = |bot: &BotSummary| OPERATOR.bot_with_id(organisation.id, bot.project_id, bot.id);
    let live: Vec<_> = live.map(claim).collect();
    for claim in &live {
        content::fill(botyard, claim).await?;
        conversation::fill(botyard, claim).await?;
    }
    crawl::fill(composition, &live).await?;
    conversation::fill_project(botyard, &whole).await?;
    let documents = documents::fill(botyard, &whole, &live).await?;
    let first = bots.first().context("there are no sample bots")?;
    let (mut tokens, mut lost) = (Vec::new(), Vec::new());
    for sample in tokens::samples(project.id, first.id) {
        match sample.mint(botyard).await? {
            Some(minted) => tokens.push(minted),
            None => lost.push(sample),
        }
    }
    Ok(Seeded {
        organisation_id: organisation.id,
        project_id: project.id,
        bot_ids: bots.iter().map(|bot| bot.id).collect(),
        documents,
        webhook,
        tokens,
        lost,
    })
}

/// The tokens of the samples that are there already, if there are any; none of them can be shown again.
pub async fn lost_tokens(botyard: &Botyard) -> Result<Vec<SampleToken>> {
    let Some(organisation) = find_organisation(botyard).await? else { return Ok(Vec::new()) };
    let Some(project) = find_project(botyard, organisation.id).await? else {
        return Ok(Vec::new());
    };
    let bots = botyard.bots.list_all(OPERATOR, project.id).await?;
    let first = BOTS.first().and_then(|(name, ..)| bots.iter().find(|bot| bot.name == *name));
    Ok(first.map(|bot| tokens::samples(project.id, bot.id).to_vec()).unwrap_or_default())
}

async fn organisation(botyard: &Botyard) -> Result<Organisation> {
    match find_organisation(botyard).await? {
        Some(found) => Ok(found),
        None => Ok(botyard.organisations.create(OPERATOR, ORGANISATION).await?),
    }
}

async fn find_organisation(botyard: &Botyard) -> Result<Option<Organisation>> {
    let all = botyard.organisations.list(OPERATOR).await?;
    Ok(all.into_iter().find(|organisation| organisation.name == ORGANISATION))
}

async fn project(botyard: &Botyard, organisation: OrganisationId) -> Result<Project> {
    match find_project(botyard, organisation).await? {
        Some(found) => Ok(found),
        None => Ok(botyard.projects.create(OPERATOR, organisation, PROJECT).await?),
    }
}

async fn find_project(botyard: &Botyard, organisation: OrganisationId) -> Result<Option<Project>> {
    let all = botyard.projects.list(OPERATOR, Some(organisation)).await?;
    Ok(all.into_iter().find(|project| project.name == PROJECT))
}

async fn bots(botyard: &Botyard, project: &Project) -> Result<Vec<BotSummary>> {
    let claim = OPERATOR.project(project);
    let known = botyard.bots.list_all(OPERATOR, project.id).await?;
    for (name, kind, deleted) in BOTS {
        if !known.iter().any(|bot| bot.name == name) {
            bot(botyard, &claim, name, kind, deleted).await?;
        }
    }
    let all = botyard.bots.list_all(OPERATOR, project.id).await?;
    let named = |name: &str| all.iter().find(|bot| bot.name == name).cloned();
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

impl Seeded {
    /// Whether there are tokens that can't be shown any more.
    pub fn lacks_tokens(&self) -> bool {
        !self.lost.is_empty()
    }

    /// Whether there are tokens to be shown.
    pub fn has_tokens(&self) -> bool {
        !self.tokens.is_empty()
    }
}
