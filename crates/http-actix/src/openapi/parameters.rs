//! The parameters of operations.

use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, SchemaFormat, Type};
use utoipa::openapi::{Ref, Required};

use super::components::{ComponentRegistry, capitalised};
use crate::pipeline::operation::Operation;
use crate::pipeline::path_param::{PathDoc, PathForm};
use crate::pipeline::query::{ParamDoc, ParamForm};
use crate::pipeline::trace::TRACEPARENT;
use crate::reply::ReplyKind;

/// References to the parameters of an operation. Their names among the components say where they stand in
/// the request, and of what if there is another one of that name in the same place.
pub fn of(operation: &Operation, registry: &mut ComponentRegistry) -> Vec<Ref> {
    let of_file = OF_FILE.iter().filter(|_| operation.reply.kind == ReplyKind::File);
    let preconditions = operation.preconditions().headers().iter().map(|name| (*name, TAGS));
    let of_stream = OF_STREAM.iter().filter(|_| operation.reply.kind == ReplyKind::EventStream);
    let key = KEY.iter().filter(|_| operation.takes_key);
    operation
        .path_docs
        .iter()
        .map(|doc| ("Path", in_path(doc)))
        .chain(operation.query.iter().map(|doc| ("Query", in_query(doc))))
        .chain(
            of_file
                .copied()
                .chain(of_stream.copied())
                .chain(preconditions)
                .chain(key.copied())
                .map(|(name, description)| ("Header", in_header(name, description))),
        )
        .map(|(place, parameter)| {
            let name = format!("{place}{}", capitalised(&parameter.name));
            let of_group = format!("{name}Of{}", capitalised(operation.tag));
            registry.parameter(&[name, of_group], parameter)
        })
        .collect()
}

fn in_path(doc: &PathDoc) -> Parameter {
    let text = ObjectBuilder::new().schema_type(Type::String);
    let (text, description) = match doc.form {
        PathForm::Id => (
            text.format(Some(SchemaFormat::KnownFormat(KnownFormat::Uuid))),
            doc.description.to_owned(),
        ),
        PathForm::Text => (text.min_length(Some(1)), doc.description.to_owned()),
        PathForm::Bytes(max) => bounded(text, (1, max), doc.description),
    };
    ParameterBuilder::new()
        .name(doc.name)
        .parameter_in(ParameterIn::Path)
        .required(Required::True)
        .description(Some(description))
        .schema(Some(text))
        .build()
}

/// A text of so many bytes. A schema counts characters, so the bound is said to people as well.
fn bounded(
    text: ObjectBuilder,
    (min, max): (usize, usize),
    description: &str,
) -> (ObjectBuilder, String) {
    let text = text.min_length(Some(min).filter(|min| *min > 0)).max_length(Some(max));
    (text, format!("{description} At most {max} bytes in UTF-8."))
}

/// The header of a request for a stream, beside its parameters.
const OF_STREAM: [(&str, &str); 1] = [(
    "Last-Event-ID",
    "The cursor of the last event that the client has had; it goes before `after`.",
)];

/// What a client can say of a file that it has a part of.
const OF_FILE: [(&str, &str); 2] = [
    ("Range", "One part of the file, as `bytes=0-99`."),
    ("If-Range", "The `ETag` that the file must have; otherwise all of it is returned."),
];

/// What a precondition holds.
const TAGS: &str = "Entity tags, or `*` (RFC 9110, section 13.1).";

/// What makes a request take effect once.
const KEY: [(&str, &str); 1] = [(
    "Idempotency-Key",
    "Makes the request take effect once: 1 to 255 visible ASCII characters. An answer that was given \
     before has `Idempotency-Replayed: true`.",
)];

/// A reference to the parameter that every operation has: the trace to which a request belongs.
pub fn trace(registry: &mut ComponentRegistry) -> Ref {
    let description = "The trace of the request (W3C Trace Context); ignored if it is not valid.";
    let mut parameter = in_header(TRACEPARENT.as_str(), description);
    parameter.schema = Some(
        ObjectBuilder::new()
            .schema_type(Type::String)
            .pattern(Some("^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}"))
            .into(),
    );
    registry.parameter(&["HeaderTrace", "HeaderTraceOfAll"].map(str::to_owned), parameter)
}

fn in_header(name: &str, description: &str) -> Parameter {
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some(description))
        .schema(Some(ObjectBuilder::new().schema_type(Type::String)))
        .build()
}

fn in_query(doc: &ParamDoc) -> Parameter {
    let mut description = doc.description.to_owned();
    let schema = match doc.form {
        ParamForm::Bytes(min, max) => {
            let text = ObjectBuilder::new().schema_type(Type::String);
            let (text, with_bound) = bounded(text, (min, max), doc.description);
            description = with_bound;
            text
        }
        ParamForm::Characters(min, max) => ObjectBuilder::new()
            .schema_type(Type::String)
            .min_length(Some(min))
            .max_length(Some(max)),
        ParamForm::Id => ObjectBuilder::new()
            .schema_type(Type::String)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::Uuid))),
        ParamForm::Text => ObjectBuilder::new().schema_type(Type::String),
        ParamForm::Integer(min, max) => {
            ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(min)).maximum(Some(max))
        }
        ParamForm::OneOf(words) => {
            ObjectBuilder::new().schema_type(Type::String).enum_values(Some(words.to_vec()))
        }
        ParamForm::Boolean => ObjectBuilder::new().schema_type(Type::Boolean),
        ParamForm::DayOrTime => ObjectBuilder::new().schema_type(Type::String),
        ParamForm::Day => ObjectBuilder::new()
            .schema_type(Type::String)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::Date))),
    };
    ParameterBuilder::new()
        .name(doc.name)
        .parameter_in(ParameterIn::Query)
        .required(Required::False)
        .description(Some(description))
        .schema(Some(schema))
        .build()
}
