//! The log: lines for a person on a terminal, JSON for programs elsewhere, always on standard error.

use std::io::{self, IsTerminal};

use anyhow::{Context, Result};
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _};

use crate::log_buffer::LogBuffer;
use crate::log_line::JsonLine;
#[cfg(feature = "otlp")]
use crate::request_spans::RequestSpans;
use crate::settings::{LogFormat, Settings};

/// The log, and what else is made of its lines.
pub struct Log {
    pub buffer: LogBuffer,
    #[cfg(feature = "otlp")]
    spans: Option<RequestSpans>,
}

impl Log {
    /// Writes and sends what waits; returns whether standard error took all of the log.
    pub fn end(self) -> bool {
        #[cfg(feature = "otlp")]
        if let Some(spans) = &self.spans {
            spans.end();
        }
        self.buffer.flush()
    }
}

/// Starts the log; it must be ended before the program ends.
///
/// # Errors
/// If the setting `log.level` is none, or spans can't be sent.
pub fn start(settings: &Settings) -> Result<Log> {
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
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(buffer.clone())
        .with_span_events(FmtSpan::NONE);
    let lines = if as_text {
        lines.with_ansi(io::stderr().is_terminal()).with_target(false).boxed()
    } else {
        lines.event_format(JsonLine).boxed()
    };
    let log = tracing_subscriber::registry().with(lines.with_filter(filter));
    #[cfg(feature = "otlp")]
    let spans = RequestSpans::start(settings)?;
    #[cfg(feature = "otlp")]
    let log = log.with(spans.as_ref().map(RequestSpans::layer));
    log.init();
    log_panics(buffer.clone());
    Ok(Log {
        buffer,
        #[cfg(feature = "otlp")]
        spans,
    })
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
