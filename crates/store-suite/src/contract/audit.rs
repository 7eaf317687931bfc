//! The audit log.

use std::sync::Arc;

use crate::world::{OPERATOR, World, at, in_pages};
use domain::audit::{AuditActor, AuditEntry};
use domain::clock::TimeCursor;
use domain::id::AuditEntryId;
use domain::store::Store;

pub(crate) fn an_audit_entry_comes_back_as_it_was(store: Arc<dyn Store>) {
    let world = World::new(store);
    let actor = AuditActor {
        command: "token mint".to_owned(),
        uid: u32::MAX,
        user_name: "zoë 🤖\"'\\".to_owned(),
        sudo_user: Some("Ö".to_owned()),
        host: "a host".to_owned(),
    };
    let entry = |time: i64, actor: &AuditActor| AuditEntry {
        id: AuditEntryId::from_uuid(world.id()),
        at: at(time),
        actor: actor.clone(),
        resource: "what only newer code knows".to_owned(),
        subject: "a subject".to_owned(),
    };
    let bare = AuditActor { sudo_user: None, host: String::new(), ..actor.clone() };
    // Those of the same time are in the order of their identifiers.
    let entries = [entry(7, &actor), entry(3, &bare), entry(3, &actor), entry(5, &bare)];
    let stored = entries.clone();
    world.write(move |tx| {
        stored.iter().try_for_each(|entry| Ok(tx.insert_audit_entry(OPERATOR, entry)?))
    });
    let [last, first, second, third] = entries;
    let since = |time: i64, size: u32| {
        in_pages(size, |last: Option<&AuditEntry>, limit| {
            let after = last.map(|entry| TimeCursor { at: entry.at, id: entry.id });
            world.read(move |tx| Ok(tx.audit_entries(OPERATOR, at(time), after, limit)?))
        })
    };
    for size in [1, 2, 9] {
        assert_eq!(since(0, size), [&first, &second, &third, &last].map(Clone::clone));
        assert_eq!(since(5, size), [&third, &last].map(Clone::clone));
        assert_eq!(since(8, size), []);
    }
}
