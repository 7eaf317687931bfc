//! Parameters of paths: their names, and what they name things by.

use domain::id::{CrawlId, DeliveryId, DocumentId, FusionViewId, StageId, UserId, WebhookId};

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
