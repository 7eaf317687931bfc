//! JSON Schemas for the API document: of views, from their derive; of bodies, from their fields.

use domain::input::{Bounds, ChoiceDoc, FieldDoc, FieldType, FieldValue, ObjectDoc, ViewField};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::schema::{
    AdditionalProperties, Array, ArrayBuilder, ArrayItems, KnownFormat, Object, ObjectBuilder,
    OneOfBuilder, Schema, SchemaFormat, SchemaType, Type,
};
use utoipa::openapi::{Ref, RefOr};

use super::choice::of_words;
use super::components::capitalised;

/// Schemas with their names, to be put among the components.
pub type Schemas = Vec<(String, RefOr<Schema>)>;

/// What a client sees of something: JSON with a named schema.
pub trait View: Serialize {
    /// A reference to the schema.
    fn reference() -> RefOr<Schema>;

    /// The schema itself and all that it refers to.
    fn components(schemas: &mut Schemas);
}

impl<T: Serialize + ToSchema> View for T {
    fn reference() -> RefOr<Schema> {
        Ref::from_schema_name(T::name()).into()
    }

    fn components(schemas: &mut Schemas) {
        schemas.push((T::name().into_owned(), T::schema()));
        T::schemas(schemas);
    }
}

/// The schema of a body with these members, and no others unless they are free. The enumerations to which it
/// refers are added to `schemas`.
#[must_use]
pub fn of_body(fields: &[FieldDoc], needs_member: bool, schemas: &mut Schemas) -> Object {
    let (free, named): (Vec<_>, Vec<_>) =
        fields.iter().partition(|field| field.field_type == FieldType::Free);
    let is_open = !free.is_empty();
    let object = named.into_iter().fold(ObjectBuilder::new(), |object, field| {
        let object = object.property(&field.name, of_member(field, schemas));
        if field.required { object.required(&field.name) } else { object }
    });
    object
        .min_properties(needs_member.then_some(1))
        .additional_properties(Some(AdditionalProperties::<Schema>::FreeForm(is_open)))
        .build()
}

/// The schema of one member of a body.
fn of_member(field: &FieldDoc, schemas: &mut Schemas) -> RefOr<Schema> {
    let FieldDoc { field_type, bounds, nullable, description, .. } = field;
    if let FieldType::OneOf(words) = field_type {
        let name = capitalised(&field.name);
        // Words of a setting have no enumeration in the code.
        let choice =
            field.choice.map_or((&*name, field.description), |of| (of.name, of.description));
        let reference = of_choice(choice, words, description, *nullable, schemas);
        return with_default(reference, field);
    }
    if let FieldType::ListOf(objects) = field_type {
        let mut items = list(of_objects(*objects, schemas), bounds, *nullable);
        items.description = Some((*description).to_owned());
        return with_default(items.into(), field);
    }
    let description = match bounds_in_bytes(field_type, bounds) {
        Some(bounds) => format!("{description} {bounds}"),
        None => (*description).to_owned(),
    };
    with_default(of_type(field_type, bounds, *nullable, &description).into(), field)
}

/// A reference to the schema of objects in a list.
fn of_objects(objects: ObjectDoc, schemas: &mut Schemas) -> Ref {
    let mut schema = of_body(&(objects.members)(), false, schemas);
    schema.description = Some(objects.description.to_owned());
    schemas.push((objects.name.to_owned(), RefOr::T(Schema::from(schema))));
    Ref::from_schema_name(objects.name)
}

/// What counts bytes can't be said by a schema, which counts characters; it is said to people.
fn bounds_in_bytes(field_type: &FieldType, bounds: &Bounds) -> Option<String> {
    let (min, max) = bounds.length.filter(|_| bounds.in_bytes)?;
    let max = if max == 1 << 20 { "1 MiB".to_owned() } else { format!("{max} bytes") };
    let least = if min == 0 { "At most".to_owned() } else { format!("{min} byte to") };
    let each = if *field_type == FieldType::TextList { " each" } else { "" };
    Some(format!("{least} {max} in UTF-8{each}."))
}

fn with_default(mut schema: RefOr<Schema>, field: &FieldDoc) -> RefOr<Schema> {
    match &mut schema {
        RefOr::Ref(reference) => reference.default.clone_from(&field.default),
        RefOr::T(Schema::Object(value)) => value.default.clone_from(&field.default),
        RefOr::T(Schema::Array(list)) => list.default.clone_from(&field.default),
        RefOr::T(Schema::OneOf(one)) => one.default.clone_from(&field.default),
        RefOr::T(_) => {}
    }
    schema
}

