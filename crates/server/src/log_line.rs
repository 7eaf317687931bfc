//! Lines of the log as JSON: one object a line, with the fields of the event among its members.
//!
//! There is a line for each request, so it is written field by field into one text; a general serializer takes
//! several times as long.

use std::error::Error;
use std::fmt::{self, Debug, Write};
use std::time::{SystemTime, UNIX_EPOCH};

use domain::clock::Timestamp;
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

/// About how many bytes a line has.
const BYTES: usize = 384;

/// Writes events as JSON.
pub struct JsonLine;

impl<S, N> FormatEvent<S, N> for JsonLine
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut line = String::with_capacity(BYTES);
        line.push_str("{\"timestamp\":\"");
        push_now(&mut line)?;
        line.push_str("\",\"level\":\"");
        line.push_str(event.metadata().level().as_str());
        line.push('"');
        event.record(&mut Members(&mut line));
        Members(&mut line).text("target", event.metadata().target());
        line.push_str("}\n");
        writer.write_str(&line)
    }
}

/// Appends the time, to the microsecond.
#[expect(
    clippy::disallowed_methods,
    reason = "a line has the time of the machine, whatever clock services go by"
)]
fn push_now(line: &mut String) -> fmt::Result {
    let micros = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros();
    let millis = i64::try_from(micros / 1_000).unwrap_or(i64::MAX);
    line.push_str(Timestamp::from_millis(millis).text().as_str().trim_end_matches('Z'));
    write!(line, "{:03}Z", micros % 1_000)
}

/// Appends fields to an object that has a member already.
struct Members<'a>(&'a mut String);

impl Members<'_> {
    fn name(&mut self, name: &str) {
        self.0.push_str(",\"");
        // A field that has the name of a keyword of Rust.
        self.0.push_str(name.strip_prefix("r#").unwrap_or(name));
        self.0.push_str("\":");
    }

    fn text(&mut self, name: &str, text: &str) {
        self.format(name, format_args!("{text}"));
    }

    fn format(&mut self, name: &str, text: fmt::Arguments<'_>) {
        self.name(name);
        self.0.push('"');
        // What can't be written is left out: there is nowhere to report it.
        let _ = match text.as_str() {
            Some(text) => Escaped(self.0).write_str(text),
            None => Escaped(self.0).write_fmt(text),
        };
        self.0.push('"');
    }

    /// Appends a member whose text is JSON.
    fn json(&mut self, name: &str, json: impl fmt::Display) {
        self.name(name);
        let _ = write!(self.0, "{json}");
    }
}

impl Visit for Members<'_> {
    fn record_f64(&mut self, field: &Field, value: f64) {
        if value.is_finite() {
            self.json(field.name(), value);
        } else {
            self.json(field.name(), "null");
        }
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.json(field.name(), value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.json(field.name(), value);
    }

    fn record_i128(&mut self, field: &Field, value: i128) {
        self.json(field.name(), value);
    }

    fn record_u128(&mut self, field: &Field, value: u128) {
        self.json(field.name(), value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.json(field.name(), value);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.text(field.name(), value);
    }

    fn record_error(&mut self, field: &Field, value: &(dyn Error + 'static)) {
        self.format(field.name(), format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.format(field.name(), format_args!("{value:?}"));
    }
}

/// Appends to the inside of a JSON string (RFC 8259, section 7).
struct Escaped<'a>(&'a mut String);

impl Write for Escaped<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let is_special = |byte: &u8| *byte < b' ' || matches!(byte, b'"' | b'\\');
        if !text.as_bytes().iter().any(is_special) {
            self.0.push_str(text);
            return Ok(());
        }
        for character in text.chars() {
            match character {
                '"' => self.0.push_str("\\\""),
                '\\' => self.0.push_str("\\\\"),
                '\n' => self.0.push_str("\\n"),
                control if control < ' ' => write!(self.0, "\\u{:04x}", u32::from(control))?,
                plain => self.0.push(plain),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex};

    use serde_json::{Value, json};

    use super::*;

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_line_is_an_object_with_the_fields_of_the_event() {
        let lines = Lines::default();
        let written = lines.clone();
        let subscriber = tracing_subscriber::fmt()
            .event_format(JsonLine)
            .with_writer(move || written.clone())
            .finish();
        let all: String =
            (0..=0x20_u8).map(char::from).chain("\"\\\u{7f}é🤖\u{2028}".chars()).collect();
        tracing::subscriber::with_default(subscriber, || {
            let missing = None::<&str>;
            let error = io::Error::other("why\n");
            tracing::warn!(
                target: "a target",
                text = all,
                shown = %format!("<{all}>"),
                debug = ?Some("\""),
                error = &error as &(dyn Error + 'static),
                less = -1_i64,
                more = u64::MAX,
                part = 0.656,
                none = f64::NAN,
                yes = true,
                r#type = "a type",
                missing,
                "a \"message\" of {}",
                7
            );
            tracing::info!("plain");
        });
        let lines = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
        let lines: Vec<Value> =
            lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let [mut first, second] = <[Value; 2]>::try_from(lines).unwrap();
        let time = first.as_object_mut().unwrap().remove("timestamp").unwrap();
        let time = time.as_str().unwrap();
        assert_eq!(time.len(), "2026-11-21T03:16:12.332511Z".len(), "{time}");
        assert!(Timestamp::parse(time).is_some(), "{time}");
        assert_eq!(
            first,
            json!({
                "level": "WARN",
                "message": "a \"message\" of 7",
                "text": all,
                "shown": format!("<{all}>"),
                "debug": "Some(\"\\\"\")",
                "error": "why\n",
                "less": -1,
                "more": u64::MAX,
                "part": 0.656,
                "none": null,
                "yes": true,
                "type": "a type",
                "target": "a target",
            })
        );
        assert_eq!(second["message"], "plain");
        assert_eq!(second["target"], module_path!());
    }
}
