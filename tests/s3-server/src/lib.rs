//! A server that speaks the S3 protocol on loopback, for tests of what talks to a bucket.
//!
//! The protocol, signatures included, is that of the library `s3s`; [`bucket`] is the bucket behind
//! it, in memory. Start at [`S3Server`]. It runs on a thread of its own and stops when it is dropped,
//! and it can be told to fail or to stop answering.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

mod bucket;
mod faults;

use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::thread::JoinHandle;

use bytes::Bytes;
use hyper_util::rt::TokioIo;
use s3s::auth::SimpleAuth;
use s3s::service::{S3Service, S3ServiceBuilder};
use tokio::sync::oneshot;

use bucket::Bucket;
use faults::Faults;

/// A running server with one empty bucket.
pub struct S3Server {
    /// Where it listens, as `http://127.0.0.1:PORT`.
    pub endpoint: String,
    /// The only bucket.
    pub bucket: &'static str,
    /// The only account.
    pub access_key: &'static str,
    /// The secret of that account.
    pub secret_key: &'static str,
    content: Bucket,
    faults: Arc<Faults>,
    running: Option<(oneshot::Sender<()>, JoinHandle<()>)>,
}

impl S3Server {
    /// Starts it on a free port.
    ///
    /// # Panics
    /// If there is none.
    #[must_use]
    pub fn start() -> Self {
        let (bucket, access_key, secret_key) = ("blobs", "TESTACCESSKEY", "s3-test-secret-key");
        let content = Bucket::new(bucket);
        let faults = Arc::new(Faults::default());
        let mut builder = S3ServiceBuilder::new(content.clone());
        builder.set_auth(SimpleAuth::from_single(access_key, secret_key));
        let service = builder.build();

        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        listener.set_nonblocking(true).expect("a listener that does not block");
        let address = listener.local_addr().expect("the address of a bound listener");
        let (stop, stopped) = oneshot::channel();
        let shared = faults.clone();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_io()
                .build()
                .expect("a runtime");
            // Dropping the runtime at the end closes the connections that are still open.
            runtime.block_on(async {
                tokio::select! {
                    () = serve(listener, service, shared) => {}
                    _ = stopped => {}
                }
            });
        });
        Self {
            endpoint: format!("http://{address}"),
            bucket,
            access_key,
            secret_key,
            content,
            faults,
            running: Some((stop, thread)),
        }
    }

    /// The variables of the environment that lead a client here.
    #[must_use]
    pub fn variables(&self) -> Vec<(String, String)> {
        [
            ("AWS_ACCESS_KEY_ID", self.access_key),
            ("AWS_SECRET_ACCESS_KEY", self.secret_key),
            ("AWS_REGION", "us-east-1"),
            ("AWS_ENDPOINT_URL", &self.endpoint),
            ("AWS_ALLOW_HTTP", "true"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec()
    }

    /// From now on answers requests that write with 500, or no longer does.
    pub fn fail_writes(&self, fail: bool) {
        self.faults.fail_writes_after(if fail { 0 } else { u64::MAX });
    }

    /// Lets so many requests that write through, and answers all later ones with 500.
    pub fn fail_writes_after(&self, count: u64) {
        self.faults.fail_writes_after(count);
    }

    /// From now on leaves requests without an answer, or no longer does. Those that wait for one
    /// get none.
    pub fn hang(&self, hang: bool) {
        self.faults.hang(hang);
    }

    /// How many requests it has left without an answer so far.
    #[must_use]
    pub fn unanswered(&self) -> u64 {
        self.faults.unanswered()
    }

    /// The keys of all objects, sorted.
    #[must_use]
    pub fn keys(&self) -> Vec<String> {
        self.content.keys()
    }

    /// Puts an object into the bucket, past the protocol.
    pub fn insert(&self, key: &str, bytes: impl Into<Bytes>) {
        self.content.insert(key, bytes.into());
    }

    /// How many uploads in parts were begun, and neither completed nor aborted.
    #[must_use]
    pub fn unfinished_uploads(&self) -> usize {
        self.content.unfinished_uploads()
    }
}

impl Drop for S3Server {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.running.take() {
            // A thread that is gone already has said why.
            let _ = stop.send(());
            let _ = thread.join();
        }
    }
}

async fn serve(listener: TcpListener, service: S3Service, faults: Arc<Faults>) {
    let listener = tokio::net::TcpListener::from_std(listener).expect("a listener of the runtime");
    loop {
        let Ok((socket, _)) = listener.accept().await else { continue };
        let (service, faults) = (service.clone(), faults.clone());
        tokio::spawn(async move {
            let answer = hyper::service::service_fn(|request| faults.answer(&service, request));
            let http = hyper::server::conn::http1::Builder::new();
            // A client that goes away is no matter.
            let _ = http.serve_connection(TokioIo::new(socket), answer).await;
        });
    }
}
