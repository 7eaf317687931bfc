//! Tickets for streams of events: `projectapi/events/ticket` and `bot/events/ticket`.

use actix_web::http::Method;
use domain::access::{IssuedTicket, Scheme};
use domain::clock::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::pipeline::call::Call;
use crate::pipeline::handler::reads;
use crate::pipeline::operation::{Operation, operation};
use crate::pipeline::scopes::EventsRead;
use crate::pipeline::target::{OnBot, OnProject, Target, WithPrincipal};
use crate::problem::Problem;
use crate::reply::Answer;

/// The operations on tickets.
pub(super) fn operations() -> [Operation; 2] {
    let summary = "Makes a ticket, with which a stream of events is opened once without a token";
    [
        operation(
            Scheme::Bot,
            Method::POST,
            "/api/external/bot/events/ticket",
            ("createEventTicketOfBot", summary),
            reads(create::<OnBot<EventsRead>>),
        )
        .for_readers(),
        operation(
            Scheme::Project,
            Method::POST,
            "/api/external/projectapi/events/ticket",
            ("createEventTicket", summary),
            reads(create::<OnProject<EventsRead>>),
        )
        .for_readers(),
    ]
}

async fn create<T: Target>(call: Call<WithPrincipal<T>>) -> Result<Answer<TicketView>, Problem> {
    call.target.check(&call.botyard).await?;
    Ok(Answer::of(call.botyard.access.issue_ticket(&call.target.principal).await?))
}

/// What stands for a token once.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = EventTicket)]
pub(crate) struct TicketView {
    /// The ticket, for the parameter `ticket`.
    ticket: String,
    /// When it is not valid any more.
    #[schema(value_type = String, format = DateTime)]
    expires_at: Timestamp,
}

impl From<IssuedTicket> for TicketView {
    fn from(issued: IssuedTicket) -> Self {
        Self { ticket: issued.secret.reveal().to_owned(), expires_at: issued.expires_at }
    }
}