/// The schema of one member in a view, without the bounds that only a body must keep to. An enumeration to which
/// it refers is added to `schemas`.
pub fn of_view(field: &ViewField, schemas: &mut Schemas) -> RefOr<Schema> {
    match (&field.field_type, field.choice) {
        (FieldType::OneOf(words), Some(ChoiceDoc { name, description })) => {
            of_choice((name, description), words, field.description, field.nullable, schemas)
        }
        (field_type, _) => {
            of_type(field_type, &Bounds::default(), field.nullable, field.description).into()
        }
    }
}

/// A reference to an enumeration, or `null` instead.
fn of_choice(
    (name, of_all): (&str, &str),
    words: &[String],
    description: &str,
    nullable: bool,
    schemas: &mut Schemas,
) -> RefOr<Schema> {
    schemas.push((name.to_owned(), of_words(words, of_all)));
    let mut reference = Ref::from_schema_name(name);
    if nullable {
        let null = ObjectBuilder::new().schema_type(Type::Null);
        return OneOfBuilder::new()
            .item(reference)
            .item(null)
            .description(Some(description))
            .into();
    }
    reference.description = description.to_owned();
    reference.into()
}

fn of_type(field_type: &FieldType, bounds: &Bounds, nullable: bool, description: &str) -> Schema {
    let mut schema: Schema = match field_type {
        FieldType::Text | FieldType::OneOf(_) => text(bounds, nullable).into(),
        FieldType::Number => number(Type::Number, bounds, nullable).into(),
        FieldType::Integer => {
            let range = bounds.range.or(u64::BOUNDS.range);
            ObjectBuilder::from(number(Type::Integer, &Bounds { range, ..*bounds }, nullable))
                .format(Some(SchemaFormat::KnownFormat(KnownFormat::Int64)))
                .into()
        }
        FieldType::Boolean => plain(Type::Boolean, nullable).into(),
        FieldType::Object => free_object(nullable).into(),
        FieldType::TextList => list(text(bounds, false), bounds, nullable).into(),
        // The members are known to bodies only.
        FieldType::ObjectList | FieldType::ListOf(_) => {
            list(free_object(false), bounds, nullable).into()
        }
        FieldType::Any | FieldType::Free => {
            ObjectBuilder::new().schema_type(SchemaType::AnyValue).into()
        }
    };
    let description = Some(description.to_owned()).filter(|description| !description.is_empty());
    if let Schema::Object(value) = &mut schema {
        value.description = description;
    } else if let Schema::Array(items) = &mut schema {
        items.description = description;
    }
    schema
}

fn plain(r#type: Type, nullable: bool) -> Object {
    ObjectBuilder::new().schema_type(maybe_null(r#type, nullable)).build()
}

fn text(bounds: &Bounds, nullable: bool) -> Object {
    let min = bounds.length.map(|(min, _)| min).filter(|min| *min > 0);
    ObjectBuilder::from(plain(Type::String, nullable))
        .min_length(min)
        .max_length(bounds.length.map(|(_, max)| max))
        .pattern(bounds.pattern)
        .build()
}

fn number(r#type: Type, bounds: &Bounds, nullable: bool) -> Object {
    ObjectBuilder::from(plain(r#type, nullable))
        .minimum(bounds.range.map(|(min, _)| min))
        .exclusive_minimum(bounds.above)
        .maximum(bounds.range.map(|(_, max)| max))
        .build()
}

fn free_object(nullable: bool) -> Object {
    ObjectBuilder::from(plain(Type::Object, nullable))
        .additional_properties(Some(AdditionalProperties::<Schema>::FreeForm(true)))
        .build()
}

fn list(items: impl Into<ArrayItems>, bounds: &Bounds, nullable: bool) -> Array {
    ArrayBuilder::new()
        .items(items)
        .min_items(bounds.items.map(|(min, _)| min).filter(|min| *min > 0))
        .max_items(bounds.items.map(|(_, max)| max))
        .unique_items(bounds.unique_items)
        .schema_type(maybe_null(Type::Array, nullable))
        .build()
}

fn maybe_null(r#type: Type, nullable: bool) -> SchemaType {
    if nullable { SchemaType::Array(vec![r#type, Type::Null]) } else { r#type.into() }
}
