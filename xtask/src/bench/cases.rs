//! The requests that are measured against their floors.

use anyhow::Result;

use crate::bench::content::Bot;
use crate::bench::entry;
use crate::bench::figures::{Case, Single};
use crate::bench::measurement::Measurement;
use crate::bench::request::{Request, VARIES};
use crate::bench::server::{BOT, Botyard};
use crate::bench::setting::{Setting, WRITERS};

/// Over how many skills the writes go: one for each connection.
const TARGETS: usize = WRITERS as usize;
/// How many skills the list has.
const SKILLS: usize = 1_000;

/// Fills the servers for what is wanted.
pub fn all<'a>(
    setting: &Setting,
    botyard: &Botyard,
    single: Option<&'a Botyard>,
) -> Result<Vec<Case<'a>>> {
    let mut cases = of_the_bot(setting, botyard, single)?;
    cases.extend(of_an_entry(setting, botyard, single)?);
    cases.extend(of_skills(setting, botyard)?);
    Ok(cases)
}

fn of_the_bot<'a>(
    setting: &Setting,
    botyard: &Botyard,
    single: Option<&'a Botyard>,
) -> Result<Vec<Case<'a>>> {
    let mut cases = Vec::new();
    if setting.wants(Measurement::Checkauth) {
        let request = botyard.request("GET", "/api/external/checkauth");
        cases.push(Case::new("`checkauth` ÷ floor", request).at_least(0.80));
    }
    if setting.wants_any(&[Measurement::GetBot, Measurement::PutBot]) {
        botyard.fill_config()?;
    }
    if setting.wants(Measurement::GetBot) {
        let request = botyard.request("GET", BOT);
        let name = "`GET` a bot with a 1.5 KB config ÷ floor";
        cases.push(Case::new(name, request).at_least(0.60));
    }
    if setting.wants(Measurement::PutBot) {
        single.map_or(Ok(()), Botyard::fill_config)?;
        let single = single.map(|single| Single {
            name: "the same `PUT` ÷ with a batch bound of 1",
            side: single.side(changing_bot(single)),
        });
        let name = "`PUT` a bot, durable ÷ floor of a `PUT`";
        let case = Case::new(name, changing_bot(botyard)).at_least(0.25);
        cases.push(Case { single, ..case });
    }
    Ok(cases)
}

fn of_an_entry<'a>(
    setting: &Setting,
    botyard: &Botyard,
    single: Option<&'a Botyard>,
) -> Result<Vec<Case<'a>>> {
    let mut cases = Vec::new();
    if setting.wants(Measurement::GetEntry) {
        let request = entry::reading(botyard)?;
        cases.push(Case::new("`GET` a key-value entry ÷ floor", request).at_least(0.65));
    }
    if setting.wants(Measurement::PutEntry) {
        let single = single.map(|single| Single {
            name: "the same `PUT` of an entry ÷ with a batch bound of 1",
            side: single.side(entry::writing(single)),
        });
        let name = "`PUT` of a key-value entry, durable ÷ floor of a `PUT`";
        let case = Case::new(name, entry::writing(botyard)).at_least(0.45);
        cases.push(Case { single, ..case });
    }
    Ok(cases)
}

fn of_skills(setting: &Setting, botyard: &Botyard) -> Result<Vec<Case<'static>>> {
    let mut cases = Vec::new();
    if !setting.wants_any(&[Measurement::ListSkills, Measurement::PutSkill]) {
        return Ok(cases);
    }
    let bot = Bot::create(botyard)?;
    bot.add_skills(SKILLS)?;
    if setting.wants(Measurement::ListSkills) {
        let request = botyard.project_request("GET", vec![bot.path("/skills")]);
        let case = Case::new("list of 1 000 skills, whole ÷ floor", request);
        cases.push(Case { is_list: true, ..case });
    }
    if setting.wants(Measurement::PutSkill) {
        let skills = (0..TARGETS).map(|number| bot.skill(number));
        let name = "`PUT` of 64 skills of one bot, durable ÷ floor of a `PUT`";
        cases.push(Case::new(name, changing_skills(botyard, skills.collect())));
        let mut skills = Vec::new();
        for _ in 0..TARGETS {
            let bot = Bot::create(botyard)?;
            bot.add_skills(1)?;
            skills.push(bot.skill(0));
        }
        let name = "`PUT` of a skill in each of 64 bots, durable ÷ floor of a `PUT`";
        cases.push(Case::new(name, changing_skills(botyard, skills)).at_least(0.20));
    }
    Ok(cases)
}

/// A request of which each one changes the bot.
fn changing_bot(server: &Botyard) -> Request {
    let body = format!(r#"{{"temperature":{VARIES}}}"#);
    Request { body: Some(body), ..server.request("PUT", BOT) }
}

/// Requests of which each one changes one of these skills.
fn changing_skills(server: &Botyard, skills: Vec<String>) -> Request {
    let body = format!(r#"{{"description":"Version {VARIES} of it."}}"#);
    Request { body: Some(body), ..server.project_request("PUT", skills) }
}
