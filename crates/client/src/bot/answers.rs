// Made of docs/openapi.json by `cargo xtask openapi`.

//! Bot: what is in answers.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::Timestamp;
use crate::shared::Scope;

/// Whether a search in documents goes by vectors, by text or by both.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ActiveDocSearchType {
    /// `vector`
    #[serde(rename = "vector")]
    Vector,
    /// `text`
    #[serde(rename = "text")]
    Text,
    /// `combined`
    #[serde(rename = "combined")]
    Combined,
    /// A word that this version of the client does not know.
    #[serde(untagged)]
    Other(String),
}

impl ActiveDocSearchType {
    /// The word.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Vector => "vector",
            Self::Text => "text",
            Self::Combined => "combined",
            Self::Other(word) => word,
        }
    }
}

/// What clients see of a bot's token.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct ApiKey {
    /// Its identifier.
    #[serde(rename = "_id")]
    pub id: Uuid,
    /// What it was called when it was minted.
    pub name: String,
    /// All but the prefix and the last four characters is masked.
    pub key: String,
    /// What it may do.
    pub scopes: Vec<Scope>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it is not valid any more; `null` for never.
    pub expires_at: Option<Timestamp>,
}

/// A bot as clients see it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct Bot {
    /// Its identifier.
    #[serde(rename = "_id")]
    pub id: Uuid,
    /// Its project.
    pub project_id: Uuid,
    /// Whether it was archived; never of a bot that the API shows.
    pub archived: bool,
    /// Whether it is in the trash; never of a bot that the API shows.
    pub this_is_trash: bool,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was changed last.
    pub updated_at: Timestamp,
    /// Its tokens that are valid now, oldest first.
    pub api_keys: Vec<ApiKey>,
    /// What people call the bot.
    pub name: String,
    /// Custom JavaScript of the bot.
    pub custom_js: Option<String>,
    /// Custom style sheet (CSS) of the bot.
    pub custom_css: Option<String>,
    /// Custom style sheet of the chat.
    pub custom_chat_css: Option<String>,
    /// Custom style sheet of the voice mode.
    pub custom_voice_css: Option<String>,
    /// Custom style sheet of the avatar mode.
    pub custom_avatar_css: Option<String>,
    /// Custom style sheet of a vendor's avatar.
    pub custom_vendor_avatar_css: Option<String>,
    /// The instruction of the bot for the model.
    pub bot_instruction: Option<String>,
    /// The prompt for summaries.
    pub summarize_prompt: Option<String>,
    /// URLs of help, as one text that is not checked.
    pub help_urls: Option<String>,
    /// URL of the documentation, which is not checked.
    pub documentation_url: Option<String>,
    /// The name of the model, which is not checked.
    pub model: Option<String>,
    /// Messages for while something is loading, as one text.
    pub loading_messages: Option<String>,
    /// The `targetOrigin` of the browser's `postMessage`, which is not checked.
    pub post_message_target_origin: Option<String>,
    /// The password of the bot. Reads return it; the changelog has `***`.
    pub bot_password: Option<String>,
    /// The sampling temperature of the model.
    pub temperature: Option<f64>,
    /// How many seconds to wait until a thread is deleted.
    pub seconds_to_wait_for_thread_deleting: Option<u64>,
    /// After how many days to delete guests.
    pub delete_guests_after_days: Option<u64>,
    /// How many results the active document search has.
    pub active_doc_search_count: Option<u64>,
    /// The lowest score of a result of the active document search.
    pub active_doc_search_min_score: Option<u64>,
    /// How many documents of their own users may have.
    pub user_documents_max_count: Option<u64>,
    /// How large documents of users may be, in megabytes.
    pub user_documents_max_mb: Option<u64>,
    /// The tags of the bot.
    pub tag_list: Option<Vec<String>>,
    /// The stop words of the bot.
    pub stop_words: Option<Vec<String>>,
    /// Words and their replacements, as objects with any members, of at most 1 MiB of JSON each.
    pub word_replacements: Option<Vec<serde_json::Map<String, serde_json::Value>>>,
    /// The text on compliance: an object with any members, of at most 1 MiB of JSON.
    pub compliance_text: Option<serde_json::Map<String, serde_json::Value>>,
    /// The text on access to storage: an object with any members, of at most 1 MiB of JSON.
    pub storageaccess_text: Option<serde_json::Map<String, serde_json::Value>>,
    /// Who runs the model: a hosted provider, or an engine of one's own. The two words are a setting of
    /// the service.
    pub model_source: Option<String>,
    /// How much effort the model puts into reasoning.
    pub reasoning_effort: Option<ReasoningEffort>,
    /// How verbose texts of the model are.
    pub text_verbosity: Option<TextVerbosity>,
    /// Whether the chat hides the sources of a message, shows them or links to them.
    pub chat_msg_source_option: Option<ChatMsgSourceOption>,
    /// Whether speech recognition goes by the locale or is automatic.
    pub speech_recognition_mode: Option<SpeechRecognitionMode>,
    /// Whether the active document search goes by vectors, by text or by both.
    pub active_doc_search_type: Option<ActiveDocSearchType>,
    /// Whether the bot is public.
    pub is_public: Option<bool>,
    /// Whether the bot is protected by its password.
    pub is_pw_protected: Option<bool>,
    /// Whether the bot may search the web.
    pub websearch: Option<bool>,
    /// Whether users may upload files.
    pub allow_user_file_upload: Option<bool>,
    /// Whether the bot has a memory.
    pub memory_enabled: Option<bool>,
    /// Whether voice is played without being asked for.
    pub voice_auto_play: Option<bool>,
    /// Whether users can give feedback on messages.
    pub enable_message_feedback: Option<bool>,
    /// Whether there is instant access.
    pub enable_instant_access: Option<bool>,
    /// Whether a visit creates an empty thread.
    pub create_empty_thread_on_visit: Option<bool>,
    /// Whether the supervisor is on. Supervisors read what was marked for them when it was written.
    pub supervisor_enabled: Option<bool>,
    /// Whether messages of the chat can be copied.
    pub message_copy_chat_active: Option<bool>,
    /// Whether messages of the chat can be deleted.
    pub message_delete_chat_active: Option<bool>,
    /// Whether the bot's thinking can be cancelled in the chat.
    pub cancel_bot_thinking_chat_active: Option<bool>,
    /// Whether the bot's thinking can be cancelled in the voice mode.
    pub cancel_bot_thinking_voice_active: Option<bool>,
    /// Whether the bot's thinking can be cancelled in the avatar mode.
    pub cancel_bot_thinking_avatar_active: Option<bool>,
    /// Whether the chat has a prompt bar.
    pub promptbar_chat_active: Option<bool>,
    /// Whether the audio mode has a prompt bar.
    pub promptbar_audio_active: Option<bool>,
    /// Whether the avatar mode has a prompt bar.
    pub promptbar_avatar_active: Option<bool>,
    /// Whether the chat takes voice input.
    pub voice_input_chat_active: Option<bool>,
    /// Whether the voice mode takes voice input.
    pub voice_input_voice_active: Option<bool>,
    /// Whether the avatar mode takes voice input.
    pub voice_input_avatar_active: Option<bool>,
    /// Whether the chat has voice output.
    pub voice_output_chat_active: Option<bool>,
    /// Whether one can switch from the voice mode to the chat.
    pub switch_to_chat_from_voice: Option<bool>,
    /// Whether one can switch from the avatar mode to the chat.
    pub switch_to_chat_from_avatar: Option<bool>,
    /// Whether one can switch from the chat to the voice mode.
    pub switch_to_voice_from_chat: Option<bool>,
    /// Whether one can switch from the avatar mode to the voice mode.
    pub switch_to_voice_from_avatar: Option<bool>,
    /// Whether one can switch from the chat to the avatar mode.
    pub switch_to_avatar_from_chat: Option<bool>,
    /// Whether one can switch from the voice mode to the avatar mode.
    pub switch_to_avatar_from_voice: Option<bool>,
    /// Whether the active document search is on.
    pub active_doc_search: Option<bool>,
    /// Whether users can have documents of their own.
    pub user_documents_enabled: Option<bool>,
}

