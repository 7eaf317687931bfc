//! What stands before the bytes: the boundary in the request's head, and the heads of the parts.

use actix_web::http::header::{CONTENT_TYPE, ContentDisposition, HeaderMap, HeaderValue};
use actix_web::mime::{BOUNDARY, Mime};

use super::errors::bad_form;
use crate::problem::{Problem, ProblemKind};

/// The media type of a form with a file.
const MULTIPART: &str = "multipart/form-data";

/// How many lines the head of a part may have.
const HEAD_LINES: usize = 32;

/// The boundary between the parts of a form.
///
/// # Errors
/// 415 if the body is no form, 422 if it has no boundary that RFC 2046 allows.
pub fn boundary(headers: &HeaderMap) -> Result<String, Problem> {
    let content_type = content_type(headers);
    if essence(content_type) != MULTIPART {
        let detail = "This operation takes multipart/form-data.";
        return Err(Problem::new(ProblemKind::UnsupportedMediaType, detail));
    }
    let content_type = content_type.parse::<Mime>().ok();
    let boundary = content_type.as_ref().and_then(|content_type| content_type.get_param(BOUNDARY));
    let boundary = boundary.map(|boundary| boundary.as_str().to_owned());
    boundary.filter(|boundary| is_boundary(boundary)).ok_or_else(|| {
        let allowed = "1 to 70 characters out of those that RFC 2046 allows";
        bad_form(format!("The Content-Type of a form names its boundary: {allowed}."))
    })
}

/// Whether the head of a request calls its body a form, of this kind or of the other one.
pub fn announces_form(headers: &HeaderMap) -> bool {
    let essence = essence(content_type(headers));
    essence == MULTIPART || essence == "application/x-www-form-urlencoded"
}

fn content_type(headers: &HeaderMap) -> &str {
    headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// RFC 2046, section 5.1.1.
fn is_boundary(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"'()+_,-./:=? ".contains(&byte);
    (1..=70).contains(&text.len()) && text.bytes().all(fits) && !text.ends_with(' ')
}

/// A media type without its parameters, in lower case.
fn essence(media_type: &str) -> String {
    media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// What the head of a part says.
#[derive(Debug, PartialEq, Eq)]
pub struct PartHead {
    /// The field that it holds.
    pub name: String,
    /// What the file is called, if it holds one.
    pub file_name: Option<String>,
    /// The media type in lower case, without parameters.
    pub media_type: Option<String>,
}

impl PartHead {
    /// Reads the lines of a head and the empty one behind them.
    ///
    /// # Errors
    /// 422 if they are malformed or don't name a field.
    pub fn parse(bytes: &[u8]) -> Result<Self, Problem> {
        let malformed =
            || bad_form("The head of a part is malformed, or has control characters in it.");
        let mut lines = [httparse::EMPTY_HEADER; HEAD_LINES];
        let lines = match httparse::parse_headers(bytes, &mut lines) {
            Ok(httparse::Status::Complete((length, lines))) if length == bytes.len() => lines,
            Ok(_) | Err(_) => return Err(malformed()),
        };
        let value = |name: &str| {
            let mut lines = lines.iter().filter(|line| line.name.eq_ignore_ascii_case(name));
            (lines.next().map(|line| line.value), lines.next())
        };
        let (Some(disposition), None) = value("content-disposition") else {
            return Err(bad_form("A part says in one Content-Disposition which field it holds."));
        };
        let disposition = HeaderValue::from_bytes(disposition).map_err(|_| malformed())?;
        let disposition = ContentDisposition::from_raw(&disposition).map_err(|_| malformed())?;
        let name = disposition.get_name().filter(|_| disposition.is_form_data());
        let name = name.ok_or_else(|| bad_form("A part does not name its field."))?.to_owned();
        let (media_type, _) = value("content-type");
        let media_type = media_type.map(|value| essence(&String::from_utf8_lossy(value)));
        Ok(Self {
            name,
            file_name: file_name(&disposition),
            media_type: media_type.filter(|media_type| !media_type.is_empty()),
        })
    }
}

/// The name in `filename*`, if it can be read, because then `filename` is what is left of it in
/// ASCII; else that in `filename`, which browsers escape in a way of their own.
fn file_name(disposition: &ContentDisposition) -> Option<String> {
    let extended = disposition.get_filename_ext().and_then(|extended| {
        match extended.charset.to_string().to_ascii_uppercase().as_str() {
            "UTF-8" => String::from_utf8(extended.value.clone()).ok(),
            "ISO-8859-1" => Some(extended.value.iter().copied().map(char::from).collect()),
            _ => None,
        }
    });
    extended.or_else(|| {
        let name = disposition.get_filename()?;
        Some(name.replace("%22", "\"").replace("%0D", "\r").replace("%0A", "\n"))
    })
}
