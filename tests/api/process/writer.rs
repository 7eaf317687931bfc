//! A client that never rests, and that keeps account of what the server has acknowledged.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use botyard_tests::{Installation, Response, Sql};
use serde_json::{Value, json};

use super::setup::{BOTS, bot, id_of, project, project_token};
use super::wire::{Lost, Wire, says_close};

/// How a server comes to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It is asked to end: every request that was sent before gets its whole answer, and one that
    /// comes later gets a whole answer or none.
    Asked,
    /// It is killed: what is on its way is lost.
    Killed,
}

/// What all writers of one server look at.
pub struct Shared {
    ending: Ending,
    may_end: AtomicBool,
    at_work: AtomicUsize,
    acknowledged: AtomicUsize,
}

/// Writes the numbers 1, 2, 3 … into a bot of its own, and makes a new bot now and then.
pub struct Writer {
    token: String,
    bot: String,
    /// The number that was last acknowledged.
    number: u64,
    /// The bots that were acknowledged.
    created: Vec<String>,
    /// How many of them have been looked for after a restart.
    seen: usize,
}

impl Shared {
    /// For a server that will end in this way.
    pub const fn new(ending: Ending) -> Self {
        let [at_work, acknowledged] = [const { AtomicUsize::new(0) }; 2];
        Self { ending, may_end: AtomicBool::new(false), at_work, acknowledged }
    }

    /// Says that the server may end from now on.
    pub fn tell(&self) {
        self.may_end.store(true, Ordering::SeqCst);
    }

    /// How many writers have got their first answer to a write.
    pub fn at_work(&self) -> usize {
        self.at_work.load(Ordering::SeqCst)
    }

    /// How many writes were acknowledged.
    pub fn acknowledged(&self) -> usize {
        self.acknowledged.load(Ordering::SeqCst)
    }

    fn may_end(&self) -> bool {
        self.may_end.load(Ordering::SeqCst)
    }

    /// Sends a request and reads the answer; `None` if the server has ended, as it may.
    fn ask(
        &self,
        wire: &mut Wire,
        method: &str,
        path: &str,
        body: Option<&Value>,
    ) -> Option<Response> {
        let text = body.map(ToString::to_string);
        let sent = wire.send(method, path, &[], text.as_deref());
        // Read after the request went out: if the server may not end by now, it could not end before, either.
        let could_end = self.may_end();
        let answer = sent.map_err(Lost::Unanswered).and_then(|()| wire.read(method, path));
        match (answer, self.ending) {
            (Ok(answer), _) => Some(answer),
            (Err(Lost::Unanswered(_)), Ending::Asked) if could_end => None,
            (Err(_), Ending::Killed) if self.may_end() => None,
            (Err(lost), _) => panic!("{method} {path}: {lost}"),
        }
    }
}

/// So many writers, each with a bot, in one project.
pub fn writers(installation: &Installation, address: SocketAddr, count: usize) -> Vec<Writer> {
    let token = project_token(installation, &project(installation));
    let writer = |_| Writer {
        bot: bot(address, &token, "Writer"),
        token: token.clone(),
        number: 0,
        created: Vec::new(),
        seen: 0,
    };
    (0..count).map(writer).collect()
}

impl Writer {
    /// Looks whether everything that was acknowledged is there, then writes until the server is gone.
    ///
    /// # Panics
    /// If anything acknowledged is missing, an answer is cut off or is no success, or a connection
    /// ends although the server was not told to.
    pub fn run(&mut self, address: SocketAddr, shared: &Shared) {
        let Ok(mut wire) = Wire::open(address) else {
            assert!(shared.may_end(), "the server does not listen");
            return;
        };
        wire.set_project_token(&self.token);
        if self.check(&mut wire, shared).is_none() {
            return;
        }
        let mut is_at_work = false;
        loop {
            while let Some(says_close) = self.write(&mut wire, shared) {
                if !is_at_work {
                    shared.at_work.fetch_add(1, Ordering::SeqCst);
                    is_at_work = true;
                }
                if says_close {
                    wire.expect_closed();
                    break;
                }
            }
            // A client whose connection was closed connects again, as long as a server listens.
            match Wire::open(address) {
                Ok(again) if shared.ending == Ending::Asked => wire = again,
                Ok(_) | Err(_) => return,
            }
            wire.set_project_token(&self.token);
        }
    }