/// That a bot was deleted, and how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct BotDeleted {
    /// Its identifier.
    #[serde(rename = "_id")]
    pub id: Uuid,
    /// How it was deleted.
    pub mode: DeleteMode,
}

/// Whether a chat hides the sources of a message, shows them or links to them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ChatMsgSourceOption {
    /// `hidden`
    #[serde(rename = "hidden")]
    Hidden,
    /// `visible`
    #[serde(rename = "visible")]
    Visible,
    /// `linking`
    #[serde(rename = "linking")]
    Linking,
    /// A word that this version of the client does not know.
    #[serde(untagged)]
    Other(String),
}

impl ChatMsgSourceOption {
    /// The word.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Hidden => "hidden",
            Self::Visible => "visible",
            Self::Linking => "linking",
            Self::Other(word) => word,
        }
    }
}

/// How a bot is deleted; permanently if the request names no mode.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum DeleteMode {
    /// `delete`
    #[serde(rename = "delete")]
    Delete,
    /// `archive`
    #[serde(rename = "archive")]
    Archive,
    /// `trash`
    #[serde(rename = "trash")]
    Trash,
    /// A word that this version of the client does not know.
    #[serde(untagged)]
    Other(String),
}

impl DeleteMode {
    /// The word.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Delete => "delete",
            Self::Archive => "archive",
            Self::Trash => "trash",
            Self::Other(word) => word,
        }
    }
}

