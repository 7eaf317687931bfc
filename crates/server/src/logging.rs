//! The log: lines for a person on a terminal, JSON for programs elsewhere, always on standard error.

use std::io::{self, IsTerminal};

use anyhow::{Context, Result};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::FmtSpan;

use crate::log_buffer::LogBuffer;
use crate::log_line::JsonLine;
use crate::settings::{LogFormat, Settings};

/// Starts the log; the buffer returned must be flushed before the program ends.
///
/// # Errors
/// If the setting `log.level` is none.
pub fn start(settings: &Settings) -> Result<LogBuffer> {
    // The framework's own chatter about its start says nothing that an operator needs, nor do the
    // attempts to reach a bucket, whose outcome is reported, nor what it says of answers that broke
    // off, which were reported with their causes; a directive in the setting wins over these.
    let quiet = "actix_server=warn,actix_http::h1::dispatcher=off,object_store=error";
    let level = format!("{quiet},{}", settings.log.level);
    let filter = EnvFilter::try_new(level)
        .with_context(|| format!("setting log.level: `{}` is no filter", settings.log.level))?;
    let as_text = match settings.log.format {
        LogFormat::Text => true,
        LogFormat::Json => false,
        LogFormat::Auto => io::stderr().is_terminal(),
    };
    let buffer = LogBuffer::start(settings.log.buffer).context("the log can't be started")?;
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(buffer.clone())
        .with_span_events(FmtSpan::NONE);
    if as_text {
        log.with_ansi(io::stderr().is_terminal()).with_target(false).init();
    } else {
        log.event_format(JsonLine).init();
    }
    log_panics(buffer.clone());
    Ok(buffer)
}

/// A panic becomes a line of the log like any other, with its place. It is written before the panic goes
/// on, because the process may end with it.
fn log_panics(log: LogBuffer) {
    std::panic::set_hook(Box::new(move |panic| {
        let text = panic.payload_as_str().unwrap_or("no text");
        let place = panic.location().map(tracing::field::display);
        tracing::error!(place, text, "a panic");
        log.flush();
    }));
}
