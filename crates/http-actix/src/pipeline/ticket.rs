//! The ticket that stands for a token in the address of a request, for clients that can send no header.

use actix_web::HttpRequest;
use actix_web::http::Method;
use domain::access::{Scheme, is_ticket};
use domain::error::DomainError;

use super::operation::Operation;
use super::query::{QueryParams, first_value};
use crate::options::HttpOptions;
use crate::problem::{Problem, ProblemKind};

/// The parameter that holds a ticket.
const TICKET: &str = "ticket";

/// Checks the form of the parameter, which counted before.
pub(crate) fn check(params: &mut QueryParams) {
    let description =
        "A ticket instead of the token, for one connection; not looked at if there is a token.";
    if params.text(TICKET, description).is_some_and(|text| !is_ticket(&text)) {
        params.violation(TICKET, "is not a ticket");
    }
}

/// The problem of a request whose ticket was not accepted.
pub(super) fn problem(error: DomainError) -> Problem {
    if error != DomainError::Unauthenticated {
        return error.into();
    }
    let detail = "The ticket is not valid: it was used, it has ended, or there never was one.";
    Problem::new(ProblemKind::Unauthenticated, detail)
}

/// The ticket of a request that has no token, if the operation takes one.
pub(super) fn of_request(
    operation: &Operation,
    request: &HttpRequest,
    options: &HttpOptions,
) -> Option<String> {
    let has_token = [Scheme::Bot, Scheme::Project]
        .iter()
        .any(|scheme| request.headers().contains_key(options.token_header(*scheme)));
    // To look at a stream uses no ticket up.
    let opens = operation.takes_ticket && request.method() == Method::GET;
    if !opens || has_token {
        return None;
    }
    first_value(request.query_string(), TICKET)
}
