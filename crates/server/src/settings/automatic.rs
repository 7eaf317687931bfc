//! What stands in for a setting that is left open, so that botyard chooses for itself.

use std::num::NonZeroUsize;

use super::kinds::{DatabaseUrl, PublicUrl, Scalar, UserAgent};
use super::table::{DatabaseSettings, ExtractionSettings, HttpSettings, Limits, Settings};
use super::value::{Layer, RawValue};

/// Puts the database, the files and the keys into the data folder when no other place is set. That happens
/// before the values are checked, so that `botyard config` shows the places as well.
pub fn place_in_data_folder(found: &mut Layer) {
    let Some(folder) = found.get("data_dir").map(|found| found.given.to_string()) else {
        return;
    };
    let folder = folder.trim_end_matches('/');
    for (setting, scheme, name) in [
        ("database_url", "sqlite:", "botyard.db"),
        ("blob_url", "file:", "blobs"),
        ("secrets.key_file", "", "secrets.key"),
    ] {
        if let Some(url) = found.get_mut(setting)
            && url.given.is_empty()
        {
            url.given = RawValue::Text(format!("{scheme}{folder}/{name}"));
        }
    }
}

/// Lets the crawler say who it is, and where to find out more if there is such a place.
pub fn name_the_crawler(found: &mut Layer) {
    let url = found.get("public_url").map(|found| found.given.to_string());
    let url = url.and_then(|url| PublicUrl::read(&url).ok());
    if let Some(name) = found.get_mut("crawler.user_agent")
        && name.given.is_empty()
    {
        let plain = concat!("botyard/", env!("CARGO_PKG_VERSION"));
        let more = url.map(|url| format!("{plain} (+{url})"));
        let more = more.filter(|more| UserAgent::read(more).is_ok());
        name.given = RawValue::Text(more.unwrap_or_else(|| plain.to_owned()));
    }
}

impl Limits {
    /// The requests of one project that may be in progress at once: a quarter of all, if not set.
    pub const fn requests_per_project(&self) -> usize {
        match self.requests_in_flight_per_project {
            0 => self.requests_in_flight.div_ceil(4),
            given => given,
        }
    }
}

impl Settings {
    /// The address of the database itself, past a pooler.
    pub fn direct_url(&self) -> &DatabaseUrl {
        self.database.listen_url.as_ref().unwrap_or(&self.database_url)
    }
}

impl DatabaseSettings {
    /// Whether statements are prepared: a pooler is not trusted to know of them, if that is not set.
    pub fn prepares(&self) -> bool {
        self.prepared_statements.unwrap_or(self.listen_url.is_none())
    }
}

impl HttpSettings {
    /// The worker threads on a machine with so many cores.
    pub fn workers_on(&self, cores: usize) -> usize {
        match self.workers {
            0 => cores.max(1),
            workers => workers,
        }
    }
}

impl DatabaseSettings {
    /// The connections that read on a machine with so many cores.
    pub fn readers_on(&self, cores: usize) -> u32 {
        given_or_twice(self.readers, cores)
    }

    /// The connections that write on a machine with so many cores.
    pub fn writers_on(&self, cores: usize) -> u32 {
        given_or_twice(self.writers, cores)
    }
}

/// A connection waits for the disk or the network half of its time, hence two a core, and at least 8,
/// because a project can use half of them; more than 16 of both kinds from each node would use up the 100
/// that PostgreSQL has by default.
fn given_or_twice(connections: u32, cores: usize) -> u32 {
    match connections {
        0 => u32::try_from(cores.saturating_mul(2)).map_or(16, |twice| twice.clamp(8, 16)),
        connections => connections,
    }
}

impl ExtractionSettings {
    /// The documents that are extracted at once on a machine with so many cores: the other half is for
    /// requests, because a document keeps a core busy. But at least two, so that one project's need not wait for
    /// another's.
    pub fn workers_on(&self, cores: usize) -> usize {
        given_or_half(self.workers, cores)
    }

    /// The processes that read documents at once: one for each worker, and one for PDFs among the pages of crawls.
    pub fn processes_on(&self, cores: usize) -> NonZeroUsize {
        NonZeroUsize::MIN.saturating_add(self.workers_on(cores))
    }

    /// How many of so many documents that a project may have extracted at once it has at most, so that a worker is free
    /// for others.
    pub fn share_of_project(&self, limit: u32, cores: usize) -> u32 {
        without_one(limit, self.workers_on(cores))
    }
}

fn given_or_half(workers: usize, cores: usize) -> usize {
    if workers == 0 { (cores / 2).max(2) } else { workers }
}

fn without_one(limit: u32, workers: usize) -> u32 {
    let others = u32::try_from(workers - 1).unwrap_or(u32::MAX);
    limit.min(others.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_lets_botyard_choose() {
        let workers = |workers, cores| HttpSettings { workers }.workers_on(cores);
        assert_eq!([workers(0, 8), workers(3, 8), workers(0, 0)], [8, 3, 1]);

        assert_eq!([given_or_twice(0, 1), given_or_twice(0, 6)], [8, 12]);
        assert_eq!([given_or_twice(0, 500), given_or_twice(50, 1)], [16, 50]);

        assert_eq!([given_or_half(0, 1), given_or_half(0, 8), given_or_half(0, 9)], [2, 4, 4]);
        assert_eq!([given_or_half(3, 1), given_or_half(1, 8), given_or_half(0, 0)], [3, 1, 2]);
    }

    #[test]
    fn a_project_leaves_a_worker_to_others_if_there_are_several() {
        assert_eq!([2, 3, 9].map(|workers| without_one(2, workers)), [1, 2, 2]);
        assert_eq!([without_one(2, 1), without_one(1, 1), without_one(9, 1)], [1, 1, 1]);
    }
}
