//! The MaxAge rules of a project: `/api/external/projectapi/keyval/maxage[/{ruleId}]`.

use std::sync::Arc;

use actix_web::http::Method;
use domain::Botyard;
use domain::access::{Principal, ProjectClaim, Scheme, ScopeSet};
use domain::clock::Timestamp;
use domain::error::{DomainError, Resource};
use domain::id::MaxAgeRuleId;
use domain::idempotency::IdempotentRequest;
use domain::json::write_number;
use domain::max_age::{CreateMaxAgeRule, MaxAgeRule, MaxAgeService, UpdateMaxAgeRule};
use domain::precondition::Precondition;
use domain::violation::{ViolationCode, Violations};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::body::{BodySize, HttpBody, Json};
use crate::pipeline::call::Call;
use crate::pipeline::handler::{changes, reads};
use crate::pipeline::operation::{Operation, operation};
use crate::pipeline::path_param::{PathDoc, PathForm};
use crate::pipeline::query::NoQuery;
use crate::pipeline::router::PathParams;
use crate::pipeline::scopes::NoScope;
use crate::pipeline::target::{OnProject, Parent, Target};
use crate::problem::Problem;
use crate::reply::{Answer, Deleted, List, Paging, Source};

/// Where rules are.
const ALL: &str = "/api/external/projectapi/keyval/maxage";
/// One rule.
const ONE: &str = "/api/external/projectapi/keyval/maxage/{ruleId}";
/// The parameter of that path.
const RULE_ID: &str = "ruleId";

/// The operations on MaxAge rules.
pub(crate) fn operations() -> Vec<Operation> {
    let scheme = Scheme::Project;
    let listed = ("listMaxAgeRules", "Lists the MaxAge rules of the project, oldest first");
    let created = ("createMaxAgeRule", "Creates a MaxAge rule");
    let updated = ("updateMaxAgeRule", "Changes the fields that the body names");
    let deleted = ("deleteMaxAgeRule", "Deletes the rule; entries stay");
    vec![
        operation(scheme, Method::GET, ALL, listed, reads(list)),
        operation(
            scheme,
            Method::POST,
            ALL,
            created,
            changes(create, Answer::<MaxAgeRuleView>::of),
        ),
        operation(scheme, Method::PUT, ONE, updated, changes(update, Answer::<MaxAgeRuleView>::of)),
        operation(scheme, Method::DELETE, ONE, deleted, changes(delete, Deleted::answer)),
    ]
}

/// A rule of the token's project, by its `_id`. What is no identifier is a violation here, where other
/// paths say that there is no such thing: the specification asks for that.
struct OnRule {
    claim: ProjectClaim,
    id: Result<MaxAgeRuleId, Violations>,
}

impl Target for OnRule {
    fn path(_: Scheme) -> Vec<PathDoc> {
        let description = "The `_id` of a MaxAge rule.";
        Vec::from([PathDoc { name: RULE_ID, form: PathForm::Id, description }])
    }

    fn parent(_: Scheme) -> Parent {
        Parent::Project
    }

    fn required(_: Scheme) -> ScopeSet {
        ScopeSet::NONE
    }

    fn claim(principal: &Arc<Principal>, path: &PathParams) -> Result<Self, DomainError> {
        let claim = principal.project().ok_or(DomainError::NotFound(Resource::Project))?;
        let id = path.get(RULE_ID).and_then(MaxAgeRuleId::parse).ok_or_else(|| {
            let message = "`ruleId` is a UUID in lower case with hyphens.";
            let mut violations = Violations::none();
            violations.path(RULE_ID, ViolationCode::BadFormat, message);
            violations
        });
        Ok(Self { claim, id })
    }

    fn only_if(self, precondition: Precondition) -> Self {
        Self { claim: self.claim.only_if(precondition), ..self }
    }

    fn once(self, request: Arc<IdempotentRequest>) -> Self {
        Self { claim: self.claim.once(request), ..self }
    }

    fn violations(&self) -> Violations {
        self.id.clone().err().unwrap_or_default()
    }

    async fn check(&self, botyard: &Botyard) -> Result<(), DomainError> {
        botyard.access.check_project(&self.claim).await
    }
}

async fn list(
    call: Call<OnProject<NoScope>, Paging<MaxAgeRuleId>>,
) -> Result<List<MaxAgeRuleView>, Problem> {
    List::of(call.query, Source::new(&call.botyard.max_age, call.target.claim, MaxAgeService::page))
        .await
}

async fn create(
    call: Call<OnProject<NoScope>, NoQuery, Json<CreateMaxAgeRule>>,
) -> Result<MaxAgeRule, Problem> {
    Ok(call.botyard.max_age.create(&call.target.claim, call.body.0).await?)
}

async fn update(
    call: Call<OnRule, NoQuery, Json<UpdateMaxAgeRule>>,
) -> Result<MaxAgeRule, Problem> {
    Ok(call.botyard.max_age.update(&call.target.claim, call.target.id?, call.body.0).await?)
}

async fn delete(call: Call<OnRule>) -> Result<MaxAgeRuleId, Problem> {
    Ok(call.botyard.max_age.delete(&call.target.claim, call.target.id?).await?)
}

impl HttpBody for CreateMaxAgeRule {
    const SIZE: BodySize = BodySize::Json;

    fn example() -> Value {
        json!({"keyPattern": "session:*", "maxAgeSeconds": 3600})
    }
}

impl HttpBody for UpdateMaxAgeRule {
    const SIZE: BodySize = BodySize::Json;

    fn example() -> Value {
        json!({"maxAgeSeconds": 86400})
    }
}

/// A MaxAge rule as clients see it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MaxAgeRule)]
pub(crate) struct MaxAgeRuleView {
    #[serde(rename = "_id")]
    #[schema(value_type = String, format = Uuid)]
    id: MaxAgeRuleId,
    /// `*` is any run of characters, `?` is one, and `\` makes the next one stand for itself.
    key_pattern: String,
    /// How many seconds an entry stays that is neither read nor written.
    #[serde(serialize_with = "write_number")]
    max_age_seconds: f64,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    #[schema(value_type = String, format = DateTime)]
    updated_at: Timestamp,
}

impl From<MaxAgeRule> for MaxAgeRuleView {
    fn from(rule: MaxAgeRule) -> Self {
        Self {
            id: rule.id,
            key_pattern: rule.key_pattern.as_str().to_owned(),
            max_age_seconds: rule.max_age_seconds,
            created_at: rule.created_at,
            updated_at: rule.updated_at,
        }
    }
}
