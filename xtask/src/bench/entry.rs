//! One key-value entry of the sample bot: read and written.

use anyhow::Result;

use crate::bench::request::{Request, VARIES};
use crate::bench::server::Botyard;
use crate::bench::setting::WRITERS;

/// Where the entries of a bot are.
pub const KEYVAL: &str = "/api/external/keyval";

/// A request that reads an entry, which is there.
pub fn reading(server: &Botyard) -> Result<Request> {
    let write = writing(server);
    server.ask(&write)?;
    Ok(server.request("GET", write.path()))
}

/// Requests of which each one changes an entry. They go to one for each connection.
pub fn writing(server: &Botyard) -> Request {
    let paths = (0..WRITERS).map(|number| format!("{KEYVAL}/user-{number:06}/note/item-0000000"));
    let body = format!(r#"{{"value":{}}}"#, value(VARIES));
    Request { paths: paths.collect(), body: Some(body), ..server.request("PUT", KEYVAL) }
}

/// A value of some 80 bytes.
pub fn value(score: &str) -> String {
    format!(r#"{{"title":"An item","score":{score},"text":"An answer that was noted for later."}}"#)
}
