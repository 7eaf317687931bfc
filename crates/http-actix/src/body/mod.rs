//! Bodies of requests: a JSON object read whole, or a form with a file that is handed on as it comes.

mod body_memory;
pub(crate) mod form;
pub(crate) mod json;
mod length;
pub(crate) mod spec;
pub(crate) mod stream;
pub(crate) mod take;

pub use form::{FileHead, FileSink, Form, FormContent, HttpForm, NoTexts};
pub use json::{HttpBody, Json, JsonOrNothing};
pub use spec::{BodySize, BodySpec, FileSize, FormExample, FormSpec, JsonSpec};
