// Made of docs/openapi.json by `cargo xtask openapi`.

//! MaxAge rule.

use reqwest::Method;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::shared::Deleted;
use crate::{Page, PageQuery, ProjectClient, Result, Timestamp};

impl ProjectClient {
    /// Lists the MaxAge rules of the project, oldest first.
    ///
    /// Needs no scope.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn list_max_age_rules(&self, query: &PageQuery) -> Result<Page<MaxAgeRule>> {
        let path = ["api", "external", "projectapi", "keyval", "maxage"];
        self.http.request(Method::GET, &path)?.query(query).page().await
    }

    /// Creates a MaxAge rule.
    ///
    /// Needs no scope.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn create_max_age_rule(&self, body: &CreateMaxAgeRule) -> Result<MaxAgeRule> {
        let path = ["api", "external", "projectapi", "keyval", "maxage"];
        self.http.request(Method::POST, &path)?.json(body)?.one().await
    }

    /// Changes the fields that the body names.
    ///
    /// Needs no scope.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn update_max_age_rule(
        &self,
        rule_id: Uuid,
        body: &UpdateMaxAgeRule,
    ) -> Result<MaxAgeRule> {
        let path = ["api", "external", "projectapi", "keyval", "maxage", &rule_id.to_string()];
        self.http.request(Method::PUT, &path)?.json(body)?.one().await
    }

    /// Deletes the rule; entries stay.
    ///
    /// Needs no scope.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn delete_max_age_rule(&self, rule_id: Uuid) -> Result<Deleted> {
        let path = ["api", "external", "projectapi", "keyval", "maxage", &rule_id.to_string()];
        self.http.request(Method::DELETE, &path)?.one().await
    }
}

/// Creates a MaxAge rule.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CreateMaxAgeRule {
    /// Which keys it applies to: `*` is any run of characters, `?` is one, and `\` makes the next one
    /// stand for itself. 1 byte to 1024 bytes in UTF-8.
    pub key_pattern: String,
    /// How many seconds an entry stays that is neither read nor written.
    pub max_age_seconds: f64,
}

/// Changes the fields that the body names.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UpdateMaxAgeRule {
    /// Which keys it applies to: `*` is any run of characters, `?` is one, and `\` makes the next one
    /// stand for itself. 1 byte to 1024 bytes in UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_pattern: Option<String>,
    /// How many seconds an entry stays that is neither read nor written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_age_seconds: Option<f64>,
}

/// A MaxAge rule as clients see it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct MaxAgeRule {
    /// Its identifier.
    #[serde(rename = "_id")]
    pub id: Uuid,
    /// `*` is any run of characters, `?` is one, and `\` makes the next one stand for itself.
    pub key_pattern: String,
    /// How many seconds an entry stays that is neither read nor written.
    pub max_age_seconds: f64,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was changed last.
    pub updated_at: Timestamp,
}
