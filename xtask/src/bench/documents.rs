//! Documents: how long the extraction of a PDF takes beside pdftotext, and how much memory the server
//! takes for large files and for many chunks.

use std::fs;
use std::io::{self, Read};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use crate::bench::document::Document;
use crate::bench::form::FormFile;
use crate::bench::pdf::pdf;
use crate::bench::pdftotext::Pdftotext;
use crate::bench::postgres::Postgres;
use crate::bench::process::Process;
use crate::bench::report::{Amount, Figure, Results, Section, Target, Unit, megabytes};
use crate::bench::rounds::{Measured, Rounds, Side, median};
use crate::bench::server::{Botyard, Database};
use crate::bench::setting::Setting;
use crate::bench::setting::folder;
use crate::bench::words::Words;

/// The size of a large file.
const LARGE: u64 = 500 << 20;
const OPTIONS: [&str; 2] = ["--limits-document-bytes", "500MiB"];
/// What only looks like a PDF.
const BEGIN: &[u8] = b"%PDF-1.7\n";
const PDF: &str = "application/pdf";
const PAGES: u32 = 200;
const CHUNKS: u64 = 10_000;
/// How long a paragraph becomes at least: a chunk holds one, and not two.
const PARAGRAPH: usize = 1_800;
const AS_IT_IS: (&str, &str) = ("extract", "false");
/// By how much the peak of the memory may grow, in MB.
const GROWTH_MAX: f64 = 16.0;

/// On each database; beside pdftotext only if that is there.
pub fn measure(
    setting: &Setting,
    postgres: impl FnOnce() -> Result<Postgres>,
) -> Result<Vec<Section>> {
    let parent = folder(&setting.folder, "documents")?;
    let section = |title, measured| Section { title, measured };
    let pdf = pdf(PAGES);
    let (pdftotext, reason) = match Pdftotext::find_or_install(&parent, &pdf) {
        Ok(pdftotext) => (Some(pdftotext), None),
        Err(reason) => (None, Some(format!("{reason:#}"))),
    };
    let bench = Documents { setting, pdf, pdftotext, parent };
    let on_sqlite = bench.on("sqlite", Database::Sqlite)?;
    let on_postgres = match postgres() {
        Ok(postgres) => {
            let url = postgres.cluster.url();
            Ok(bench.on("postgres", |folder| Database::Postgres { url, folder })?)
        }
        Err(reason) => Err(format!("{reason:#}")),
    };
    let mut sections = vec![
        section("Documents, SQLite", Ok(on_sqlite)),
        section("Documents, PostgreSQL on the same machine", on_postgres),
    ];
    let left_out = reason.map(|reason| section("Extraction beside `pdftotext`", Err(reason)));
    sections.extend(left_out);
    fs::remove_dir_all(&bench.parent).with_context(|| bench.parent.display().to_string())?;
    Ok(sections)
}

struct Documents<'a> {
    setting: &'a Setting,
    pdf: Vec<u8>,
    pdftotext: Option<Pdftotext>,
    parent: PathBuf,
}

