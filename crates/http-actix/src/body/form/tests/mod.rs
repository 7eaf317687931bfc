//! Forms out of hand-made bodies.

mod heads;
mod limits;
mod reading;
mod refusals;
mod requests;

use actix_web::body::MessageBody;
use actix_web::dev::Payload;
use actix_web::error::PayloadError;
use actix_web::test::TestRequest;
use bytes::Bytes;
use domain::input::{Field, InputSettings};
use futures_util::{FutureExt, StreamExt, stream};
use serde_json::Value;

use super::*;

/// A form with a file and two texts.
struct Sample;

impl HttpForm for Sample {
    const SIZE: FileSize = FileSize::Archive;
    const MEDIA_TYPES: &'static [&'static str] = &["application/zip", "application/octet-stream"];

    type Texts = Texts;

    fn example() -> FormExample {
        FormExample {
            file_name: "a.zip",
            media_type: "application/zip",
            content: b"PK".to_vec(),
            texts: vec![("note", "a note".to_owned())],
        }
    }
}

/// The texts of that form, and a number.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Texts {
    note: Option<String>,
    tag: Option<String>,
    count: Option<u64>,
}

impl Input for Texts {
    fn read(fields: &mut Fields<'_>) -> Self {
        let (note, tag) = (Field::new("note"), Field::new("tag"));
        let (note, tag) = (fields.optional(note), fields.optional(tag));
        Self { note, tag, count: fields.optional(Field::new("count")) }
    }
}

const CONTENT_TYPE: &str = "multipart/form-data; boundary=xYz";
const END: &str = "--xYz--\r\n";

/// A part with these lines before its content.
fn part(head: &str, content: &str) -> String {
    format!("--xYz\r\n{head}\r\n\r\n{content}\r\n")
}

/// A part that holds a text.
fn text(name: &str, content: &str) -> String {
    part(&format!("Content-Disposition: form-data; name=\"{name}\""), content)
}

/// A part that holds the file.
fn file(content: &str) -> String {
    part("Content-Disposition: form-data; name=\"file\"; filename=\"a.zip\"", content)
}

/// How a form was answered.
struct Got {
    result: Result<FormContent<Valid<Texts>>, Problem>,
    /// What was handed on of the file.
    file: Vec<u8>,
    /// Whether the body was read to its end.
    is_at_end: bool,
}

impl Got {
    /// The body of the problem.
    fn problem(&self) -> Value {
        let problem = self.result.as_ref().unwrap_err();
        let body = problem.respond("", None).into_body().try_into_bytes().ok().unwrap();
        serde_json::from_slice(&body).unwrap()
    }

    /// Status and code of the problem.
    fn refusal(&self) -> (u64, String) {
        let problem = self.problem();
        (problem["status"].as_u64().unwrap(), problem["code"].as_str().unwrap().to_owned())
    }
}

impl<F: FnMut(&[u8]) -> Result<(), Problem>> FileSink for F {
    async fn write(&mut self, bytes: &[u8]) -> Result<(), Problem> {
        self(bytes)
    }
}

/// Reads a form out of these chunks, which are all there at once.
fn read_with(
    content_type: &str,
    limits: HttpLimits,
    chunks: Vec<Result<Bytes, PayloadError>>,
    mut write: impl FnMut(&[u8]) -> Result<(), Problem>,
) -> Got {
    let request = TestRequest::default()
        .insert_header(("Content-Type", content_type))
        .insert_header(("Transfer-Encoding", "chunked"))
        .to_http_request();
    let payload = stream::iter(chunks).boxed_local();
    let stream = BodyStream::of(&request, Payload::Stream { payload }, limits.body_pace);
    let (settings, form) = (InputSettings::default(), PhantomData);
    let form = Form::<Sample> {
        limits,
        settings,
        request,
        stream: stream.clone(),
        idempotent: None,
        form,
    };
    let mut file = Vec::new();
    let mut sink = |bytes: &[u8]| {
        file.extend_from_slice(bytes);
        write(bytes)
    };
    let result = form.read(&mut sink).now_or_never().unwrap();
    Got { result, file, is_at_end: stream.is_at_end() }
}

/// Reads a form out of one chunk.
fn read(body: impl Into<Vec<u8>>) -> Got {
    read_typed(CONTENT_TYPE, body)
}

/// The same for a body of another type.
fn read_typed(content_type: &str, body: impl Into<Vec<u8>>) -> Got {
    let chunk = Bytes::from(body.into());
    read_with(content_type, HttpLimits::default(), vec![Ok(chunk)], |_| Ok(()))
}

/// Reads a form out of these pieces.
fn read_pieces<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Got {
    let chunks = pieces.into_iter().map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
    read_with(CONTENT_TYPE, HttpLimits::default(), chunks, |_| Ok(()))
}
