//! The places of a request where an id may stand. A new one must be registered here, with what it is, so
//! that the matrix of ids can put the ids of others into it.

use domain::input::InputSettings;
use http_actix::{Operation, ParamForm};
use serde_json::Value;

use super::parts::Part;

/// Where in a request a slot is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParamSlot {
    /// A parameter of the path.
    Path,
    /// A parameter of the query.
    Query,
    /// A member of the body.
    Body,
}

/// What stands in a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    /// The id of a bot.
    Bot,
    /// The id of something that the bot has.
    Part(Part),
    /// A name that the client gives: whatever stands in it addresses nothing.
    Name,
    /// Where a list goes on: an id in it is a point between others, and addresses nothing.
    Position,
    /// The same for a list that goes on by an opaque text, with one that it understands.
    Opaque(&'static str),
    /// The same for a list that is made anew now and then: a text of a list that is gone, which is
    /// understood and refused.
    Gone(&'static str),
    /// A bot of the project by which a list is filtered. Another one is understood and refused.
    Filter,
    /// A part of the address of a key-value entry.
    Entry,
    /// How the keys of key-value entries begin; nothing is how all begin.
    Prefix,
    /// The guestId of a user of the bot.
    Guest,
}

/// Every slot that there is, by its name.
const REGISTER: [(ParamSlot, &str, Slot); 20] = [
    (ParamSlot::Path, "botId", Slot::Bot),
    (ParamSlot::Path, "skillId", Slot::Part(Part::Skill)),
    (ParamSlot::Path, "stageId", Slot::Part(Part::Stage)),
    (ParamSlot::Path, "fusionId", Slot::Part(Part::FusionView)),
    (ParamSlot::Path, "scrapeId", Slot::Part(Part::Crawl)),
    (ParamSlot::Path, "ruleId", Slot::Part(Part::MaxAgeRule)),
    (ParamSlot::Path, "userId", Slot::Part(Part::User)),
    (ParamSlot::Path, "guestId", Slot::Guest),
    (ParamSlot::Path, "docId", Slot::Part(Part::Document)),
    (ParamSlot::Path, "webhookId", Slot::Part(Part::Webhook)),
    (ParamSlot::Path, "deliveryId", Slot::Part(Part::Delivery)),
    (ParamSlot::Body, "docIds", Slot::Part(Part::Document)),
    (ParamSlot::Body, "botIds", Slot::Filter),
    (ParamSlot::Body, "skillId", Slot::Name),
    (ParamSlot::Body, "_id", Slot::Part(Part::User)),
    (ParamSlot::Body, "userId", Slot::Part(Part::User)),
    (ParamSlot::Body, "userIds", Slot::Part(Part::User)),
    (ParamSlot::Body, "guestId", Slot::Name),
    (ParamSlot::Query, "cursor", Slot::Position),
    (ParamSlot::Query, "botId", Slot::Name),
];

/// Slots whose names mean something else in the operations whose path has this in it.
const SPECIAL: [(&str, ParamSlot, &str, Slot); 22] = [
    ("/events", ParamSlot::Query, "after", Slot::Opaque("0")),
    ("/events", ParamSlot::Query, "types", Slot::Opaque("skill.*,bot.created")),
    ("/events", ParamSlot::Query, "botId", Slot::Filter),
    ("/events/stream", ParamSlot::Query, "after", Slot::Opaque("0")),
    ("/events/stream", ParamSlot::Query, "types", Slot::Opaque("skill.*,bot.created")),
    ("/events/stream", ParamSlot::Query, "botId", Slot::Filter),
    (
        "/events/stream",
        ParamSlot::Query,
        "ticket",
        Slot::Opaque("byt_00000000000000000000000000000000000000000001UvJ4t"),
    ),
    ("/keyval/maxage", ParamSlot::Query, "cursor", Slot::Position),
    ("/keyval", ParamSlot::Path, "userId", Slot::Entry),
    ("/keyval", ParamSlot::Path, "type", Slot::Entry),
    ("/keyval", ParamSlot::Path, "key", Slot::Entry),
    ("/keyval", ParamSlot::Query, "userId", Slot::Entry),
    ("/keyval", ParamSlot::Query, "type", Slot::Entry),
    ("/keyval", ParamSlot::Query, "key", Slot::Entry),
    ("/keyval", ParamSlot::Query, "keyPrefix", Slot::Prefix),
    ("/keyval", ParamSlot::Query, "cursor", Slot::Opaque("dQB0AGs")),
    ("/keyval", ParamSlot::Body, "userId", Slot::Name),
    ("/useraccess/users", ParamSlot::Query, "cursor", CREATION),
    ("/supervisor", ParamSlot::Query, "cursor", MOMENT),
    ("/feedback", ParamSlot::Query, "cursor", MOMENT),
    ("/usage", ParamSlot::Query, "cursor", Slot::Opaque("MjAyNi0wMS0zMQBjaGF0Q29tcGxldGlvbgBt")),
    ("/chunks", ParamSlot::Query, "cursor", Slot::Gone("7.0197d0c8-3c5e-7000-8000-0123456789ab")),
];

/// Where a list goes on that says of which order its places are.
const CREATION: Slot = Slot::Opaque("createdAt.7.0197d0c8-3c5e-7000-8000-0123456789ab");

/// Where a list in order of time goes on.
const MOMENT: Slot = Slot::Opaque("7.0197d0c8-3c5e-7000-8000-0123456789ab");

/// The slots of an operation with their names: every parameter of its path, every parameter of its
/// query that is a text, and every member of its body that is called like an id.
///
/// # Errors
/// A sentence about a slot that is not registered.
pub fn of(operation: &Operation) -> Result<Vec<(ParamSlot, String, Slot)>, String> {
    let path = operation.path_params().map(|name| (ParamSlot::Path, name.to_owned()));
    let texts = operation.query.iter().filter(|param| {
        matches!(param.form, ParamForm::Text | ParamForm::Bytes(..) | ParamForm::Id)
    });
    let query = texts.map(|param| (ParamSlot::Query, param.name.to_owned()));
    let body = operation.body.iter().flat_map(|body| body.fields(&InputSettings::default()));
    let body =
        body.map(|field| (ParamSlot::Body, field.name)).filter(|(_, name)| is_called_an_id(name));
    let found = path.chain(query).chain(body).map(|(place, name)| {
        let slot = known(operation, place, &name).ok_or_else(|| {
            format!(
                "{} {}: nobody has said what stands in `{name}` ({place:?}); register it in \
                 tests/api/matrix/slots.rs",
                operation.method, operation.path
            )
        })?;
        Ok((place, name, slot))
    });
    found.collect()
}

/// The operation's path with a value for each parameter.
///
/// # Panics
/// If a parameter is not registered.
pub fn path(operation: &Operation, value: impl Fn(&str, Slot) -> String) -> String {
    let slots = of(operation).unwrap_or_else(|violation| panic!("{violation}"));
    let slots = slots.iter().filter(|(place, ..)| *place == ParamSlot::Path);
    slots.fold(operation.path.clone(), |path, (_, name, slot)| {
        path.replace(&format!("{{{name}}}"), &value(name, *slot))
    })
}

/// Puts an id into a member of a body, or as the only one into a list.
pub fn put(body: &mut Value, name: &str, id: &str) {
    let member = &mut body[name];
    *member = match member {
        Value::Array(_) => Value::from(vec![id]),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
            id.into()
        }
    };
}

