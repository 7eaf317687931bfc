//! The MaxAge rules of a project: `/api/external/projectapi/keyval/maxage[/{ruleId}]`.

use actix_web::http::Method;
use domain::access::Scheme;
use domain::clock::Timestamp;
use domain::id::MaxAgeRuleId;
use domain::json::write_number;
use domain::max_age::{CreateMaxAgeRule, MaxAgeRule, MaxAgeService, UpdateMaxAgeRule};
use domain::violation::{ViolationCode, Violations};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::body::{BodySize, HttpBody, Json};
use crate::pipeline::call::Call;
use crate::pipeline::handler::{changes, reads};
use crate::pipeline::operation::{Operation, operation};
use crate::pipeline::path_param::{PathForm, PathParam, PathValue};
use crate::pipeline::query::NoQuery;
use crate::pipeline::scopes::NoScope;
use crate::pipeline::target::{OnProject, OnProjectSubresource};
use crate::problem::Problem;
use crate::reply::{Answer, Deleted, List, Paging, Source};

/// Where rules are.
const ALL: &str = "/api/external/projectapi/keyval/maxage";
/// One rule.
const ONE: &str = "/api/external/projectapi/keyval/maxage/{ruleId}";

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

/// A rule of the token's project.
type OnRule = OnProjectSubresource<NoScope, RuleParam>;

/// A rule, by its `_id`.
struct RuleParam;

impl PathParam for RuleParam {
    const NAME: &'static str = "ruleId";
    const DESCRIPTION: &'static str = "The `_id` of a MaxAge rule.";

    type Value = Result<MaxAgeRuleId, Violations>;
}

/// What is no identifier is a violation here, where other paths say that there is no such thing: the specification asks
/// for that.
impl PathValue for Result<MaxAgeRuleId, Violations> {
    const FORM: PathForm = PathForm::Id;

    fn of_path(text: &str) -> Self {
        MaxAgeRuleId::parse(text).ok_or_else(|| {
            let message = "`ruleId` is a UUID in lower case with hyphens.";
            let mut violations = Violations::none();
            violations.path(RuleParam::NAME, ViolationCode::BadFormat, message);
            violations
        })
    }

    fn violations(&self) -> Violations {
        self.clone().err().unwrap_or_default()
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
