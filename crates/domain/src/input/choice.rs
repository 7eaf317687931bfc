//! Enumerations whose values are words.

/// An enumeration whose values are words.
pub trait Choice: Copy + 'static {
    /// The name of the enumeration in the code.
    const NAME: &'static str;
    /// What the enumeration says, as a sentence.
    const DESCRIPTION: &'static str;
    /// The words, in the order in which they are documented.
    const WORDS: &'static [&'static str];

    /// The value of this word.
    #[must_use]
    fn parse(word: &str) -> Option<Self>;

    /// The word as it is written.
    #[must_use]
    fn as_str(self) -> &'static str;
}

/// Declares a field's enumeration: the words it allows and their names in the code.
#[macro_export]
macro_rules! choice {
    ($($(#[doc = $doc:literal])+ $name:ident { $($variant:ident $word:literal,)+ })+) => {$(
        $(#[doc = $doc])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $(#[doc = concat!("`", $word, "`")] #[serde(rename = $word)] $variant,)+
        }

        impl $name {
            /// The values, in the order in which they are documented.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The words of the values.
            pub const WORDS: &'static [&'static str] = &[$($word,)+];

            /// Reads one of the words.
            #[must_use]
            pub fn parse(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$variant),)+
                    _ => None,
                }
            }

            /// The word as it is written.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }
        }

        impl $crate::input::Choice for $name {
            const NAME: &'static str = stringify!($name);
            const DESCRIPTION: &'static str = concat!($($doc),+).trim_ascii_start();
            const WORDS: &'static [&'static str] = Self::WORDS;

            fn parse(word: &str) -> Option<Self> {
                Self::parse(word)
            }

            fn as_str(self) -> &'static str {
                self.as_str()
            }
        }

        impl $crate::input::FieldValue for $name {
            const CHOICE: Option<$crate::input::ChoiceDoc> = Some($crate::input::ChoiceDoc {
                name: <Self as $crate::input::Choice>::NAME,
                description: <Self as $crate::input::Choice>::DESCRIPTION,
            });

            fn field_type() -> $crate::input::FieldType {
                $crate::input::FieldType::OneOf(
                    Self::WORDS.iter().map(ToString::to_string).collect(),
                )
            }

            fn read(
                raw: &str,
                location: $crate::input::ValueLocation<'_>,
                violations: &mut $crate::violation::Violations,
            ) -> Option<Self> {
                let word = <String as $crate::input::FieldValue>::read(raw, location, violations)?;
                let value = Self::parse(&word);
                if value.is_none() {
                    location.not_allowed(violations, Self::WORDS);
                }
                value
            }
        }
    )+};
}
