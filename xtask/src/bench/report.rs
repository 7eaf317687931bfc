//! What came of it, as Markdown.

use std::fmt;

use anyhow::Result;

use crate::bench::machine;
use crate::bench::neighbours::impact::{self, Impact};
use crate::bench::rounds::{Measured, median};
use crate::workspace::Workspace;

const FOR_INFORMATION: &str = "for information";

/// All that was measured. It shows itself as Markdown.
pub struct Report {
    head: Vec<String>,
    pub sections: Vec<Section>,
}

/// What was measured on one database, or why nothing was.
pub struct Section {
    pub title: &'static str,
    pub measured: Result<Results, String>,
}

/// A table of each kind; one without rows is not shown.
#[derive(Default)]
pub struct Results {
    pub figures: Vec<Figure>,
    pub impacts: Vec<Impact>,
    pub amounts: Vec<Amount>,
}

/// A ratio of two sides, with what each did in each round.
pub struct Figure {
    pub name: &'static str,
    pub unit: Unit,
    pub a: Vec<Measured>,
    pub b: Vec<Measured>,
    /// What the ratio must be; `None` for one that is reported for information.
    pub target: Option<Target>,
}

/// What a ratio must be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Target {
    AtLeast(f64),
    AtMost(f64),
}

/// What a side does in a second, or how long something takes it.
#[derive(Debug, Clone, Copy)]
pub enum Unit {
    Requests,
    /// Requests whose answers have bodies of that size.
    Answers {
        bytes: usize,
    },
    Megabytes,
    Pages,
    Millis,
    Micros,
}

/// Something that has no other side; mostly it has a bound of its own.
pub struct Amount {
    name: &'static str,
    /// The unit, and how many decimals count.
    unit: (&'static str, usize),
    values: Vec<f64>,
    /// The value that counts.
    value: f64,
    /// What it may be at most; `None` for one that is reported for information.
    max: Option<f64>,
}

impl Report {
    /// A report on which nothing stands yet but where and how it is made.
    pub fn begin(workspace: &Workspace, seconds: u32, rounds: u32) -> Result<Self> {
        let mut head = machine::describe(workspace)?;
        head.push(format!("Load: wrk, {rounds} rounds of {seconds} s for each side, in turn"));
        Ok(Self { head, sections: Vec::new() })
    }
}

impl Results {
    pub const fn is_empty(&self) -> bool {
        self.figures.is_empty() && self.impacts.is_empty() && self.amounts.is_empty()
    }

    pub fn extend(&mut self, other: Self) {
        self.figures.extend(other.figures);
        self.impacts.extend(other.impacts);
        self.amounts.extend(other.amounts);
    }
}

impl Figure {
    /// The ratio of each round.
    fn ratios(&self) -> Vec<f64> {
        self.a.iter().zip(&self.b).map(|(a, b)| a.value / b.value).collect()
    }

    /// What is shown of each side.
    fn of_both(&self, show: fn(&[Measured]) -> String) -> String {
        [&self.a, &self.b].map(|side| show(side)).join("; ").trim_matches([';', ' ']).to_owned()
    }

