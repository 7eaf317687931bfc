//! What the samples say, as clients would send it.

use serde_json::{Value, json};

/// A configuration in which every kind of field is set.
pub fn bot(name: &str, model_source: &str) -> Value {
    json!({
        "name": name,
        "botInstruction": "Answer in a friendly tone, in the language of the question.",
        "summarizePrompt": "Sum up the conversation in three sentences.",
        "model": "sample-large",
        "modelSource": model_source,
        "temperature": 0.4,
        "reasoningEffort": "low",
        "textVerbosity": "medium",
        "chatMsgSourceOption": "linking",
        "speechRecognitionMode": "auto",
        "activeDocSearch": true,
        "activeDocSearchType": "combined",
        "activeDocSearchCount": 5,
        "activeDocSearchMinScore": 60,
        "userDocumentsEnabled": true,
        "userDocumentsMaxCount": 10,
        "userDocumentsMaxMb": 20,
        "deleteGuestsAfterDays": 90,
        "tagList": ["sample", "support"],
        "stopWords": ["confidential"],
        "wordReplacements": [{"from": "e-mail", "to": "email"}],
        "complianceText": {"en": "This bot is run by a machine.", "de": "Hier antwortet eine Maschine."},
        "storageaccessText": {"en": "May we keep your conversation?"},
        "helpUrls": "https://example.com/help",
        "documentationUrl": "https://example.com/docs",
        "customCss": ":root { --accent: #0a7; }",
        "isPublic": true,
        "websearch": false,
        "memoryEnabled": true,
        "enableMessageFeedback": true,
        "supervisorEnabled": true,
        "promptbarChatActive": true
    })
}

/// Skills in every order of answers, one of them out of use.
pub fn skills() -> [Value; 4] {
    [
        json!({
            "name": "Opening hours",
            "skillId": "opening-hours",
            "description": "Tells when somebody is there.",
            "content": "If somebody asks when we are open, then answer: Monday to Friday, 9 to 17.",
            "answerMode": "sequence"
        }),
        json!({
            "name": "Small talk",
            "skillId": "small-talk",
            "description": "Answers what is not about business.",
            "content": "If somebody just wants to chat, then say something nice.",
            "toolCallAnswer": ["Nice to meet you!", "Tell me more.", "I like to hear that."],
            "answerMode": "sequenceloop"
        }),
        json!({
            "name": "Find an order",
            "skillId": "find-order",
            "description": "Looks up where an order is.",
            "content": "If somebody asks for an order, then ask for its number first.",
            "params": [
                {"name": "orderNumber", "type": "string", "required": true, "description": "Such as A-1234."},
                {"name": "year", "type": "number", "required": false}
            ],
            "toolCallAnswer": ["I am looking for your order.", "One moment, please."],
            "answerMode": "random"
        }),
        json!({
            "name": "Season's greetings",
            "skillId": "seasons-greetings",
            "content": "If it is December, then wish a happy new year.",
            "enabled": false
        }),
    ]
}

/// Stages with skills in an order of their own; one of them is hidden.
pub fn stages() -> [Value; 3] {
    [
        json!({
            "title": "Welcome",
            "name": "welcome",
            "skills": ["small-talk", "opening-hours"],
            "footer": true,
            "enterJS": "context.greeted = true;"
        }),
        json!({
            "title": "Where is my order?",
            "name": "order",
            "skills": ["find-order", "small-talk", "opening-hours"],
            "forceSkills": true,
            "preConditionJS": "return context.greeted;",
            "exitJS": "context.orderNumber = null;"
        }),
        json!({"title": "For the staff", "name": "staff", "hidden": true, "skills": []}),
    ]
}

/// The block that the chat shows beside a skill.
pub fn visual_block(skill: &str) -> Value {
    json!({"type": "card", "title": skill, "buttons": [{"text": "Go on", "action": "next"}]})
}

/// A Fusion-View that is made of nothing but its metadata.
pub fn links() -> Value {
    json!({
        "type": "link-list",
        "title": "Useful links",
        "columns": 2,
        "links": [
            {"text": "Help", "url": "https://example.com/help"},
            {"text": "Documentation", "url": "https://example.com/docs"}
        ]
    })
}

/// A Fusion-View of a type that has a package.
pub fn packaged_view(view_type: &str) -> Value {
    json!({
        "type": view_type,
        "title": format!("Sample {view_type}"),
        "entryPoint": "index.html",
        "display": {"width": 800, "height": 600}
    })
}

/// The one page of a sample package.
pub const PAGE: &str = "<!doctype html>\n<title>Sample</title>\n<p>This is a sample.</p>\n";

/// What the sample crawl is called.
pub const CRAWL: &str = "Help centre";

/// The crawl of the sample site, which has pages that are two link hops away.
pub fn crawl(url: &str) -> Value {
    json!({
        "url": url,
        "depth": 2,
        "skillId": "find-order",
        "name": CRAWL,
        "description": "What customers ask most."
    })
}
