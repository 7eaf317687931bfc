//! What is measured under wrk's load: requests against their floors, and what group commit brings.

use std::path::PathBuf;

use anyhow::Result;

use crate::bench::content::Bot;
use crate::bench::load::Wrk;
use crate::bench::report::{Figure, Unit};
use crate::bench::request::{Request, VARIES};
use crate::bench::rounds::Rounds;
use crate::bench::server::{Botyard, Floor};
use crate::bench::{What, folder};

const READERS: u32 = 32;
const WRITERS: u32 = 64;
const BOT: &str = "/api/external/bot";
/// How many skills the list has.
const SKILLS: usize = 1_000;
/// Over how many skills the writes go: one for each connection.
const TARGETS: usize = 64;

/// The programs that take part.
pub struct Programs {
    pub botyard: PathBuf,
    pub floor: PathBuf,
    pub wrk: Wrk,
}

/// What, how and where to measure.
pub struct Setting {
    pub programs: Programs,
    pub folder: PathBuf,
    pub seconds: u32,
    pub rounds: u32,
    /// All if this is empty.
    pub only: Vec<What>,
}

impl Setting {
    pub fn wants(&self, what: What) -> bool {
        self.only.is_empty() || self.only.contains(&what)
    }

    pub fn wants_any(&self, of: &[What]) -> bool {
        of.iter().any(|what| self.wants(*what))
    }
}

/// A request to measure against its floor.
struct Case {
    name: &'static str,
    request: Request,
    target: Option<f64>,
    /// Whether the bytes of the answers matter as well.
    is_list: bool,
}

/// The figures of one server; `single` is another one that commits each write by itself.
pub fn under_load(
    setting: &Setting,
    botyard: &Botyard,
    single: Option<&Botyard>,
) -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for case in cases(setting, botyard)? {
        let Case { name, request, target, is_list } = case;
        let folder = folder(&setting.folder, "floor")?;
        let floor = Floor::of(botyard, &request, &setting.programs.floor, &folder)?;
        let connections = if request.body.is_some() { WRITERS } else { READERS };
        let unit = if is_list { Unit::Answers { bytes: floor.bytes } } else { Unit::Requests };
        let mut sides = vec![botyard.side(request.clone()), floor.side(request.clone())];
        if let Some(single) = single.filter(|_| request.body.is_some() && request.path() == BOT) {
            single.fill_config()?;
            sides.push(single.side(changing_bot(single)));
        }
        let rounds = Rounds { setting, folder: &folder, name, connections };
        let mut measured = rounds.run(&sides)?.into_iter();
        let mut next = || measured.next().unwrap_or_default();
        let (a, b) = (next(), next());
        figures.push(Figure { name, unit, a: a.clone(), b, target });
        figures.extend(measured.next().map(|b| Figure {
            name: "the same `PUT` ÷ with a batch bound of 1",
            unit,
            a,
            b,
            target: Some(2.0),
        }));
    }
    Ok(figures)
}

fn cases(setting: &Setting, botyard: &Botyard) -> Result<Vec<Case>> {
    let mut cases = of_the_bot(setting, botyard)?;
    cases.extend(of_skills(setting, botyard)?);
    Ok(cases)
}

fn of_the_bot(setting: &Setting, botyard: &Botyard) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    let mut add = |name, request, target| {
        cases.push(Case { name, request, target: Some(target), is_list: false });
    };
    if setting.wants(What::Checkauth) {
        let request = botyard.request("GET", "/api/external/checkauth");
        add("`checkauth` ÷ floor", request, 0.70);
    }
    if setting.wants_any(&[What::GetBot, What::PutBot]) {
        botyard.fill_config()?;
    }
    if setting.wants(What::GetBot) {
        let request = botyard.request("GET", BOT);
        add("`GET` a bot with a 1.5 KB config ÷ floor", request, 0.50);
    }
    if setting.wants(What::PutBot) {
        add("`PUT` a bot, durable ÷ floor of a `PUT`", changing_bot(botyard), 0.35);
    }
    Ok(cases)
}

fn of_skills(setting: &Setting, botyard: &Botyard) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    let mut add = |name, request, is_list| {
        cases.push(Case { name, request, target: None, is_list });
    };
    if !setting.wants_any(&[What::ListSkills, What::PutSkill]) {
        return Ok(cases);
    }
    let bot = Bot::create(botyard)?;
    bot.add_skills(SKILLS)?;
    if setting.wants(What::ListSkills) {
        let request = botyard.project_request("GET", vec![bot.path("/skills")]);
        add("list of 1 000 skills, whole ÷ floor", request, true);
    }
    if setting.wants(What::PutSkill) {
        let skills = (0..TARGETS).map(|number| bot.skill(number));
        let name = "`PUT` of 64 skills of one bot, durable ÷ floor of a `PUT`";
        add(name, changing_skills(botyard, skills.collect()), false);
        let mut skills = Vec::new();
        for _ in 0..TARGETS {
            let bot = Bot::create(botyard)?;
            bot.add_skills(1)?;
            skills.push(bot.skill(0));
        }
        let name = "`PUT` of a skill in each of 64 bots, durable ÷ floor of a `PUT`";
        add(name, changing_skills(botyard, skills), false);
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
