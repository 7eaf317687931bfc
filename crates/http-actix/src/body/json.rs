//! JSON bodies, read whole: bounded, and only after token, scope and parent were checked.

use bytes::{Bytes, BytesMut};
use domain::blob::Sha256;
use domain::input::{Input, Valid};
use domain::violation::{Violation, ViolationCode, Violations};
use serde_json::Value;

use super::body_memory::BodyMemory;
use super::form::announces_form;
use super::length::{announced_length, refuse_encoded, too_large};
use super::spec::{BodySize, BodySpec, JsonSpec};
use super::take::{FromBody, UnreadBody};
use crate::problem::Problem;

/// A body of the domain as it comes by HTTP.
pub trait HttpBody: Input {
    /// How large it may be.
    const SIZE: BodySize;

    /// A body that this operation takes, for the API document and the tests.
    fn example() -> Value;
}

impl JsonSpec {
    fn of<T: HttpBody>(required: bool) -> Self {
        Self {
            required,
            size: T::SIZE,
            describe: T::describe,
            needs_member: T::needs_member,
            example: T::example,
        }
    }
}

/// A body that must be there.
pub struct Json<T>(pub Valid<T>);

impl<T: HttpBody> FromBody for Json<T> {
    fn spec() -> Option<BodySpec> {
        Some(BodySpec::Json(JsonSpec::of::<T>(true)))
    }

    async fn take(unread: UnreadBody) -> Result<Result<Self, Violations>, Problem> {
        let bytes = unread.whole(T::SIZE).await?;
        Ok(unread.parse(bytes).await?.map(Self))
    }

    async fn hash(unread: UnreadBody) -> Result<Sha256, Problem> {
        unread.hash_whole(T::SIZE).await
    }
}

/// A body that may be missing, which is the same as `{}`.
pub struct JsonOrNothing<T>(pub Valid<T>);

impl<T: HttpBody> FromBody for JsonOrNothing<T> {
    fn spec() -> Option<BodySpec> {
        Some(BodySpec::Json(JsonSpec::of::<T>(false)))
    }

    async fn take(unread: UnreadBody) -> Result<Result<Self, Violations>, Problem> {
        let mut bytes = unread.whole(T::SIZE).await?;
        if bytes.is_empty() {
            bytes = Bytes::from_static(b"{}");
        }
        Ok(unread.parse(bytes).await?.map(Self))
    }

    async fn hash(unread: UnreadBody) -> Result<Sha256, Problem> {
        unread.hash_whole(T::SIZE).await
    }
}

impl UnreadBody {
    /// Parses the body. The error for a form says that it is one. JSON with an error does not get that
    /// hint, because some clients declare everything they send a form.
    async fn parse<T: Input>(&self, bytes: Bytes) -> Result<Result<Valid<T>, Violations>, Problem> {
        let start = bytes.trim_ascii_start();
        let is_form = announces_form(self.request.headers())
            && !(start.is_empty() || start.starts_with(b"{"));
        let parsed = self.app.parse(self.project, bytes).await?;
        Ok(parsed.map_err(|violations| {
            let is_malformed =
                |violation: &&Violation| violation.code == ViolationCode::MalformedJson;
            let malformed = violations.iter().find(is_malformed).filter(|_| is_form).cloned();
            malformed.map_or(violations, |violation| {
                let message =
                    format!("{} This operation takes JSON, not a form.", violation.message);
                Violations::one(violation.pointer, violation.code, message)
            })
        }))
    }

    /// Reads the body whole, and no more of it than its hash.
    async fn hash_whole(&self, size: BodySize) -> Result<Sha256, Problem> {
        let bytes = self.read(size).await?;
        self.app.beside(self.project, bytes.len(), move |_| Sha256::of(&bytes)).await
    }

    /// Reads the body whole. A request with a key learns what it was.
    ///
    /// # Errors
    /// As [`Self::read`].
    async fn whole(&self, size: BodySize) -> Result<Bytes, Problem> {
        let bytes = self.read(size).await?;
        if let Some(idempotent) = &self.idempotent {
            let hashed = bytes.clone();
            idempotent.set_body(
                self.app.beside(self.project, bytes.len(), move |_| Sha256::of(&hashed)).await?,
            );
        }
        Ok(bytes)
    }

    /// Reads the body whole.
    ///
    /// # Errors
    /// 413 as soon as it is known to be too large, 415 for a compressed one, 400 for one that breaks
    /// off, 408 for one that comes too slowly.
    async fn read(&self, size: BodySize) -> Result<Bytes, Problem> {
        let limit = size.bytes(&self.app.options.limits);
        let headers = self.request.headers();
        refuse_encoded(headers)?;
        if announced_length(headers).is_some_and(|length| length > limit as u64) {
            return Err(too_large(limit as u64));
        }
        // Also where the operation may take its time, the client may not.
        let reading =
            tokio::time::timeout(self.app.options.limits.handler_timeout, self.bytes(limit));
        reading.await.map_err(|_| Problem::too_slow())?
    }

    async fn bytes(&self, limit: usize) -> Result<Bytes, Problem> {
        let announced = announced_length(self.request.headers()).unwrap_or_default();
        let mut reserved = 0;
        let mut whole: Option<Bytes> = None;
        let mut joined = BytesMut::new();
        while let Some(chunk) = self.stream.next().await? {
            let so_far = whole.as_ref().map_or(joined.len(), Bytes::len);
            let needed = (so_far + chunk.len()) as u64;
            if needed > limit as u64 {
                return Err(too_large(limit as u64));
            }
            if needed > reserved {
                // Of an unknown length twice what is needed, so that there are few of these steps.
                let wanted = announced.max(needed * 2).min(limit as u64);
                let memory = &self.app.body_memory;
                let more = BodyMemory::wait(memory, self.project, wanted - reserved).await?;
                self.stream.keep(more);
                reserved = wanted;
            }
            // Most bodies come in one piece, which then need not be copied.
            match whole.take() {
                None if joined.is_empty() => whole = Some(chunk),
                None => joined.extend_from_slice(&chunk),
                Some(first) => {
                    joined.extend_from_slice(&first);
                    joined.extend_from_slice(&chunk);
                }
            }
        }
        Ok(whole.unwrap_or_else(|| joined.freeze()))
    }
}
