//! What is measured under wrk's load against a floor, and what group commit brings.

use anyhow::Result;

use crate::bench::cases;
use crate::bench::report::{Amount, Figure, Results, Target, Unit};
use crate::bench::request::Request;
use crate::bench::rounds::{Measured, Rounds, Side};
use crate::bench::server::{Botyard, Floor};
use crate::bench::setting::{READERS, Setting, WRITERS, folder};

/// A request to measure against its floor.
pub struct Case<'a> {
    pub name: &'static str,
    pub request: Request,
    pub target: Option<Target>,
    /// Whether the bytes of the answers matter as well.
    pub is_list: bool,
    /// The same on a server that commits each write by itself.
    pub single: Option<Single<'a>>,
}

/// The other side of a figure that shows what group commit brings.
pub struct Single<'a> {
    pub name: &'static str,
    pub side: Side<'a>,
}

impl<'a> Case<'a> {
    /// A case without a target, which is reported for information.
    pub const fn new(name: &'static str, request: Request) -> Self {
        Self { name, request, target: None, is_list: false, single: None }
    }

    pub fn at_least(self, ratio: f64) -> Self {
        Self { target: Some(Target::AtLeast(ratio)), ..self }
    }
}

/// What the processors may take for a byte of a list, in nanoseconds.
const BYTE_MAX: f64 = 2.0;

/// The figures of one server; `single` is another one that commits each write by itself.
pub fn under_load(
    setting: &Setting,
    botyard: &Botyard,
    single: Option<&Botyard>,
) -> Result<Results> {
    let (mut figures, mut amounts) = (Vec::new(), Vec::new());
    for case in cases::all(setting, botyard, single)? {
        let Case { name, request, target, is_list, single } = case;
        let folder = folder(&setting.folder, "floor")?;
        let floor = Floor::of(botyard, &request, &setting.programs.floor, &folder)?;
        let connections = if request.body.is_some() { WRITERS } else { READERS };
        let unit = if is_list { Unit::Answers { bytes: floor.bytes } } else { Unit::Requests };
        let (a, b) = (botyard.side(request.clone()), floor.side(request));
        let rounds = Rounds { setting, folder: &folder, name, connections };
        if let Some(single) = single {
            let [a, b, c] = rounds.run(&[a, b, single.side])?;
            figures.push(Figure { name, unit, a: a.clone(), b, target });
            let target = Some(Target::AtLeast(4.0));
            figures.push(Figure { name: single.name, unit, a, b: c, target });
        } else {
            let [a, b] = rounds.run(&[a, b])?;
            if is_list {
                amounts.push(cost_of_a_byte(&a, floor.bytes));
            }
            figures.push(Figure { name, unit, a, b, target });
        }
    }
    Ok(Results { figures, amounts, ..Results::default() })
}

#[expect(clippy::cast_precision_loss, reason = "answers are smaller than 2^53 bytes")]
fn cost_of_a_byte(answers: &[Measured], bytes: usize) -> Amount {
    let costs = answers.iter().filter_map(|answer| answer.cost);
    let nanos = costs.map(|cost| cost.micros * 1_000.0 / bytes as f64).collect();
    Amount::median("time of the processors for a byte of that list", ("ns", 1), nanos, BYTE_MAX)
}
