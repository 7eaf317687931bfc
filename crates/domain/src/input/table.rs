//! One table for the fields of a resource.

/// What a request does with the resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Intent {
    /// It creates one.
    Create,
    /// It changes one.
    Update,
}

/// Makes of the table of a resource's fields: the fields, what a request says of them, how that is read
/// and applied, and how two states differ.
///
/// A line has the kind of field, its name in the code, its type, its name on the wire, and what it
/// demands beside the type, as methods of [`Field`](crate::input::Field). The comment above it says what the
/// field means, also in the API document. The kinds are:
///
/// - `required`: always has a value; a create must name it, and `null` is refused.
/// - `generated`: as that, but a create may leave it out; the service then gives it a value.
/// - `optional`: has a value or none; `null` unsets it.
/// - `secret`: as that, and the changelog never has the value.
/// - `defaulted(default)`: always has a value; left out or `null`, it is the default.
/// - `update_only(initial)`: always has a value; only an update can name it.
macro_rules! fields_of {
    (
        $(#[$meta:meta])* $Fields:ident, $Patch:ident {
            $(
                $(#[doc = $doc:literal])+
                $kind:ident $(($default:expr))? $field:ident: $T:ty = $wire:literal
                    $(. $rule:ident ( $($value:expr),* ))*;
            )+
        }
    ) => {
        $(#[$meta])*
        pub struct $Fields {
            $(
                #[doc = concat!("`", $wire, "`")]
                $(#[doc = $doc])+
                #[serde(rename = $wire)]
                pub $field: fields_of!(@stored $kind $T),
            )+
        }

        impl Default for $Fields {
            fn default() -> Self {
                Self { $($field: fields_of!(@initial $kind $(($default))?),)+ }
            }
        }

        /// What a request says of each field.
        #[derive(Debug, Clone, PartialEq, Default, serde::Serialize)]
        pub struct $Patch {
            $(
                #[doc = concat!("`", $wire, "`")]
                #[serde(rename = $wire, skip_serializing_if = "crate::input::Patch::is_keep")]
                pub $field: crate::input::Patch<$T>,
            )+
        }

        impl $Patch {
            /// Reads every field.
            pub(super) fn read(
                fields: &mut crate::input::Fields<'_>,
                intent: crate::input::Intent,
            ) -> Self {
                Self {
                    $($field: {
                        let field = crate::input::Field::<$T>::new($wire)
                            .description(concat!($($doc),+).trim_ascii_start());
                        $(let field = field.$rule($($value),*);)*
                        fields_of!(@read $kind fields, intent, field)
                    },)+
                }
            }

            /// Changes the fields that this names.
            pub(super) fn apply(&self, fields: &mut $Fields) {
                $(fields_of!(@apply $kind [$($default)?] self.$field, fields.$field);)+
            }
        }

        impl $Fields {
            /// What differs from an earlier state.
            pub(super) fn changes_since(
                &self,
                before: &Self,
            ) -> Vec<crate::changelog::FieldChange> {
                let changes = [$(fields_of!(@change $kind $wire, before.$field, self.$field),)+];
                changes.into_iter().flatten().collect()
            }

            /// Every field that has a value, as a change from none: first those that always have one.
            pub(super) fn as_changes(&self) -> Vec<crate::changelog::FieldChange> {
                let (mut always, mut optional) = (Vec::new(), Vec::new());
                $(fields_of!(@new $kind $wire, self.$field, always, optional);)+
                always.append(&mut optional);
                always
            }

            /// How many bytes the long texts have, about.
            #[must_use]
            pub fn text_size(&self) -> usize {
                use crate::input::FieldValue as _;
                [$(fields_of!(@size $kind self.$field),)+].into_iter().sum()
            }

            /// What an answer has of each field.
            #[must_use]
            pub fn describe() -> Vec<crate::input::ViewField> {
                Vec::from([$(crate::input::ViewField::of::<$T>(
                    $wire, fields_of!(@nullable $kind), concat!($($doc),+).trim_ascii_start(),
                ),)+])
            }
        }
    };

    (@stored optional $T:ty) => { Option<$T> };
    (@stored secret $T:ty) => { Option<$T> };
    (@stored $kind:ident $T:ty) => { $T };

    (@initial $kind:ident) => { Default::default() };
    (@initial $kind:ident ($default:expr)) => { $default };

    (@read required $fields:expr, $intent:expr, $field:expr) => {
        crate::input::Patch::from(match $intent {
            crate::input::Intent::Create => $fields.required($field),
            crate::input::Intent::Update => $fields.not_null($field),
        })
    };
    (@read generated $fields:expr, $intent:expr, $field:expr) => {
        crate::input::Patch::from(match $intent {
            crate::input::Intent::Create => $fields.optional($field),
            crate::input::Intent::Update => $fields.not_null($field),
        })
    };
    (@read update_only $fields:expr, $intent:expr, $field:expr) => {
        crate::input::Patch::from(match $intent {
            crate::input::Intent::Create => None,
            crate::input::Intent::Update => $fields.not_null($field),
        })
    };
    (@read $kind:ident $fields:expr, $intent:expr, $field:expr) => { $fields.patch($field) };

    (@apply optional [] $patch:expr, $field:expr) => { $patch.apply(&mut $field) };
    (@apply secret [] $patch:expr, $field:expr) => { $patch.apply(&mut $field) };
    (@apply defaulted [$default:expr] $patch:expr, $field:expr) => {
        $patch.apply_or(&mut $field, || $default)
    };
    (@apply $kind:ident [$($default:expr)?] $patch:expr, $field:expr) => {
        if let Some(value) = $patch.as_set() {
            $field.clone_from(value);
        }
    };

    (@change secret $wire:literal, $from:expr, $to:expr) => {
        ($from != $to).then(|| {
            crate::changelog::FieldChange::secret($wire, $from.as_ref(), $to.as_ref())
        })
    };
    (@change $kind:ident $wire:literal, $from:expr, $to:expr) => {
        crate::changelog::FieldChange::between($wire, &$from, &$to)
    };

    (@new optional $wire:literal, $to:expr, $always:ident, $optional:ident) => {
        $optional.extend(crate::changelog::FieldChange::between($wire, &None, &$to))
    };
    (@new secret $wire:literal, $to:expr, $always:ident, $optional:ident) => {
        if $to.is_some() {
            $optional.push(crate::changelog::FieldChange::secret($wire, None, $to.as_ref()));
        }
    };
    (@new $kind:ident $wire:literal, $to:expr, $always:ident, $optional:ident) => {
        $always.push(crate::changelog::FieldChange::new($wire, &None::<()>, &$to))
    };

    (@size optional $field:expr) => { $field.as_ref().map_or(0, |value| value.text_size()) };
    (@size $kind:ident $field:expr) => { 0 };

    (@nullable optional) => { true };
    (@nullable secret) => { true };
    (@nullable $kind:ident) => { false };
}
pub(crate) use fields_of;
