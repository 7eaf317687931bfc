//! What a bot is made of, as far as a path can name it.

use std::cell::RefCell;
use std::collections::HashMap;

use botyard_tests::Tenant;
use domain::id::BotId;
use serde_json::{Value, json};

/// A kind of thing that a bot has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    Skill,
    Stage,
    FusionView,
}

impl Part {
    /// The code of the answer where there is no such thing.
    pub const fn not_found(self) -> &'static str {
        match self {
            Self::Skill => "skill_not_found",
            Self::Stage => "stage_not_found",
            Self::FusionView => "fusion_view_not_found",
        }
    }

    /// Where they are, below their bot, and one that can be made there.
    fn sample(self) -> (&'static str, Value) {
        match self {
            Self::Skill => ("skills", json!({"name": "Of the matrix"})),
            Self::Stage => ("stages", json!({"title": "Of the matrix"})),
            // Of a type that takes a package.
            Self::FusionView => ("fusion", json!({"type": "h5p", "title": "Of the matrix"})),
        }
    }
}

/// One thing of each kind for every bot that needs one, by their identifiers.
#[derive(Default)]
pub struct Parts(RefCell<HashMap<(BotId, Part), String>>);

impl Parts {
    /// The bot's own; it is made when it is first asked for.
    pub fn of(&self, tenant: &Tenant<'_>, bot: BotId, part: Part) -> String {
        let mut known = self.0.borrow_mut();
        let make = || {
            let (path, sample) = part.sample();
            let path = format!("/api/external/projectapi/bots/{bot}/{path}");
            let made = tenant.as_project().post(&path, &sample).ok();
            made["_id"].as_str().expect("an identifier").to_owned()
        };
        known.entry((bot, part)).or_insert_with(make).clone()
    }
}
