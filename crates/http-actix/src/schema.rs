//! JSON Schemas for the API document: of views, from their derive; of bodies, from their fields.

use domain::body::{FieldDoc, FieldType, INTEGER_MAX};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::schema::{
    AdditionalProperties, Array, ArrayBuilder, Object, ObjectBuilder, Schema, SchemaType, Type,
};
use utoipa::openapi::{Ref, RefOr};

/// What a client sees of something: JSON with a named schema.
pub trait View: Serialize {
    /// A reference to the schema.
    fn reference() -> RefOr<Schema>;

    /// The schema itself and all that it refers to.
    fn components(schemas: &mut Vec<(String, RefOr<Schema>)>);
}

impl<T: Serialize + ToSchema> View for T {
    fn reference() -> RefOr<Schema> {
        Ref::from_schema_name(T::name()).into()
    }

    fn components(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((T::name().into_owned(), T::schema()));
        T::schemas(schemas);
    }
}

/// The schema of a body with these members and no others.
#[must_use]
pub fn of_body(fields: &[FieldDoc]) -> Object {
    let object = fields.iter().fold(ObjectBuilder::new(), |object, field| {
        let object = object.property(&field.name, of_field(&field.field_type, field.nullable));
        if field.required { object.required(&field.name) } else { object }
    });
    object.additional_properties(Some(AdditionalProperties::<Schema>::FreeForm(false))).build()
}

/// The schema of one member.
#[must_use]
pub fn of_field(field_type: &FieldType, nullable: bool) -> Schema {
    match field_type {
        FieldType::Text => plain(Type::String, nullable).into(),
        FieldType::Number => plain(Type::Number, nullable).into(),
        FieldType::Boolean => plain(Type::Boolean, nullable).into(),
        FieldType::Object => free_object(nullable).into(),
        FieldType::TextList => list(plain(Type::String, false), nullable).into(),
        FieldType::ObjectList => list(free_object(false), nullable).into(),
        FieldType::Integer => ObjectBuilder::from(plain(Type::Integer, nullable))
            .minimum(Some(0))
            .maximum(Some(INTEGER_MAX as f64))
            .build()
            .into(),
        FieldType::OneOf(words) => {
            let words = words.iter().cloned().map(Some).chain(nullable.then_some(None));
            ObjectBuilder::from(plain(Type::String, nullable))
                .enum_values(Some(words.collect::<Vec<Option<String>>>()))
                .build()
                .into()
        }
        FieldType::Any => ObjectBuilder::new().schema_type(SchemaType::AnyValue).build().into(),
    }
}

fn plain(r#type: Type, nullable: bool) -> Object {
    ObjectBuilder::new().schema_type(maybe_null(r#type, nullable)).build()
}

fn free_object(nullable: bool) -> Object {
    ObjectBuilder::from(plain(Type::Object, nullable))
        .additional_properties(Some(AdditionalProperties::<Schema>::FreeForm(true)))
        .build()
}

fn list(items: Object, nullable: bool) -> Array {
    let array = ArrayBuilder::new().items(items);
    array.schema_type(maybe_null(Type::Array, nullable)).build()
}

fn maybe_null(r#type: Type, nullable: bool) -> SchemaType {
    if nullable { SchemaType::Array(vec![r#type, Type::Null]) } else { r#type.into() }
}
