//! From characters to tags and text: html5gum's tokenizer with an emitter of our own.
//!
//! The tokenizer hands over each attribute as it comes, so that what a tag may cost is decided here.
//! One that collects them first and looks for duplicates then takes quadratic time over a tag with a
//! hundred thousand of them.

use std::convert::Infallible;

use html5gum::{Emitter, Error, State, Tokenizer};

use super::tag::Tag;

/// How many attributes of a tag are looked at.
const ATTRIBUTES_MAX: usize = 256;

/// What receives the tags and the text of a document.
pub(super) trait Sink {
    /// A start tag. Says how to read on, where that is not as markup.
    fn start(&mut self, tag: &Tag) -> Option<State>;
    /// An end tag.
    fn end(&mut self, name: &[u8]);
    /// The text between two tags.
    fn text(&mut self, text: &str);
}

/// Reads a document into a sink.
pub(super) fn read<S: Sink>(html: &str, sink: &mut S) {
    let tokens = Tokens {
        sink,
        text: Vec::new(),
        tag: Tag::default(),
        is_end: false,
        attributes: 0,
        last: Vec::new(),
    };
    let Ok(()) = Tokenizer::new_with_emitter(html, tokens).finish();
}

#[derive(Debug)]
struct Tokens<'a, S> {
    sink: &'a mut S,
    /// The text since the last tag. It comes in parts that may end within a character.
    text: Vec<u8>,
    /// The tag that is being read.
    tag: Tag,
    is_end: bool,
    attributes: usize,
    /// The name of the last start tag: only its end tag ends text that is not read as markup.
    last: Vec<u8>,
}

impl<S: Sink> Tokens<'_, S> {
    fn end_text(&mut self) {
        if !self.text.is_empty() {
            self.sink.text(&String::from_utf8_lossy(&self.text));
            self.text.clear();
        }
    }
}

impl<S: Sink> Emitter for Tokens<'_, S> {
    type Token = Infallible;

    fn set_last_start_tag(&mut self, last_start_tag: Option<&[u8]>) {
        self.last.clear();
        self.last.extend_from_slice(last_start_tag.unwrap_or_default());
    }

    fn emit_eof(&mut self) {
        self.end_text();
    }

    fn emit_error(&mut self, _: Error) {}

    fn should_emit_errors(&mut self) -> bool {
        false
    }

    fn pop_token(&mut self) -> Option<Infallible> {
        None
    }

    fn emit_string(&mut self, text: &[u8]) {
        self.text.extend_from_slice(text);
    }

    fn init_start_tag(&mut self) {
        self.tag.clear();
        self.is_end = false;
        self.attributes = 0;
    }

    fn init_end_tag(&mut self) {
        self.init_start_tag();
        self.is_end = true;
    }

    fn emit_current_tag(&mut self) -> Option<State> {
        self.end_text();
        if self.is_end {
            self.last.clear();
            self.sink.end(&self.tag.name);
            return None;
        }
        self.last.clone_from(&self.tag.name);
        self.tag.end_attribute_name();
        self.sink.start(&self.tag)
    }

    fn push_tag_name(&mut self, name: &[u8]) {
        self.tag.name.extend_from_slice(name);
    }

    fn set_self_closing(&mut self) {
        self.tag.is_self_closing = true;
    }

    fn init_attribute(&mut self) {
        self.tag.end_attribute_name();
        self.attributes += 1;
    }

    fn push_attribute_name(&mut self, name: &[u8]) {
        if self.attributes <= ATTRIBUTES_MAX && !self.is_end {
            self.tag.attribute_name(name);
        }
    }

    fn push_attribute_value(&mut self, value: &[u8]) {
        if self.attributes <= ATTRIBUTES_MAX && !self.is_end {
            self.tag.attribute_value(value);
        }
    }

    fn current_is_appropriate_end_tag_token(&mut self) -> bool {
        self.is_end && !self.last.is_empty() && self.last == self.tag.name
    }

    // Comments and document types say nothing that is wanted.
    fn init_comment(&mut self) {}
    fn emit_current_comment(&mut self) {}
    fn push_comment(&mut self, _: &[u8]) {}
    fn init_doctype(&mut self) {}
    fn emit_current_doctype(&mut self) {}
    fn set_force_quirks(&mut self) {}
    fn push_doctype_name(&mut self, _: &[u8]) {}
    fn set_doctype_public_identifier(&mut self, _: &[u8]) {}
    fn set_doctype_system_identifier(&mut self, _: &[u8]) {}
    fn push_doctype_public_identifier(&mut self, _: &[u8]) {}
    fn push_doctype_system_identifier(&mut self, _: &[u8]) {}
}
