//! The configuration of a bot: every field of section 2.1 of the specification, in one table.

use std::io;

use serde::{Deserialize, Serialize, Serializer};

use crate::body::{Fields, Rules, Slot};
use crate::changelog::FieldChange;
use crate::choice;
use crate::json::{JsonObject, write_number};
use crate::patch::Patch;
use crate::text::CONFIG_MAX;
use crate::violation::{ViolationCode, Violations};

/// The lowest `temperature`.
pub(super) const TEMPERATURE_MIN: f64 = 0.0;
/// The highest.
pub(super) const TEMPERATURE_MAX: f64 = 2.0;

choice! {
    /// How much a model thinks.
    ReasoningEffort {
        None "none",
        Minimal "minimal",
        Low "low",
        Medium "medium",
        High "high",
        Xhigh "xhigh",
    }

    /// How much a model says.
    TextVerbosity {
        Low "low",
        Medium "medium",
        High "high",
    }

    /// How a chat shows the sources of a message.
    ChatMsgSourceOption {
        Hidden "hidden",
        Visible "visible",
        Linking "linking",
    }

    /// How the language of speech is found.
    SpeechRecognitionMode {
        Locale "locale",
        Auto "auto",
    }

    /// How documents are searched.
    ActiveDocSearchType {
        Vector "vector",
        Text "text",
        Combined "combined",
    }
}