/// What was registered under a name.
pub fn known(operation: &Operation, place: ParamSlot, name: &str) -> Option<Slot> {
    let special = SPECIAL.iter().find(|(part, at, known, _)| {
        operation.path.contains(part) && *at == place && *known == name
    });
    if let Some((.., slot)) = special {
        return Some(*slot);
    }
    let found = REGISTER.iter().find(|(at, known, _)| *at == place && *known == name);
    found.map(|(.., slot)| *slot)
}

fn is_called_an_id(name: &str) -> bool {
    ["_id", "Id", "Ids"].iter().any(|end| name.ends_with(end))
}

#[test]
fn every_slot_is_registered() {
    let violations: Vec<_> =
        http_actix::operations().iter().filter_map(|operation| of(operation).err()).collect();
    assert!(violations.is_empty(), "{}", violations.join("\n"));
}

#[test]
fn a_slot_that_is_not_registered_is_named() {
    let mut operation = http_actix::operations().remove(0);
    operation.path.push_str("/{nobodyId}");
    let violation = of(&operation).unwrap_err();
    assert!(violation.contains("nobody has said what stands in `nobodyId` (Path)"), "{violation}");
    assert!(is_called_an_id("docIds") && is_called_an_id("_id") && !is_called_an_id("isPublic"));
}
