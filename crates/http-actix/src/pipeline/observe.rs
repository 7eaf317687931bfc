//! What an operator sees of requests: counters by operation and status, times, one line a request.

use std::error::Error;
use std::sync::OnceLock;
use std::time::Duration;

use domain::id::TokenId;
use metrics::{Counter, Histogram, describe_counter, describe_gauge, describe_histogram, gauge};

use super::trace::Trace;
use crate::problem::Problem;

/// Where lines of requests come from, for filters of the log (docs/operations.md, "Logs").
const REQUESTS: &str = "botyard::requests";

/// The statuses that are counted each by itself; all others are counted as `other`.
const STATUSES: [u16; 20] = [
    200, 206, 302, 304, 400, 401, 403, 404, 405, 408, 409, 413, 414, 415, 416, 422, 429, 431, 500,
    503,
];

/// Requests in progress.
pub(crate) const IN_FLIGHT: &str = "botyard_http_requests_in_flight";
/// Streams of events that are open.
pub(crate) const EVENT_STREAMS: &str = "botyard_event_streams";
const REQUESTS_TOTAL: &str = "botyard_http_requests_total";
const REQUEST_SECONDS: &str = "botyard_http_request_seconds";
const BROKEN_ANSWERS: &str = "botyard_http_broken_answers_total";

/// Describes the metrics of this crate.
pub(crate) fn describe() {
    describe_gauge!(IN_FLIGHT, "Requests whose answer is not complete yet.");
    describe_counter!(REQUESTS_TOTAL, "Answers, by operation and status.");
    describe_histogram!(
        REQUEST_SECONDS,
        "Time from the head of a request until its answer was ready, or the first part of it."
    );
    describe_counter!(BROKEN_ANSWERS, "Lists that failed after their head had been sent as 200.");
    describe_gauge!("botyard_http_body_bytes", "Bytes of large JSON bodies in memory.");
    describe_gauge!(EVENT_STREAMS, "Open streams of events.");
    gauge!(EVENT_STREAMS).set(0.0);
    describe_gauge!("botyard_http_connections", "Open connections of clients.");
    describe_counter!(
        "botyard_http_connections_closed_total",
        "Connections that were closed for the sake of others."
    );
}

/// The meters of one operation, registered when they are first needed.
pub(crate) struct OperationMetrics {
    operation: String,
    seconds: OnceLock<Histogram>,
    answers: [OnceLock<Counter>; STATUSES.len() + 1],
    broken: OnceLock<Counter>,
}

impl OperationMetrics {
    /// Shows from the start how many answers failed: if a counter first appears with 1, its first increase is lost.
    pub(crate) fn of(operation: &str) -> Self {
        let answers = std::array::from_fn(|_| OnceLock::new());
        let (seconds, broken) = (OnceLock::new(), OnceLock::new());
        let metrics = Self { operation: operation.to_owned(), seconds, answers, broken };
        if let Some(failures) = metrics.answers(500) {
            failures.absolute(0);
        }
        metrics.broken().absolute(0);
        metrics
    }

    /// The operation's name.
    pub(crate) fn operation(&self) -> &str {
        &self.operation
    }

    /// Counts one answer.
    pub(crate) fn count(&self, status: u16, took: Duration) {
        let seconds = self.seconds.get_or_init(
            || metrics::histogram!(REQUEST_SECONDS, "operation" => self.operation.clone()),
        );
        seconds.record(took.as_secs_f64());
        if let Some(answers) = self.answers(status) {
            answers.increment(1);
        }
    }

    fn answers(&self, status: u16) -> Option<&Counter> {
        let at = STATUSES.iter().position(|known| *known == status).unwrap_or(STATUSES.len());
        let counter = self.answers.get(at)?.get_or_init(|| {
            let label = STATUSES.get(at).map_or("other".to_owned(), ToString::to_string);
            let operation = self.operation.clone();
            metrics::counter!(REQUESTS_TOTAL, "operation" => operation, "status" => label)
        });
        Some(counter)
    }

    fn broken(&self) -> &Counter {
        self.broken.get_or_init(
            || metrics::counter!(BROKEN_ANSWERS, "operation" => self.operation.clone()),
        )
    }

    /// Counts and logs an answer that failed after its head had gone out.
    pub(crate) fn record_broken(&self, request_id: &str, error: &(dyn Error + 'static)) {
        self.broken().increment(1);
        let (operation, problem) = (&self.operation, error.downcast_ref::<Problem>());
        if problem.is_some_and(|problem| !problem.status().is_server_error()) {
            // What was being read was deleted or changed meanwhile.
            tracing::debug!(target: REQUESTS, request_id, operation, problem = %error, "an answer broke off");
            return;
        }
        let cause = problem.and_then(Problem::cause);
        tracing::error!(target: REQUESTS, request_id, operation, problem = %error, cause, "an answer broke off");
    }
}

/// What the log says of one request. Neither paths nor bodies stand in it, because both may hold
/// what belongs to tenants.
pub(crate) struct RequestLine<'a> {
    pub(crate) request_id: &'a str,
    pub(crate) trace: Option<&'a Trace>,
    pub(crate) operation: &'a str,
    pub(crate) method: &'a str,
    pub(crate) status: u16,
    pub(crate) took: Duration,
    pub(crate) token: Option<TokenId>,
    pub(crate) client: Option<std::net::IpAddr>,
}

