//! Which sessions of PostgreSQL are kept: the driver's buffers stay as long as the longest row that they had.

use std::sync::Arc;

use diesel::prelude::*;
use diesel::sql_types::BigInt;
use domain::access::{Claim as _, MintToken, Principal, TokenTarget};
use domain::blob::Sha256;
use domain::bot::BotWithTokens;
use domain::idempotency::{AnswerAgain, AnswerText, IdempotencyKey, IdempotentRequest};
use domain::lock::{Lock, Mode};
use domain::memory::RequestMemory;
use domain::store::{Outcome, Repositories, Store};
use storage_diesel::Options;
use store_suite::wait;

use super::read;
use crate::databases::{Database, OPERATOR, until};
use crate::rows::{Setting, body};

/// A store with one session for each kind of unit, and a connection that sees its sessions.
struct Sessions {
    setting: Setting,
    own: PgConnection,
}

impl Sessions {
    fn with(members: &str) -> Self {
        let options = Options { readers: 1, writers: 1, ..Options::default() };
        let setting = Setting::with(Database::postgres(), options, members);
        let own = setting.database.connect();
        let mut sessions = Self { setting, own };
        // Those of the store itself are opened when it is used, and get their names only then.
        let own = "count(*) FROM pg_stat_activity WHERE datname = current_database() \
             AND application_name IN ('botyard-listener', 'botyard-sequencer')";
        until(|| sessions.number(own) == 2, "the store has opened its own sessions");
        sessions
    }

    /// A number that changes with each session for units that is opened or closed.
    fn sum(&mut self) -> i64 {
        self.number(
            "CAST(coalesce(sum(pid), 0) AS BIGINT) FROM pg_stat_activity WHERE datname = current_database() \
             AND pid <> pg_backend_pid() AND application_name = 'botyard'",
        )
    }

    fn number(&mut self, selected: &str) -> i64 {
        diesel::select(diesel::dsl::sql::<BigInt>(selected)).get_result(&mut self.own).unwrap()
    }

    /// Runs a unit that finds nothing long, so that there is a session for units of this mode.
    fn open(&self, mode: Mode) {
        let claim = self.setting.claim.clone();
        let unit = move |tx: &mut dyn Repositories| {
            Ok(Box::new(tx.has_live_bot(&claim, Lock::None)?) as Outcome)
        };
        let project = Some(self.setting.bot.project_id);
        wait(self.setting.store.run(mode, project, Box::new(unit))).unwrap();
    }
}

/// It comes in parts. If its session were closed, others would wait for a new one.
#[test]
fn a_session_is_kept_after_a_large_configuration() {
    let text = "x".repeat(1 << 20);
    let long = ["botInstruction", "customJs", "customCss"];
    let members: String = long.map(|field| format!(r#","{field}":"{text}""#)).concat();
    let mut sessions = Sessions::with(&members);
    let (request, runs) = (RequestMemory::default(), Arc::default());
    for mode in [Mode::Read, Mode::LookUp, Mode::Write] {
        sessions.open(mode);
        let before = sessions.sum();
        let project = sessions.setting.bot.project_id;
        assert!(read(&sessions.setting, &request, (mode, project), &runs));
        sessions.open(mode);
        assert_eq!(sessions.sum(), before, "{mode:?}");
    }
}

/// It is one value, and a few of them would take memory in every session for good.
#[test]
fn a_session_is_closed_after_a_long_answer() {
    let mut sessions = Sessions::with("");
    let (principal, request) = idempotent(&sessions.setting);
    let (botyard, claim) = (sessions.setting.botyard.clone(), sessions.setting.claim.clone());
    sessions.open(Mode::Write);
    let before = sessions.sum();
    let update = body(r#"{"temperature":0.5}"#);
    let _ = wait(botyard.bots.update(&claim.once(request.clone()), update)).unwrap();
    until(|| sessions.sum() < before, "the session that has stored it stays open");
    sessions.open(Mode::Read);
    let before = sessions.sum();
    let again = wait(botyard.idempotency.answer::<BotWithTokens>(&principal, &request)).unwrap();
    assert_eq!(again, AnswerAgain::Text(answer()));
    until(|| sessions.sum() < before, "the session that has read it stays open");
}

fn answer() -> AnswerText {
    AnswerText { entity_tag: None, body: "1".repeat(3 << 20) }
}

/// A request with a key, whose answer is long.
fn idempotent(Setting { botyard, bot, .. }: &Setting) -> (Principal, Arc<IdempotentRequest>) {
    let target = TokenTarget::Bot(bot.id);
    let minted = MintToken {
        target,
        name: "Token".to_owned(),
        scopes: None,
        read_only: false,
        expires_in: None,
    };
    let minted = wait(botyard.access.mint(OPERATOR, minted)).unwrap();
    let (scheme, digest) = (minted.token.owner.scheme(), minted.secret.digest());
    let principal = wait(botyard.access.authenticate(scheme, digest)).unwrap();
    let key = IdempotencyKey::parse("key").unwrap();
    let answer = |_: &BotWithTokens| Some(answer());
    let request = botyard.idempotency.attempt(&principal, key, Sha256::of(b"update"), answer);
    request.set_body(Sha256::of(b"body"));
    (principal, request)
}
