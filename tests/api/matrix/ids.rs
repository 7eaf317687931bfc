//! Every operation × every id slot × ids that the caller has no right to: the same 404 for all of
//! them, regardless of the reason, and nothing changes. What a call may do stays within its own bot.

use botyard_tests::{Mint, Response, Tenant, TestApp, each_database};
use domain::id::BotId;
use http_actix::{BodySpec, HttpLimits, Operation, Parent};
use serde_json::{Value, json};

use super::call::Call;
use super::cells::Cells;
use super::form;
use super::parts::{Part, guest_of};
use super::slots::{self, ParamSlot, Slot};
use super::state::State;
use super::verdict::{OneBody, Verdict, expect, has_violations, is_documented, is_ok, is_problem};
use super::world::{HiddenBot, NEVER, World, hidden_bots};

/// Those whom the caller must not reach.
struct Strangers<'a> {
    /// Another project of the same organisation.
    sibling: Tenant<'a>,
    /// Another organisation.
    foreign: Tenant<'a>,
    /// Bots of the caller's project that are not to be found.
    hidden: Vec<HiddenBot>,
    /// An ordinary bot of the caller's project.
    bystander: BotId,
}

impl<'a> Strangers<'a> {
    fn new(world: &World<'a>) -> Self {
        let tenant = &world.tenant;
        let (sibling, foreign) = (tenant.sibling(), tenant.app().tenant());
        let bystander = tenant.new_bot("bystander");
        // All of them have tokens that could be touched.
        let _ = tenant.bot_token(bystander, Mint::default());
        for other in [&sibling, &foreign] {
            let _ = other.project_token(Mint::default());
            let _ = other.bot_token(other.bot(), Mint::default());
        }
        Self { sibling, foreign, hidden: hidden_bots(tenant), bystander }
    }

    /// Ids that name no bot of the caller; `own` is one that does.
    fn ids(&self, world: &World<'_>, own: BotId) -> Vec<(&'static str, String)> {
        let (tenant, text) = (&world.tenant, own.to_string());
        let mut ids = vec![
            ("a bot of another project of the organisation", self.sibling.bot().to_string()),
            ("a bot of another organisation", self.foreign.bot().to_string()),
            ("an id that never was", NEVER.to_owned()),
        ];
        ids.extend(self.hidden.iter().map(|bot| (bot.why, bot.id.to_string())));
        if !world.tries_spellings() {
            return ids;
        }
        ids.extend([
            ("the nil UUID", "00000000-0000-0000-0000-000000000000".to_owned()),
            ("the id of the project", tenant.project().id.to_string()),
            ("the id of the organisation", tenant.organisation().id.to_string()),
            ("no UUID", "x".to_owned()),
            ("a blank", "%20".to_owned()),
            ("a NUL", "%00".to_owned()),
            ("a dot", "%2E".to_owned()),
            ("the own id in upper case", text.to_uppercase()),
            ("the own id in braces", format!("%7B{text}%7D")),
            ("the own id without hyphens", text.replace('-', "")),
            ("the own id as a URN", format!("urn:uuid:{text}")),
            ("the own id and a blank", format!("{text}%20")),
            ("the own id and a NUL", format!("{text}%00")),
            ("the own id and a segment", format!("{text}%2Fchangelog")),
            ("a quote", format!("{text}'%20OR%20'1'='1")),
        ]);
        ids
    }
}

impl Strangers<'_> {
    /// The same for a slot: what others have of the kind that stands there, too.
    fn ids_for(&self, world: &World<'_>, own: BotId, slot: Slot) -> Vec<(&'static str, String)> {
        let mut ids = self.ids(world, own);
        if slot == Slot::Guest {
            for bot in [self.bystander, self.sibling.bot(), self.foreign.bot()] {
                ids.push(("the guestId of another bot's user", guest_of(bot)));
            }
        }
        if let Slot::Part(part) = slot {
            let of = |tenant: &Tenant<'_>, bot| world.part(tenant, bot, part);
            if !part.is_of_project() {
                let other = of(&world.tenant, self.bystander);
                ids.push(("that of another bot of the project", other));
            }
            ids.extend([
                ("that of another project", of(&self.sibling, self.sibling.bot())),
                ("that of another organisation", of(&self.foreign, self.foreign.bot())),
                ("the bot's own id", own.to_string()),
            ]);
            for other in Part::ALL {
                if other != part {
                    ids.push((
                        "that of the bot's own, of another kind",
                        world.own(Slot::Part(other), own),
                    ));
                }
            }
        }
        ids
    }
}

/// The same call with another value in one of its slots.
fn with_id<'a>(
    world: &World<'a>,
    call: &Call<'a>,
    place: ParamSlot,
    name: &str,
    id: &str,
) -> Call<'a> {
    let operation = call.operation();
    match place {
        ParamSlot::Path => call.clone().at(slots::path(operation, |slot_name, slot| {
            if slot_name == name { id.to_owned() } else { world.own(slot, call.bot()) }
        })),
        ParamSlot::Query => call.clone().query(format!("{name}={id}")),
        ParamSlot::Body => match operation.body.as_ref().expect("an operation with a body") {
            BodySpec::Json(json) => {
                let mut example = (json.example)();
                // `userId` names the user as well, and would name another one.
                if name == "_id" {
                    example.as_object_mut().expect("an object").remove("userId");
                }
                slots::put(&mut example, name, id);
                call.clone().json(&example)
            }
            BodySpec::Form(form) => {
                let example = form::with_text((form.example)(), name, id);
                call.clone().body(form::of(&example).bytes())
            }
        },
    }
}

