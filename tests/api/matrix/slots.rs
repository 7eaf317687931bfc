//! The places of a request where an id may stand. Whoever adds one says here what it is, so that
//! the matrix of ids can put the ids of others into it.

use domain::body::Rules;
use http_actix::{Operation, ParamForm};

use super::parts::Part;

/// Where in a request a slot is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
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
}

/// Every slot that there is, by its name.
const REGISTER: [(Place, &str, Slot); 6] = [
    (Place::Path, "botId", Slot::Bot),
    (Place::Path, "skillId", Slot::Part(Part::Skill)),
    (Place::Path, "stageId", Slot::Part(Part::Stage)),
    (Place::Path, "fusionId", Slot::Part(Part::FusionView)),
    (Place::Body, "skillId", Slot::Name),
    (Place::Query, "cursor", Slot::Position),
];

/// The slots of an operation with their names: every parameter of its path, every parameter of its
/// query that is a text, and every member of its body that is called like an id.
///
/// # Errors
/// A sentence about a slot that is not registered.
pub fn of(operation: &Operation) -> Result<Vec<(Place, String, Slot)>, String> {
    let path = operation.path_params().map(|name| (Place::Path, name.to_owned()));
    let texts = operation.query.iter().filter(|param| param.form == ParamForm::Text);
    let query = texts.map(|param| (Place::Query, param.name.to_owned()));
    let body = operation.body.iter().flat_map(|body| body.fields(&Rules::default()));
    let body =
        body.map(|field| (Place::Body, field.name)).filter(|(_, name)| is_called_an_id(name));
    let found = path.chain(query).chain(body).map(|(place, name)| {
        let slot = known(place, &name).ok_or_else(|| {
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
    let slots = of(operation).unwrap_or_else(|fault| panic!("{fault}"));
    let slots = slots.iter().filter(|(place, ..)| *place == Place::Path);
    slots.fold(operation.path.clone(), |path, (_, name, slot)| {
        path.replace(&format!("{{{name}}}"), &value(name, *slot))
    })
}

/// What was registered under a name.
pub fn known(place: Place, name: &str) -> Option<Slot> {
    let found = REGISTER.iter().find(|(at, known, _)| *at == place && *known == name);
    found.map(|(.., slot)| *slot)
}

fn is_called_an_id(name: &str) -> bool {
    ["_id", "Id", "Ids"].iter().any(|end| name.ends_with(end))
}

#[test]
fn every_slot_is_registered() {
    let faults: Vec<_> =
        http_actix::operations().iter().filter_map(|operation| of(operation).err()).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_slot_that_nobody_registered_is_named() {
    let mut operation = http_actix::operations().remove(0);
    operation.path.push_str("/{nobodyId}");
    let fault = of(&operation).unwrap_err();
    assert!(fault.contains("nobody has said what stands in `nobodyId` (Path)"), "{fault}");
    assert!(is_called_an_id("docIds") && is_called_an_id("_id") && !is_called_an_id("isPublic"));
}