impl Documents<'_> {
    /// All of it, in a folder that is removed afterwards: there is a large file in it.
    fn on(&self, name: &str, database: impl FnOnce(PathBuf) -> Database) -> Result<Results> {
        let folder = folder(&self.parent, name)?;
        let database = database(folder.clone());
        let botyard = &self.setting.programs.botyard;
        let server = Botyard::start(botyard, &database, &OPTIONS)?;
        let mut amounts = Vec::from(self.large_files(&server)?);
        let (made, id) = made_chunks(&server)?;
        // What was written to the database is not in the memory of a new server.
        let server = server.stop().start(botyard)?;
        amounts.push(made);
        amounts.extend(self.listed_chunks(&Document { server: &server, id })?);
        let pdftotext = self.pdftotext.as_ref();
        let figure = pdftotext.map(|pdftotext| self.beside(pdftotext, &server)).transpose()?;
        drop(server);
        fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
        Ok(Results { figures: Vec::from_iter(figure), amounts, ..Results::default() })
    }

    /// A large file up, down, and up again to be read, which it can't be. It is always the same and so is
    /// stored once.
    fn large_files(&self, server: &Botyard) -> Result<[Amount; 3]> {
        let memory = Memory::of(server)?;
        let (mut up, mut down, mut unreadable) = (Vec::new(), Vec::new(), Vec::new());
        for round in 1..=self.setting.rounds {
            eprintln!("large documents: round {round} of {}", self.setting.rounds);
            let (growth, document) =
                memory.growth(|| Document::upload(server, &[AS_IT_IS], large_file()))?;
            up.push(growth);
            document.require_status("none")?;
            let (growth, length) = memory.growth(|| document.drain("/download"))?;
            down.push(growth);
            if length != LARGE {
                bail!("the figure is void, because {length} bytes came down");
            }
            let (growth, failed) = memory.growth(|| {
                let document = Document::upload(server, &[], large_file())?;
                document.require_status("failed")?;
                Ok(document)
            })?;
            unreadable.push(growth);
            failed.delete()?;
            document.delete()?;
        }
        let growth = |name, values| Amount::worst(name, ("MB", 1), values, GROWTH_MAX);
        Ok([
            growth("growth of peak memory while a document of 500 MB goes up", up),
            growth("the same while it comes down", down),
            growth("the same while it goes up, is to be extracted and can't be", unreadable),
        ])
    }

    /// The list of all chunks of a document.
    fn listed_chunks(&self, document: &Document<'_>) -> Result<[Amount; 2]> {
        let memory = Memory::of(document.server)?;
        let (mut times, mut listed) = (Vec::new(), Vec::new());
        for _ in 0..self.setting.rounds {
            let (growth, (time, length)) = memory.growth(|| {
                let begin = Instant::now();
                let length = document.drain("/chunks")?;
                Ok((millis(begin.elapsed()), length))
            })?;
            times.push(time);
            listed.push(growth);
            if length < CHUNKS * PARAGRAPH as u64 {
                bail!("the figure is void, because the chunks are {length} bytes");
            }
        }
        document.delete()?;
        let growth = "growth of peak memory while 10 000 chunks are listed, whole";
        Ok([
            Amount::worst(growth, ("MB", 1), listed, GROWTH_MAX),
            Amount::unbounded("how long that takes, with 19 MB of text", ("ms", 0), times),
        ])
    }

    /// The extraction of a PDF and pdftotext, in turn.
    fn beside(&self, pdftotext: &Pdftotext, server: &Botyard) -> Result<Figure> {
        let process = &server.process;
        let document =
            Document::upload(server, &[AS_IT_IS], FormFile::of("text.pdf", PDF, self.pdf.clone()))?;
        let extract = |_: &Rounds<'_>, seconds| {
            Measured::watched(Some(process), || {
                median_time(seconds, || {
                    let begin = Instant::now();
                    document.extract()?;
                    let time = begin.elapsed();
                    if document.require_status("finished")? < u64::from(PAGES) {
                        bail!("the figure is void, because there is less than a chunk a page");
                    }
                    // The chunks of the time before are still to be removed.
                    process.settle()?;
                    Ok(time)
                })
            })
        };
        let print = |_: &Rounds<'_>, seconds| {
            Measured::watched(None, || {
                median_time(seconds, || {
                    let begin = Instant::now();
                    pdftotext.print()?;
                    Ok(begin.elapsed())
                })
            })
        };
        let sides = [
            Side { server: Some(process), load: Box::new(extract), calls: None },
            Side { server: None, load: Box::new(print), calls: None },
        ];
        let name = "extraction of a PDF of 200 pages, with chunks ÷ `pdftotext`";
        let rounds = Rounds { setting: self.setting, folder: &self.parent, name, connections: 1 };
        let [a, b] = rounds.run(&sides)?;
        Ok(Figure { name, unit: Unit::Millis, a, b, target: Some(Target::AtMost(1.5)) })
    }
}

/// A document that is made into chunks, and what that takes.
fn made_chunks(server: &Botyard) -> Result<(Amount, String)> {
    let memory = Memory::of(server)?;
    let (growth, id) = memory.growth(|| {
        let file = FormFile::of("text.txt", "text/plain", text().into_bytes());
        let document = Document::upload(server, &[("maxOverlap", "0")], file)?;
        let count = document.require_status("finished")?;
        if count != CHUNKS {
            bail!("the figure is void, because there are {count} chunks");
        }
        Ok(document.id)
    })?;
    let name = "growth of peak memory while 10 000 chunks are made and stored";
    Ok((Amount::unbounded(name, ("MB", 1), vec![growth]), id))
}

/// The memory of a server.
struct Memory<'a> {
    process: &'a Process,
    /// When it was idle.
    before: u64,
}

impl<'a> Memory<'a> {
    fn of(server: &'a Botyard) -> Result<Self> {
        let process = &server.process;
        process.settle()?;
        Ok(Self { process, before: process.memory()? })
    }

    /// By how much the peak grows during something, in MB, and what comes of that.
    fn growth<T>(&self, during: impl FnOnce() -> Result<T>) -> Result<(f64, T)> {
        self.process.settle()?;
        self.process.forget_peak()?;
        let outcome = during()?;
        Ok((megabytes(self.process.peak()?.saturating_sub(self.before)), outcome))
    }
}

/// Something that returns how long it took, repeated for as long as a load lasts; in milliseconds.
fn median_time(seconds: u32, once: impl Fn() -> Result<Duration>) -> Result<f64> {
    let (begin, mut times) = (Instant::now(), Vec::new());
    while times.is_empty() || begin.elapsed() < Duration::from_secs(seconds.into()) {
        times.push(millis(once()?));
    }
    Ok(median(&times))
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

fn large_file() -> FormFile<impl Read> {
    let bytes = BEGIN.chain(io::repeat(b'x')).take(LARGE);
    FormFile { name: "large.pdf", media_type: PDF, length: LARGE, bytes }
}

/// A text whose paragraphs are a chunk each.
fn text() -> String {
    let paragraph = |number| {
        let mut words = Words(number);
        let mut text = words.title();
        while text.len() < PARAGRAPH {
            text = text + " " + &words.sentence();
        }
        text
    };
    (0..CHUNKS).map(paragraph).collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_holds_a_paragraph_and_not_two() {
        let text = text();
        assert!(text.split("\n\n").all(|paragraph| paragraph.len() <= 2_000));
        assert_eq!(text.split("\n\n").count() as u64, CHUNKS);
        // More than the server reads.
        assert!(text.len() < 20 << 20);
    }

    #[test]
    fn the_median_of_what_was_timed_counts_even_if_there_is_no_time() {
        let time = median_time(0, || Ok(Duration::from_micros(2_500))).unwrap();
        assert!((time - 2.5).abs() < 1e-9, "{time}");
    }
}
