//! The examples that show how to embed the services do what they say.

#[path = "../../examples/chat_runtime.rs"]
#[expect(dead_code, reason = "the test calls what `main` calls")]
mod chat_runtime;
#[path = "../../examples/embed.rs"]
#[expect(dead_code, reason = "the test calls what `main` calls")]
mod embed;

use std::sync::Arc;

use domain::Botyard;
use domain::access::BotClaim;
use domain::bot::CreateBot;
use domain::input::Input as _;
use domain::list::ListQuery;
use domain::usage::DayRange;
use storage_diesel::migrate;
use storage_diesel::system::botyard_on;

use crate::databases::{Database, OPERATOR};

const DOCUMENT: &str = include_str!("../../../../docs/embedding.md");
const CHAT_RUNTIME: &str = include_str!("../../examples/chat_runtime.rs");

fn tour(database: &Database) {
    let mut output = Vec::new();
    embed::run(database.url(), &mut output).unwrap();
    let output = String::from_utf8(output).unwrap();
    let expected = [
        "/temperature out_of_range: ",
        "/colour unknown_field: ",
        r#" update [{"field":"temperature","from":null,"to":0.5}]"#,
        r#" create [{"field":"name","from":null,"to":"Kiosk bot"}]"#,
        "Kiosk may bot:read bot:write ",
        "after archiving: bot not found",
        "Kiosk bot is active",
    ];
    assert_eq!(output.lines().count(), expected.len(), "{output}");
    for (line, expected) in output.lines().zip(expected) {
        assert!(line.contains(expected), "{line} instead of {expected}");
    }
}

/// The services of another program on the same database, and a bot in there.
async fn with_a_bot(database: &Database) -> (Botyard, BotClaim) {
    migrate(database.url()).unwrap();
    let botyard = botyard_on(Arc::new(database.open())).build();
    let organisation = botyard.organisations.create(OPERATOR, "Owner").await.unwrap();
    let project = botyard.projects.create(OPERATOR, organisation.id, "Project").await.unwrap();
    let body = br#"{"name": "Ada", "botInstruction": "Be nice.", "supervisorEnabled": true}"#;
    let body = CreateBot::parse(body, botyard.input_settings()).unwrap();
    let bot = botyard.bots.create(&OPERATOR.project(&project), body).await.unwrap().bot;
    (botyard, OPERATOR.bot(organisation.id, &bot))
}

/// Two conversations by the example, while the other program has the database open.
fn conversations(database: &Database) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let (botyard, claim) = runtime.block_on(with_a_bot(database));
    for count in 1..=2 {
        let mut output = Vec::new();
        chat_runtime::run(database.url(), claim.bot_id(), &mut output).unwrap();
        let said = ["user: When are you open?", "assistant: Monday to Friday, 9 to 17."];
        let mut expected = vec!["Ada is told: Be nice.".to_owned()];
        expected.extend(said.repeat(count).into_iter().map(str::to_owned));
        expected.extend(vec!["message-2 rated up".to_owned(); count]);
        expected.push("!language = \"en\"".to_owned());
        expected.push(r#"ifthen_opening-hours shows ["Monday to Friday","9 to 17"]"#.to_owned());
        expected.push(format!("{count} messages, {} tokens", 138 * count));
        let output = String::from_utf8(output).unwrap();
        // Between two conversations a day may end, and another row of usage begin.
        let (usage, output): (Vec<_>, Vec<_>) =
            output.lines().partition(|line| line.starts_with("sample-large: "));
        assert_eq!(output, expected);
        assert!(!usage.is_empty());
    }
    let usage = botyard.usage.page(&claim, DayRange::default(), None, 10);
    let usage = runtime.block_on(usage).unwrap();
    assert_eq!(usage.iter().map(|row| row.amounts.input_tokens).sum::<u64>(), 240, "{usage:?}");
    let every = ListQuery::default();
    let users = botyard.users.page(&claim, &every, None, 10);
    let (users, _) = runtime.block_on(users).unwrap();
    let [user] = &*users else { panic!("one user: {users:?}") };
    assert_eq!((user.guest_id.as_str(), user.stats.messages), ("kiosk-7", 2));
    let chats = runtime.block_on(botyard.supervisor.chats(&claim, None, 10)).unwrap();
    assert_eq!(chats.len(), 1, "{chats:?}");
}

/// The blocks of code in the document, in this language.
fn blocks(language: &str) -> Vec<&'static str> {
    let begin = format!("```{language}\n");
    let blocks = DOCUMENT.split(begin.as_str()).skip(1);
    blocks.map(|rest| rest.split("```").next().unwrap()).collect()
}

#[test]
fn the_code_in_the_document_is_the_code_that_runs() {
    let blocks = blocks("rust");
    assert!(blocks.len() >= 5, "{blocks:?}");
    let mut at = 0;
    for block in blocks {
        // A block begins where a line of the example does.
        let place = CHAT_RUNTIME.find(&format!("\n{block}"));
        assert!(place.is_some(), "the example does not say this:\n{block}");
        at += block.lines().count();
    }
    assert!(at > 60, "the document shows only {at} lines");
}

mod tour {
    use super::*;

    #[test]
    fn sqlite() {
        tour(&Database::empty_sqlite());
    }

    #[test]
    fn postgres() {
        tour(&Database::empty_postgres());
    }
}

mod conversations {
    use super::*;

    #[test]
    fn sqlite() {
        conversations(&Database::empty_sqlite());
    }

    #[test]
    fn postgres() {
        conversations(&Database::empty_postgres());
    }
}