/// Who runs the model: a hosted provider, or an engine of one's own. The two words are a setting of
/// the service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ModelSource {
    /// `hosted`
    #[serde(rename = "hosted")]
    Hosted,
    /// `selfhosted`
    #[serde(rename = "selfhosted")]
    Selfhosted,
    /// A word that this version of the client does not know.
    #[serde(untagged)]
    Other(String),
}

impl ModelSource {
    /// The word.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Hosted => "hosted",
            Self::Selfhosted => "selfhosted",
            Self::Other(word) => word,
        }
    }
}

/// How much effort a model puts into reasoning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ReasoningEffort {
    /// `none`
    #[serde(rename = "none")]
    None,
    /// `minimal`
    #[serde(rename = "minimal")]
    Minimal,
    /// `low`
    #[serde(rename = "low")]
    Low,
    /// `medium`
    #[serde(rename = "medium")]
    Medium,
    /// `high`
    #[serde(rename = "high")]
    High,
    /// `xhigh`
    #[serde(rename = "xhigh")]
    Xhigh,
    /// A word that this version of the client does not know.
    #[serde(untagged)]
    Other(String),
}

impl ReasoningEffort {
    /// The word.
    pub fn as_str(&self) -> &str {
        match self {
            Self::None => "none",
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Xhigh => "xhigh",
            Self::Other(word) => word,
        }
    }
}

/// Whether speech recognition goes by the locale or is automatic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum SpeechRecognitionMode {
    /// `locale`
    #[serde(rename = "locale")]
    Locale,
    /// `auto`
    #[serde(rename = "auto")]
    Auto,
    /// A word that this version of the client does not know.
    #[serde(untagged)]
    Other(String),
}

impl SpeechRecognitionMode {
    /// The word.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Locale => "locale",
            Self::Auto => "auto",
            Self::Other(word) => word,
        }
    }
}

/// How verbose texts of a model are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum TextVerbosity {
    /// `low`
    #[serde(rename = "low")]
    Low,
    /// `medium`
    #[serde(rename = "medium")]
    Medium,
    /// `high`
    #[serde(rename = "high")]
    High,
    /// A word that this version of the client does not know.
    #[serde(untagged)]
    Other(String),
}

impl TextVerbosity {
    /// The word.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Other(word) => word,
        }
    }
}
