//! Requests as spans for an OpenTelemetry collector (OTLP over HTTP, docs/monitoring.md).
//!
//! A span is made of the line of the log that each request has, so nothing is measured twice. Spans wait in a bounded
//! queue for a thread that sends them; if the collector is away or slow they are dropped, and requests never wait.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, Result};
use opentelemetry::trace::{
    SpanContext, SpanId, SpanKind, Status, TraceFlags, TraceId, TraceState,
};
use opentelemetry::{InstrumentationScope, KeyValue};
use opentelemetry_otlp::{SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{
    BatchSpanProcessor, IdGenerator as _, RandomIdGenerator, SpanData, SpanEvents, SpanLinks,
    SpanProcessor as _,
};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

use crate::settings::Settings;

/// Where the lines of requests come from.
const REQUESTS: &str = "botyard::requests";
/// How long a collector may take for a batch of spans.
const TIME_LIMIT: Duration = Duration::from_secs(10);
/// How long the last spans may take when the server ends.
const LAST_SPANS: Duration = Duration::from_secs(2);

/// Sends spans; clones share the queue.
#[derive(Clone)]
pub struct RequestSpans {
    processor: Arc<BatchSpanProcessor>,
    scope: InstrumentationScope,
    one_in: u32,
    /// Requests without a trace.
    counted: Arc<AtomicU32>,
}

impl RequestSpans {
    /// Starts to send, if a collector is set.
    ///
    /// # Errors
    /// If the client of the collector can't be made.
    pub fn start(settings: &Settings) -> Result<Option<Self>> {
        let Some(endpoint) = &settings.otlp.endpoint else { return Ok(None) };
        // An error means that there is a provider already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::blocking::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(TIME_LIMIT)
            .build()
            .context("otlp.endpoint")?;
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(client)
            .with_endpoint(format!("{endpoint}/v1/traces"))
            .build()
            .context("otlp.endpoint")?;
        let mut processor = BatchSpanProcessor::builder(exporter).build();
        let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
        let resource = Resource::builder().with_service_name("botyard").with_attribute(version);
        processor.set_resource(&resource.build());
        Ok(Some(Self {
            processor: Arc::new(processor),
            scope: InstrumentationScope::builder("botyard").build(),
            one_in: settings.otlp.one_in,
            counted: Arc::default(),
        }))
    }

    /// The part of the log's subscriber that makes spans.
    pub fn layer<S>(&self) -> impl Layer<S> + use<S>
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        self.clone().with_filter(Targets::new().with_target(REQUESTS, Level::INFO))
    }

    /// Sends what waits, and no more after that.
    pub fn end(&self) {
        if let Err(error) = self.processor.shutdown_with_timeout(LAST_SPANS) {
            tracing::warn!(%error, "the last spans were not sent");
        }
    }

    /// Whether a request becomes a span that belongs to no trace yet.
    fn is_next(&self) -> bool {
        self.counted.fetch_add(1, Ordering::Relaxed).is_multiple_of(self.one_in)
    }
}

impl<S: Subscriber> Layer<S> for RequestSpans {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut request = Request::default();
        event.record(&mut request);
        if request.sampled.unwrap_or_else(|| self.is_next())
            && let Some(span) = request.span(self.scope.clone(), now())
        {
            self.processor.on_end(span);
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a span has the time of the machine, whatever clock services go by"
)]
fn now() -> SystemTime {
    SystemTime::now()
}

/// The fields of the line of a request. Other lines, such as that of an answer that broke off, have no status.
#[derive(Debug, Default)]
struct Request {
    request_id: String,
    trace_id: Option<TraceId>,
    span_id: Option<SpanId>,
    parent_id: Option<SpanId>,
    sampled: Option<bool>,
    operation: String,
    method: String,
    status: Option<u16>,
    took: Duration,
}

impl Request {
    /// The span, if this is the line of a request.
    fn span(self, scope: InstrumentationScope, end: SystemTime) -> Option<SpanData> {
        let status = self.status?;
        let ids = RandomIdGenerator::default();
        let context = SpanContext::new(
            self.trace_id.unwrap_or_else(|| ids.new_trace_id()),
            self.span_id.unwrap_or_else(|| ids.new_span_id()),
            TraceFlags::SAMPLED,
            false,
            TraceState::default(),
        );
        // For a server, a client's error is none (OpenTelemetry, conventions for HTTP spans).
        let outcome = if status < 500 { Status::Unset } else { Status::error("") };
        Some(SpanData {
            span_context: context,
            parent_span_id: self.parent_id.unwrap_or(SpanId::INVALID),
            parent_span_is_remote: self.parent_id.is_some(),
            span_kind: SpanKind::Server,
            name: self.operation.into(),
            start_time: end.checked_sub(self.took).unwrap_or(end),
            end_time: end,
            attributes: vec![
                KeyValue::new("http.request.method", self.method),
                KeyValue::new("http.response.status_code", i64::from(status)),
                KeyValue::new("botyard.request_id", self.request_id),
            ],
            dropped_attributes_count: 0,
            events: SpanEvents::default(),
            links: SpanLinks::default(),
            status: outcome,
            instrumentation_scope: scope,
        })
    }
}

impl Visit for Request {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "request_id" => value.clone_into(&mut self.request_id),
            "trace_id" => self.trace_id = TraceId::from_hex(value).ok(),
            "span_id" => self.span_id = SpanId::from_hex(value).ok(),
            "parent_id" => self.parent_id = SpanId::from_hex(value).ok(),
            "operation" => value.clone_into(&mut self.operation),
            "method" => value.clone_into(&mut self.method),
            _ => {}
        }
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        if field.name() == "sampled" {
            self.sampled = Some(value);
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        if field.name() == "status" {
            self.status = value.try_into().ok();
        }
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        if field.name() == "ms" {
            self.took = Duration::try_from_secs_f64(value / 1_000.0).unwrap_or_default();
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn std::fmt::Debug) {}
}
