//! Usage statistics: `{bot}/usage`.

use actix_web::http::Method;
use domain::access::BotClaim;
use domain::error::DomainError;
use domain::id::{BotId, UsageStatisticId};
use domain::json::write_number;
use domain::usage::{Day, DayRange, UsageKey, UsageKind, UsageService, UsageStatistic};
use serde::Serialize;
use utoipa::ToSchema;

use crate::openapi::choice::UsageKindSchema;
use crate::pipeline::call::Call;
use crate::pipeline::handler::reads;
use crate::pipeline::operation::{Operation, on_bot};
use crate::pipeline::query::{Query, QueryParams};
use crate::pipeline::scopes::StatsRead;
use crate::pipeline::target::OnBot;
use crate::problem::Problem;
use crate::reply::{
    Columns, Cursor, Paging, Source, Tabular, TabularList, join_texts, split_texts,
};

/// The operations on usage statistics.
pub(crate) fn operations() -> Vec<Operation> {
    let summary = "Lists what the bot used, by day, kind and model";
    on_bot(Method::GET, "/usage", ("listUsage", summary), reads(list)).into()
}

async fn list(
    call: Call<OnBot<StatsRead>, Tabular<UsageQuery>>,
) -> Result<TabularList<UsageView>, Problem> {
    let Tabular { format, counts, query: UsageQuery { days, paging } } = call.query;
    let (usage, claim) = (&call.botyard.usage, call.target.claim);
    let total = if counts { usage.count(&claim, days).await? } else { None };
    let source = Source::new(usage, (claim, days), page);
    Ok(TabularList::of(format, paging, source).await?.with_total(total))
}

async fn page(
    usage: &UsageService,
    (claim, days): &(BotClaim, DayRange),
    after: Option<UsageKey>,
    limit: u32,
) -> Result<Vec<UsageStatistic>, DomainError> {
    usage.page(claim, *days, after, limit).await
}

/// Of which days, and which page.
struct UsageQuery {
    days: DayRange,
    paging: Paging<UsageKey>,
}

impl Query for UsageQuery {
    fn read(params: &mut QueryParams) -> Self {
        let from = params.day("from", "Only this day (in UTC) and later ones.");
        let to = params.day("to", "Only this day (in UTC) and earlier ones.");
        if from.zip(to).is_some_and(|(from, to)| from > to) {
            params.violation("to", "must not lie before `from`");
        }
        Self { days: DayRange { from, to }, paging: Paging::read(params) }
    }
}

impl Cursor for UsageKey {
    fn encode(&self) -> String {
        join_texts([&self.day.to_string(), self.kind.as_str(), &self.model])
    }

    fn decode(text: &str) -> Option<Self> {
        let [day, kind, model] = split_texts(text)?;
        Some(Self { day: Day::parse(&day)?, kind: UsageKind::parse(&kind)?, model })
    }
}

/// What a bot used of one model on one day, as clients see it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = UsageStatistic)]
pub(crate) struct UsageView {
    #[serde(rename = "_id")]
    #[schema(value_type = String, format = Uuid)]
    id: UsageStatisticId,
    #[schema(value_type = String, format = Uuid)]
    bot_id: BotId,
    /// The day, in UTC.
    #[schema(value_type = String, format = Date)]
    day: Day,
    /// What was used.
    #[schema(value_type = UsageKindSchema)]
    kind: UsageKind,
    /// The model, as the chat runtime calls it.
    model: String,
    /// How many requests there were.
    requests: u64,
    /// How many tokens the model read.
    input_tokens: u64,
    /// How many tokens the model wrote.
    output_tokens: u64,
    /// How many characters were spoken.
    characters: u64,
    /// How many seconds of sound or video there were.
    #[serde(serialize_with = "write_number")]
    seconds: f64,
    /// What it cost, in the currency of the installation.
    #[serde(serialize_with = "write_number")]
    cost: f64,
}

impl Columns for UsageView {
    const NAMES: &'static [&'static str] = &[
        "_id",
        "botId",
        "day",
        "kind",
        "model",
        "requests",
        "inputTokens",
        "outputTokens",
        "characters",
        "seconds",
        "cost",
    ];
}

impl From<UsageStatistic> for UsageView {
    fn from(statistic: UsageStatistic) -> Self {
        let UsageStatistic { id, bot_id, of, amounts } = statistic;
        Self {
            id,
            bot_id,
            day: of.day,
            kind: of.kind,
            model: of.model,
            requests: amounts.requests,
            input_tokens: amounts.input_tokens,
            output_tokens: amounts.output_tokens,
            characters: amounts.characters,
            seconds: amounts.seconds,
            cost: amounts.cost,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_the_key_and_nothing_else() {
        for model in ["m", "org/model:7b-Ünï?&=", &"ä".repeat(200)] {
            let day = Day::parse("2026-01-31").unwrap();
            let key = UsageKey { day, kind: UsageKind::AvatarVideo, model: model.to_owned() };
            assert_eq!(UsageKey::decode(&key.encode()), Some(key));
        }
        for parts in [["2026-01-32", "avatarVideo", "m"], ["2026-01-31", "video", "m"]] {
            assert_eq!(UsageKey::decode(&join_texts(parts)), None, "{parts:?}");
        }
        for text in ["", "2026-01-31", &join_texts(["2026-01-31", "avatarVideo"])] {
            assert_eq!(UsageKey::decode(text), None, "{text}");
        }
    }

    #[test]
    fn days_are_read_strictly() {
        let read = |query: &str| {
            let mut params = QueryParams::of(query);
            let read = UsageQuery::read(&mut params);
            (read.days, params.finish().iter().map(|violation| violation.pointer.clone()).collect())
        };
        let day = Day::parse("2026-01-31");
        let one: (_, Vec<String>) = read("from=2026-01-31&to=2026-01-31");
        assert_eq!(one, (DayRange { from: day, to: day }, vec![]));
        assert_eq!(read("to=2026-01-31"), (DayRange { from: None, to: day }, vec![]));
        for (query, violation) in [
            ("from=2026-1-31", "/from"),
            ("from=", "/from"),
            ("to=2026-02-30", "/to"),
            ("from=2026-02-01&to=2026-01-31", "/to"),
        ] {
            assert_eq!(read(query).1, [violation], "{query}");
        }
    }
}
