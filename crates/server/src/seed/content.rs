//! What a sample bot has: skills, visual blocks, stages and Fusion-Views.

use anyhow::{Context, Result};
use domain::Botyard;
use domain::access::BotClaim;
use domain::fusion::{CreateFusionView, FusionView};
use domain::input::{Input, InputSettings, Valid};
use domain::json::Json;
use domain::list::ListQuery;
use domain::skill::CreateSkill;
use domain::stage::CreateStage;
use domain::violation::Violations;
use domain::visual_block::NewVisualBlock;
use serde_json::Value;

use super::{package, samples};
use crate::pages::{all, all_listed};

/// How many of the types that have packages come with one.
const WITH_PACKAGE: usize = 2;

/// Reads a sample as if a client had sent it.
pub fn body<B: Input>(sample: &Value, settings: &InputSettings) -> Result<Valid<B>> {
    let body = B::parse(sample.to_string().as_bytes(), settings);
    body.map_err(bad_sample)
}

/// Says what is wrong with a sample.
pub fn bad_sample(violations: Violations) -> anyhow::Error {
    anyhow::anyhow!("a sample is bad: {violations:?}")
}

/// Fills in what the bot lacks.
pub async fn fill(botyard: &Botyard, claim: &BotClaim) -> Result<()> {
    skills(botyard, claim).await?;
    visual_blocks(botyard, claim).await?;
    stages(botyard, claim).await?;
    fusion_views(botyard, claim).await
}

async fn skills(botyard: &Botyard, claim: &BotClaim) -> Result<()> {
    let skills = &botyard.skills;
    let every = ListQuery::default();
    let known = all_listed(|after, limit| skills.page(claim, &every, after, limit)).await?;
    for sample in samples::skills() {
        let sample: Valid<CreateSkill> = body(&sample, botyard.input_settings())?;
        if !known.iter().any(|skill| Some(&skill.fields.name) == sample.0.name.as_set()) {
            skills.create(claim, sample).await?;
        }
    }
    Ok(())
}

async fn visual_blocks(botyard: &Botyard, claim: &BotClaim) -> Result<()> {
    let blocks = &botyard.visual_blocks;
    let known = all(|after, limit| blocks.page(claim, after, limit), |block| block.id).await?;
    for sample in samples::skills() {
        let sample: Valid<CreateSkill> = body(&sample, botyard.input_settings())?;
        let skill = sample.0.skill_id.as_set().context("a sample skill lacks its skillId")?;
        let content = Json::of(&samples::visual_block(skill));
        let block = NewVisualBlock { name: format!("ifthen_{skill}"), content };
        if !known.iter().any(|known| known.name == block.name) {
            let block = block.check(botyard.input_settings()).map_err(bad_sample)?;
            blocks.put(claim, block).await?;
        }
    }
    Ok(())
}

async fn stages(botyard: &Botyard, claim: &BotClaim) -> Result<()> {
    let stages = &botyard.stages;
    let every = ListQuery::default();
    let known = all_listed(|after, limit| stages.page(claim, &every, after, limit)).await?;
    for sample in samples::stages() {
        let sample: Valid<CreateStage> = body(&sample, botyard.input_settings())?;
        if !known.iter().any(|stage| Some(&stage.fields.title) == sample.0.title.as_set()) {
            stages.create(claim, sample).await?;
        }
    }
    Ok(())
}

async fn fusion_views(botyard: &Botyard, claim: &BotClaim) -> Result<()> {
    let (fusion, settings) = (&botyard.fusion, botyard.input_settings());
    let every = ListQuery::default();
    let known = all_listed(|after, limit| fusion.page(claim, &every, after, limit)).await?;
    let view = async |sample: Value| -> Result<FusionView> {
        let sample: Valid<CreateFusionView> = body(&sample, settings)?;
        match known.iter().find(|view| view.title == sample.title) {
            Some(found) => Ok(found.clone()),
            None => Ok(fusion.create(claim, sample).await?),
        }
    };
    view(samples::links()).await?;
    for (at, view_type) in settings.package_types.iter().enumerate() {
        let view = view(samples::packaged_view(view_type)).await?;
        if view.file.is_none() && at < WITH_PACKAGE {
            let package = package::archive("index.html", samples::PAGE.as_bytes());
            let mut upload = fusion.begin_upload(claim, view.id).await?;
            upload.write(&package.context("the sample package is too large")?).await?;
            upload.finish(Some("sample.zip")).await?;
        }
    }
    Ok(())
}
