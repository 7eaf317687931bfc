//! Forms (`multipart/form-data`, RFC 7578): one file, and texts beside it.
//!
//! A handler gets its [`Form`] unread, looks up what the file is for, and then reads it with
//! [`Form::read`], which hands the file on to a [`FileSink`] as it comes, so that none is ever in memory whole. Before
//! that it may refuse the request like any other: what is left of the body is not its business.

mod errors;
mod hash;
mod head;
mod parts;
#[cfg(test)]
mod tests;

use std::marker::PhantomData;
use std::sync::Arc;

use actix_web::HttpRequest;
use domain::blob::Sha256;
use domain::idempotency::IdempotentRequest;
use domain::input::{Fields, Input, InputSettings, Valid, ValueLocation};
use domain::violation::{ViolationCode, Violations};
use serde::Serialize;

use self::errors::{bad_form, check_size};
use self::head::PartHead;
pub use self::head::announces_form;
use self::parts::Parts;
use crate::body::length::{announced_length, refuse_encoded};
use crate::body::spec::{BodySpec, FILE, FileSize, FormExample, FormSpec};
use crate::body::stream::BodyStream;
use crate::body::take::{FromBody, UnreadBody, record_body};
use crate::options::HttpLimits;
use crate::problem::{Problem, ProblemKind};

/// A form as an operation takes it.
pub trait HttpForm: 'static {
    /// How large the file may be.
    const SIZE: FileSize;

    /// The media types that the file may have, in lower case; none stands for all. A file that comes
    /// without one is taken in any case.
    const MEDIA_TYPES: &'static [&'static str];

    /// The fields beside the file. What comes are texts, each of which stands for a value.
    type Texts: Input;

    /// A form that this operation takes, for the API document and the tests.
    fn example() -> FormExample;
}

/// No fields beside the file.
#[derive(Debug, Serialize)]
pub struct NoTexts;

impl Input for NoTexts {
    fn read(_: &mut Fields<'_>) -> Self {
        Self
    }
}

/// What takes a file in as it comes.
pub trait FileSink {
    /// Gets what the client says of the file, ahead of its first byte.
    ///
    /// # Errors
    /// Why the file is not taken.
    async fn begin(&mut self, _: &FileHead) -> Result<(), Problem> {
        Ok(())
    }

    /// Takes in the next bytes.
    ///
    /// # Errors
    /// Why the file is not taken.
    async fn write(&mut self, bytes: &[u8]) -> Result<(), Problem>;
}

/// A form that has not been read yet.
pub struct Form<F> {
    limits: HttpLimits,
    settings: InputSettings,
    request: HttpRequest,
    stream: BodyStream,
    /// The request, if it has a key. It learns what the form was.
    idempotent: Option<Arc<IdempotentRequest>>,
    form: PhantomData<F>,
}

/// What a form held, but for the bytes of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormContent<T> {
    /// What came with the file.
    pub file: FileHead,
    /// The other fields.
    pub texts: T,
}

/// What a client says of a file. It is no more than a hint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileHead {
    /// What it is called, as it was sent: perhaps a path, perhaps with control characters.
    pub name: Option<String>,
    /// Its media type in lower case, without parameters.
    pub media_type: Option<String>,
}

impl<F: HttpForm> FromBody for Form<F> {
    fn spec() -> Option<BodySpec> {
        let (media_types, texts, example) =
            (F::MEDIA_TYPES, F::Texts::describe as fn(&_) -> _, F::example as _);
        Some(BodySpec::Form(FormSpec { size: F::SIZE, media_types, texts, example }))
    }

    async fn take(unread: UnreadBody) -> Result<Result<Self, Violations>, Problem> {
        let UnreadBody { app, request, stream, idempotent, .. } = unread;
        let (limits, settings) = (app.options.limits.clone(), app.botyard.input_settings().clone());
        Ok(Ok(Self { limits, settings, request, stream, idempotent, form: PhantomData }))
    }

    async fn hash(unread: UnreadBody) -> Result<Sha256, Problem> {
        let UnreadBody { app, request, stream, .. } = unread;
        let mut parts = parts::<F>(&request, stream, &app.options.limits)?;
        parts.keep_hash();
        while parts.next().await?.is_some() {}
        Ok(parts.hash())
    }
}

/// The parts of the form in this body.
fn parts<F: HttpForm>(
    request: &HttpRequest,
    stream: BodyStream,
    limits: &HttpLimits,
) -> Result<Parts, Problem> {
    let headers = request.headers();
    refuse_encoded(headers)?;
    let boundary = head::boundary(headers)?;
    let file_max = F::SIZE.bytes(limits);
    if let Some(length) = announced_length(headers) {
        check_size(length, file_max)?;
    }
    Ok(Parts::of(stream, &boundary, limits, file_max))
}

