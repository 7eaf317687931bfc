//! What lists take.

use std::pin::Pin;

use domain::access::OwnerClaim;
use domain::json::Json;
use domain::keyval::{EntryAddress, EntryFilter};
use domain::list::ListQuery;
use domain::memory::RequestMemory;
use domain::recorder::{NewEntry, Record};
use storage_diesel::Options;
use store_suite::wait;

use crate::databases::{Database, each_database};
use crate::rows::{Setting, body};

const LONG: usize = 300 << 10;

/// How many bytes of contents a request holds once this is done for it.
fn held<T>(work: impl Future<Output = T>) -> u64 {
    let request = RequestMemory::default();
    drop(wait(request.during_all(Box::pin(work) as Pin<Box<dyn Future<Output = T>>>)));
    request.during(RequestMemory::bytes)
}

fn contents_of_lists_are_held_and_names_of_bots_are_not(database: Database) {
    let text = "x".repeat(LONG);
    let instruction = format!(r#","botInstruction":"{text}""#);
    let setting = Setting::with(database, Options::default(), &instruction);
    let (botyard, claim) = (&setting.botyard, &setting.claim);
    let skill = body(&format!(r#"{{"name":"n","content":"{text}"}}"#));
    wait(botyard.skills.create(claim, skill)).unwrap();
    let (user_id, entry_type, key) = ("u".to_owned(), "t".to_owned(), "k".to_owned());
    let address = EntryAddress { user_id, entry_type, key };
    let entry = Record::try_from(NewEntry { address, value: Json::of(&text) }).unwrap();
    wait(botyard.recorder.record(claim, vec![entry])).unwrap();

    let (bots, skills, entries) =
        (ListQuery::default(), ListQuery::default(), EntryFilter::default());
    let (project, of_bot) = (claim.project(), OwnerClaim::Bot(claim.clone()));
    for (list, held) in [
        ("bots", held(botyard.bots.page(&project, &bots, None, 9))),
        ("skills", held(botyard.skills.page(claim, &skills, None, 9))),
        ("entries", held(botyard.keyval.page(&of_bot, &entries, None, 9))),
    ] {
        assert!((LONG as u64..2 * LONG as u64).contains(&held), "{list}: {held}");
    }
    // Each bot of an organisation is named with its users, and nothing else of it is read.
    assert_eq!(held(botyard.users.bots_of_organisation(claim, None, 9)), 0);
}

each_database! {
    contents_of_lists_are_held_and_names_of_bots_are_not,
}