/// That an operation knows no such user, in the way in which it says so.
fn is_no_user(operation: &Operation, place: ParamSlot, answer: &Response) -> Verdict {
    if operation.path.contains("/supervisor/") {
        return is_problem(answer, 404, Part::User.not_found());
    }
    if place == ParamSlot::Body && operation.method != "DELETE" {
        return is_problem(answer, 403, "user_unknown");
    }
    is_ok(answer)?;
    let nothing = if place == ParamSlot::Body { json!({"deleted": 0}) } else { Value::Null };
    let is_unknown = answer.method() == "HEAD" || answer.json() == nothing;
    expect(is_unknown, nothing.to_string(), answer)
}

/// The matrix while it is checked.
struct Ids<'w, 'a> {
    world: &'w World<'a>,
    strangers: Strangers<'a>,
    cells: Cells,
    one: OneBody,
}

impl<'a> Ids<'_, 'a> {
    /// Puts the ids of strangers into one slot of a call.
    fn check_slot(&mut self, (place, name, slot): &(ParamSlot, String, Slot), call: &Call<'a>) {
        let (world, one) = (self.world, &mut self.one);
        for (row, id) in self.strangers.ids_for(world, call.bot(), *slot) {
            let row = format!("{row} in `{name}`");
            let calls = with_id(world, call, *place, name, &id).and_head();
            match slot {
                Slot::Bot => {
                    let worse = calls.into_iter().flat_map(Call::and_worse);
                    let worse =
                        worse.filter(|(worse, _)| world.tries_spellings() || worse.is_empty());
                    for (worse, call) in worse {
                        self.cells.refusal(&format!("{row}{worse}"), &call, world, |answer| {
                            is_problem(answer, 404, "bot_not_found")?;
                            one.is_that_of(answer)
                        });
                    }
                }
                Slot::Part(Part::User) | Slot::Guest => {
                    for call in calls {
                        self.cells.refusal(&row, &call, world, |answer| {
                            is_no_user(call.operation(), *place, answer)
                        });
                    }
                }
                Slot::Part(part) => {
                    for call in calls {
                        self.cells.refusal(&row, &call, world, |answer| {
                            // The specification has another word for what is no id of a rule.
                            if *part == Part::MaxAgeRule && BotId::parse(&id).is_none() {
                                let violation = ("path", format!("/{name}"), "bad_format");
                                return has_violations(answer, &[violation]);
                            }
                            is_problem(answer, 404, part.not_found())
                        });
                    }
                }
                Slot::Name
                | Slot::Opaque(_)
                | Slot::Gone(_)
                | Slot::Filter
                | Slot::Entry
                | Slot::Prefix => {}
                // What is no id at all is for the matrix of queries.
                Slot::Position if BotId::parse(&id).is_none() => {}
                Slot::Position => {
                    for call in calls {
                        self.cells.refusal(&row, &call, world, is_ok);
                    }
                }
            }
        }
    }

    /// A valid call takes effect on its own bot, or its own project, and on nothing else.
    fn check_reach(&mut self, row: &str, call: &Call<'_>) {
        let project = self.world.tenant.project().id.to_string();
        let bystander = self.strangers.bystander.to_string();
        self.cells.check(call.operation(), row, || {
            let rows = || self.world.state().beyond(&project, &bystander);
            let before = rows();
            assert!(!before.iter().any(State::is_empty), "there is nothing that could change");
            let answer = call.send();
            is_ok(&answer)?;
            is_documented(call.operation(), &answer)?;
            for (after, before) in rows().iter().zip(&before) {
                after.is_still(before)?;
            }
            let goes_beyond = call.operation().id == "listUsersInOrganisation";
            let may_show = call.operation().parent != Parent::Bot || goes_beyond;
            let shows = answer.text().contains(&bystander);
            expect(may_show || !shows, "nothing of the other bot", &answer)
        });
    }
}

each_database! {
    fn an_id_of_others_is_as_good_as_none(database: Database) {
        let app = TestApp::in_process(database, HttpLimits::default());
        let operations = http_actix::operations();
        let world = World::counting_changes(&app, &operations);
        let strangers = Strangers::new(&world);
        let cells = Cells::over("an id is an address, never a proof", &operations);
        let mut ids = Ids { world: &world, strangers, cells, one: OneBody::default() };
        for operation in &operations {
            match slots::of(operation) {
                Err(violation) => ids.cells.check(operation, "slots", || Err(violation)),
                Ok(slots) => {
                    let call = world.call(operation);
                    for slot in &slots {
                        ids.check_slot(slot, &call);
                    }
                    ids.check_reach("the reach of a valid call", &call);
                    let bodiless = world.call(operation).without_body();
                    if operation.body.as_ref().is_some_and(|body| !body.is_required()) {
                        ids.check_reach("its reach without a body", &bodiless);
                    }
                }
            }
        }
        ids.cells.finish();
    }
}
