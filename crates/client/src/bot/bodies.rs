// Made of docs/openapi.json by `cargo xtask openapi`.

//! Bot: the bodies of requests.

use serde::{Deserialize, Serialize};

use crate::bot::{
    ActiveDocSearchType, ChatMsgSourceOption, DeleteMode, ModelSource, ReasoningEffort,
    SpeechRecognitionMode, TextVerbosity,
};
use crate::nullable;

/// Creates a bot in the project.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CreateBot {
    /// What people call the bot.
    pub name: String,
    /// Custom JavaScript of the bot. At most 1 MiB in UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub custom_js: Option<String>,
    /// Custom style sheet (CSS) of the bot. At most 1 MiB in UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub custom_css: Option<String>,
    /// Custom style sheet of the chat. At most 1 MiB in UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub custom_chat_css: Option<String>,
    /// Custom style sheet of the voice mode. At most 1 MiB in UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub custom_voice_css: Option<String>,
    /// Custom style sheet of the avatar mode. At most 1 MiB in UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub custom_avatar_css: Option<String>,
    /// Custom style sheet of a vendor's avatar. At most 1 MiB in UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub custom_vendor_avatar_css: Option<String>,
    /// The instruction of the bot for the model. At most 1 MiB in UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bot_instruction: Option<String>,
    /// The prompt for summaries. At most 1 MiB in UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summarize_prompt: Option<String>,
    /// URLs of help, as one text that is not checked. At most 1 MiB in UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help_urls: Option<String>,
    /// URL of the documentation, which is not checked. At most 1 MiB in UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documentation_url: Option<String>,
    /// The name of the model, which is not checked. At most 1 MiB in UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Messages for while something is loading, as one text. At most 1 MiB in UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loading_messages: Option<String>,
    /// The `targetOrigin` of the browser's `postMessage`, which is not checked. At most 1 MiB in UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub post_message_target_origin: Option<String>,
    /// The password of the bot. Reads return it; the changelog has `***`. At most 1 MiB in UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bot_password: Option<String>,
    /// The sampling temperature of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// How many seconds to wait until a thread is deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds_to_wait_for_thread_deleting: Option<u64>,
    /// After how many days to delete guests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delete_guests_after_days: Option<u64>,
    /// How many results the active document search has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_doc_search_count: Option<u64>,
    /// The lowest score of a result of the active document search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_doc_search_min_score: Option<u64>,
    /// How many documents of their own users may have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_documents_max_count: Option<u64>,
    /// How large documents of users may be, in megabytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_documents_max_mb: Option<u64>,
    /// The tags of the bot. At most 1 MiB in UTF-8 each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag_list: Option<Vec<String>>,
    /// The stop words of the bot. At most 1 MiB in UTF-8 each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_words: Option<Vec<String>>,
    /// Words and their replacements, as objects with any members, of at most 1 MiB of JSON each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub word_replacements: Option<Vec<serde_json::Map<String, serde_json::Value>>>,
    /// The text on compliance: an object with any members, of at most 1 MiB of JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compliance_text: Option<serde_json::Map<String, serde_json::Value>>,
    /// The text on access to storage: an object with any members, of at most 1 MiB of JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub storageaccess_text: Option<serde_json::Map<String, serde_json::Value>>,
    /// Who runs the model: a hosted provider, or an engine of one's own. The two words are a setting of
    /// the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_source: Option<ModelSource>,
    /// How much effort the model puts into reasoning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_effort: Option<ReasoningEffort>,
    /// How verbose texts of the model are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text_verbosity: Option<TextVerbosity>,
    /// Whether the chat hides the sources of a message, shows them or links to them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chat_msg_source_option: Option<ChatMsgSourceOption>,
    /// Whether speech recognition goes by the locale or is automatic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speech_recognition_mode: Option<SpeechRecognitionMode>,
    /// Whether the active document search goes by vectors, by text or by both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_doc_search_type: Option<ActiveDocSearchType>,
    /// Whether the bot is public.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_public: Option<bool>,
    /// Whether the bot is protected by its password.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_pw_protected: Option<bool>,
    /// Whether the bot may search the web.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub websearch: Option<bool>,
    /// Whether users may upload files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_user_file_upload: Option<bool>,
    /// Whether the bot has a memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_enabled: Option<bool>,
    /// Whether voice is played without being asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub voice_auto_play: Option<bool>,
    /// Whether users can give feedback on messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enable_message_feedback: Option<bool>,
    /// Whether there is instant access.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enable_instant_access: Option<bool>,
    /// Whether a visit creates an empty thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub create_empty_thread_on_visit: Option<bool>,
    /// Whether the supervisor is on. Supervisors read what was marked for them when it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supervisor_enabled: Option<bool>,
    /// Whether messages of the chat can be copied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_copy_chat_active: Option<bool>,
    /// Whether messages of the chat can be deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_delete_chat_active: Option<bool>,
    /// Whether the bot's thinking can be cancelled in the chat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cancel_bot_thinking_chat_active: Option<bool>,
    /// Whether the bot's thinking can be cancelled in the voice mode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cancel_bot_thinking_voice_active: Option<bool>,
    /// Whether the bot's thinking can be cancelled in the avatar mode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cancel_bot_thinking_avatar_active: Option<bool>,
    /// Whether the chat has a prompt bar.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub promptbar_chat_active: Option<bool>,
    /// Whether the audio mode has a prompt bar.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub promptbar_audio_active: Option<bool>,
    /// Whether the avatar mode has a prompt bar.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub promptbar_avatar_active: Option<bool>,
    /// Whether the chat takes voice input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub voice_input_chat_active: Option<bool>,
    /// Whether the voice mode takes voice input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub voice_input_voice_active: Option<bool>,
    /// Whether the avatar mode takes voice input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub voice_input_avatar_active: Option<bool>,
    /// Whether the chat has voice output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub voice_output_chat_active: Option<bool>,
    /// Whether one can switch from the voice mode to the chat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub switch_to_chat_from_voice: Option<bool>,
    /// Whether one can switch from the avatar mode to the chat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub switch_to_chat_from_avatar: Option<bool>,
    /// Whether one can switch from the chat to the voice mode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub switch_to_voice_from_chat: Option<bool>,
    /// Whether one can switch from the avatar mode to the voice mode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub switch_to_voice_from_avatar: Option<bool>,
    /// Whether one can switch from the chat to the avatar mode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub switch_to_avatar_from_chat: Option<bool>,
    /// Whether one can switch from the voice mode to the avatar mode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub switch_to_avatar_from_voice: Option<bool>,
    /// Whether the active document search is on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_doc_search: Option<bool>,
    /// Whether users can have documents of their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_documents_enabled: Option<bool>,
}

