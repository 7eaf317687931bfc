//! Events as they happen.

use std::collections::VecDeque;

use reqwest::{Method, Response};
use serde::Serialize;
use uuid::Uuid;

use crate::event::Event;
use crate::{BotClient, Error, ProjectClient, Result};

/// Which events are streamed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StreamEventsQuery {
    /// Only events after this cursor; 0 begins with the oldest. Without it, what happens from now on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Only events of these types, separated by commas; `document.*` stands for all that begin so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub types: Option<String>,
    /// Only events with this bot of the project; a token for one bot can't ask for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bot_id: Option<Uuid>,
}

/// Events that come in as they happen.
#[derive(Debug)]
pub struct EventStream {
    response: Response,
    /// What has come of lines that are not complete.
    buffer: Vec<u8>,
    /// The message whose lines come in.
    message: Message,
    /// Those that are complete.
    messages: VecDeque<Message>,
    cursor: Option<String>,
}

/// One message of the stream.
#[derive(Debug, Default)]
struct Message {
    cursor: Option<String>,
    /// The event; nothing if the message only moves the cursor on.
    data: Vec<u8>,
}

impl BotClient {
    /// Streams what happens to the bot, as it happens. Needs the scope `events:read`.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn stream_events_of_bot(&self, query: &StreamEventsQuery) -> Result<EventStream> {
        let path = ["api", "external", "bot", "events", "stream"];
        let request = self.http.request(Method::GET, &path)?.query(query);
        Ok(EventStream::of(request.send().await?))
    }
}

impl ProjectClient {
    /// Streams what happens in the project, as it happens. Needs the scope `events:read`.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn stream_events(&self, query: &StreamEventsQuery) -> Result<EventStream> {
        let path = ["api", "external", "projectapi", "events", "stream"];
        let request = self.http.request(Method::GET, &path)?.query(query);
        Ok(EventStream::of(request.send().await?))
    }
}

impl EventStream {
    fn of(response: Response) -> Self {
        let (buffer, message) = (Vec::new(), Message::default());
        Self { response, buffer, message, messages: VecDeque::new(), cursor: None }
    }

    /// The next event, as soon as there is one; `None` if the server has ended the stream. Then, and after an error, a
    /// new stream after [`Self::cursor`] goes on.
    ///
    /// # Errors
    /// [`Error::Connection`] if the connection was lost, [`Error::Answer`] if what comes is no event.
    pub async fn next(&mut self) -> Result<Option<Event>> {
        loop {
            while let Some(Message { cursor, data }) = self.messages.pop_front() {
                // Also of what can't be read: a new stream must not meet it again.
                self.cursor = cursor.or(self.cursor.take());
                let status = self.response.status().as_u16();
                let event = if data.is_empty() {
                    None
                } else {
                    let event = serde_json::from_slice(&data);
                    Some(event.map_err(|source| Error::Answer { status, source })?)
                };
                if event.is_some() {
                    return Ok(event);
                }
            }
            let Some(piece) = self.response.chunk().await? else { return Ok(None) };
            self.buffer.extend_from_slice(&piece);
            self.read_lines();
        }
    }

    /// Up to where events were had, for the `after` of a new stream; `None` as long as nothing says so.
    pub fn cursor(&self) -> Option<&str> {
        self.cursor.as_deref()
    }

    /// Reads the lines that are complete.
    fn read_lines(&mut self) {
        let buffer = std::mem::take(&mut self.buffer);
        let mut lines = buffer.split(|byte| *byte == b'\n');
        self.buffer = lines.next_back().unwrap_or_default().to_vec();
        for line in lines {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let field = |name: &[u8]| {
                let value = line.strip_prefix(name)?;
                Some(value.strip_prefix(b" ").unwrap_or(value))
            };
            if let Some(data) = field(b"data:") {
                self.message.data.extend_from_slice(data);
            } else if let Some(cursor) = field(b"id:") {
                self.message.cursor = Some(String::from_utf8_lossy(cursor).into_owned());
            } else if line.is_empty() {
                self.messages.push_back(std::mem::take(&mut self.message));
            }
        }
    }
}
