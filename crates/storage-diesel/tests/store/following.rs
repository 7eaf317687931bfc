//! Followers of lists, while many nodes write what stands in them and some transactions are committed late.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use domain::access::{BotClaim, ProjectClaim};
use domain::event::{EventFilter, EventTypes, EventsFrom};
use domain::id::SkillId;
use domain::list::{EventRange, ListQuery};
use domain::lock::Mode;
use domain::skill::{CreateSkill, Skill, UpdateSkill};
use domain::store::Store;
use domain::testing::{SeededEntropy, SetClock};
use domain::{Botyard, DomainError, StorageError};
use storage_diesel::{DatabaseUrl, DieselStore};
use store_suite::{InterceptedStore, wait};

use crate::databases::{Database, each_database};
use crate::rows::{Setting, body};

const WRITERS: usize = 32;
const CHANGES: usize = 6;

/// How often it is tried. Ordinarily that is little, because it takes time.
fn runs() -> usize {
    std::env::var("BOTYARD_TEST_FOLLOWER_RUNS").map_or(2, |runs| runs.parse().unwrap())
}

/// A store of which some units are committed late: their transactions stay open for a while.
fn late(store: Arc<dyn Store>, from: u64) -> Arc<dyn Store> {
    let units = AtomicU64::new(from);
    InterceptedStore::of(store, move |mode, _, unit| {
        let number = units.fetch_add(1, Ordering::SeqCst);
        let is_late = mode == Mode::Write && number.is_multiple_of(5);
        Ok(Box::new(move |tx| {
            let outcome = unit(tx);
            if is_late {
                // Other transactions are to be committed meanwhile, and no condition says so.
                thread::sleep(Duration::from_millis(1 + number % 7));
            }
            outcome
        }))
    })
}

/// A node on the database, with a clock of its own.
fn node(database: &Database, number: u64) -> (Botyard, Arc<DieselStore>) {
    let store = Arc::new(database.open());
    let late = late(store.clone(), number);
    let clock = Arc::new(SetClock::at(1_000_000 - 100_000 * i64::try_from(number).unwrap()));
    let entropy = Arc::new(SeededEntropy::new(100 + number));
    (Botyard::builder(late, clock, entropy).build(), store)
}

/// Tries again what collided too often, as clients do.
fn done<T>(attempt: impl Fn() -> Result<T, DomainError>) -> T {
    loop {
        match attempt() {
            Ok(done) => return done,
            Err(DomainError::Storage(StorageError::Contended(_) | StorageError::Overloaded)) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

/// Makes, renames and deletes skills of a bot. Each change is an event.
fn write(botyard: &Botyard, claim: &BotClaim, writer: usize) {
    let mut made = Vec::<SkillId>::new();
    for change in 0..CHANGES {
        let json = format!(r#"{{"name":"{writer} {change}"}}"#);
        match (change % 3, made.last().copied()) {
            (1, Some(skill)) => {
                let update = || {
                    let update = body::<UpdateSkill>(&json);
                    wait(botyard.skills.update(claim, skill.to_string(), update))
                };
                done(update);
            }
            (2, Some(skill)) if (writer + change).is_multiple_of(2) => {
                done(|| wait(botyard.skills.delete(claim, skill.to_string())));
            }
            _ => {
                let create = || wait(botyard.skills.create(claim, body::<CreateSkill>(&json)));
                made.push(done(create).id);
            }
        }
    }
}

type ListState = BTreeMap<SkillId, String>;

fn known(skills: impl IntoIterator<Item = Skill>) -> ListState {
    skills.into_iter().map(|skill| (skill.id, skill.fields.name)).collect()
}

/// What is in the list now.
fn whole(botyard: &Botyard, claim: &BotClaim) -> ListState {
    known(wait(botyard.skills.page(claim, &ListQuery::default(), None, 1_000)).unwrap().0)
}

/// Someone who knows the list of a bot, and follows it by what has changed and what was deleted.
struct Follower<'a> {
    botyard: &'a Botyard,
    claim: &'a BotClaim,
    project: ProjectClaim,
    known: ListState,
    after: u64,
}

impl<'a> Follower<'a> {
    fn new(botyard: &'a Botyard, claim: &'a BotClaim) -> Self {
        let project = claim.project();
        let after = wait(botyard.events.latest(&project)).unwrap();
        Self { botyard, claim, project, known: whole(botyard, claim), after }
    }

    fn go_on(&mut self) {
        let through = wait(self.botyard.events.latest(&self.project)).unwrap();
        let following = EventRange { after: self.after, through };
        let all = ListQuery::default();
        let changed = wait(self.botyard.skills.follow(self.claim, &all, following, 5)).unwrap();
        self.known.extend(known(changed.items.into_iter().map(|(skill, _)| skill)));
        let types = EventTypes::parse("skill.deleted").unwrap();
        let filter = EventFilter { types, bot_id: None };
        let from = match self.after {
            0 => EventsFrom::Oldest,
            after => EventsFrom::After(after),
        };
        let deleted = wait(self.botyard.events.page_of_bot(self.claim, filter, from, 1_000));
        for found in deleted.unwrap().events {
            self.known.remove(&SkillId::parse(&found.event.resource_id).unwrap());
        }
        self.after = changed.read_through;
    }
}

fn one_run(nodes: &[Botyard], claims: &[BotClaim], events: &mut u64) {
    *events += (WRITERS * CHANGES) as u64;
    let target = *events;
    let pairs = || nodes.iter().cycle().zip(claims.iter().cycle());
    thread::scope(|scope| {
        for (writer, (botyard, claim)) in pairs().take(WRITERS).enumerate() {
            scope.spawn(move || write(botyard, claim, writer));
        }
        for (botyard, claim) in pairs().take(claims.len()) {
            scope.spawn(move || {
                let mut follower = Follower::new(botyard, claim);
                let began = Instant::now();
                while follower.after < target {
                    follower.go_on();
                    assert!(began.elapsed() < Duration::from_secs(120), "{}", follower.after);
                }
                assert_eq!(follower.known, whole(botyard, claim));
            });
        }
    });
    // The next run begins with lists that are empty.
    for (botyard, claim) in pairs().take(claims.len()) {
        for skill in whole(botyard, claim).into_keys() {
            done(|| wait(botyard.skills.delete(claim, skill.to_string())));
            *events += 1;
        }
    }
}

fn a_follower_ends_with_the_list_that_many_nodes_write(database: Database) {
    let setting = Setting::on(database);
    let project = setting.claim.project();
    let second = body(r#"{"name":"Second"}"#);
    let second = wait(setting.botyard.bots.create(&project, second)).unwrap().bot;
    let second = crate::databases::OPERATOR.bot(project.organisation_id(), &second);
    let claims = [setting.claim.clone(), second];
    let count = match setting.database.url() {
        DatabaseUrl::Sqlite(_) => 1,
        DatabaseUrl::Postgres(_) => 3,
    };
    let (nodes, stores): (Vec<_>, Vec<_>) =
        (0..count).map(|number| node(&setting.database, number)).unzip();
    let mut events = 2;
    for _ in 0..runs() {
        one_run(&nodes, &claims, &mut events);
    }
    for store in stores {
        store.close();
    }
}

each_database! {
    a_follower_ends_with_the_list_that_many_nodes_write,
}