    /// Looks whether everything that was acknowledged is there.
    ///
    /// # Panics
    /// If it is not.
    pub fn look(&mut self, address: SocketAddr) {
        let mut wire = Wire::open(address).expect("the server listens");
        wire.set_project_token(&self.token);
        self.check(&mut wire, &Shared::new(Ending::Asked)).expect("the server stays");
    }

    /// Writes once; returns whether the connection ends with the answer.
    fn write(&mut self, wire: &mut Wire, shared: &Shared) -> Option<bool> {
        let is_creation = self.number % 4 == 3 && self.created.len() as u64 <= self.number / 4;
        let answer = if is_creation {
            let body = json!({"name": format!("Made by {}", self.bot)});
            let answer = shared.ask(wire, "POST", BOTS, Some(&body))?;
            self.created.push(id_of(&answer.ok()));
            answer
        } else {
            let next = (self.number + 1).to_string();
            let body = json!({"botInstruction": next});
            let answer = shared.ask(wire, "PUT", &self.path(), Some(&body))?;
            assert_eq!(answer.ok()["botInstruction"], json!(next));
            self.number += 1;
            answer
        };
        shared.acknowledged.fetch_add(1, Ordering::SeqCst);
        Some(says_close(&answer))
    }

    /// Looks for what was acknowledged, and goes on from there. `None` if the server went away.
    fn check(&mut self, wire: &mut Wire, shared: &Shared) -> Option<()> {
        let found = shared.ask(wire, "GET", &self.path(), None)?.ok();
        let number = found["botInstruction"].as_str().map_or(0, |text| text.parse().unwrap());
        // One more may have been written than was acknowledged.
        let expected = self.number..=self.number + 1;
        assert!(expected.contains(&number), "{number} is none of {expected:?}");
        self.number = number;
        // The change and its entry are there together.
        let path = format!("{}/changelog?limit=1", self.path());
        let newest = &shared.ask(wire, "GET", &path, None)?.items()[0];
        match number {
            0 => assert_eq!(newest["action"], "create"),
            _ => assert_eq!(newest["changes"][0]["to"], json!(number.to_string()), "{newest}"),
        }
        for made in &self.created[self.seen..] {
            let path = format!("{BOTS}/{made}");
            let found = shared.ask(wire, "GET", &path, None)?.ok();
            assert_eq!(found["name"], json!(format!("Made by {}", self.bot)));
        }
        self.seen = self.created.len();
        Some(())
    }

    fn path(&self) -> String {
        format!("{BOTS}/{}", self.bot)
    }

    /// Looks past the API whether everything is there, nothing twice and nothing in part.
    ///
    /// # Panics
    /// If it is not.
    pub fn is_all_there(&self, sql: &Sql) {
        let (bot, number) = (&self.bot, self.number);
        let entries = format!(
            "SELECT count(*) AS value FROM changelog_entries WHERE bot_id = '{bot}' AND action = "
        );
        let count = |action: &str| sql.number(&format!("{entries}'{action}'"));
        assert_eq!(count("create"), 1, "{bot}");
        // A number that was written, but not acknowledged, was not written again.
        let updates = u64::try_from(count("update")).unwrap();
        assert!((number..=number + 1).contains(&updates), "{updates} entries for {number}");
        for made in &self.created {
            let rows = format!("SELECT count(*) AS value FROM bots WHERE id = '{made}'");
            assert_eq!(sql.number(&rows), 1, "{made}");
        }
    }
}

/// Looks past the API whether every bot and its first entry came together.
///
/// # Panics
/// If they did not.
pub fn nothing_is_there_by_half(sql: &Sql) {
    let lonely = "SELECT name AS value FROM bots WHERE NOT EXISTS (SELECT 1 FROM changelog_entries \
         WHERE changelog_entries.bot_id = bots.id AND action = 'create')";
    assert_eq!(sql.texts(lonely), [""; 0]);
}