impl RequestLine<'_> {
    /// Writes the line; a failure of the service gets a second one with its cause.
    pub(crate) fn write(&self, problem: Option<&Problem>) {
        let trace_id = self.trace.map(|trace| trace.trace_id.as_str());
        let span_id = self.trace.map(|trace| trace.span_id.as_str());
        let parent_id = self.trace.map(|trace| trace.parent_id.as_str());
        let sampled = self.trace.map(Trace::is_sampled);
        if let Some(problem) = problem
            && problem.is_of_the_service()
        {
            tracing::error!(
                target: REQUESTS,
                request_id = self.request_id,
                trace_id,
                span_id,
                operation = self.operation,
                %problem,
                cause = problem.cause(),
                "a request failed"
            );
        }
        tracing::info!(
            target: REQUESTS,
            request_id = self.request_id,
            trace_id,
            span_id,
            parent_id,
            sampled,
            operation = self.operation,
            method = self.method,
            status = self.status,
            ms = milliseconds(self.took),
            token = self.token.map(tracing::field::display),
            client = self.client.map(tracing::field::display),
            "request"
        );
    }
}

/// A time in milliseconds, to the microsecond.
fn milliseconds(took: Duration) -> f64 {
    took.as_micros() as f64 / 1_000.0
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use domain::error::{DomainError, Resource, StorageError};
    use domain::id::DocumentId;
    use tracing::span::{Attributes, Id, Record};
    use tracing::{Event, Level, Metadata, Subscriber};

    use super::*;

    /// Notes how serious is what goes to the log.
    #[derive(Clone, Default)]
    struct Levels(Arc<Mutex<Vec<Level>>>);

    impl Subscriber for Levels {
        fn enabled(&self, _: &Metadata<'_>) -> bool {
            true
        }

        fn event(&self, event: &Event<'_>) {
            self.0.lock().unwrap().push(*event.metadata().level());
        }

        fn new_span(&self, _: &Attributes<'_>) -> Id {
            Id::from_u64(1)
        }

        fn record(&self, _: &Id, _: &Record<'_>) {}
        fn record_follows_from(&self, _: &Id, _: &Id) {}
        fn enter(&self, _: &Id) {}
        fn exit(&self, _: &Id) {}
    }

    #[test]
    fn what_went_away_while_it_was_read_is_no_error_of_the_service() {
        let metrics = OperationMetrics::of("anOperation");
        let io = Box::new(std::io::Error::other("a cause")) as Box<dyn Error>;
        let problem = |error: DomainError| Box::new(Problem::from(error)) as Box<dyn Error>;
        for (error, level) in [
            (problem(DomainError::NotFound(Resource::Document)), Level::DEBUG),
            (problem(DomainError::Refused("it was replaced".to_owned())), Level::DEBUG),
            (problem(StorageError::Overloaded.into()), Level::ERROR),
            (problem(StorageError::Broken("a cause".to_owned()).into()), Level::ERROR),
            (io, Level::ERROR),
        ] {
            let levels = Levels::default();
            let record = || metrics.record_broken("an-id", error.as_ref());
            tracing::subscriber::with_default(levels.clone(), record);
            assert_eq!(*levels.0.lock().unwrap(), [level], "{error}");
        }
    }

    #[test]
    fn a_document_that_can_not_be_read_is_no_error_of_the_service() {
        for (problem, levels) in [
            (
                Problem::extraction_failed(DocumentId::from_uuid(Default::default()), "why"),
                vec![Level::INFO],
            ),
            (Problem::internal("a cause"), vec![Level::ERROR, Level::INFO]),
        ] {
            let line = RequestLine {
                request_id: "an-id",
                trace: None,
                operation: "anOperation",
                method: "POST",
                status: 500,
                took: Duration::ZERO,
                token: None,
                client: None,
            };
            let seen = Levels::default();
            tracing::subscriber::with_default(seen.clone(), || line.write(Some(&problem)));
            assert_eq!(*seen.0.lock().unwrap(), levels, "{problem}");
        }
    }

    #[test]
    fn times_are_logged_to_the_microsecond() {
        for (nanoseconds, logged) in [(656_285, "0.656"), (999, "0"), (12_345_678_901, "12345.678")]
        {
            let took = Duration::from_nanos(nanoseconds);
            assert_eq!(milliseconds(took).to_string(), logged);
        }
    }
}
