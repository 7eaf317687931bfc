//! The answers that the document shows. They are those of a real server: `cargo xtask openapi --examples` asks one
//! with the samples, and keeps them in `examples.json` under the names of the responses.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::Value;

static EXAMPLES: LazyLock<BTreeMap<String, Value>> =
    LazyLock::new(|| serde_json::from_str(include_str!("examples.json")).unwrap_or_default());

/// What stands for the response of this name.
pub fn of(response: &str) -> Option<Value> {
    EXAMPLES.get(response).cloned()
}
