//! An upload that waits half-way.

use botyard_tests::raw::Connection;
use botyard_tests::waiting::until;
use botyard_tests::{Client, Form, OnBot, Response};

use super::upload_at;

/// An upload of which the beginning was sent, and nothing more for now.
pub struct Held<'a> {
    connection: Connection<'a>,
    method: &'static str,
    path: String,
    rest: Vec<u8>,
}

impl<'a> Held<'a> {
    /// Sends the head and the first half of the form.
    #[track_caller]
    pub fn half(bot: &'a OnBot<'_>, id: &str, form: &Form) -> Self {
        Self::of(bot, id, form, form.bytes().len() / 2)
    }

    /// Sends the head and so many bytes of the form.
    #[track_caller]
    pub fn of(bot: &'a OnBot<'_>, id: &str, form: &Form, count: usize) -> Self {
        Self::at(&bot.client, ("POST", &bot.path(&upload_at(id))), form, count)
    }

    /// The same for whatever takes a form: a method and a path.
    #[track_caller]
    pub fn at(client: &'a Client<'_>, to: (&'static str, &str), form: &Form, count: usize) -> Self {
        let bytes = form.bytes();
        let length = format!("Content-Length: {}", bytes.len());
        let (now, later) = bytes.split_at(count);
        let mut held = Self::to(client, to, form, &[&length], now);
        held.rest = later.to_vec();
        held
    }

    /// Sends all of it.
    #[track_caller]
    pub fn whole(bot: &'a OnBot<'_>, id: &str, form: &Form) -> Self {
        Self::of(bot, id, form, form.bytes().len())
    }

    /// Sends all of it; when this is dropped, the connection is reset. A socket that is closed while
    /// something in it was not read yet is reset, and here that is the server's word that the client
    /// may go on.
    #[track_caller]
    pub fn to_be_reset(bot: &'a OnBot<'_>, id: &str, form: &Form) -> Self {
        let length = format!("Content-Length: {}", form.bytes().len());
        Self::begin(bot, id, form, &[&length, "Expect: 100-continue"], &form.bytes())
    }

    /// Sends the head of a request with such a form, with these lines, and these bytes behind it.
    #[track_caller]
    pub fn begin(bot: &'a OnBot<'_>, id: &str, form: &Form, lines: &[&str], bytes: &[u8]) -> Self {
        Self::to(&bot.client, ("POST", &bot.path(&upload_at(id))), form, lines, bytes)
    }

    #[track_caller]
    fn to(
        client: &'a Client<'_>,
        (method, path): (&'static str, &str),
        form: &Form,
        lines: &[&str],
        bytes: &[u8],
    ) -> Self {
        let content_type = format!("Content-Type: {}", form.content_type());
        let lines = [&[content_type.as_str()], lines].concat();
        let mut connection = client.connect();
        let head = connection.head(method, path, &lines);
        connection.send(head).unwrap();
        connection.send(bytes).unwrap();
        Self { connection, method, path: path.to_owned(), rest: Vec::new() }
    }

    /// Sends what is left and reads the answer.
    #[track_caller]
    pub fn finish(self) -> Response {
        self.all_sent().answer()
    }

    /// Reads the answer without sending what is left.
    #[track_caller]
    pub fn answer(mut self) -> Response {
        self.connection.read(self.method, &self.path)
    }

    /// Whether the server has refused it already, because it is busy with others.
    #[track_caller]
    pub fn is_refused(&mut self) -> bool {
        let has_answer = self.connection.has_answer();
        if has_answer {
            self.connection.read(self.method, &self.path).problem(429, "too_many_at_once");
        }
        has_answer
    }

    /// Sends what is left.
    #[track_caller]
    pub fn all_sent(mut self) -> Self {
        self.connection.send(std::mem::take(&mut self.rest)).unwrap();
        self
    }

    /// Says that nothing more will come, although there is more, and goes away.
    pub fn stop_sending(mut self) {
        self.connection.finish().unwrap();
    }
}

/// Begins an upload and waits until the server, which takes one upload of a project at once, is busy
/// with it.
#[track_caller]
pub fn taken<'a>(bot: &OnBot<'_>, id: &str, begin: impl Fn() -> Held<'a>) -> Held<'a> {
    all_taken(bot, id, 1, |_| begin()).remove(0)
}

/// The same for as many uploads as the server takes of a project at once.
#[track_caller]
pub fn all_taken<'a>(
    bot: &OnBot<'_>,
    id: &str,
    count: usize,
    begin: impl Fn(usize) -> Held<'a>,
) -> Vec<Held<'a>> {
    let mut all: Vec<_> = (0..count).map(&begin).collect();
    until("the server is busy with the uploads", || {
        for (number, held) in all.iter_mut().enumerate() {
            // The question below takes a slot as well, for a moment.
            if held.is_refused() {
                *held = begin(number);
            }
        }
        !has_free_slot(bot, id)
    });
    all
}

/// Whether the project of this bot may begin an upload. Nothing comes of the question, because no
/// form is sent.
#[track_caller]
pub fn has_free_slot(bot: &OnBot<'_>, id: &str) -> bool {
    let answer = bot.client.request("POST", &bot.path(&upload_at(id))).body("no form").send();
    if answer.status() == 429 {
        answer.problem(429, "too_many_at_once");
        return false;
    }
    answer.problem(415, "unsupported_media_type");
    true
}

/// Waits until the project may begin an upload again.
#[track_caller]
pub fn until_free(bot: &OnBot<'_>, id: &str) {
    until("an upload may begin again", || has_free_slot(bot, id));
}
