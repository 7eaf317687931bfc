//! The bodies of requests.

use domain::input::{FieldDoc, InputSettings};
use serde_json::Value;
use utoipa::openapi::encoding::EncodingBuilder;
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::{KnownFormat, Object, ObjectBuilder, Schema, SchemaFormat, Type};
use utoipa::openapi::{ContentBuilder, Ref, Required};

use super::components::{ComponentRegistry, capitalised};
use super::schema::{self, Schemas};
use crate::body::spec::{FILE, FormExample, FormSpec};
use crate::body::{BodySpec, JsonSpec};
use crate::pipeline::operation::{OF_PROJECT, Operation};

/// A reference to the body that an operation takes. Both schemes take the same one.
pub fn of(
    operation: &Operation,
    settings: &InputSettings,
    registry: &mut ComponentRegistry,
) -> Option<Ref> {
    let body = operation.body.as_ref()?;
    let id = operation.id.strip_suffix(OF_PROJECT).unwrap_or(&operation.id);
    let name = capitalised(id);
    let mut schemas = Schemas::new();
    let (media_type, (mut schema, content)) = match body {
        BodySpec::Json(json) => ("application/json", of_json(json, settings, &mut schemas)),
        BodySpec::Form(form) => ("multipart/form-data", of_form(form, settings, &mut schemas)),
    };
    registry.schemas(schemas);
    schema.description = Some(format!("{}.", operation.summary));
    let schema = registry.schema(&name, Schema::from(schema));
    let body = RequestBodyBuilder::new()
        .content(media_type, content.schema(Some(schema)).build())
        .required(Some(if body.is_required() { Required::True } else { Required::False }))
        .build();
    Some(registry.request_body(&name, body))
}

fn of_json(
    json: &JsonSpec,
    settings: &InputSettings,
    schemas: &mut Schemas,
) -> (Object, ContentBuilder) {
    let fields = (json.describe)(settings);
    let schema = schema::of_body(&fields, (json.needs_member)(settings), schemas);
    (schema, ContentBuilder::new().example(Some((json.example)())))
}

/// The bytes of a file have no place in the document; the example shows its name instead.
fn of_form(
    form: &FormSpec,
    settings: &InputSettings,
    schemas: &mut Schemas,
) -> (Object, ContentBuilder) {
    let fields = (form.texts)(settings);
    let FormExample { file_name, texts, .. } = (form.example)();
    let values = texts.into_iter().map(|(name, text)| {
        let is_text = fields.iter().any(|doc| doc.name == name && doc.field_type.is_text());
        // What stands for a value is shown as that, as the schema has it.
        let value = serde_json::from_str(&text).ok().filter(|_| !is_text);
        (name.to_owned(), value.unwrap_or_else(|| text.into()))
    });
    let example: serde_json::Map<_, Value> =
        [(FILE.to_owned(), file_name.into())].into_iter().chain(values).collect();
    let media_types = match form.media_types {
        [] => "*/*".to_owned(),
        some => some.join(", "),
    };
    let file = ObjectBuilder::new()
        .schema_type(Type::String)
        .description(Some("The file, with its name."))
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::Binary)))
        .content_media_type(form.media_types.first().copied().unwrap_or_default());
    // A text can't be `null`.
    let texts = fields.into_iter().map(|doc| FieldDoc { nullable: false, ..doc });
    let mut schema = schema::of_body(&texts.collect::<Vec<_>>(), false, schemas);
    schema.properties.insert(FILE.to_owned(), file.into());
    schema.required.insert(0, FILE.to_owned());
    let encoding = EncodingBuilder::new().content_type(Some(media_types)).build();
    let content = ContentBuilder::new().example(Some(example.into())).encoding(FILE, encoding);
    (schema, content)
}