/// Deletes the bot for good, archives it, or puts it into the trash.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeleteBot {
    /// How the bot is deleted; `delete` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<DeleteMode>,
}

/// Copies the bot within its project.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DuplicateBot {
    /// What the copy is called; by default the name of the bot with `(copy)` after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// Changes the fields that the body names.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UpdateBot {
    /// What people call the bot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Custom JavaScript of the bot. At most 1 MiB in UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub custom_js: Option<Option<String>>,
    /// Custom style sheet (CSS) of the bot. At most 1 MiB in UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub custom_css: Option<Option<String>>,
    /// Custom style sheet of the chat. At most 1 MiB in UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub custom_chat_css: Option<Option<String>>,
    /// Custom style sheet of the voice mode. At most 1 MiB in UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub custom_voice_css: Option<Option<String>>,
    /// Custom style sheet of the avatar mode. At most 1 MiB in UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub custom_avatar_css: Option<Option<String>>,
    /// Custom style sheet of a vendor's avatar. At most 1 MiB in UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub custom_vendor_avatar_css: Option<Option<String>>,
    /// The instruction of the bot for the model. At most 1 MiB in UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub bot_instruction: Option<Option<String>>,
    /// The prompt for summaries. At most 1 MiB in UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub summarize_prompt: Option<Option<String>>,
    /// URLs of help, as one text that is not checked. At most 1 MiB in UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub help_urls: Option<Option<String>>,
    /// URL of the documentation, which is not checked. At most 1 MiB in UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub documentation_url: Option<Option<String>>,
    /// The name of the model, which is not checked. At most 1 MiB in UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub model: Option<Option<String>>,
    /// Messages for while something is loading, as one text. At most 1 MiB in UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub loading_messages: Option<Option<String>>,
    /// The `targetOrigin` of the browser's `postMessage`, which is not checked. At most 1 MiB in UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub post_message_target_origin: Option<Option<String>>,
    /// The password of the bot. Reads return it; the changelog has `***`. At most 1 MiB in UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub bot_password: Option<Option<String>>,
    /// The sampling temperature of the model.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub temperature: Option<Option<f64>>,
    /// How many seconds to wait until a thread is deleted.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub seconds_to_wait_for_thread_deleting: Option<Option<u64>>,
    /// After how many days to delete guests.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub delete_guests_after_days: Option<Option<u64>>,
    /// How many results the active document search has.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub active_doc_search_count: Option<Option<u64>>,
    /// The lowest score of a result of the active document search.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub active_doc_search_min_score: Option<Option<u64>>,
    /// How many documents of their own users may have.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub user_documents_max_count: Option<Option<u64>>,
    /// How large documents of users may be, in megabytes.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub user_documents_max_mb: Option<Option<u64>>,
    /// The tags of the bot. At most 1 MiB in UTF-8 each.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub tag_list: Option<Option<Vec<String>>>,
    /// The stop words of the bot. At most 1 MiB in UTF-8 each.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub stop_words: Option<Option<Vec<String>>>,
    /// Words and their replacements, as objects with any members, of at most 1 MiB of JSON each.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub word_replacements: Option<Option<Vec<serde_json::Map<String, serde_json::Value>>>>,
    /// The text on compliance: an object with any members, of at most 1 MiB of JSON.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub compliance_text: Option<Option<serde_json::Map<String, serde_json::Value>>>,
    /// The text on access to storage: an object with any members, of at most 1 MiB of JSON.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub storageaccess_text: Option<Option<serde_json::Map<String, serde_json::Value>>>,
    /// Who runs the model: a hosted provider, or an engine of one's own. The two words are a setting of
    /// the service.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub model_source: Option<Option<ModelSource>>,
    /// How much effort the model puts into reasoning.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub reasoning_effort: Option<Option<ReasoningEffort>>,
    /// How verbose texts of the model are.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub text_verbosity: Option<Option<TextVerbosity>>,
    /// Whether the chat hides the sources of a message, shows them or links to them.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub chat_msg_source_option: Option<Option<ChatMsgSourceOption>>,
    /// Whether speech recognition goes by the locale or is automatic.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub speech_recognition_mode: Option<Option<SpeechRecognitionMode>>,
    /// Whether the active document search goes by vectors, by text or by both.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub active_doc_search_type: Option<Option<ActiveDocSearchType>>,
    /// Whether the bot is public.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub is_public: Option<Option<bool>>,
    /// Whether the bot is protected by its password.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub is_pw_protected: Option<Option<bool>>,
    /// Whether the bot may search the web.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub websearch: Option<Option<bool>>,
    /// Whether users may upload files.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub allow_user_file_upload: Option<Option<bool>>,
    /// Whether the bot has a memory.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub memory_enabled: Option<Option<bool>>,
    /// Whether voice is played without being asked for.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub voice_auto_play: Option<Option<bool>>,
    /// Whether users can give feedback on messages.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub enable_message_feedback: Option<Option<bool>>,
    /// Whether there is instant access.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub enable_instant_access: Option<Option<bool>>,
    /// Whether a visit creates an empty thread.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub create_empty_thread_on_visit: Option<Option<bool>>,
    /// Whether the supervisor is on. Supervisors read what was marked for them when it was written.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub supervisor_enabled: Option<Option<bool>>,
    /// Whether messages of the chat can be copied.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub message_copy_chat_active: Option<Option<bool>>,
    /// Whether messages of the chat can be deleted.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub message_delete_chat_active: Option<Option<bool>>,
    /// Whether the bot's thinking can be cancelled in the chat.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub cancel_bot_thinking_chat_active: Option<Option<bool>>,
    /// Whether the bot's thinking can be cancelled in the voice mode.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub cancel_bot_thinking_voice_active: Option<Option<bool>>,
    /// Whether the bot's thinking can be cancelled in the avatar mode.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub cancel_bot_thinking_avatar_active: Option<Option<bool>>,
    /// Whether the chat has a prompt bar.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub promptbar_chat_active: Option<Option<bool>>,
    /// Whether the audio mode has a prompt bar.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub promptbar_audio_active: Option<Option<bool>>,
    /// Whether the avatar mode has a prompt bar.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub promptbar_avatar_active: Option<Option<bool>>,
    /// Whether the chat takes voice input.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub voice_input_chat_active: Option<Option<bool>>,
    /// Whether the voice mode takes voice input.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub voice_input_voice_active: Option<Option<bool>>,
    /// Whether the avatar mode takes voice input.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub voice_input_avatar_active: Option<Option<bool>>,
    /// Whether the chat has voice output.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub voice_output_chat_active: Option<Option<bool>>,
    /// Whether one can switch from the voice mode to the chat.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub switch_to_chat_from_voice: Option<Option<bool>>,
    /// Whether one can switch from the avatar mode to the chat.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub switch_to_chat_from_avatar: Option<Option<bool>>,
    /// Whether one can switch from the chat to the voice mode.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub switch_to_voice_from_chat: Option<Option<bool>>,
    /// Whether one can switch from the avatar mode to the voice mode.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub switch_to_voice_from_avatar: Option<Option<bool>>,
    /// Whether one can switch from the chat to the avatar mode.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub switch_to_avatar_from_chat: Option<Option<bool>>,
    /// Whether one can switch from the voice mode to the avatar mode.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub switch_to_avatar_from_voice: Option<Option<bool>>,
    /// Whether the active document search is on.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub active_doc_search: Option<Option<bool>>,
    /// Whether users can have documents of their own.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub user_documents_enabled: Option<Option<bool>>,
}
