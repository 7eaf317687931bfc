//! Enumerations in the API document: components of their own.
//!
//! The member of a view that holds one names its schema: `#[schema(value_type = RoleSchema)]`. So an
//! enumeration that does not exist is a compile error, and the document follows the words of the domain.

use std::borrow::Cow;
use std::marker::PhantomData;

use domain::access::{Scheme, Scope};
use domain::archive::ArchiveRule;
use domain::bot::DeleteMode;
use domain::changelog::{Action, ChangedResource};
use domain::crawl::{CrawlError, CrawlStatus};
use domain::document::{ExtractionError, ExtractionStatus, Strategy};
use domain::event::{EventResource, EventType};
use domain::feedback::Rating;
use domain::history::Role;
use domain::input::Choice;
use domain::usage::UsageKind;
use domain::webhook::{DeliveryStatus, DisabledReason, SendError};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

pub type ActionSchema = ChoiceSchema<Action>;
pub type ArchiveRuleSchema = ChoiceSchema<ArchiveRule>;
pub type ChangedResourceSchema = ChoiceSchema<ChangedResource>;
pub type CrawlErrorSchema = ChoiceSchema<CrawlError>;
pub type CrawlStatusSchema = ChoiceSchema<CrawlStatus>;
pub type DeleteModeSchema = ChoiceSchema<DeleteMode>;
pub type DeliveryStatusSchema = ChoiceSchema<DeliveryStatus>;
pub type DisabledReasonSchema = ChoiceSchema<DisabledReason>;
pub type EventResourceSchema = ChoiceSchema<EventResource>;
pub type EventTypeSchema = ChoiceSchema<EventType>;
pub type ExtractionErrorSchema = ChoiceSchema<ExtractionError>;
pub type ExtractionStatusSchema = ChoiceSchema<ExtractionStatus>;
pub type RatingSchema = ChoiceSchema<Rating>;
pub type RoleSchema = ChoiceSchema<Role>;
pub type SchemeSchema = ChoiceSchema<Scheme>;
pub type ScopeSchema = ChoiceSchema<Scope>;
pub type SendErrorSchema = ChoiceSchema<SendError>;
pub type StrategySchema = ChoiceSchema<Strategy>;
pub type UsageKindSchema = ChoiceSchema<UsageKind>;

/// The schema of an enumeration: a text that is one of its words.
pub struct ChoiceSchema<C>(PhantomData<C>);

impl<C: Choice> PartialSchema for ChoiceSchema<C> {
    fn schema() -> RefOr<Schema> {
        of_words(C::WORDS, C::DESCRIPTION)
    }
}

impl<C: Choice> ToSchema for ChoiceSchema<C> {
    fn name() -> Cow<'static, str> {
        C::NAME.into()
    }
}

/// The schema of a text that is one of these words.
pub fn of_words(words: &[impl ToString], description: &str) -> RefOr<Schema> {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .description(Some(description))
        .enum_values(Some(words.iter().map(ToString::to_string)))
        .into()
}
