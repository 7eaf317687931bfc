//! What a token is: `/api/external/checkauth` and `/api/external/projectapi/checkauth`.

use actix_web::http::Method;
use domain::access::{Principal, Scheme, ScopeSet};
use domain::clock::Timestamp;
use domain::id::{BotId, OrganisationId, ProjectId, TokenId};
use serde::Serialize;
use utoipa::ToSchema;

use crate::openapi::choice::{SchemeSchema, ScopeSchema};
use crate::pipeline::call::Call;
use crate::pipeline::handler::reads;
use crate::pipeline::operation::{Operation, operation};
use crate::pipeline::target::OnToken;
use crate::problem::Problem;
use crate::reply::Answer;

/// The operations on the token itself.
pub(crate) fn operations() -> Vec<Operation> {
    let summary = "Returns the data of the token that was presented";
    Vec::from([
        operation(
            Scheme::Bot,
            Method::GET,
            "/api/external/checkauth",
            ("checkauth", summary),
            reads(check),
        ),
        operation(
            Scheme::Project,
            Method::GET,
            "/api/external/projectapi/checkauth",
            ("checkauthOfProject", summary),
            reads(check),
        ),
    ])
}

async fn check(call: Call<OnToken>) -> Result<Answer<TokenData>, Problem> {
    Ok(Answer(TokenData::from(call.target.principal.as_ref())))
}

/// A validated token, without its text.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TokenData {
    #[serde(rename = "_id")]
    #[schema(value_type = String, format = Uuid)]
    id: TokenId,
    /// What it is bound to.
    #[schema(value_type = SchemeSchema)]
    scheme: Scheme,
    /// What it was called when it was minted.
    name: String,
    /// What it may do.
    #[schema(value_type = Vec<ScopeSchema>)]
    scopes: ScopeSet,
    /// Whether it may only read.
    read_only: bool,
    /// The organisation of its project.
    #[schema(value_type = String, format = Uuid)]
    organisation_id: OrganisationId,
    #[schema(value_type = String, format = Uuid)]
    project_id: ProjectId,
    /// Its bot; `null` for a project token.
    #[schema(value_type = Option<String>, format = Uuid)]
    bot_id: Option<BotId>,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// When it is not valid any more; `null` for never.
    #[schema(value_type = Option<String>, format = DateTime)]
    expires_at: Option<Timestamp>,
}

impl From<&Principal> for TokenData {
    fn from(principal: &Principal) -> Self {
        Self {
            id: principal.token_id(),
            scheme: principal.scheme(),
            name: principal.name().to_owned(),
            scopes: principal.scopes(),
            read_only: principal.read_only(),
            organisation_id: principal.organisation_id(),
            project_id: principal.project_id(),
            bot_id: principal.bot_id(),
            created_at: principal.created_at(),
            expires_at: principal.expires_at(),
        }
    }
}
