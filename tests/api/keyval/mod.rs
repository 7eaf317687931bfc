//! `/api/external/keyval…` and `/api/external/projectapi/keyval…`

mod access;
mod addresses;
mod at_once;
mod bulk_delete;
mod checks;
mod delete;
mod filters;
mod guests;
mod isolation;
mod level;
mod list;
mod low_disk;
mod many;
mod pages;
mod parts;
mod permanent;
mod queries;
mod store;
mod values;

pub use level::OnKeyval;
use level::each_level;

use serde_json::Value;

/// Where an entry stands: userId, type and key.
pub type Address<'a> = (&'a str, &'a str, &'a str);

/// A segment of a path or a value in a query, every byte of it encoded that need be.
pub fn encoded(text: &str) -> String {
    let bytes = text.bytes().map(|byte| match byte {
        b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    });
    bytes.collect()
}

/// The path of an entry, below those of its owner.
pub fn rel((user, entry_type, key): Address<'_>) -> String {
    format!("/{}/{}/{}", encoded(user), encoded(entry_type), encoded(key))
}

/// The address of everything in a list.
pub fn addresses(items: &[Value]) -> Vec<Address<'_>> {
    let address = |item| (text(item, "userId"), text(item, "type"), text(item, "key"));
    items.iter().map(address).collect()
}

fn text<'a>(item: &'a Value, member: &str) -> &'a str {
    item[member].as_str().unwrap_or_else(|| panic!("no {member} in {item}"))
}

/// A body with blanks in front, this many bytes in all.
pub fn padded(body: &str, length: usize) -> String {
    format!("{}{body}", " ".repeat(length - body.len()))
}

/// What stands in the times of an entry that [`OnKeyval::age`] was used on.
pub const LONG_AGO: &str = "1970-01-01T00:00:00.001Z";
