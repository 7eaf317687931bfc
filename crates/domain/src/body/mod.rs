//! The collecting check of a request body: every violation of every member at once.
//!
//! A body type implements [`Body`] by asking [`Fields`] for each member that it knows. The same
//! questions, asked of no body at all, describe the body for the API document, so a field can't be
//! read without being documented, nor the other way round.

mod fields;
mod value;

pub use fields::{FieldDoc, Fields};
pub use value::{Bounds, FieldType, FieldValue, INTEGER_MAX, Slot};

use crate::violation::Violations;

/// The two values that the config field `modelSource` takes; both are settings.
#[derive(Debug, Clone)]
pub struct ModelSources {
    /// The hosted provider.
    pub hosted: String,
    /// The self-hosted engine.
    pub selfhosted: String,
}

impl Default for ModelSources {
    fn default() -> Self {
        Self { hosted: "hosted".into(), selfhosted: "selfhosted".into() }
    }
}

/// Settings on which it depends what is accepted.
#[derive(Debug, Clone)]
pub struct Rules {
    /// The values of the config field `modelSource`.
    pub model_sources: ModelSources,
    /// The types of Fusion-Views whose content is a package.
    pub package_types: Vec<String>,
    /// Whether the address of a crawl may name any port, because the installation opens networks of its
    /// own to crawls; whoever fetches then judges.
    pub crawls_any_port: bool,
}

impl Default for Rules {
    fn default() -> Self {
        let package_types = ["website", "webapp", "scorm", "h5p", "webgl"];
        Self {
            model_sources: ModelSources::default(),
            package_types: package_types.map(str::to_owned).into(),
            crawls_any_port: false,
        }
    }
}

/// A request body: a JSON object with a known set of members.
pub trait Body: Sized + Send + 'static {
    /// A member that is only stored, as text; see [`crate::json::check_object`].
    const RAW_MEMBER: Option<&'static str> = None;

    /// Asks for every member that the body may have and puts the body together. What is wrong is
    /// noted in `fields`; the value returned then is thrown away.
    fn read(fields: &mut Fields<'_>, rules: &Rules) -> Self;

    /// Reads a body from the bytes of a request.
    ///
    /// # Errors
    /// All that is wrong with it.
    fn parse(bytes: &[u8], rules: &Rules) -> Result<Self, Violations> {
        finish(Fields::of(bytes, Self::RAW_MEMBER)?, rules)
    }

    /// Reads the same from a line of a file.
    ///
    /// # Errors
    /// All that is wrong with it.
    fn parse_line(bytes: &[u8], rules: &Rules) -> Result<Self, Violations> {
        finish(Fields::of_line(bytes, Self::RAW_MEMBER)?, rules)
    }

    /// Reads the same from the texts of a form, each of which stands for a value of its field's type. A
    /// text that stands for none is of the wrong type.
    ///
    /// # Errors
    /// All that is wrong with it.
    fn parse_texts(texts: &[(String, String)], rules: &Rules) -> Result<Self, Violations> {
        let docs = Self::describe(rules);
        let is_text = |name: &str| {
            let doc = docs.iter().find(|doc| doc.name == name);
            doc.is_none_or(|doc| doc.field_type.is_text())
        };
        let mut object = serde_json::Map::new();
        for (name, text) in texts {
            // Blanks around a value are part of the text, though not of JSON.
            let is_text = is_text(name) || text.trim() != text;
            let value = if is_text { None } else { serde_json::from_str(text).ok() };
            let value =
                value.filter(|value: &serde_json::Value| value.is_number() || value.is_boolean());
            object.insert(name.clone(), value.unwrap_or_else(|| text.clone().into()));
        }
        let object = serde_json::Value::Object(object).to_string();
        Self::parse(object.as_bytes(), rules)
    }

    /// The members that such a body may have, in the order in which they are asked for.
    #[must_use]
    fn describe(rules: &Rules) -> Vec<FieldDoc> {
        let mut fields = Fields::describing();
        Self::read(&mut fields, rules);
        fields.into_docs()
    }
}

fn finish<B: Body>(mut fields: Fields<'_>, rules: &Rules) -> Result<B, Violations> {
    let body = B::read(&mut fields, rules);
    fields.finish().into_result(body)
}
