//! The configuration of a bot: every field of `docs/api.md`, "The bot", in one table.

use serde::{Deserialize, Serialize};

use crate::choice;
use crate::input::fields_of;
use crate::json::{JsonObject, Number, takes_at_most};
use crate::text::CONFIG_MAX;
use crate::violation::{ViolationCode, Violations};

choice! {
    /// How much effort a model puts into reasoning.
    ReasoningEffort {
        None "none",
        Minimal "minimal",
        Low "low",
        Medium "medium",
        High "high",
        Xhigh "xhigh",
    }

    /// How verbose texts of a model are.
    TextVerbosity {
        Low "low",
        Medium "medium",
        High "high",
    }

    /// Whether a chat hides the sources of a message, shows them or links to them.
    ChatMsgSourceOption {
        Hidden "hidden",
        Visible "visible",
        Linking "linking",
    }

    /// Whether speech recognition goes by the locale or is automatic.
    SpeechRecognitionMode {
        Locale "locale",
        Auto "auto",
    }

    /// Whether a search in documents goes by vectors, by text or by both.
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
        /// Custom JavaScript of the bot.
        optional custom_js: String = "customJs";
        /// Custom style sheet (CSS) of the bot.
        optional custom_css: String = "customCss";
        /// Custom style sheet of the chat.
        optional custom_chat_css: String = "customChatCss";
        /// Custom style sheet of the voice mode.
        optional custom_voice_css: String = "customVoiceCss";
        /// Custom style sheet of the avatar mode.
        optional custom_avatar_css: String = "customAvatarCss";
        /// Custom style sheet of a vendor's avatar.
        optional custom_vendor_avatar_css: String = "customVendorAvatarCss";
        /// The instruction of the bot for the model.
        optional bot_instruction: String = "botInstruction";
        /// The prompt for summaries.
        optional summarize_prompt: String = "summarizePrompt";
        /// URLs of help, as one text that is not checked.
        optional help_urls: String = "helpUrls";
        /// URL of the documentation, which is not checked.
        optional documentation_url: String = "documentationUrl";
        /// The name of the model, which is not checked.
        optional model: String = "model";
        /// Messages for while something is loading, as one text.
        optional loading_messages: String = "loadingMessages";
        /// The `targetOrigin` of the browser's `postMessage`, which is not checked.
        optional post_message_target_origin: String = "postMessageTargetOrigin";
        /// The password of the bot. Reads return it; the changelog has `***`.
        secret bot_password: String = "botPassword";
        /// The sampling temperature of the model.
        optional temperature: Number = "temperature".range(0.0, 2.0);
        /// How many seconds to wait until a thread is deleted.
        optional seconds_to_wait_for_thread_deleting: u64 = "secondsToWaitForThreadDeleting";
        /// After how many days to delete guests.
        optional delete_guests_after_days: u64 = "deleteGuestsAfterDays";
        /// How many results the active document search has.
        optional active_doc_search_count: u64 = "activeDocSearchCount";
        /// The lowest score of a result of the active document search.
        optional active_doc_search_min_score: u64 = "activeDocSearchMinScore";
        /// How many documents of their own users may have.
        optional user_documents_max_count: u64 = "userDocumentsMaxCount";
        /// How large documents of users may be, in megabytes.
        optional user_documents_max_mb: u64 = "userDocumentsMaxMb";
        /// The tags of the bot.
        optional tag_list: Vec<String> = "tagList";
        /// The stop words of the bot.
        optional stop_words: Vec<String> = "stopWords";
        /// Words and their replacements, as objects with any members, of at most 1 MiB of JSON each.
        optional word_replacements: Vec<JsonObject> = "wordReplacements";
        /// The text on compliance: an object with any members, of at most 1 MiB of JSON.
        optional compliance_text: JsonObject = "complianceText";
        /// The text on access to storage: an object with any members, of at most 1 MiB of JSON.
        optional storageaccess_text: JsonObject = "storageaccessText";
        /// Who runs the model: a hosted provider, or an engine of one's own. The two words are a setting of the
        /// service.
        optional model_source: String = "modelSource".one_of(|settings| settings.model_sources.words());
        /// How much effort the model puts into reasoning.
        optional reasoning_effort: ReasoningEffort = "reasoningEffort";
        /// How verbose texts of the model are.
        optional text_verbosity: TextVerbosity = "textVerbosity";
        /// Whether the chat hides the sources of a message, shows them or links to them.
        optional chat_msg_source_option: ChatMsgSourceOption = "chatMsgSourceOption";
        /// Whether speech recognition goes by the locale or is automatic.
        optional speech_recognition_mode: SpeechRecognitionMode = "speechRecognitionMode";
        /// Whether the active document search goes by vectors, by text or by both.
        optional active_doc_search_type: ActiveDocSearchType = "activeDocSearchType";
        /// Whether the bot is public.
        optional is_public: bool = "isPublic";
        /// Whether the bot is protected by its password.
        optional is_pw_protected: bool = "isPwProtected";
        /// Whether the bot may search the web.
        optional websearch: bool = "websearch";
        /// Whether users may upload files.
        optional allow_user_file_upload: bool = "allowUserFileUpload";
        /// Whether the bot has a memory.
        optional memory_enabled: bool = "memoryEnabled";
        /// Whether voice is played without being asked for.
        optional voice_auto_play: bool = "voiceAutoPlay";
        /// Whether users can give feedback on messages.
        optional enable_message_feedback: bool = "enableMessageFeedback";
        /// Whether there is instant access.
        optional enable_instant_access: bool = "enableInstantAccess";
        /// Whether a visit creates an empty thread.
        optional create_empty_thread_on_visit: bool = "createEmptyThreadOnVisit";
        /// Whether the supervisor is on. Supervisors read what was marked for them when it was written.
        optional supervisor_enabled: bool = "supervisorEnabled";
        /// Whether messages of the chat can be copied.
        optional message_copy_chat_active: bool = "messageCopyChatActive";
        /// Whether messages of the chat can be deleted.
        optional message_delete_chat_active: bool = "messageDeleteChatActive";
        /// Whether the bot's thinking can be cancelled in the chat.
        optional cancel_bot_thinking_chat_active: bool = "cancelBotThinkingChatActive";
        /// Whether the bot's thinking can be cancelled in the voice mode.
        optional cancel_bot_thinking_voice_active: bool = "cancelBotThinkingVoiceActive";
        /// Whether the bot's thinking can be cancelled in the avatar mode.
        optional cancel_bot_thinking_avatar_active: bool = "cancelBotThinkingAvatarActive";
        /// Whether the chat has a prompt bar.
        optional promptbar_chat_active: bool = "promptbarChatActive";
        /// Whether the audio mode has a prompt bar.
        optional promptbar_audio_active: bool = "promptbarAudioActive";
        /// Whether the avatar mode has a prompt bar.
        optional promptbar_avatar_active: bool = "promptbarAvatarActive";
        /// Whether the chat takes voice input.
        optional voice_input_chat_active: bool = "voiceInputChatActive";
        /// Whether the voice mode takes voice input.
        optional voice_input_voice_active: bool = "voiceInputVoiceActive";
        /// Whether the avatar mode takes voice input.
        optional voice_input_avatar_active: bool = "voiceInputAvatarActive";
        /// Whether the chat has voice output.
        optional voice_output_chat_active: bool = "voiceOutputChatActive";
        /// Whether one can switch from the voice mode to the chat.
        optional switch_to_chat_from_voice: bool = "switchToChatFromVoice";
        /// Whether one can switch from the avatar mode to the chat.
        optional switch_to_chat_from_avatar: bool = "switchToChatFromAvatar";
        /// Whether one can switch from the chat to the voice mode.
        optional switch_to_voice_from_chat: bool = "switchToVoiceFromChat";
        /// Whether one can switch from the avatar mode to the voice mode.
        optional switch_to_voice_from_avatar: bool = "switchToVoiceFromAvatar";
        /// Whether one can switch from the chat to the avatar mode.
        optional switch_to_avatar_from_chat: bool = "switchToAvatarFromChat";
        /// Whether one can switch from the voice mode to the avatar mode.
        optional switch_to_avatar_from_voice: bool = "switchToAvatarFromVoice";
        /// Whether the active document search is on.
        optional active_doc_search: bool = "activeDocSearch";
        /// Whether users can have documents of their own.
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
