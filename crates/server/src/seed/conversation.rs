//! What ran through a sample bot: users and their conversations, usage, feedback, and what is kept by
//! key. It is written down as a chat runtime would do that.

use anyhow::{Context, Result};
use domain::Botyard;
use domain::access::{BotClaim, OwnerClaim, ProjectClaim};
use domain::clock::TimeCursor;
use domain::feedback::{FeedbackFilter, FeedbackOrder};
use domain::input::Valid;
use domain::keyval::{EntryAddress, EntryFilter};
use domain::max_age::CreateMaxAgeRule;
use domain::recorder::{NewEntry, NewFeedback, NewHistoryItem, NewUsage, NewUser, Record};
use domain::usage::DayRange;
use domain::user::User;

use super::content::body;
use super::conversation_samples as samples;
use crate::pages::all;

/// Fills in what the bot lacks.
pub async fn fill(botyard: &Botyard, claim: &BotClaim) -> Result<()> {
    for sample in samples::users() {
        let sample: Valid<NewUser> = body(&sample, botyard.input_settings())?;
        let user = user(botyard, claim, sample).await?;
        history(botyard, claim, &user).await?;
        entries(botyard, claim, &user).await?;
        if user.guest_id == "visitor-1" {
            feedback(botyard, claim, &user).await?;
        }
    }
    usage(botyard, claim).await
}

/// Fills in what the project itself lacks.
pub async fn fill_project(botyard: &Botyard, claim: &ProjectClaim) -> Result<()> {
    let known = addresses(botyard, &OwnerClaim::Project(claim.clone())).await?;
    let missing = missing(botyard, &samples::entries_of_project(), &known)?;
    botyard.recorder.record_entries(claim, missing).await?;

    let rules = &botyard.max_age;
    let known = all(|after, limit| rules.page(claim, after, limit), |rule| rule.id).await?;
    for sample in samples::max_age_rules() {
        let sample: Valid<CreateMaxAgeRule> = body(&sample, botyard.input_settings())?;
        if !known.iter().any(|rule| rule.key_pattern == sample.key_pattern) {
            rules.create(claim, sample).await?;
        }
    }
    Ok(())
}

async fn user(botyard: &Botyard, claim: &BotClaim, sample: Valid<NewUser>) -> Result<User> {
    let guest = sample.guest_id.clone();
    if let Some(found) = botyard.users.by_guest_id(claim, guest.clone()).await? {
        return Ok(found);
    }
    botyard.recorder.record(claim, vec![sample.into()]).await?;
    botyard.users.by_guest_id(claim, guest).await?.context("a sample user went away")
}

/// All that was said or nothing: what is there already was said first.
async fn history(botyard: &Botyard, claim: &BotClaim, user: &User) -> Result<()> {
    if !botyard.supervisor.items(claim, user.id, None, 1).await?.is_empty() {
        return Ok(());
    }
    let mut records = Vec::new();
    for sample in samples::history(&user.guest_id, &user.id.to_string()) {
        records.push(body::<NewHistoryItem>(&sample, botyard.input_settings())?.into());
    }
    Ok(botyard.recorder.record(claim, records).await?)
}

async fn entries(botyard: &Botyard, claim: &BotClaim, user: &User) -> Result<()> {
    let known = addresses(botyard, &OwnerClaim::Bot(claim.clone())).await?;
    let samples = samples::entries_of_user(&user.id.to_string());
    let missing = missing(botyard, &samples, &known)?;
    Ok(botyard.recorder.record(claim, missing.into_iter().map(Record::from).collect()).await?)
}

/// Where there are entries.
async fn addresses(botyard: &Botyard, claim: &OwnerClaim) -> Result<Vec<EntryAddress>> {
    let (keyval, filter) = (&botyard.keyval, EntryFilter::default());
    let (mut known, mut after) = (Vec::new(), None);
    loop {
        let (found, next) = keyval.page(claim, &filter, after, 500).await?;
        known.extend(found.into_iter().map(|found| found.entry.address));
        match next {
            Some(next) => after = Some(next),
            None => return Ok(known),
        }
    }
}

/// The samples that stand at none of the addresses.
fn missing(
    botyard: &Botyard,
    samples: &[serde_json::Value],
    known: &[EntryAddress],
) -> Result<Vec<Valid<NewEntry>>> {
    let entries: Result<Vec<Valid<NewEntry>>> =
        samples.iter().map(|sample| body(sample, botyard.input_settings())).collect();
    Ok(entries?.into_iter().filter(|entry| !known.contains(&entry.address)).collect())
}

async fn feedback(botyard: &Botyard, claim: &BotClaim, user: &User) -> Result<()> {
    let feedback = &botyard.feedback;
    let page = |after, limit| {
        feedback.page(claim, FeedbackFilter::default(), FeedbackOrder::OldestFirst, after, limit)
    };
    let known = all(page, |known| TimeCursor { at: known.created_at, id: known.id }).await?;
    let mut records = Vec::new();
    for sample in samples::feedback(&user.id.to_string()) {
        let sample: Valid<NewFeedback> = body(&sample, botyard.input_settings())?;
        if !known.iter().any(|known| known.message_id == sample.message_id) {
            records.push(sample.into());
        }
    }
    Ok(botyard.recorder.record(claim, records).await?)
}

async fn usage(botyard: &Botyard, claim: &BotClaim) -> Result<()> {
    let usage = &botyard.usage;
    let page = |after, limit| usage.page(claim, DayRange::default(), after, limit);
    let known = all(page, |row| row.of.clone()).await?;
    let mut records = Vec::new();
    for sample in samples::usage() {
        let sample: Valid<NewUsage> = body(&sample, botyard.input_settings())?;
        if !known.iter().any(|row| row.of == sample.of) {
            records.push(sample.into());
        }
    }
    Ok(botyard.recorder.record(claim, records).await?)
}