    fn row(&self) -> [String; 10] {
        let ratios = self.ratios();
        // The ratio that counts.
        let ratio = median(&ratios);
        let (target, result) = match self.target {
            None => (String::new(), FOR_INFORMATION),
            Some(Target::AtLeast(least)) => (format!("≥ {least:.2}"), reached(ratio >= least)),
            Some(Target::AtMost(most)) => (format!("≤ {most:.2}"), reached(ratio <= most)),
        };
        let value = |side: &[Measured]| {
            self.unit.show(median(&side.iter().map(|one| one.value).collect::<Vec<_>>()))
        };
        // Of B only: the other side may have a database do its work.
        let others: Vec<_> = self.b.iter().filter_map(|one| one.others).collect();
        let share = |others: &[f64]| format!("{:.0} %", median(others) * 100.0);
        [
            self.name.to_owned(),
            value(&self.a),
            value(&self.b),
            format!("{ratio:.2}"),
            span(&ratios, 2),
            if others.is_empty() { String::new() } else { share(&others) },
            self.of_both(cost),
            self.of_both(tail),
            target,
            result.to_owned(),
        ]
    }
}

/// How much longer the slowest requests of a side took: the median of its rounds.
fn tail(side: &[Measured]) -> String {
    let tails: Vec<_> = side.iter().filter_map(|one| one.tail).collect();
    if tails.is_empty() { String::new() } else { format!("{:.1}", median(&tails)) }
}

/// What a request of a side cost: the median of its rounds.
fn cost(side: &[Measured]) -> String {
    let costs: Vec<_> = side.iter().filter_map(|one| one.cost).collect();
    let micros = median(&costs.iter().map(|cost| cost.micros).collect::<Vec<_>>());
    let calls = costs.first().and_then(|cost| cost.calls);
    match calls {
        _ if costs.is_empty() => String::new(),
        Some(calls) => format!("{micros:.1} µs, {calls:.1}"),
        None => format!("{micros:.1} µs"),
    }
}

impl Unit {
    fn show(self, value: f64) -> String {
        match self {
            Self::Requests => format!("{value:.0} req/s"),
            Self::Answers { bytes } => {
                format!("{value:.0} req/s, {:.0} MB/s", value * megabytes(bytes as u64))
            }
            Self::Megabytes => format!("{value:.0} MB/s"),
            Self::Pages => format!("{value:.0} pages/s"),
            Self::Millis => format!("{value:.0} ms"),
            Self::Micros => format!("{value:.0} µs"),
        }
    }
}

impl Amount {
    /// An amount of which the median counts.
    pub fn median(
        name: &'static str,
        unit: (&'static str, usize),
        values: Vec<f64>,
        max: f64,
    ) -> Self {
        Self { name, unit, value: median(&values), values, max: Some(max) }
    }

    /// The same of one that has no bound.
    pub fn unbounded(name: &'static str, unit: (&'static str, usize), values: Vec<f64>) -> Self {
        Self { name, unit, value: median(&values), values, max: None }
    }

