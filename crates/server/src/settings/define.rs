//! What stands in the table for each setting, and the macro that makes everything from it.

use super::kinds::{SettingKind, Shape};

/// One setting, as the table describes it.
#[derive(Debug)]
pub struct Setting {
    /// Its name: one word, or group and word with a dot between them.
    pub name: &'static str,
    /// Its default, written as in a variable.
    pub default: &'static str,
    /// How its value is written.
    pub shape: Shape,
    doc: &'static str,
}

impl Setting {
    /// For the macro: a setting whose value is of the kind `K`.
    pub const fn new<K: SettingKind>(
        name: &'static str,
        default: &'static str,
        doc: &'static str,
    ) -> Self {
        Self { name, default, shape: K::SHAPE, doc }
    }

    /// What it is for, in a sentence.
    pub fn description(&self) -> &'static str {
        self.doc.trim()
    }

    /// Its flag without the dashes in front.
    pub fn flag(&self) -> String {
        self.name.replace(['.', '_'], "-")
    }

    /// Its environment variable.
    pub fn variable(&self) -> String {
        format!("BOTYARD_{}", self.name.to_uppercase().replace('.', "__"))
    }

    /// The group before the dot.
    pub fn group(&self) -> Option<&'static str> {
        self.name.split_once('.').map(|(group, _)| group)
    }
}

/// Settings that stand together: a table in the file, a struct in the code.
#[derive(Debug)]
pub struct Group {
    /// Its name, the part before the dot.
    pub name: &'static str,
    doc: &'static str,
}

impl Group {
    /// For the macro.
    pub const fn new(name: &'static str, doc: &'static str) -> Self {
        Self { name, doc }
    }

    /// What its settings are about.
    pub fn description(&self) -> &'static str {
        self.doc.trim()
    }
}

/// Makes from the table the struct `Settings` with a struct for each group, the statics `SETTINGS`
/// and `GROUPS` that describe them, and `Settings::read`, which checks what the sources gave.
///
/// A line is `name: SettingKind = "default";`. The field holds `<SettingKind as SettingKind>::Value`, so that a kind
/// such as `Size` says how a value is written, and the code that uses it sees a plain `usize`.
macro_rules! settings {
    (
        $(#[doc = $settings_doc:literal])+
        $Settings:ident {
            $( $(#[doc = $doc:literal])+ $name:ident: $kind:ty = $default:literal; )*
        }
        $(
            $(#[doc = $group_doc:literal])+
            $group:ident: $Group:ident {
                $( $(#[doc = $member_doc:literal])+ $member:ident: $member_kind:ty = $member_default:literal; )*
            }
        )*
    ) => {
        $(#[doc = $settings_doc])+
        #[derive(Debug)]
        pub struct $Settings {
            $( $(#[doc = $doc])+ pub $name: <$kind as $crate::settings::kinds::SettingKind>::Value, )*
            $( $(#[doc = $group_doc])+ pub $group: $Group, )*
        }

        $(
            $(#[doc = $group_doc])+
            #[derive(Debug)]
            pub struct $Group {
                $( $(#[doc = $member_doc])+ pub $member: <$member_kind as $crate::settings::kinds::SettingKind>::Value, )*
            }
        )*

        /// Every setting, in the order in which people read them.
        pub static SETTINGS: &[$crate::settings::define::Setting] = &[
            $( $crate::settings::define::Setting::new::<$kind>(
                stringify!($name), $default, concat!($($doc),+),
            ), )*
            $( $( $crate::settings::define::Setting::new::<$member_kind>(
                concat!(stringify!($group), ".", stringify!($member)),
                $member_default,
                concat!($($member_doc),+),
            ), )* )*
        ];

        /// The groups, in the same order.
        pub static GROUPS: &[$crate::settings::define::Group] = &[
            $( $crate::settings::define::Group::new(stringify!($group), concat!($($group_doc),+)), )*
        ];

        impl $Settings {
            /// Checks every value, also after one was wrong; `None` if any was.
            pub fn read(
                found: &$crate::settings::value::Layer,
                errors: &mut $crate::settings::error::ErrorLines,
            ) -> Option<Self> {
                use $crate::settings::sources::read;
                $( let $name = read::<$kind>(found, stringify!($name), errors); )*
                $(
                    let $group = {
                        $( let $member = read::<$member_kind>(
                            found,
                            concat!(stringify!($group), ".", stringify!($member)),
                            errors,
                        ); )*
                        (|| Some($Group { $( $member: $member?, )* }))()
                    };
                )*
                Some(Self {
                    $( $name: $name?, )*
                    $( $group: $group?, )*
                })
            }
        }
    };
}

pub(in crate::settings) use settings;
