//! The configuration of a bot: every field of `docs/api.md`, "The bot", in one table.

use serde::{Deserialize, Serialize};

use crate::choice;
use crate::input::fields_of;
use crate::json::{JsonObject, Number, takes_at_most};
use crate::text::CONFIG_MAX;
use crate::violation::{ViolationCode, Violations};

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

fields_of! {
    /// What can be set on a bot. Every field but the name is `None` until it is set.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    BotConfig, BotConfigPatch {
        /// What people call the bot.
        required name: String = "name".as_name();
        optional custom_js: String = "customJs";
        optional custom_css: String = "customCss";
        optional custom_chat_css: String = "customChatCss";
        optional custom_voice_css: String = "customVoiceCss";
        optional custom_avatar_css: String = "customAvatarCss";
        optional custom_vendor_avatar_css: String = "customVendorAvatarCss";
        optional bot_instruction: String = "botInstruction";
        optional summarize_prompt: String = "summarizePrompt";
        optional help_urls: String = "helpUrls";
        optional documentation_url: String = "documentationUrl";
        optional model: String = "model";
        optional loading_messages: String = "loadingMessages";
        optional post_message_target_origin: String = "postMessageTargetOrigin";
        secret bot_password: String = "botPassword";
        optional temperature: Number = "temperature".range(0.0, 2.0);
        optional seconds_to_wait_for_thread_deleting: u64 = "secondsToWaitForThreadDeleting";
        optional delete_guests_after_days: u64 = "deleteGuestsAfterDays";
        optional active_doc_search_count: u64 = "activeDocSearchCount";
        optional active_doc_search_min_score: u64 = "activeDocSearchMinScore";
        optional user_documents_max_count: u64 = "userDocumentsMaxCount";
        optional user_documents_max_mb: u64 = "userDocumentsMaxMb";
        optional tag_list: Vec<String> = "tagList";
        optional stop_words: Vec<String> = "stopWords";
        optional word_replacements: Vec<JsonObject> = "wordReplacements";
        optional compliance_text: JsonObject = "complianceText";
        optional storageaccess_text: JsonObject = "storageaccessText";
        /// One of the two values of the settings.
        optional model_source: String = "modelSource".one_of(|settings| settings.model_sources.words());
        optional reasoning_effort: ReasoningEffort = "reasoningEffort";
        optional text_verbosity: TextVerbosity = "textVerbosity";
        optional chat_msg_source_option: ChatMsgSourceOption = "chatMsgSourceOption";
        optional speech_recognition_mode: SpeechRecognitionMode = "speechRecognitionMode";
        optional active_doc_search_type: ActiveDocSearchType = "activeDocSearchType";
        optional is_public: bool = "isPublic";
        optional is_pw_protected: bool = "isPwProtected";
        optional websearch: bool = "websearch";
        optional allow_user_file_upload: bool = "allowUserFileUpload";
        optional memory_enabled: bool = "memoryEnabled";
        optional voice_auto_play: bool = "voiceAutoPlay";
        optional enable_message_feedback: bool = "enableMessageFeedback";
        optional enable_instant_access: bool = "enableInstantAccess";
        optional create_empty_thread_on_visit: bool = "createEmptyThreadOnVisit";
        optional supervisor_enabled: bool = "supervisorEnabled";
        optional message_copy_chat_active: bool = "messageCopyChatActive";
        optional message_delete_chat_active: bool = "messageDeleteChatActive";
        optional cancel_bot_thinking_chat_active: bool = "cancelBotThinkingChatActive";
        optional cancel_bot_thinking_voice_active: bool = "cancelBotThinkingVoiceActive";
        optional cancel_bot_thinking_avatar_active: bool = "cancelBotThinkingAvatarActive";
        optional promptbar_chat_active: bool = "promptbarChatActive";
        optional promptbar_audio_active: bool = "promptbarAudioActive";
        optional promptbar_avatar_active: bool = "promptbarAvatarActive";
        optional voice_input_chat_active: bool = "voiceInputChatActive";
        optional voice_input_voice_active: bool = "voiceInputVoiceActive";
        optional voice_input_avatar_active: bool = "voiceInputAvatarActive";
        optional voice_output_chat_active: bool = "voiceOutputChatActive";
        optional switch_to_chat_from_voice: bool = "switchToChatFromVoice";
        optional switch_to_chat_from_avatar: bool = "switchToChatFromAvatar";
        optional switch_to_voice_from_chat: bool = "switchToVoiceFromChat";
        optional switch_to_voice_from_avatar: bool = "switchToVoiceFromAvatar";
        optional switch_to_avatar_from_chat: bool = "switchToAvatarFromChat";
        optional switch_to_avatar_from_voice: bool = "switchToAvatarFromVoice";
        optional active_doc_search: bool = "activeDocSearch";
        optional user_documents_enabled: bool = "userDocumentsEnabled";
    }
}

impl BotConfig {
    /// Checks that the whole configuration, which grows with every update, is not too large.
    ///
    /// # Errors
    /// [`ViolationCode::TooLong`] if its JSON takes more than [`CONFIG_MAX`] bytes.
    pub fn check_size(&self) -> Result<(), Violations> {
        if takes_at_most(CONFIG_MAX, self) {
            return Ok(());
        }
        let message = "The whole configuration of a bot must take at most 20 MiB of JSON.";
        Err(Violations::one("", ViolationCode::TooLong, message))
    }
}
