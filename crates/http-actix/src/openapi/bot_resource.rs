//! Resources of a bot whose JSON is what clients see of them: a table of fields, beside what the service sets.

use std::borrow::Cow;

use domain::input::ViewField;
use serde::Serialize;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, Schema, SchemaFormat, Type};
use utoipa::{PartialSchema, ToSchema};

use super::schema::{Schemas, of_view};

/// Such a resource.
pub trait BotResource: Serialize {
    /// The name of its schema.
    const NAME: &'static str;
    /// What its schema says of it.
    const DESCRIPTION: &'static str;

    /// Its fields.
    fn fields() -> Vec<ViewField>;
}

/// What clients see of a resource.
#[derive(Serialize)]
#[serde(transparent)]
pub struct BotResourceView<T>(T);

impl<T> From<T> for BotResourceView<T> {
    fn from(resource: T) -> Self {
        Self(resource)
    }
}

impl<T: BotResource> ToSchema for BotResourceView<T> {
    fn name() -> Cow<'static, str> {
        T::NAME.into()
    }

    fn schemas(schemas: &mut Schemas) {
        for field in T::fields() {
            of_view(&field, schemas);
        }
    }
}

impl<T: BotResource> PartialSchema for BotResourceView<T> {
    fn schema() -> RefOr<Schema> {
        let head = [("_id", KnownFormat::Uuid), ("botId", KnownFormat::Uuid)];
        let tail = [("createdAt", KnownFormat::DateTime), ("updatedAt", KnownFormat::DateTime)];
        let own = |object: ObjectBuilder, (name, format)| {
            let format = SchemaFormat::KnownFormat(format);
            let text = ObjectBuilder::new().schema_type(Type::String).format(Some(format));
            object.property(name, text).required(name)
        };
        let object = head.into_iter().fold(ObjectBuilder::new(), own);
        let object = T::fields().into_iter().fold(object, |object, field| {
            object.property(field.name, of_view(&field, &mut Schemas::new())).required(field.name)
        });
        let object = tail.into_iter().fold(object, own);
        object.description(Some(T::DESCRIPTION)).into()
    }
}
