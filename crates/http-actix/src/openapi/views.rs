//! What the derived schemas of views leave out.

use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{AllOf, Object, ObjectBuilder, Schema, SchemaType, Type};

/// The members of views that can be `null` and can be missing as well.
const MISSING_OR_NULL: [(&str, &str); 1] = [("KeyvalEntry", "guestId")];

/// What members mean that have the same name, and mean the same, wherever they have no description.
const COMMON: [(&str, &str); 5] = [
    ("_id", "Its identifier."),
    ("botId", "Its bot."),
    ("projectId", "Its project."),
    ("createdAt", "When it was created."),
    ("updatedAt", "When it was changed last."),
];

/// Completes the schema of a view: it requires what can be `null`, which the derived schemas take for what can
/// be missing, but where a view has nothing to tell, it says so. It is one object. And each member has its
/// description beside its schema.
pub fn complete(name: &str, schema: &mut RefOr<Schema>) {
    if let RefOr::T(Schema::AllOf(all)) = schema
        && let Some(whole) = merged(all)
    {
        *schema = Schema::from(whole).into();
    }
    if let RefOr::T(Schema::Object(object)) = schema {
        complete_object(name, object);
    }
}

/// One object in place of several that a value must be at once. Not every generator of clients takes those.
fn merged(all: &AllOf) -> Option<Object> {
    let mut whole = ObjectBuilder::new().schema_type(Type::Object).build();
    whole.description.clone_from(&all.description);
    for part in &all.items {
        let RefOr::T(Schema::Object(part)) = part else { return None };
        whole.properties.extend(part.properties.clone());
        whole.required.extend(part.required.iter().cloned());
    }
    Some(whole)
}

fn complete_object(name: &str, object: &mut Object) {
    let before = std::mem::take(&mut object.required);
    let is_there = |member: &str, schema| {
        let may_be_missing = MISSING_OR_NULL.contains(&(name, member));
        before.iter().any(|required| required == member) || is_nullable(schema) && !may_be_missing
    };
    let members = object.properties.iter().filter(|(member, schema)| is_there(member, schema));
    object.required = members.map(|(member, _)| member.clone()).collect();
    for (member, schema) in &mut object.properties {
        let common = COMMON.iter().find(|(known, _)| known == member).map(|(_, common)| *common);
        describe(schema, common);
    }
}

/// Puts the description of a member beside its schema: its own, or else the common one.
fn describe(schema: &mut RefOr<Schema>, common: Option<&str>) {
    let description = match schema {
        RefOr::Ref(reference) => {
            if let (true, Some(common)) = (reference.description.is_empty(), common) {
                common.clone_into(&mut reference.description);
            }
            return;
        }
        RefOr::T(Schema::OneOf(one)) => {
            for item in &mut one.items {
                if let RefOr::Ref(reference) = item
                    && one.description.is_none()
                {
                    let own = std::mem::take(&mut reference.description);
                    one.description = Some(own).filter(|own| !own.is_empty());
                }
            }
            &mut one.description
        }
        RefOr::T(Schema::Object(value)) => &mut value.description,
        RefOr::T(Schema::Array(list)) => &mut list.description,
        RefOr::T(_) => return,
    };
    if description.is_none() {
        *description = common.map(str::to_owned);
    }
}

fn is_nullable(schema: &RefOr<Schema>) -> bool {
    let is_null = |of: &SchemaType| match of {
        SchemaType::Type(only) => *only == Type::Null,
        SchemaType::Array(types) => types.contains(&Type::Null),
        SchemaType::AnyValue => false,
    };
    match schema {
        RefOr::T(Schema::Object(object)) => is_null(&object.schema_type),
        RefOr::T(Schema::Array(list)) => is_null(&list.schema_type),
        RefOr::T(Schema::OneOf(one)) => one.items.iter().any(is_nullable),
        RefOr::T(_) | RefOr::Ref(_) => false,
    }
}
