//! What a sample bot has: skills, visual blocks, stages and Fusion-Views.

use anyhow::{Context, Result};
use domain::Botyard;
use domain::access::BotClaim;
use domain::body::{Body, Rules};
use domain::fusion::{CreateFusionView, FusionView};
use domain::json::Json;
use domain::skill::CreateSkill;
use domain::stage::CreateStage;
use serde_json::Value;

use super::{package, samples};
use crate::pages::all;

/// How many of the types that have packages come with one.
const WITH_PACKAGE: usize = 2;

/// Reads a sample as if a client had sent it.
pub fn body<B: Body>(sample: &Value, rules: &Rules) -> Result<B> {
    let body = B::parse(sample.to_string().as_bytes(), rules);
    body.map_err(|violations| anyhow::anyhow!("a sample is bad: {violations:?}"))
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
    let known = all(|after, limit| skills.page(claim, after, limit), |skill| skill.id).await?;
    for sample in samples::skills() {
        let sample: CreateSkill = body(&sample, botyard.rules())?;
        if !known.iter().any(|skill| Some(&skill.name) == sample.0.name.as_ref()) {
            skills.create(claim, sample).await?;
        }
    }
    Ok(())
}

async fn visual_blocks(botyard: &Botyard, claim: &BotClaim) -> Result<()> {
    let blocks = &botyard.visual_blocks;
    let known = all(|after, limit| blocks.page(claim, after, limit), |block| block.id).await?;
    for sample in samples::skills() {
        let sample: CreateSkill = body(&sample, botyard.rules())?;
        let skill = sample.0.skill_id.context("a sample skill lacks its skillId")?;
        let name = format!("ifthen_{skill}");
        if !known.iter().any(|block| block.name == name) {
            blocks.put(claim, &name, Json::of(&samples::visual_block(&skill))).await?;
        }
    }
    Ok(())
}

async fn stages(botyard: &Botyard, claim: &BotClaim) -> Result<()> {
    let stages = &botyard.stages;
    let known = all(|after, limit| stages.page(claim, after, limit), |stage| stage.id).await?;
    for sample in samples::stages() {
        let sample: CreateStage = body(&sample, botyard.rules())?;
        if !known.iter().any(|stage| stage.title == sample.title) {
            stages.create(claim, sample).await?;
        }
    }
    Ok(())
}

async fn fusion_views(botyard: &Botyard, claim: &BotClaim) -> Result<()> {
    let (fusion, rules) = (&botyard.fusion, botyard.rules());
    let known = all(|after, limit| fusion.page(claim, after, limit), |view| view.id).await?;
    let view = async |sample: Value| -> Result<FusionView> {
        let sample: CreateFusionView = body(&sample, rules)?;
        match known.iter().find(|view| view.title == sample.title) {
            Some(found) => Ok(found.clone()),
            None => Ok(fusion.create(claim, sample).await?),
        }
    };
    view(samples::links()).await?;
    for (at, view_type) in rules.package_types.iter().enumerate() {
        let view = view(samples::packaged_view(view_type)).await?;
        if view.file.is_none() && at < WITH_PACKAGE {
            let package = package::archive("index.html", samples::PAGE.as_bytes());
            let mut upload = fusion.begin_upload(claim, view.id.to_string()).await?;
            upload.write(&package.context("the sample package is too large")?).await?;
            upload.finish(Some("sample.zip")).await?;
        }
    }
    Ok(())
}
