//! The values on the command line, and how they are read.

use std::time::Duration;

use domain::access::{Scheme, ScopeSet};
use domain::clock::Timestamp;
use domain::id::{BotId, JobId, OrganisationId, ProjectId, TokenId};

use crate::settings::{DatabaseUrl, Scalar as _, parse_duration};

/// The address of a database as it was typed, or what is wrong with it. It is checked only when it is used: the parser
/// of the command line would repeat a wrong one, with its password.
#[derive(Debug, Clone)]
pub struct Address(pub Result<DatabaseUrl, String>);

impl From<&str> for Address {
    fn from(text: &str) -> Self {
        Self(DatabaseUrl::read(text))
    }
}

/// The scopes of a new token.
#[derive(Debug, Clone, Copy)]
pub enum AllOrSome {
    /// All that its scheme knows.
    All,
    /// These.
    Some(ScopeSet),
}

/// The beginning of a time up to now.
#[derive(Debug, Clone, Copy)]
pub enum Since {
    /// At this time.
    Time(Timestamp),
    /// So long ago.
    Ago(Duration),
}

pub(super) fn since(text: &str) -> Result<Since, String> {
    if let Some(time) = Timestamp::parse(text) {
        return Ok(Since::Time(time));
    }
    parse_duration(text).map(Since::Ago).map_err(|error| {
        format!("it is no time like 2026-11-25T08:00:00Z, and no duration like 7d: {error}")
    })
}

/// A token that is over before it begins would be of no use to anybody.
pub(super) fn some_time(text: &str) -> Result<Duration, String> {
    match parse_duration(text)? {
        Duration::ZERO => Err("must be more than 0".to_owned()),
        duration => Ok(duration),
    }
}

pub(super) fn scopes(text: &str) -> Result<AllOrSome, String> {
    if text == "all" {
        return Ok(AllOrSome::All);
    }
    match ScopeSet::parse(text) {
        Ok(scopes) if scopes.is_empty() => Err("name at least one scope, or `all`".to_owned()),
        Ok(scopes) => Ok(AllOrSome::Some(scopes)),
        Err(unknown) => {
            let [project, bot] = [Scheme::Project, Scheme::Bot].map(ScopeSet::of_scheme);
            Err(format!(
                "there is no scope `{unknown}`; those of a project token are {project}, those of a \
                 bot token {bot}"
            ))
        }
    }
}

macro_rules! id_parsers {
    ($($parser:ident $id:ty,)+) => {$(
        pub(super) fn $parser(text: &str) -> Result<$id, String> {
            <$id>::parse(text).ok_or_else(|| "it is no _id".to_owned())
        }
    )+};
}

id_parsers! {
    organisation_id OrganisationId,
    project_id ProjectId,
    bot_id BotId,
    job_id JobId,
    token_id TokenId,
}
