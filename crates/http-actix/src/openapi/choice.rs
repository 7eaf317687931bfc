//! Enumerations in the API document.
//!
//! The member of a view that holds one names its schema: `#[schema(value_type = RoleSchema)]`. So an
//! enumeration that does not exist is a compile error, and the document follows the words of the domain.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::marker::PhantomData;

use domain::access::{Scheme, Scope};
use domain::bot::DeleteMode;
use domain::changelog::{Action, ChangedResource};
use domain::crawl::{CrawlError, CrawlStatus};
use domain::document::{ExtractionError, ExtractionStatus, Strategy};
use domain::feedback::Rating;
use domain::history::Role;
use domain::input::Choice;
use domain::usage::UsageKind;
use serde_json::Value;
use utoipa::openapi::schema::{Array, ArrayItems, Object, ObjectBuilder, Schema, SchemaType, Type};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

pub type ActionSchema = ChoiceSchema<Action>;
pub type ChangedResourceSchema = ChoiceSchema<ChangedResource>;
pub type CrawlErrorSchema = ChoiceSchema<CrawlError>;
pub type CrawlStatusSchema = ChoiceSchema<CrawlStatus>;
pub type DeleteModeSchema = ChoiceSchema<DeleteMode>;
pub type ExtractionErrorSchema = ChoiceSchema<ExtractionError>;
pub type ExtractionStatusSchema = ChoiceSchema<ExtractionStatus>;
pub type RatingSchema = ChoiceSchema<Rating>;
pub type RoleSchema = ChoiceSchema<Role>;
pub type SchemeSchema = ChoiceSchema<Scheme>;
pub type ScopeSchema = ChoiceSchema<Scope>;
pub type StrategySchema = ChoiceSchema<Strategy>;
pub type UsageKindSchema = ChoiceSchema<UsageKind>;

/// The schema of an enumeration: a text that is one of its words.
pub struct ChoiceSchema<C>(PhantomData<C>);

impl<C: Choice> PartialSchema for ChoiceSchema<C> {
    fn schema() -> RefOr<Schema> {
        let text = ObjectBuilder::new().schema_type(Type::String);
        text.enum_values(Some(C::WORDS.iter().copied())).into()
    }
}

impl<C: Choice> ToSchema for ChoiceSchema<C> {
    fn name() -> Cow<'static, str> {
        C::NAME.into()
    }
}

/// Puts the schemas of enumerations where views refer to them, instead of beside the views.
pub fn inline(schemas: &mut BTreeMap<String, RefOr<Schema>>) {
    let is_choice = |schema: &RefOr<Schema>| matches!(schema, RefOr::T(Schema::Object(text)) if text.enum_values.is_some());
    let (choices, mut views): (BTreeMap<_, _>, BTreeMap<_, _>) =
        std::mem::take(schemas).into_iter().partition(|(_, schema)| is_choice(schema));
    for view in views.values_mut() {
        let RefOr::T(Schema::Object(view)) = view else { continue };
        for property in view.properties.values_mut() {
            if let Some(text) = inlined(property, &choices) {
                *property = text.into();
            } else if let RefOr::T(Schema::Array(Array { items, .. })) = property
                && let ArrayItems::RefOrSchema(item) = items
                && let Some(text) = inlined(item, &choices)
            {
                **item = text.into();
            }
        }
    }
    *schemas = views;
}

/// What a reference to an enumeration stands for, `null` included.
fn inlined(schema: &RefOr<Schema>, choices: &BTreeMap<String, RefOr<Schema>>) -> Option<Object> {
    let (reference, is_nullable) = match schema {
        RefOr::Ref(reference) => (reference, false),
        RefOr::T(Schema::OneOf(one)) => {
            let found = one.items.iter().find_map(|item| match item {
                RefOr::Ref(reference) => Some(reference),
                RefOr::T(_) => None,
            });
            (found?, true)
        }
        RefOr::T(_) => return None,
    };
    let Ref { ref_location, description, .. } = reference;
    let (_, name) = ref_location.rsplit_once('/')?;
    let RefOr::T(Schema::Object(choice)) = choices.get(name)? else {
        return None;
    };
    let mut text = choice.clone();
    text.description = Some(description.clone()).filter(|text| !text.is_empty());
    if is_nullable {
        text.schema_type = SchemaType::Array(vec![Type::String, Type::Null]);
        text.enum_values.get_or_insert_default().push(Value::Null);
    }
    Some(text)
}
