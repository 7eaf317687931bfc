//! JSON stub
mod opaque;
use crate::fault::Faults;
pub use opaque::{Json, JsonObject};
use std::borrow::Cow;
pub struct Member<'a> {
    pub name: Cow<'a, str>,
    pub raw: &'a str,
}
pub struct Object<'a> {
    pub members: Vec<Member<'a>>,
    pub faults: Faults,
}
pub fn check_object<'a>(_b: &'a [u8], _r: Option<&str>) -> Result<Object<'a>, Faults> {
    Err(Faults::none())
}
