//! What is said of a token in the header of the other scheme, which is the likeliest mistake of a new client.

use actix_web::http::header::HeaderMap;
use domain::access::{Scheme, TokenDigest};
use domain::error::DomainError;

use crate::options::HttpOptions;
use crate::problem::{Problem, ProblemKind};

/// The problem of a request whose token was not accepted. If a header of one scheme carries a text that has the
/// form of a token of the other one, a 401 says where it belongs. Only the form is looked at, so the answer says
/// nothing about which tokens exist.
pub fn problem(error: DomainError, headers: &HeaderMap, options: &HttpOptions) -> Problem {
    let is_401 = error == DomainError::Unauthenticated;
    let misplaced = if is_401 { misplaced(headers, options) } else { None };
    misplaced.unwrap_or_else(|| error.into())
}

fn misplaced(headers: &HeaderMap, options: &HttpOptions) -> Option<Problem> {
    let schemes = [(Scheme::Bot, Scheme::Project), (Scheme::Project, Scheme::Bot)];
    schemes.into_iter().find_map(|(of_header, of_token)| {
        let header = options.token_header(of_header);
        let token = headers.get(header)?;
        TokenDigest::of_presented(of_token, token.as_bytes())?;
        let noun = match of_token {
            Scheme::Bot => "bot",
            Scheme::Project => "project",
        };
        let detail = format!(
            "The header `{header}` carries a {noun} token, which belongs into the header `{}`.",
            options.token_header(of_token)
        );
        Some(Problem::new(ProblemKind::Unauthenticated, detail))
    })
}
