//! Every operation × every way not to have a valid token: one and the same 401, which only says more where a token
//! came in the header of the other scheme, and nothing changes.

use std::time::{Duration, Instant};

use botyard_tests::{Database, Mint, Response, TestApp, TestToken, each_database};
use domain::access::{Scheme, Secret, TokenDigest};
use http_actix::{HttpLimits, Operation, Parent};
use storage_diesel::system::SystemEntropy;

use super::SETTINGS;
use super::call::{Call, Framing};
use super::cells::Cells;
use super::verdict::{OneBody, Verdict, expect, is_ok, is_problem};
use super::world::{HiddenBot, World, hidden_bots};

/// The name of a row, and the headers that stand in place of the token's.
type Row = (String, Vec<(&'static str, String)>);

const HEADERS: [&str; 2] = ["X-Api-Key", "X-Project-Api-Key"];

/// The header of a scheme, and that of the other one.
const fn headers(scheme: Scheme) -> [&'static str; 2] {
    let [bot, project] = HEADERS;
    match scheme {
        Scheme::Bot => [bot, project],
        Scheme::Project => [project, bot],
    }
}

/// Tokens of one scheme that once were good, or never were.
struct BadTokens(Vec<(String, String)>);

impl BadTokens {
    fn of(world: &World<'_>, scheme: Scheme, hidden: &[HiddenBot]) -> Self {
        let tenant = &world.tenant;
        let mint = |mint: Mint| -> TestToken {
            match scheme {
                Scheme::Bot => tenant.bot_token(tenant.bot(), mint),
                Scheme::Project => tenant.project_token(mint),
            }
        };
        let (revoked, used) = (mint(Mint::default()), mint(Mint::default()));
        tenant.revoke(&revoked);
        let other = match scheme {
            Scheme::Bot => tenant.project_token(Mint::default()),
            Scheme::Project => tenant.bot_token(tenant.bot(), Mint::default()),
        };
        revoke_after_use(world, scheme, &used);
        let unknown = Secret::generate(scheme, &SystemEntropy);
        let rows = [
            ("a token that was never minted", unknown.reveal()),
            ("a revoked token", revoked.secret()),
            ("a token revoked after it was used", used.secret()),
            ("an expired token", mint(Mint::expired()).secret()),
            ("a token of the other scheme", other.secret()),
        ]
        .map(|(name, secret)| (name.to_owned(), secret.to_owned()));
        let gone = hidden.iter().filter(|bot| scheme == Scheme::Project || !bot.exists);
        let gone =
            gone.map(|bot| (format!("the token of {}", bot.why), bot.token.secret().to_owned()));
        Self(rows.into_iter().chain(gone).collect())
    }
}

/// Revokes a token that the server remembers, and waits until it knows that.
fn revoke_after_use(world: &World<'_>, scheme: Scheme, token: &TestToken) {
    const TIMEOUT: Duration = Duration::from_secs(30);
    let checkauth = world
        .operations()
        .iter()
        .find(|operation| operation.parent == Parent::Token && operation.scheme == scheme)
        .expect("an operation on the token itself");
    let [header, _] = headers(scheme);
    let anonymous = world.tenant.anonymous();
    let ask = || anonymous.request("GET", &checkauth.path).header(header, token.secret()).send();
    assert_eq!(ask().status(), 200, "the token is good at first");
    world.tenant.revoke(token);
    let since = Instant::now();
    while ask().status() != 401 {
        assert!(since.elapsed() < TIMEOUT, "the token stays good after it was revoked");
    }
}

/// What can be wrong with a token's header.
fn bad_rows(call: &Call<'_>, bad: &BadTokens) -> Vec<Row> {
    let (_, good) = call.token();
    let good = good.to_owned();
    let [header, other_header] = headers(call.operation().scheme);
    let one = |name: &str, value: String| -> Row { (name.to_owned(), vec![(header, value)]) };
    let (prefix, rest) = good.split_at(4);
    let mut shortened = good.clone();
    let last = shortened.pop();
    let wrong = if last == Some('a') { 'b' } else { 'a' };
    let swapped: String = rest
        .chars()
        .map(|letter| {
            if letter.is_ascii_lowercase() {
                letter.to_ascii_uppercase()
            } else {
                letter.to_ascii_lowercase()
            }
        })
        .collect();
    let other_prefix = if prefix == "byb_" { "byp_" } else { "byb_" };
    let stored = bad.0.iter().map(|(name, secret)| one(name, secret.clone()));
    let mut rows = vec![
        ("no header".to_owned(), Vec::new()),
        one("an empty header", String::new()),
        one("a header of blanks", " \t ".to_owned()),
        one("junk", "x".to_owned()),
        one("junk beyond ASCII", "é".repeat(26)),
        one("a long text", "b".repeat(10_000)),
        one("the bare prefix", prefix.to_owned()),
        one("a token without its last letter", shortened.clone()),
        one("a token with a letter more", format!("{good}a")),
        one("a wrong checksum", format!("{shortened}{wrong}")),
        one("a token in the other case", format!("{prefix}{swapped}")),
        one("the other scheme's prefix", format!("{other_prefix}{rest}")),
        one("a token in quotes", format!("\"{good}\"")),
        one("a token after a word", format!("Bearer {good}")),
        one("two tokens in one header", format!("{good}, {good}")),
        ("the header twice".to_owned(), vec![(header, good.clone()), (header, good.clone())]),
        (
            "the header twice, once empty".to_owned(),
            vec![(header, good.clone()), (header, String::new())],
        ),
        (
            "the good token in the other scheme's header".to_owned(),
            vec![(other_header, good.clone())],
        ),
        (
            "the good token in Authorization".to_owned(),
            vec![("Authorization", format!("Bearer {good}"))],
        ),
    ];
    rows.extend(stored);
    rows
}

/// The same call with these headers in place of the token's.
fn presenting<'a>(
    call: &Call<'a>,
    world: &World<'a>,
    headers: &[(&'static str, String)],
) -> Call<'a> {
    let call = call.clone().by(world.tenant.anonymous()).framed(Framing::Bare);
    headers.iter().fold(call, |call, (name, value)| call.header(name, value.clone()))
}

/// The bodies of 401: one for all that have no valid token, and one for each header that carries a token of the
/// other scheme.
#[derive(Default)]
struct Bodies {
    none: OneBody,
    misplaced: [OneBody; 2],
}

impl Bodies {
    fn of(&mut self, headers: &[(&'static str, String)]) -> &mut OneBody {
        let is_of =
            |scheme, text: &str| TokenDigest::of_presented(scheme, text.as_bytes()).is_some();
        let [bot, project] = HEADERS;
        let misplaced = headers.iter().find_map(|(name, text)| {
            let in_bots = *name == bot && is_of(Scheme::Project, text);
            let in_projects = *name == project && is_of(Scheme::Bot, text);
            (in_bots || in_projects).then_some(in_projects)
        });
        let [in_bots, in_projects] = &mut self.misplaced;
        match misplaced {
            None => &mut self.none,
            Some(false) => in_bots,
            Some(true) => in_projects,
        }
    }
}

/// The 401 of an operation.
fn is_unauthenticated(answer: &Response, operation: &Operation, one: &mut OneBody) -> Verdict {
    is_problem(answer, 401, "unauthenticated")?;
    let [header, _] = headers(operation.scheme);
    let challenge = format!("ApiKey header=\"{header}\"");
    let challenged = answer.header("www-authenticate") == Some(&challenge);
    expect(challenged, format!("WWW-Authenticate: {challenge}"), answer)?;
    one.is_that_of(answer)
}

/// A good token opens every operation; the token of a bot that is not found any more opens nothing but the view of
/// itself.
fn check_good_tokens<'a>(
    world: &World<'a>,
    operation: &'a Operation,
    hidden: &[HiddenBot],
    cells: &mut Cells,
) {
    for call in world.call(operation).and_head() {
        cells.answer("a good token", &call, is_ok);
    }
    if operation.scheme == Scheme::Project {
        return;
    }
    let (call, [header, _]) = (world.call(operation), headers(operation.scheme));
    for bot in hidden.iter().filter(|bot| bot.exists) {
        let row = format!("the token of {}", bot.why);
        let headers = [(header, bot.token.secret().to_owned())];
        for call in presenting(&call, world, &headers).and_head() {
            cells.refusal(&row, &call, world, |answer| match operation.parent {
                Parent::Token => is_ok(answer),
                Parent::Bot | Parent::Project => is_problem(answer, 404, "bot_not_found"),
            });
        }
    }
}

/// Every bad token to these operations.
fn check_bad_tokens<'a>(world: &World<'a>, operations: &[&'a Operation], hidden: &[HiddenBot]) {
    let bad =
        [Scheme::Bot, Scheme::Project].map(|scheme| (scheme, BadTokens::of(world, scheme, hidden)));
    let mut cells = Cells::over("what is no token opens nothing", operations.iter().copied());
    let mut bodies = Bodies::default();
    for &operation in operations {
        let call = world.call(operation);
        let bad = bad.iter().find(|(scheme, _)| *scheme == operation.scheme);
        let bad = &bad.expect("the tokens of each scheme").1;
        for (row, headers) in bad_rows(&call, bad) {
            for call in presenting(&call, world, &headers).and_head() {
                cells.refusal(&row, &call, world, |answer| {
                    is_unauthenticated(answer, operation, bodies.of(&headers))
                });
            }
        }
        for (worse, call) in presenting(&call, world, &[]).and_worse() {
            let row = format!("no header{worse}");
            cells.refusal(&row, &call, world, |answer| {
                is_unauthenticated(answer, operation, bodies.of(&[]))
            });
        }
    }
    cells.finish();
}

#[test]
fn without_a_valid_token_every_operation_answers_the_same_401() {
    let app = TestApp::in_process(Database::Sqlite, HttpLimits::default());
    let operations = http_actix::operations();
    let world = World::new(&app, &operations);
    let all: Vec<_> = operations.iter().collect();
    check_bad_tokens(&world, &all, &hidden_bots(&world.tenant));
}

/// An operation for each way in which a token is looked up, and for reads and changes.
fn representatives(operations: &[Operation]) -> Vec<&Operation> {
    let kind = |operation: &Operation| {
        (operation.scheme, operation.parent, operation.method.as_str() == "GET")
    };
    let mut some: Vec<&Operation> = Vec::new();
    for operation in operations {
        if some.iter().all(|known| kind(known) != kind(operation)) {
            some.push(operation);
        }
    }
    some
}

each_database! {
    fn every_operation_answers_to_a_good_token_of_a_bot_that_is_there(database: Database) {
        let app = TestApp::in_process(database, HttpLimits::default());
        let operations = http_actix::operations();
        let world = World::counting_changes(&app, &operations);
        let hidden = hidden_bots(&world.tenant);
        let mut cells = Cells::over("a token opens what it is for", &operations);
        for operation in &operations {
            check_good_tokens(&world, operation, &hidden, &mut cells);
        }
        cells.finish();
    }

    fn what_is_no_valid_token_is_answered_401_by_a_server(database: Database) {
        let (app, operations) = (TestApp::start(database, &SETTINGS), http_actix::operations());
        let (world, some) = (World::new(&app, &operations), representatives(&operations));
        check_bad_tokens(&world, &some, &hidden_bots(&world.tenant));
        let mut cells = Cells::over("blanks are none of the token", some.iter().copied());
        for operation in some {
            let (call, [header, _]) = (world.call(operation), headers(operation.scheme));
            let value = format!(" \t {} \t ", call.token().1);
            for call in presenting(&call, &world, &[(header, value)]).and_head() {
                cells.answer("a good token between blanks", &call, is_ok);
            }
        }
        cells.finish();
    }
}
