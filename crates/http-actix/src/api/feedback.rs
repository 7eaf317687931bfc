//! Message feedback: `{rel}/feedback`.

use actix_web::http::Method;
use domain::access::BotClaim;
use domain::batch::Batch;
use domain::clock::{TimeCursor, Timestamp};
use domain::error::DomainError;
use domain::feedback::{Feedback, FeedbackFilter, FeedbackService, Rating};
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
use crate::reply::{Columns, Paging, Source, Tabular, TabularList};

/// The operations on feedback.
pub(crate) fn operations() -> Vec<Operation> {
    let summary = "Lists what users think of the bot's messages, oldest first";
    on_bot(Method::GET, "/feedback", ("listFeedback", summary), reads(list)).into()
}

async fn list(
    call: Call<OnBot<StatsRead>, Tabular<FeedbackQuery>>,
) -> Result<TabularList<FeedbackView>, Problem> {
    let Tabular { format, counts, query: FeedbackQuery { filter, paging } } = call.query;
    let (feedback, claim) = (&call.botyard.feedback, call.on.claim);
    let total = if counts { feedback.count(&claim, filter).await? } else { None };
    let source = Source::new(feedback, (claim, filter), page);
    Ok(TabularList::of(format, paging, source).await?.with_total(total))
}

async fn page(
    feedback: &FeedbackService,
    (claim, filter): &(BotClaim, FeedbackFilter),
    after: Option<TimeCursor<FeedbackId>>,
    limit: u32,
) -> Result<Batch<Feedback>, DomainError> {
    feedback.page(claim, *filter, after, limit).await
}

/// Which feedback, and which page of it.
struct FeedbackQuery {
    filter: FeedbackFilter,
    paging: Paging<TimeCursor<FeedbackId>>,
}

impl Query for FeedbackQuery {
    fn read(params: &mut QueryParams) -> Self {
        let description = "Only feedback with this rating.";
        let rating = params.word("rating", Rating::WORDS, Rating::parse, description);
        let filter = FeedbackFilter { rating, times: params.times() };
        Self { filter, paging: Paging::read(params) }
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

impl From<Feedback> for FeedbackView {
    fn from(feedback: Feedback) -> Self {
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