/// Makes of the table of fields: the configuration, its partial update, and their differences.
macro_rules! config {
    (
        texts { $($text:ident $text_name:literal,)+ }
        secrets { $($secret:ident $secret_name:literal,)+ }
        integers { $($integer:ident $integer_name:literal,)+ }
        text_lists { $($list:ident $list_name:literal,)+ }
        objects { $($object:ident $object_name:literal,)+ }
        choices { $($choice:ident $choice_name:literal $Choice:ty,)+ }
        switches { $($switch:ident $switch_name:literal,)+ }
    ) => {
        /// What can be set on a bot. Every field but the name is `None` until it is set.
        #[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
        #[serde(default)]
        pub struct BotConfig {
            /// What people call the bot.
            pub name: String,
            $(
                #[doc = concat!("`", $text_name, "`")]
                #[serde(rename = $text_name)]
                pub $text: Option<String>,
            )+
            $(
                #[doc = concat!("`", $secret_name, "`")]
                #[serde(rename = $secret_name)]
                pub $secret: Option<String>,
            )+
            /// `temperature`
            #[serde(serialize_with = "whole_numbers_as_such")]
            pub temperature: Option<f64>,
            $(
                #[doc = concat!("`", $integer_name, "`")]
                #[serde(rename = $integer_name)]
                pub $integer: Option<u64>,
            )+
            $(
                #[doc = concat!("`", $list_name, "`")]
                #[serde(rename = $list_name)]
                pub $list: Option<Vec<String>>,
            )+
            /// `wordReplacements`
            #[serde(rename = "wordReplacements")]
            pub word_replacements: Option<Vec<JsonObject>>,
            $(
                #[doc = concat!("`", $object_name, "`")]
                #[serde(rename = $object_name)]
                pub $object: Option<JsonObject>,
            )+
            /// `modelSource`: one of the two values of the settings.
            #[serde(rename = "modelSource")]
            pub model_source: Option<String>,
            $(
                #[doc = concat!("`", $choice_name, "`")]
                #[serde(rename = $choice_name)]
                pub $choice: Option<$Choice>,
            )+
            $(
                #[doc = concat!("`", $switch_name, "`")]
                #[serde(rename = $switch_name)]
                pub $switch: Option<bool>,
            )+
        }

        /// What a partial update says of each field.
        #[derive(Debug, Clone, Default)]
        pub struct BotConfigPatch {
            /// The name can be changed, but not unset.
            pub name: Option<String>,
            $(#[doc = concat!("`", $text_name, "`")] pub $text: Patch<String>,)+
            $(#[doc = concat!("`", $secret_name, "`")] pub $secret: Patch<String>,)+
            /// `temperature`
            pub temperature: Patch<f64>,
            $(#[doc = concat!("`", $integer_name, "`")] pub $integer: Patch<u64>,)+
            $(#[doc = concat!("`", $list_name, "`")] pub $list: Patch<Vec<String>>,)+
            /// `wordReplacements`
            pub word_replacements: Patch<Vec<JsonObject>>,
            $(#[doc = concat!("`", $object_name, "`")] pub $object: Patch<JsonObject>,)+
            /// `modelSource`
            pub model_source: Patch<String>,
            $(#[doc = concat!("`", $choice_name, "`")] pub $choice: Patch<$Choice>,)+
            $(#[doc = concat!("`", $switch_name, "`")] pub $switch: Patch<bool>,)+
        }

        impl BotConfigPatch {
            /// Reads every field but the name, which create and update treat differently.
            pub(super) fn read_optional_fields(fields: &mut Fields<'_>, rules: &Rules) -> Self {
                Self {
                    name: None,
                    $($text: fields.patch($text_name),)+
                    $($secret: fields.patch($secret_name),)+
                    temperature: temperature(fields),
                    $($integer: fields.patch($integer_name),)+
                    $($list: fields.patch($list_name),)+
                    word_replacements: fields.patch("wordReplacements"),
                    $($object: fields.patch($object_name),)+
                    model_source: model_source(fields, rules),
                    $($choice: fields.patch($choice_name),)+
                    $($switch: fields.patch($switch_name),)+
                }
            }

            /// Changes a configuration as told.
            pub fn apply(self, config: &mut BotConfig) {
                if let Some(name) = self.name {
                    config.name = name;
                }
                $(self.$text.apply(&mut config.$text);)+
                $(self.$secret.apply(&mut config.$secret);)+
                self.temperature.apply(&mut config.temperature);
                $(self.$integer.apply(&mut config.$integer);)+
                $(self.$list.apply(&mut config.$list);)+
                self.word_replacements.apply(&mut config.word_replacements);
                $(self.$object.apply(&mut config.$object);)+
                self.model_source.apply(&mut config.model_source);
                $(self.$choice.apply(&mut config.$choice);)+
                $(self.$switch.apply(&mut config.$switch);)+
            }
        }

        impl BotConfig {
            /// What differs from an earlier configuration; the values of secrets are not told.
            #[must_use]
            pub fn changes_since(&self, before: &Self) -> Vec<FieldChange> {
                let mut changes = Vec::new();
                let mut note = |differs: bool, change: &dyn Fn() -> FieldChange| {
                    if differs {
                        changes.push(change());
                    }
                };
                note(before.name != self.name, &|| {
                    // A bot that is being made had no name yet.
                    let from = Some(&before.name).filter(|name| !name.is_empty());
                    FieldChange::new("name", &from, &self.name)
                });
                $(note(before.$text != self.$text, &|| {
                    FieldChange::new($text_name, &before.$text, &self.$text)
                });)+
                $(note(before.$secret != self.$secret, &|| {
                    FieldChange::secret($secret_name, before.$secret.as_ref(), self.$secret.as_ref())
                });)+
                note(before.temperature != self.temperature, &|| {
                    let (from, to) = (Temperature(before.temperature), Temperature(self.temperature));
                    FieldChange::new("temperature", &from, &to)
                });
                $(note(before.$integer != self.$integer, &|| {
                    FieldChange::new($integer_name, &before.$integer, &self.$integer)
                });)+
                $(note(before.$list != self.$list, &|| {
                    FieldChange::new($list_name, &before.$list, &self.$list)
                });)+
                note(before.word_replacements != self.word_replacements, &|| {
                    FieldChange::new(
                        "wordReplacements", &before.word_replacements, &self.word_replacements,
                    )
                });
                $(note(before.$object != self.$object, &|| {
                    FieldChange::new($object_name, &before.$object, &self.$object)
                });)+
                note(before.model_source != self.model_source, &|| {
                    FieldChange::new("modelSource", &before.model_source, &self.model_source)
                });
                $(note(before.$choice != self.$choice, &|| {
                    FieldChange::new($choice_name, &before.$choice, &self.$choice)
                });)+
                $(note(before.$switch != self.$switch, &|| {
                    FieldChange::new($switch_name, &before.$switch, &self.$switch)
                });)+
                changes
            }
        }
    };
}

config! {
    texts {
        custom_js "customJs",
        custom_css "customCss",
        custom_chat_css "customChatCss",
        custom_voice_css "customVoiceCss",
        custom_avatar_css "customAvatarCss",
        custom_vendor_avatar_css "customVendorAvatarCss",
        bot_instruction "botInstruction",
        summarize_prompt "summarizePrompt",
        help_urls "helpUrls",
        documentation_url "documentationUrl",
        model "model",
        loading_messages "loadingMessages",
        post_message_target_origin "postMessageTargetOrigin",
    }
    secrets {
        bot_password "botPassword",
    }
    integers {
        seconds_to_wait_for_thread_deleting "secondsToWaitForThreadDeleting",
        delete_guests_after_days "deleteGuestsAfterDays",
        active_doc_search_count "activeDocSearchCount",
        active_doc_search_min_score "activeDocSearchMinScore",
        user_documents_max_count "userDocumentsMaxCount",
        user_documents_max_mb "userDocumentsMaxMb",
    }
    text_lists {
        tag_list "tagList",
        stop_words "stopWords",
    }
    objects {
        compliance_text "complianceText",
        storageaccess_text "storageaccessText",
    }
    choices {
        reasoning_effort "reasoningEffort" ReasoningEffort,
        text_verbosity "textVerbosity" TextVerbosity,
        chat_msg_source_option "chatMsgSourceOption" ChatMsgSourceOption,
        speech_recognition_mode "speechRecognitionMode" SpeechRecognitionMode,
        active_doc_search_type "activeDocSearchType" ActiveDocSearchType,
    }
    switches {
        is_public "isPublic",
        is_pw_protected "isPwProtected",
        websearch "websearch",
        allow_user_file_upload "allowUserFileUpload",
        memory_enabled "memoryEnabled",
        voice_auto_play "voiceAutoPlay",
        enable_message_feedback "enableMessageFeedback",
        enable_instant_access "enableInstantAccess",
        create_empty_thread_on_visit "createEmptyThreadOnVisit",
        supervisor_enabled "supervisorEnabled",
        message_copy_chat_active "messageCopyChatActive",
        message_delete_chat_active "messageDeleteChatActive",
        cancel_bot_thinking_chat_active "cancelBotThinkingChatActive",
        cancel_bot_thinking_voice_active "cancelBotThinkingVoiceActive",
        cancel_bot_thinking_avatar_active "cancelBotThinkingAvatarActive",
        promptbar_chat_active "promptbarChatActive",
        promptbar_audio_active "promptbarAudioActive",
        promptbar_avatar_active "promptbarAvatarActive",
        voice_input_chat_active "voiceInputChatActive",
        voice_input_voice_active "voiceInputVoiceActive",
        voice_input_avatar_active "voiceInputAvatarActive",
        voice_output_chat_active "voiceOutputChatActive",
        switch_to_chat_from_voice "switchToChatFromVoice",
        switch_to_chat_from_avatar "switchToChatFromAvatar",
        switch_to_voice_from_chat "switchToVoiceFromChat",
        switch_to_voice_from_avatar "switchToVoiceFromAvatar",
        switch_to_avatar_from_chat "switchToAvatarFromChat",
        switch_to_avatar_from_voice "switchToAvatarFromVoice",
        active_doc_search "activeDocSearch",
        user_documents_enabled "userDocumentsEnabled",
    }
}

/// `modelSource` takes two words that only the settings know.
fn model_source(fields: &mut Fields<'_>, rules: &Rules) -> Patch<String> {
    let words = [rules.model_sources.hosted.as_str(), rules.model_sources.selfhosted.as_str()];
    let given = fields.patch::<String>("modelSource");
    fields.document_words(&words);
    if let Patch::Set(word) = &given
        && !words.contains(&word.as_str())
    {
        fields.with_violations(|violations| {
            Slot::member("modelSource").not_allowed(violations, &words);
        });
    }
    given
}

/// `temperature` has a range, which [`super::body`] checks.
fn temperature(fields: &mut Fields<'_>) -> Patch<f64> {
    let given = fields.patch("temperature");
    fields.document_range(TEMPERATURE_MIN, TEMPERATURE_MAX);
    given
}

impl BotConfig {
    /// Checks that the whole configuration, which grows with every update, is not too large.
    ///
    /// # Errors
    /// [`ViolationCode::TooLong`] if its JSON takes more than [`CONFIG_MAX`] bytes.
    pub fn check_size(&self) -> Result<(), Violations> {
        let mut size = Size { room: CONFIG_MAX };
        // Only the lack of room makes an error of a configuration; it can always be written.
        serde_json::to_writer(&mut size, self).map_err(|_| {
            let message = "The whole configuration of a bot must take at most 20 MiB of JSON.";
            Violations::one("", ViolationCode::TooLong, message)
        })
    }
}

/// A writer that keeps nothing and fails when more comes than it has room for.
struct Size {
    room: usize,
}

impl io::Write for Size {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.room.checked_sub(bytes.len());
        self.room = room.ok_or(io::ErrorKind::FileTooLarge)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A temperature of `1` came in as `1` and goes out as `1`, not as `1.0`.
fn whole_numbers_as_such<S: Serializer>(
    value: &Option<f64>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match value {
        Some(number) => write_number(number, serializer),
        None => serializer.serialize_none(),
    }
}

/// A temperature beside other values, written as in the configuration.
#[derive(Serialize)]
#[serde(transparent)]
struct Temperature(#[serde(serialize_with = "whole_numbers_as_such")] Option<f64>);
