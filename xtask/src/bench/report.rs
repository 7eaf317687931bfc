//! What came of it, as Markdown.

use std::fmt;

use anyhow::Result;

use crate::bench::figures::Figure;
use crate::bench::machine;
use crate::bench::rounds::{Measured, median};
use crate::workspace::Workspace;

/// What a server that has nothing to do may hold, in bytes.
const MEMORY_MAX: u64 = 40 << 20;

/// All that was measured. It shows itself as Markdown.
pub struct Report {
    head: Vec<String>,
    /// Bytes that a server holds that has nothing to do.
    pub memory: Option<u64>,
    pub sections: Vec<Section>,
}

/// What was measured on one database, or why nothing was.
pub struct Section {
    pub title: &'static str,
    pub measured: Result<Vec<Figure>, String>,
}

impl Report {
    /// A report on which nothing stands yet but where and how it is made.
    pub fn begin(workspace: &Workspace, seconds: u32, rounds: u32) -> Result<Self> {
        let mut head = machine::describe(workspace)?;
        head.push(format!("Load: wrk, {rounds} rounds of {seconds} s for each side, in turn"));
        Ok(Self { head, memory: None, sections: Vec::new() })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.head {
            writeln!(f, "- {line}")?;
        }
        for section in &self.sections {
            writeln!(f, "\n{}:\n", section.title)?;
            match &section.measured {
                Ok(figures) => table(figures, f)?,
                Err(reason) => writeln!(f, "not measured: {reason}")?,
            }
        }
        if let Some(bytes) = self.memory {
            let result = reached(bytes <= MEMORY_MAX);
            let (held, allowed) = (megabytes(bytes), MEMORY_MAX >> 20);
            writeln!(
                f,
                "\nMemory when idle, after start: {held} MB; target ≤ {allowed} MB: {result}"
            )?;
        }
        Ok(())
    }
}

fn table(figures: &[Figure], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let head = ["A ÷ B", "A req/s", "B req/s", "ratio", "from – to", "others", "target", ""];
    let mut rows = vec![head.map(str::to_owned)];
    rows.extend(figures.iter().map(row));
    let widths: [usize; 8] = std::array::from_fn(|at| {
        rows.iter()
            .filter_map(|row| row.get(at))
            .map(|cell| cell.chars().count())
            .max()
            .unwrap_or(0)
    });
    for (number, row) in rows.iter().enumerate() {
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

fn row(figure: &Figure) -> [String; 8] {
    let ratios = figure.ratios();
    let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    let most = ratios.iter().copied().fold(0.0, f64::max);
    let (target, result) = match figure.target {
        None => (String::new(), "for information"),
        Some(target) => (format!("≥ {target:.2}"), reached(figure.ratio() >= target)),
    };
    let rate = |side: &[Measured]| median(&side.iter().map(|one| one.rate).collect::<Vec<_>>());
    // Of B only: the other side may have a database do its work.
    let others = median(&figure.b.iter().map(|one| one.others).collect::<Vec<_>>());
    [
        figure.name.to_owned(),
        format!("{:.0}", rate(&figure.a)),
        format!("{:.0}", rate(&figure.b)),
        format!("{:.2}", figure.ratio()),
        format!("{least:.2} – {most:.2}"),
        format!("{:.0} %", others * 100.0),
        target,
        result.to_owned(),
    ]
}

const fn reached(is_reached: bool) -> &'static str {
    if is_reached { "reached" } else { "missed" }
}

#[expect(clippy::cast_precision_loss, reason = "it is shown with one decimal")]
fn megabytes(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / f64::from(1 << 20))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ratio_is_the_median_of_the_rounds() {
        let measured = |rate| Measured { rate, others: 0.02 };
        let (a, b) = ([50.0, 90.0, 60.0].map(measured), [100.0; 3].map(measured));
        let figure = Figure { name: "x", a: a.into(), b: b.into(), target: Some(0.6) };
        let cells = ["x", "60", "100", "0.60", "0.50 – 0.90", "2 %", "≥ 0.60", "reached"];
        assert_eq!(row(&figure), cells.map(str::to_owned));
        let missed = Figure { target: Some(0.61), ..figure };
        assert_eq!(row(&missed).last().unwrap(), "missed");
        let told = Figure { target: None, ..missed };
        assert_eq!(row(&told).last().unwrap(), "for information");
    }

    #[test]
    fn what_was_not_measured_says_why() {
        let section = |title, measured| Section { title, measured };
        let report = Report {
            head: vec!["Machine: m".to_owned()],
            memory: Some(20 << 20),
            sections: vec![
                section("SQLite", Ok(Vec::new())),
                section("PostgreSQL", Err("no server".to_owned())),
            ],
        };
        let text = report.to_string();
        assert!(text.starts_with("- Machine: m\n\nSQLite:\n\n| A ÷ B "), "{text}");
        assert!(text.contains("\nPostgreSQL:\n\nnot measured: no server\n"), "{text}");
        assert!(text.ends_with("20.0 MB; target ≤ 40 MB: reached\n"), "{text}");
    }
}
