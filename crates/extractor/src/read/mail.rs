//! E-mails (RFC 5322): who wrote to whom, the text, and what is attached by its name.

use domain::document::ExtractionError;
use mail_parser::{Address, MessageParser, MimeHeaders as _, PartType};

use super::error::ReadError;
use super::writer::Writer;
use super::{Input, ReadOptions};
use crate::document::Document;

/// How many messages and parts of parts a mail has at most. The library puts them into one another, and
/// takes a step down its stack for each.
const NESTED_MAX: usize = 1_000;

pub(super) fn read(file: Input, options: &ReadOptions) -> Result<Document, ReadError> {
    // Attachments are read, too, but only their names are kept.
    let bytes = file.whole(options.limits.memory / 4)?;
    if nests(&bytes, NESTED_MAX) {
        return Err(ExtractionError::TooLarge.into());
    }
    let mail = MessageParser::default().parse(&bytes).ok_or(ExtractionError::Corrupt)?;
    let mut writer = Writer::new(&options.limits);
    writer.heading(1, mail.subject().unwrap_or_default())?;
    let people = [("From", mail.from()), ("To", mail.to()), ("Cc", mail.cc())];
    let mut head: Vec<String> = people
        .into_iter()
        .filter_map(|(name, people)| Some((name, names(people?))))
        .filter(|(_, people)| !people.is_empty())
        .map(|(name, people)| format!("{name}: {people}"))
        .collect();
    head.extend(mail.date().map(|date| format!("Date: {}", date.to_rfc3339())));
    writer.paragraph(&head.join("\n"))?;
    for part in mail.text_bodies() {
        match &part.body {
            PartType::Text(text) => {
                for paragraph in text.replace("\r\n", "\n").split("\n\n") {
                    writer.paragraph(paragraph)?;
                }
            }
            PartType::Html(html) => {
                // It was decoded already, whatever it says of its charset.
                let html = format!("\u{feff}{html}");
                let markdown = (options.html)(html.as_bytes()).unwrap_or_default();
                writer.markdown(&markdown)?;
            }
            PartType::Binary(_)
            | PartType::InlineBinary(_)
            | PartType::Message(_)
            | PartType::Multipart(_) => {}
        }
    }
    let attached: Vec<_> = mail.attachments().filter_map(|part| part.attachment_name()).collect();
    if !attached.is_empty() {
        writer.paragraph(&format!("Attachments: {}", attached.join(", ")))?;
    }
    Ok(writer.finish())
}

/// Whether more than so many parts may have parts themselves.
fn nests(mail: &[u8], most: usize) -> bool {
    let is_type = |at: &usize| {
        let before = mail.get(..*at).unwrap_or_default();
        ["message", "multipart"].iter().any(|kind| {
            let start = before.len().saturating_sub(kind.len());
            before.get(start..).is_some_and(|end| end.eq_ignore_ascii_case(kind.as_bytes()))
        })
    };
    memchr::memchr_iter(b'/', mail).filter(is_type).nth(most).is_some()
}

fn names(people: &Address<'_>) -> String {
    let name = |person: &mail_parser::Addr<'_>| match (person.name(), person.address()) {
        (Some(name), Some(address)) => format!("{name} <{address}>"),
        (Some(one), None) | (None, Some(one)) => one.to_owned(),
        (None, None) => String::new(),
    };
    people.iter().map(name).filter(|name| !name.is_empty()).collect::<Vec<_>>().join(", ")
}
