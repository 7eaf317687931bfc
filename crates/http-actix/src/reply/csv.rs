//! Tables in CSV (RFC 4180): a header line, and a line for each item.

use std::fmt;

use csv::{Terminator, WriterBuilder};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use crate::problem::Problem;

/// What clients see of an item, as a line of a table.
pub trait Columns: Serialize {
    /// The names of its members, in their order.
    const NAMES: &'static [&'static str];
}

/// How many bytes of a line are gathered at once.
const LINE: usize = 512;

/// Writes the header line.
pub(super) fn header<V: Columns>(out: &mut Vec<u8>) -> Result<(), Problem> {
    line(out, V::NAMES.iter())
}

/// Writes the line of an item: texts as they are, `null` as nothing, and everything else as JSON.
pub(super) fn row<V: Columns>(out: &mut Vec<u8>, item: &V) -> Result<(), Problem> {
    let internal = |error: serde_json::Error| Problem::internal(error.to_string());
    let json = serde_json::to_string(item).map_err(internal)?;
    let Members(members) = serde_json::from_str(&json).map_err(internal)?;
    if !members.iter().map(|(name, _)| name.as_str()).eq(V::NAMES.iter().copied()) {
        return Err(Problem::internal("the members of an item are not the columns of its table"));
    }
    let cells = members.iter().map(|(_, value)| cell(value)).collect::<Result<Vec<_>, _>>();
    line(out, cells.map_err(internal)?)
}

fn line(
    out: &mut Vec<u8>,
    cells: impl IntoIterator<Item = impl AsRef<[u8]>>,
) -> Result<(), Problem> {
    let mut builder = WriterBuilder::new();
    builder.terminator(Terminator::CRLF).buffer_capacity(LINE);
    let mut writer = builder.from_writer(out);
    let written = writer.write_record(cells).and_then(|()| Ok(writer.flush()?));
    written.map_err(|error| Problem::internal(error.to_string()))
}

fn cell(value: &RawValue) -> Result<String, serde_json::Error> {
    match value.get() {
        "null" => Ok(String::new()),
        text if text.starts_with('"') => Ok(defused(serde_json::from_str(text)?)),
        json => Ok(json.to_owned()),
    }
}

/// A text that no spreadsheet takes for a formula: they take what begins so for one.
fn defused(text: String) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{text}") } else { text }
}

/// The members of an object in their order.
struct Members(Vec<(String, Box<RawValue>)>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(InOrder)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[derive(Serialize)]
    struct Item {
        text: Option<&'static str>,
        number: f64,
        nested: serde_json::Value,
    }

    impl Columns for Item {
        const NAMES: &'static [&'static str] = &["text", "number", "nested"];
    }

    fn written(text: Option<&'static str>, nested: serde_json::Value) -> String {
        let mut out = Vec::new();
        row(&mut out, &Item { text, number: -1.5, nested }).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_header_names_the_members() {
        let mut out = Vec::new();
        header::<Item>(&mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "text,number,nested\r\n");
    }

    #[test]
    fn texts_stand_as_they_are_and_other_values_as_json() {
        for (text, nested, line) in [
            (Some("a"), json!(true), "a,-1.5,true\r\n"),
            (None, json!(null), ",-1.5,\r\n"),
            (Some(""), json!("b"), ",-1.5,b\r\n"),
            (Some("a,b"), json!([1]), "\"a,b\",-1.5,[1]\r\n"),
            (Some("a\r\nb"), json!({"c": "d"}), "\"a\r\nb\",-1.5,\"{\"\"c\"\":\"\"d\"\"}\"\r\n"),
            (Some("\"a\""), json!("ä"), "\"\"\"a\"\"\",-1.5,ä\r\n"),
        ] {
            assert_eq!(written(text, nested), line);
        }
    }

    #[test]
    fn no_text_is_a_formula() {
        for text in ["=1+1", "+1", "-1", "@a", "\ta", "\ra"] {
            let line = written(Some(text), json!(null));
            assert!(line.trim_start_matches('"').starts_with('\''), "{line:?}");
        }
        assert_eq!(written(Some("a=1"), json!(null)), "a=1,-1.5,\r\n");
    }

    struct Odd;

    impl Serialize for Odd {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            json!({"a": 1}).serialize(serializer)
        }
    }

    impl Columns for Odd {
        const NAMES: &'static [&'static str] = &["b"];
    }

    #[test]
    fn other_members_than_columns_are_a_defect() {
        assert!(row(&mut Vec::new(), &Odd).is_err());
    }
}
