//! placeholder
#[expect(dead_code, reason = "main.rs is still to be written")]
#[cfg_attr(
    not(test),
    expect(unused_imports, reason = "main.rs is still to be written")
)]
mod settings;
fn main() {}
