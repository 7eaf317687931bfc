//! How long the duplicate of a large bot takes, and whether it leaves the packages where they are.

use std::fs;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::bench::archive::Archive;
use crate::bench::content::Bot;
use crate::bench::report::Amount;
use crate::bench::server::Botyard;
use crate::bench::setting::Setting;
use crate::bench::setting::folder;

const SKILLS: usize = 1_000;
const STAGES: usize = 1_000;
const VIEWS: u64 = 50;
/// The size of a package.
const PACKAGE: u64 = 64 << 10;

/// Duplicates a bot of that size in each round.
#[expect(clippy::cast_precision_loss, reason = "the number of files in a folder")]
pub fn measure(setting: &Setting, botyard: &Botyard) -> Result<Vec<Amount>> {
    // A folder for each server, because zip adds to an archive that is there.
    let packages = folder(&botyard.folder, "packages")?;
    let archive = Archive::build(&packages, 1, PACKAGE)?;
    let bot = Bot::create(botyard)?;
    bot.add_skills(SKILLS)?;
    bot.add_stages(STAGES)?;
    bot.add_packages(VIEWS, &archive)?;
    botyard.process.settle()?;

    let blobs = botyard.folder.join("data/blobs");
    let before = files(&blobs)?;
    if before < VIEWS {
        bail!("there are {before} files of {VIEWS} packages in {}", blobs.display());
    }
    let mut seconds = Vec::new();
    let mut copies = Vec::new();
    for _ in 0..setting.rounds {
        let begin = Instant::now();
        copies.push(bot.duplicate()?);
        seconds.push(begin.elapsed().as_secs_f64());
    }
    let after = files(&blobs)?;
    copies.iter().try_for_each(is_whole)?;
    Ok(vec![
        Amount::median(
            "duplicate of a bot with 1 000 skills, 1 000 stages and 50 packages",
            ("s", 2),
            seconds,
            1.0,
        ),
        Amount::worst(
            "the same: files of packages that came into being",
            ("", 0),
            vec![after.saturating_sub(before) as f64],
            0.0,
        ),
    ])
}

/// How many files there are in a folder and in those below it.
fn files(folder: &Path) -> Result<u64> {
    let mut count = 0;
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let entry = entry?;
        count += if entry.file_type()?.is_dir() { files(&entry.path())? } else { 1 };
    }
    Ok(count)
}

/// Insists on a copy that has all that was copied.
fn is_whole(copy: &Bot<'_>) -> Result<()> {
    let views = copy.list("/fusion")?;
    let packages = views.iter().filter(|view| view.get("file").is_some_and(Value::is_object));
    let found = (copy.list("/skills")?.len(), copy.list("/stages")?.len(), packages.count() as u64);
    if found != (SKILLS, STAGES, VIEWS) {
        bail!("the copy has {found:?} skills, stages and packages");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_counted_in_folders_of_folders() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("a/b");
        fs::create_dir_all(&below).unwrap();
        for file in [folder.path().join("1"), below.join("2"), below.join("3")] {
            fs::write(file, "").unwrap();
        }
        assert_eq!(files(folder.path()).unwrap(), 3);
        assert!(files(&folder.path().join("c")).is_err());
    }
}
