//! A receiver that verifies what it is sent, and remembers it.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::bench::event_streams::behind;

/// A receiver of several webhooks, each at a path of its own.
pub struct Receiver {
    address: SocketAddr,
    received: Arc<Mutex<Received>>,
}

#[derive(Default)]
struct Received {
    /// The key of each webhook.
    keys: Vec<Vec<u8>>,
    /// How often each webhook was sent each event.
    events: Vec<HashMap<String, u32>>,
    count: usize,
    refused: usize,
    /// How far the messages were behind what happened, in ms.
    behind: Vec<u64>,
}

/// A message as it came.
struct Message {
    webhook: usize,
    id: String,
    timestamp: String,
    signatures: String,
    body: Vec<u8>,
}

impl Receiver {
    /// Listens. It ends with this process.
    pub fn start(webhooks: usize) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let received = Received {
            keys: vec![Vec::new(); webhooks],
            events: vec![HashMap::new(); webhooks],
            ..Received::default()
        };
        let received = Arc::new(Mutex::new(received));
        let of_threads = received.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let received = of_threads.clone();
                // A connection that breaks off is that of a server that was killed.
                thread::spawn(move || drop(serve(stream, &received)));
            }
        });
        Ok(Self { address, received })
    }

    fn lock(&self) -> MutexGuard<'_, Received> {
        lock(&self.received)
    }

    /// Where a webhook is sent.
    pub fn url(&self, webhook: usize) -> String {
        format!("http://{}/{webhook}", self.address)
    }

    /// The secret of a webhook.
    pub fn set_secret(&self, webhook: usize, secret: &str) -> Result<()> {
        let key = secret.strip_prefix("whsec_").context("a secret without its prefix")?;
        *self.lock().keys.get_mut(webhook).context("no such webhook")? =
            STANDARD.decode(key).map_err(|error| anyhow!("{error:?}"))?;
        Ok(())
    }

    /// Waits until so many messages have come in all.
    pub fn wait_for(&self, count: usize, timeout: Duration) -> Result<()> {
        let began = Instant::now();
        while self.lock().count < count {
            if began.elapsed() > timeout {
                bail!("{} of {count} messages have come", self.lock().count);
            }
            sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    /// How many messages were not signed as they should be.
    pub fn refused(&self) -> usize {
        self.lock().refused
    }

    /// How far the messages so far were behind what happened, in ms: in the median, and at most.
    pub fn behind(&self) -> (f64, f64) {
        let mut behind = self.lock().behind.clone();
        behind.sort_unstable();
        let at = |place: usize| behind.get(place).copied().unwrap_or_default() as f64;
        (at(behind.len() / 2), at(behind.len().saturating_sub(1)))
    }

    /// How many of these events were not delivered to one of the webhooks, and how often one was delivered again.
    pub fn compare(&self, events: &[String]) -> (usize, u64) {
        let received = self.lock();
        let (mut lost, mut again) = (0, 0);
        for of_webhook in &received.events {
            lost += events.iter().filter(|event| !of_webhook.contains_key(*event)).count();
            again += of_webhook.values().map(|times| u64::from(times - 1)).sum::<u64>();
        }
        (lost, again)
    }
}

fn lock(received: &Mutex<Received>) -> MutexGuard<'_, Received> {
    received.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Answers one message after the other.
fn serve(stream: TcpStream, received: &Mutex<Received>) -> Result<()> {
    stream.set_nodelay(true)?;
    let mut stream = BufReader::new(stream);
    while let Some(message) = read(&mut stream)? {
        let key = lock(received).keys.get(message.webhook).cloned().unwrap_or_default();
        let is_signed = message.is_signed(&key);
        let late = behind(&String::from_utf8_lossy(&message.body));
        {
            let mut received = lock(received);
            if is_signed {
                received.count += 1;
                received.behind.extend(late);
                if let Some(events) = received.events.get_mut(message.webhook) {
                    *events.entry(message.id).or_default() += 1;
                }
            } else {
                received.refused += 1;
            }
        }
        let status = if is_signed { "204 No Content" } else { "401 Unauthorized" };
        write!(stream.get_mut(), "HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n")?;
    }
    Ok(())
}

/// The next message; `None` at the end of the connection.
fn read(stream: &mut BufReader<TcpStream>) -> Result<Option<Message>> {
    let mut line = String::new();
    if stream.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let path = line.split(' ').nth(1).and_then(|path| path.strip_prefix('/'));
    let webhook = path.context("a message without a path")?.parse()?;
    let mut headers = HashMap::new();
    loop {
        line.clear();
        stream.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.insert(name.to_lowercase(), value.to_owned());
    }
    let mut header = |name: &str| headers.remove(name).with_context(|| format!("no {name}"));
    let mut body = vec![0; header("content-length")?.parse()?];
    stream.read_exact(&mut body)?;
    Ok(Some(Message {
        webhook,
        id: header("webhook-id")?,
        timestamp: header("webhook-timestamp")?,
        signatures: header("webhook-signature")?,
        body,
    }))
}

impl Message {
    /// Whether one of its signatures is that of the key.
    fn is_signed(&self, key: &[u8]) -> bool {
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else { return false };
        mac.update(format!("{}.{}.", self.id, self.timestamp).as_bytes());
        mac.update(&self.body);
        let expected = format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()));
        self.signatures.split(' ').any(|signature| signature == expected)
    }
}