impl<F: HttpForm> Form<F> {
    /// Reads the form to its end. The file goes to `sink` as it comes, unless a violation
    /// was found before it; only the answer to this call says whether the file is whole.
    ///
    /// # Errors
    /// 415 for what is no such form, or a file of another type; 413 as soon as it is known to be too
    /// large; 422 for a malformed form, or with all that is wrong with its fields; 400 for one that
    /// breaks off; whatever `sink` fails with.
    pub async fn read(
        self,
        sink: &mut impl FileSink,
    ) -> Result<FormContent<Valid<F::Texts>>, Problem> {
        let mut parts = parts::<F>(&self.request, self.stream, &self.limits)?;
        if self.idempotent.is_some() {
            parts.keep_hash();
        }
        let reading = Reading::<F> {
            parts,
            idempotent: self.idempotent,
            limits: self.limits,
            settings: self.settings,
            file: None,
            texts: Vec::new(),
            unknown: Vec::new(),
            violations: Violations::none(),
            form: PhantomData,
        };
        reading.finish(sink).await
    }
}

/// A form while it is read.
struct Reading<F> {
    parts: Parts,
    idempotent: Option<Arc<IdempotentRequest>>,
    limits: HttpLimits,
    settings: InputSettings,
    file: Option<FileHead>,
    /// The other fields as they came, none of them twice.
    texts: Vec<(String, String)>,
    /// What is not known here, named once each.
    unknown: Vec<String>,
    violations: Violations,
    form: PhantomData<F>,
}

impl<F: HttpForm> Reading<F> {
    async fn finish(
        mut self,
        sink: &mut impl FileSink,
    ) -> Result<FormContent<Valid<F::Texts>>, Problem> {
        let known = F::Texts::describe(&self.settings);
        while let Some(head) = self.parts.next().await? {
            let location = ValueLocation::member(&head.name);
            if head.name == FILE && self.file.is_none() {
                self.read_file(head, sink).await?;
            } else if head.name == FILE || self.texts.iter().any(|(name, _)| *name == head.name) {
                location.violation(
                    &mut self.violations,
                    ViolationCode::DuplicateField,
                    "is there twice",
                );
            } else if known.iter().any(|doc| doc.name == head.name) {
                self.read_text(head.name).await?;
            } else if !self.unknown.contains(&head.name) {
                let what = "is not known, or can't be set here";
                location.violation(&mut self.violations, ViolationCode::UnknownField, what);
                self.unknown.push(head.name);
            }
        }
        record_body(self.idempotent.as_ref(), || self.parts.hash());
        if self.file.is_none() {
            ValueLocation::member(FILE).violation(
                &mut self.violations,
                ViolationCode::MissingField,
                "is required",
            );
        }
        let texts = F::Texts::parse_texts(&self.texts, &self.settings);
        match (self.file, texts) {
            (Some(file), Ok(texts)) if self.violations.is_empty() => {
                Ok(FormContent { file, texts })
            }
            (_, texts) => {
                self.violations.extend(texts.err().unwrap_or_default());
                Err(self.violations.into())
            }
        }
    }

    async fn read_file(&mut self, head: PartHead, sink: &mut impl FileSink) -> Result<(), Problem> {
        let PartHead { file_name: name, media_type, .. } = head;
        let is_named = |given| F::MEDIA_TYPES.is_empty() || F::MEDIA_TYPES.contains(&given);
        if !media_type.as_deref().is_none_or(is_named) {
            let detail = format!(
                "The Content-Type of the part `{FILE}` must be one of {}, or be left out.",
                F::MEDIA_TYPES.join(", ")
            );
            return Err(Problem::new(ProblemKind::UnsupportedMediaType, detail));
        }
        if name.as_ref().is_some_and(|name| name.contains('\0')) {
            let what = "has a name with U+0000";
            ValueLocation::member(FILE).violation(
                &mut self.violations,
                ViolationCode::BadCharacter,
                what,
            );
        }
        let file = FileHead { name, media_type };
        if self.violations.is_empty() {
            sink.begin(&file).await?;
        }
        self.file = Some(file);
        let limit = F::SIZE.bytes(&self.limits);
        let mut size = 0_u64;
        while let Some(bytes) = self.parts.chunk().await? {
            size = size.saturating_add(bytes.len() as u64);
            if size > limit {
                return Err(Problem::part_too_large("The file", limit));
            }
            if self.violations.is_empty() {
                sink.write(&bytes).await?;
            }
        }
        if size < F::SIZE.least() {
            let what = "must have at least one byte";
            ValueLocation::member(FILE).violation(
                &mut self.violations,
                ViolationCode::TooShort,
                what,
            );
        }
        Ok(())
    }

    async fn read_text(&mut self, name: String) -> Result<(), Problem> {
        let limit = self.limits.form_text;
        let mut bytes = Vec::new();
        while let Some(chunk) = self.parts.chunk().await? {
            if bytes.len() + chunk.len() > limit {
                let detail = format!("A field of a form must have at most {limit} bytes.");
                return Err(bad_form(detail));
            }
            bytes.extend_from_slice(&chunk);
        }
        let text = String::from_utf8(bytes).map_err(|_| bad_form("A field is no UTF-8 text."))?;
        self.texts.push((name, text));
        Ok(())
    }
}
