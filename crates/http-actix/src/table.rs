//! The table of operations: every route under `/api/external`, by resource. A route that is not in
//! here does not exist.

use crate::api::{
    bot, changelog, checkauth, document, embedding, event, feedback, fusion, keyval, max_age,
    skill, stage, supervisor, usage, user, webhook,
};
use crate::pipeline::operation::Operation;

/// A group of operations: its name, what lists them, and what it is about, as a sentence.
type Resource = (&'static str, fn() -> Vec<Operation>, &'static str);

/// The groups, in the order in which the API document has them.
const RESOURCES: [Resource; 16] = [
    ("Token", checkauth::operations, "The token that a request carries."),
    (
        "Bot",
        bot::operations,
        "Bots and their configurations of at most 20 MiB of JSON, kept for what runs their \
         conversations.",
    ),
    ("Skill", skill::operations, "The if-then rules of a bot."),
    ("Stage", stage::operations, "What a bot offers at one point of a conversation."),
    ("Fusion-View", fusion::operations, "Views of a bot, some of them with a package."),
    ("Website-crawl", embedding::operations, "Pages of the web that a bot knows, as Markdown."),
    (
        "Project document",
        document::operations,
        "Files of a project, their text, and the bots that have them.",
    ),
    ("Changelog", changelog::operations, "Who changed what on a bot, and when."),
    ("Event", event::operations, "What has happened, in one order."),
    ("Webhook", webhook::operations, "What is sent to other servers when something happens."),
    ("User", user::operations, "The users of a bot."),
    ("Supervisor", supervisor::operations, "What a supervisor may read of conversations."),
    ("Usage", usage::operations, "What a bot used of models, by day."),
    ("Feedback", feedback::operations, "What users think of a bot's messages."),
    ("Key-value entry", keyval::operations, "Values that are stored for a bot or a project."),
    (
        "MaxAge rule",
        max_age::operations,
        "Rules by which unused key-value entries of a project go.",
    ),
];

/// Every operation of the API.
#[must_use]
pub fn operations() -> Vec<Operation> {
    let tagged = RESOURCES.iter().flat_map(|(tag, operations, about)| {
        operations().into_iter().map(move |operation| Operation { tag, about, ..operation })
    });
    tagged.collect()
}
