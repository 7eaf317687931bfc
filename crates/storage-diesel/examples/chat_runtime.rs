//! A chat runtime in a program of its own, beside `botyard serve` on the same database. It finds its
//! bot, writes down a conversation and what it cost, and reads back what the API shows of it.
//! `docs/embedding.md` explains it step by step.
//!
//! `cargo run -p botyard-storage-diesel --example chat_runtime -- sqlite:data/botyard.db BOT_ID`

use std::error::Error;
use std::io::{self, Write};
use std::sync::Arc;

use domain::Botyard;
use domain::access::{Operator, OwnerClaim};
use domain::clock::Clock as _;
use domain::feedback::{FeedbackFilter, FeedbackOrder, Rating};
use domain::free_fields::FreeFieldsPatch;
use domain::history::{HistoryKind, Role};
use domain::id::BotId;
use domain::input::Input as _;
use domain::json::Json;
use domain::keyval::EntryAddress;
use domain::recorder::{
    NewEntry, NewFeedback, NewHistoryItem, NewUsage, NewVisualBlock, UsedTokens,
};
use domain::usage::{Day, DayRange, UsageAmounts, UsageKey, UsageKind};
use domain::user::CreateUser;
use storage_diesel::system::{SystemClock, botyard_on};
use storage_diesel::{DatabaseUrl, DieselStore, Options};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(url), Some(bot)) = (arguments.next(), arguments.next()) else {
        return Err("usage: chat_runtime DATABASE_URL BOT_ID".into());
    };
    let bot = BotId::parse(&bot).ok_or("that is no _id of a bot")?;
    run(&url.parse()?, bot, &mut io::stdout().lock())
}

/// Has one conversation and writes it to `out`.
pub fn run(url: &DatabaseUrl, bot: BotId, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    // It refuses a database that is not up to date; `botyard migrate` brings it there.
    let store = Arc::new(DieselStore::open(url, Options::default())?);
    // The services do not care which runtime polls them.
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let done = runtime.block_on(converse(&services(&store), bot, out));
    store.close();
    done
}

/// The services on the database. A program makes them once; they are cheap to clone.
fn services(store: &Arc<DieselStore>) -> Botyard {
    // A chat runtime takes no packages, so it needs no place for files; nor does it crawl.
    botyard_on(store.clone()).build()
}

async fn converse(
    botyard: &Botyard,
    bot: BotId,
    out: &mut dyn Write,
) -> Result<(), Box<dyn Error>> {
    let operator = Operator::of_this_installation();
    let claim = botyard.bots.claim(operator, bot).await?;
    let config = botyard.bots.get(&claim).await?.bot.config;
    writeln!(out, "{} is told: {}", config.name, config.bot_instruction.unwrap_or_default())?;

    let user = match botyard.users.by_guest_id(&claim, "kiosk-7".to_owned()).await? {
        Some(user) => user,
        None => {
            let guest_id = Some("kiosk-7".to_owned());
            let new = CreateUser { guest_id, fields: FreeFieldsPatch::default() };
            botyard.users.create(&claim, new.check(botyard.input_settings())?).await?
        }
    };

    let question = NewHistoryItem {
        user_id: user.id,
        role: Role::User,
        kind: HistoryKind::Message,
        supervisor_enabled: config.supervisor_enabled.unwrap_or(false),
        text: "When are you open?".to_owned(),
        created_at: None,
    };
    let answer = NewHistoryItem {
        role: Role::Assistant,
        text: "Monday to Friday, 9 to 17.".to_owned(),
        ..question.clone()
    };
    let usage = NewUsage {
        of: UsageKey {
            day: Day::of(SystemClock.now()),
            kind: UsageKind::ChatCompletion,
            model: "sample-large".to_owned(),
        },
        amounts: UsageAmounts {
            requests: 1,
            input_tokens: 120,
            output_tokens: 18,
            cost: 0.0021,
            ..UsageAmounts::default()
        },
    };
    let tokens = UsedTokens { user_id: user.id, tokens: 138 };
    let records = vec![question.try_into()?, answer.try_into()?, usage.try_into()?, tokens.into()];
    botyard.recorder.record(&claim, records).await?;

    let feedback = NewFeedback {
        message_id: "message-2".to_owned(),
        user_id: Some(user.id.to_string()),
        rating: Rating::Up,
        comment: None,
        question: Some("When are you open?".to_owned()),
        answer: Some("Monday to Friday, 9 to 17.".to_owned()),
        created_at: None,
    };
    let address = EntryAddress {
        user_id: user.id.to_string(),
        entry_type: "profile".to_owned(),
        key: "!language".to_owned(),
    };
    let language = NewEntry { address: address.clone(), value: Json::of(&"en") };
    let block = NewVisualBlock {
        name: "ifthen_opening-hours".to_owned(),
        content: Json::of(&["Monday to Friday", "9 to 17"]),
    };
    let records = vec![feedback.try_into()?, language.try_into()?, block.try_into()?];
    botyard.recorder.record(&claim, records).await?;

    for item in botyard.supervisor.items(&claim, user.id, None, 100).await? {
        writeln!(out, "{}: {}", item.role.as_str(), item.text)?;
    }
    for row in botyard.usage.page(&claim, DayRange::default(), None, 100).await? {
        let UsageAmounts { requests, input_tokens, output_tokens, .. } = row.amounts;
        writeln!(
            out,
            "{}: {requests} requests, {input_tokens} + {output_tokens} tokens",
            row.of.model
        )?;
    }
    let (all, order) = (FeedbackFilter::default(), FeedbackOrder::NewestFirst);
    for feedback in botyard.feedback.page(&claim, all, order, None, 100).await? {
        writeln!(out, "{} rated {}", feedback.message_id, feedback.rating.as_str())?;
    }
    let found = botyard.keyval.get(&OwnerClaim::Bot(claim.clone()), address).await?;
    writeln!(out, "{} = {}", found.entry.address.key, found.entry.value.as_str())?;
    for block in botyard.visual_blocks.page(&claim, None, 100).await? {
        writeln!(out, "{} shows {}", block.name, block.content.as_str())?;
    }
    let user = botyard.users.by_id(&claim, user.id).await?.ok_or("the user is gone")?;
    writeln!(out, "{} messages, {} tokens", user.stats.messages, user.stats.tokens)?;

    botyard.keyval.flush_accesses(operator).await?;
    Ok(())
}
