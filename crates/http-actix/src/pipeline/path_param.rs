//! Parameters of paths: their names, and what they name things by.

use actix_web::http::Method;
use domain::error::DomainError;
use domain::id::{CrawlId, DeliveryId, DocumentId, FusionViewId, StageId, UserId, WebhookId};
use domain::violation::Violations;

use super::query::QueryParams;
use super::router::PathParams;

/// What the API document says of a parameter in a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathDoc {
    /// Its name, without braces.
    pub name: &'static str,
    /// What its value looks like.
    pub form: PathForm,
    /// What it names, as a sentence.
    pub description: &'static str,
}

/// What a parameter in a path looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathForm {
    /// An identifier.
    Id,
    /// A text of at least one character.
    Text,
    /// A text of one to so many bytes.
    Bytes(usize),
}

/// The name of a path's parameter, as a type.
pub trait PathParam: 'static {
    /// The name, without braces.
    const NAME: &'static str;
    /// What it names, as a sentence.
    const DESCRIPTION: &'static str;

    /// What it names something by.
    type Value: PathValue;
}

/// What something is named by in a path.
pub trait PathValue: 'static {
    /// What it looks like.
    const FORM: PathForm;

    /// Reads the decoded text. A text that can be no name becomes one that nothing has, so that the answer is
    /// the usual 404, after everything that is checked before.
    fn of_path(text: &str) -> Self;

    /// What is wrong with it, where that is more than that nothing has the name.
    fn violations(&self) -> Violations {
        Violations::none()
    }
}

/// What the parameters of a path name, beside those that name what is claimed: nothing, or what one or two say.
pub trait NamedByPath: 'static {
    /// What is read from the path.
    type Value: 'static;

    /// The parameters, in their order.
    fn docs() -> Vec<PathDoc>;

    /// Reads them.
    fn read(path: &PathParams) -> Self::Value;

    /// What is wrong with them.
    fn violations(_: &Self::Value) -> Violations {
        Violations::none()
    }

    /// Refuses what no client may do to what they name, whether it is there or not.
    ///
    /// # Errors
    /// Why it may not be done.
    fn allow(_: &Self::Value, _: &Method, _: &QueryParams) -> Result<(), DomainError> {
        Ok(())
    }
}

impl NamedByPath for () {
    type Value = ();

    fn docs() -> Vec<PathDoc> {
        Vec::new()
    }

    fn read(_: &PathParams) {}
}

impl<P: PathParam> NamedByPath for P {
    type Value = P::Value;

    fn docs() -> Vec<PathDoc> {
        let form = P::Value::FORM;
        Vec::from([PathDoc { name: P::NAME, form, description: P::DESCRIPTION }])
    }

    fn read(path: &PathParams) -> P::Value {
        P::Value::of_path(path.get(P::NAME).unwrap_or_default())
    }

    fn violations(value: &P::Value) -> Violations {
        value.violations()
    }
}

impl<P: PathParam, Q: PathParam> NamedByPath for (P, Q) {
    type Value = (P::Value, Q::Value);

    fn docs() -> Vec<PathDoc> {
        [P::docs(), Q::docs()].concat()
    }

    fn read(path: &PathParams) -> Self::Value {
        (P::read(path), Q::read(path))
    }

    fn violations((first, second): &Self::Value) -> Violations {
        let mut violations = first.violations();
        violations.extend(second.violations());
        violations
    }
}

impl PathValue for String {
    const FORM: PathForm = PathForm::Text;

    fn of_path(text: &str) -> Self {
        text.to_owned()
    }
}

macro_rules! ids_of_paths {
    ($($Id:ty)+) => {$(
        impl PathValue for $Id {
            const FORM: PathForm = PathForm::Id;

            fn of_path(text: &str) -> Self {
                Self::parse(text).unwrap_or(Self::NIL)
            }
        }
    )+};
}

ids_of_paths! { CrawlId DeliveryId DocumentId FusionViewId StageId UserId WebhookId }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_name_nothing_names_what_is_not_there() {
        let id = "0197d0c8-3c5e-7000-8000-0123456789ab";
        assert_eq!(StageId::of_path(id).to_string(), id);
        for text in ["", "name", "\0", &id.to_uppercase(), &id.replace('-', "")] {
            assert_eq!(StageId::of_path(text), StageId::NIL, "{text}");
        }
    }
}
