//! Message feedback: `{bot}/feedback`.

use actix_web::http::Method;
use domain::access::BotClaim;
use domain::batch::Batch;
use domain::clock::{TimeCursor, Timestamp};
use domain::error::DomainError;
use domain::feedback::{Feedback, FeedbackFilter, FeedbackOrder, FeedbackService, Rating};
use domain::id::{BotId, FeedbackId};
use serde::Serialize;
use utoipa::ToSchema;

use crate::openapi::choice::RatingSchema;
use crate::pipeline::call::Call;
use crate::pipeline::handler::reads;
use crate::pipeline::operation::{Operation, on_bot};
use crate::pipeline::query::{Query, QueryParams};
use crate::pipeline::scopes::StatsRead;
use crate::pipeline::target::OnBot;
use crate::problem::Problem;
use crate::reply::{Columns, Cursor, ListItem, Paging, Source, Tabular, TabularList};

/// The operations on feedback.
pub(crate) fn operations() -> Vec<Operation> {
    let summary = "Lists what users think of the bot's messages";
    on_bot(Method::GET, "/feedback", ("listFeedback", summary), reads(list)).into()
}

async fn list(
    call: Call<OnBot<StatsRead>, Tabular<FeedbackQuery>>,
) -> Result<TabularList<FeedbackView>, Problem> {
    let Tabular { format, counts, query: FeedbackQuery { filter, order, paging } } = call.query;
    let (feedback, claim) = (&call.botyard.feedback, call.target.claim);
    let total = if counts { feedback.count(&claim, filter).await? } else { None };
    let source = Source::new(feedback, (claim, filter, order), page);
    Ok(TabularList::of(format, paging, source).await?.with_total(total))
}

async fn page(
    feedback: &FeedbackService,
    (claim, filter, order): &(BotClaim, FeedbackFilter, FeedbackOrder),
    after: Option<FeedbackCursor>,
    limit: u32,
) -> Result<Batch<ListedFeedback>, DomainError> {
    let after = after.map(|after| after.position);
    let page = feedback.page(claim, *filter, *order, after, limit).await?;
    Ok(page.map(|feedback| ListedFeedback { order: *order, feedback }))
}

/// Which feedback, in which order, and which page of it.
struct FeedbackQuery {
    filter: FeedbackFilter,
    order: FeedbackOrder,
    paging: Paging<FeedbackCursor>,
}

impl Query for FeedbackQuery {
    fn read(params: &mut QueryParams) -> Self {
        let description = "Only feedback with this rating.";
        let rating = params.word("rating", Rating::WORDS, Rating::parse, description);
        let filter = FeedbackFilter { rating, times: params.times() };
        let order = params.sort(FeedbackOrder::WORDS, FeedbackOrder::parse);
        let order = order.unwrap_or(FeedbackOrder::OldestFirst);
        let paging = Paging::read_if(params, |cursor: &FeedbackCursor| cursor.order == order);
        Self { filter, order, paging }
    }
}

/// A position in a list of this order. As text it is the position alone if the oldest is first; otherwise the word for
/// the order comes before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FeedbackCursor {
    order: FeedbackOrder,
    position: TimeCursor<FeedbackId>,
}

impl Cursor for FeedbackCursor {
    fn encode(&self) -> String {
        let position = self.position.encode();
        match self.order {
            FeedbackOrder::OldestFirst => position,
            FeedbackOrder::NewestFirst => format!("{}.{position}", self.order.as_str()),
        }
    }

    fn decode(text: &str) -> Option<Self> {
        let order = FeedbackOrder::NewestFirst;
        let newest_first =
            text.strip_prefix(order.as_str()).and_then(|text| text.strip_prefix('.'));
        match newest_first {
            Some(position) => Some(Self { order, position: TimeCursor::decode(position)? }),
            None => {
                let order = FeedbackOrder::OldestFirst;
                Some(Self { order, position: TimeCursor::decode(text)? })
            }
        }
    }
}

/// Feedback in a list of this order.
struct ListedFeedback {
    order: FeedbackOrder,
    feedback: Feedback,
}

impl ListItem for ListedFeedback {
    type Cursor = FeedbackCursor;

    fn cursor(&self) -> FeedbackCursor {
        let Feedback { created_at: at, id, .. } = self.feedback;
        FeedbackCursor { order: self.order, position: TimeCursor { at, id } }
    }
}

/// What a user thinks of a message, as clients see it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Feedback)]
pub(crate) struct FeedbackView {
    #[serde(rename = "_id")]
    #[schema(value_type = String, format = Uuid)]
    id: FeedbackId,
    #[schema(value_type = String, format = Uuid)]
    bot_id: BotId,
    /// The message, as the chat runtime calls it.
    message_id: String,
    /// The user's `_id`; the user need not be there any more.
    user_id: Option<String>,
    /// The user's guestId when this was written.
    guest_id: Option<String>,
    /// What the user thinks of it.
    #[schema(value_type = RatingSchema)]
    rating: Rating,
    /// What the user says of it.
    comment: Option<String>,
    /// What the user had asked.
    question: Option<String>,
    /// What the bot had answered.
    answer: Option<String>,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
}

impl Columns for FeedbackView {
    const NAMES: &'static [&'static str] = &[
        "_id",
        "botId",
        "messageId",
        "userId",
        "guestId",
        "rating",
        "comment",
        "question",
        "answer",
        "createdAt",
    ];
}

impl From<ListedFeedback> for FeedbackView {
    fn from(ListedFeedback { feedback, .. }: ListedFeedback) -> Self {
        Self {
            id: feedback.id,
            bot_id: feedback.bot_id,
            message_id: feedback.message_id,
            user_id: feedback.user_id,
            guest_id: feedback.guest_id,
            rating: feedback.rating,
            comment: feedback.comment,
            question: feedback.question,
            answer: feedback.answer,
            created_at: feedback.created_at,
        }
    }
}