    /// An amount of which the largest counts.
    pub fn worst(
        name: &'static str,
        unit: (&'static str, usize),
        values: Vec<f64>,
        max: f64,
    ) -> Self {
        let value = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Self { name, unit, value, values, max: Some(max) }
    }

    fn row(&self) -> [String; 5] {
        let (unit, decimals) = self.unit;
        let with_unit = |value| format!("{value:.decimals$} {unit}").trim_end().to_owned();
        let (target, result) = match self.max {
            None => (String::new(), FOR_INFORMATION),
            Some(max) => (format!("≤ {max} {unit}"), reached(self.value <= max)),
        };
        [
            self.name.to_owned(),
            with_unit(self.value),
            span(&self.values, decimals),
            target.trim_end().to_owned(),
            result.to_owned(),
        ]
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.head {
            writeln!(f, "- {line}")?;
        }
        for section in &self.sections {
            writeln!(f, "\n{}:", section.title)?;
            match &section.measured {
                Ok(results) => results.fmt(f)?,
                Err(reason) => writeln!(f, "\nnot measured: {reason}")?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for Results {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let costs = "CPU, calls: A; B";
        let head = [
            "A ÷ B",
            "A",
            "B",
            "ratio",
            "from – to",
            "others",
            costs,
            "p99 ÷ p50: A; B",
            "target",
            "",
        ];
        table(head, self.figures.iter().map(Figure::row), f)?;
        table(impact::HEAD, self.impacts.iter().map(Impact::row), f)?;
        let head = ["amount", "value", "from – to", "target", ""];
        table(head, self.amounts.iter().map(Amount::row), f)
    }
}

fn table<const N: usize>(
    head: [&str; N],
    rows: impl Iterator<Item = [String; N]>,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let mut all = vec![head.map(str::to_owned)];
    all.extend(rows);
    if all.len() == 1 {
        return Ok(());
    }
    writeln!(f)?;
    let widths: [usize; N] = std::array::from_fn(|at| {
        let cells = all.iter().filter_map(|row| row.get(at));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    });
    for (number, row) in all.iter().enumerate() {
        for (cell, width) in row.iter().zip(widths) {
            write!(f, "| {cell:<width$} ")?;
        }
        writeln!(f, "|")?;
        if number == 0 {
            for width in widths {
                write!(f, "|{}", "-".repeat(width + 2))?;
            }
            writeln!(f, "|")?;
        }
    }
    Ok(())
}

/// The least and the most of several values.
fn span(values: &[f64], decimals: usize) -> String {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    format!("{least:.decimals$} – {most:.decimals$}")
}

const fn reached(is_reached: bool) -> &'static str {
    if is_reached { "reached" } else { "missed" }
}

#[expect(clippy::cast_precision_loss, reason = "it is shown with one decimal")]
pub fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::cost::Cost;

    fn figure(unit: Unit, target: Option<Target>) -> Figure {
        let cost = Some(Cost { micros: 10.04, calls: Some(2.0) });
        let measured = |value| Measured { value, others: Some(0.02), cost, tail: Some(2.04) };
        let (a, b) = ([50.0, 90.0, 60.0].map(measured), [100.0; 3].map(measured));
        Figure { name: "x", unit, a: a.into(), b: b.into(), target }
    }

    #[test]
    fn the_ratio_is_the_median_of_the_rounds() {
        let row = |target| figure(Unit::Requests, target).row();
        let (others, costs) = ("2 %", "10.0 µs, 2.0; 10.0 µs, 2.0");
        let cells = [
            "60 req/s",
            "100 req/s",
            "0.60",
            "0.50 – 0.90",
            others,
            costs,
            "2.0; 2.0",
            "≥ 0.60",
            "reached",
        ];
        assert_eq!(row(Some(Target::AtLeast(0.6))).get(1..).unwrap(), cells);
        assert_eq!(row(Some(Target::AtLeast(0.61))).last().unwrap(), "missed");
        assert_eq!(row(Some(Target::AtMost(0.6))).get(8..).unwrap(), ["≤ 0.60", "reached"]);
        assert_eq!(row(Some(Target::AtMost(0.59))).last().unwrap(), "missed");
        assert_eq!(row(None).last().unwrap(), "for information");
    }

    #[test]
    fn what_others_did_is_left_out_where_it_is_unknown() {
        let mut figure = figure(Unit::Requests, None);
        for measured in &mut figure.b {
            measured.others = None;
            measured.cost = None;
        }
        for measured in &mut figure.a {
            measured.cost = measured.cost.map(|cost| Cost { calls: None, ..cost });
            measured.tail = None;
        }
        assert_eq!(figure.row().get(5..8).unwrap(), ["", "10.0 µs", "2.0"]);
    }

    #[test]
    fn what_a_side_does_is_shown_in_its_unit() {
        let rates = |unit| figure(unit, None).row().into_iter().skip(1).take(2).collect::<Vec<_>>();
        let answers = Unit::Answers { bytes: 2 << 20 };
        assert_eq!(rates(answers), ["60 req/s, 120 MB/s", "100 req/s, 200 MB/s"]);
        assert_eq!(rates(Unit::Megabytes), ["60 MB/s", "100 MB/s"]);
        assert_eq!(rates(Unit::Pages), ["60 pages/s", "100 pages/s"]);
        assert_eq!(rates(Unit::Millis), ["60 ms", "100 ms"]);
        assert_eq!(rates(Unit::Micros), ["60 µs", "100 µs"]);
    }

    #[test]
    fn of_an_amount_the_median_or_the_largest_counts() {
        let values = || vec![1.0, 1.5, 0.5];
        let median = Amount::median("x", ("s", 2), values(), 1.0).row();
        assert_eq!(median, ["x", "1.00 s", "0.50 – 1.50", "≤ 1 s", "reached"]);
        let worst = Amount::worst("x", ("", 0), values(), 0.0).row();
        assert_eq!(worst, ["x", "2", "0 – 2", "≤ 0", "missed"]);
        let unbounded = Amount::unbounded("x", ("s", 1), values()).row();
        assert_eq!(unbounded, ["x", "1.0 s", "0.5 – 1.5", "", "for information"]);
    }

    #[test]
    fn what_was_not_measured_says_why() {
        let section = |title, measured| Section { title, measured };
        let amounts = vec![Amount::median("memory", ("MB", 1), vec![20.0], 40.0)];
        let report = Report {
            head: vec!["Machine: m".to_owned()],
            sections: vec![
                section("SQLite", Ok(Results { amounts, ..Results::default() })),
                section("PostgreSQL", Err("no server".to_owned())),
            ],
        };
        let text = report.to_string();
        assert!(text.starts_with("- Machine: m\n\nSQLite:\n\n| amount "), "{text}");
        assert!(text.contains("| memory | 20.0 MB | 20.0 – 20.0 | ≤ 40 MB | reached |"), "{text}");
        assert!(text.ends_with("|\n\nPostgreSQL:\n\nnot measured: no server\n"), "{text}");
    }
}
