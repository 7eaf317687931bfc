//! A receiver on loopback with prepared answers, which keeps what it is sent.

use std::io::Result;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinSet;

/// What a receiver does with a message.
#[derive(Clone)]
pub enum Reply {
    /// Sends these bytes; then it waits for the next message.
    Bytes(Vec<u8>),
    /// Sends these bytes; then it ends its side of the connection.
    Close(Vec<u8>),
    /// Sends these bytes, and after them these again and again.
    Endless(Vec<u8>, Vec<u8>),
    /// Sends nothing, ever.
    Silence,
}

/// What a receiver saw.
#[derive(Default)]
pub struct Seen {
    connections: AtomicUsize,
    /// Head and body of all messages.
    messages: Mutex<Vec<(String, String)>>,
    arrived: Notify,
    hung_up: Notify,
}

/// A receiver; it is gone when this is dropped.
pub struct Receiver {
    pub address: SocketAddr,
    seen: Arc<Seen>,
    serving: JoinSet<()>,
}

impl Receiver {
    /// A receiver at 127.0.0.1 that does this with every message.
    pub async fn start(reply: Reply) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, seen) = (listener.local_addr().unwrap(), Arc::<Seen>::default());
        let mut serving = JoinSet::new();
        serving.spawn(accept(listener, reply, seen.clone()));
        Self { address, seen, serving }
    }

    /// One that answers every message with this.
    pub async fn answering(status: &str, lines: &str, body: &[u8]) -> Self {
        Self::start(Reply::Bytes(answer(status, lines, body))).await
    }

    /// Where messages to it go.
    pub fn url(&self) -> String {
        format!("http://{}/hook?a=1", self.address)
    }

    /// Head and body of all messages that arrived.
    pub fn messages(&self) -> Vec<(String, String)> {
        self.seen.messages.lock().unwrap().clone()
    }

    pub fn connections(&self) -> usize {
        self.seen.connections.load(Ordering::SeqCst)
    }

    /// Waits until a message is there.
    pub async fn arrived(&self) {
        self.seen.arrived.notified().await;
    }

    /// Waits until the sender has ended a connection.
    pub async fn hung_up(&self) {
        self.seen.hung_up.notified().await;
    }

    /// Ends the receiver: nothing listens at its address any more.
    pub async fn die(mut self) {
        self.serving.shutdown().await;
    }
}

async fn accept(listener: TcpListener, reply: Reply, seen: Arc<Seen>) {
    // Dropped with this task, and all connections with it.
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        seen.connections.fetch_add(1, Ordering::SeqCst);
        let (reply, seen) = (reply.clone(), seen.clone());
        connections.spawn(async move {
            let _ = serve(BufReader::new(stream), reply, &seen).await;
            seen.hung_up.notify_one();
        });
    }
}

/// Ends when the sender has gone.
async fn serve(mut stream: BufReader<TcpStream>, reply: Reply, seen: &Seen) -> Result<()> {
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if stream.read_line(&mut head).await? == 0 {
                return Ok(());
            }
        }
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let mut body = vec![0; length.unwrap().parse().unwrap()];
        stream.read_exact(&mut body).await?;
        seen.messages.lock().unwrap().push((head, String::from_utf8(body).unwrap()));
        seen.arrived.notify_one();
        match &reply {
            Reply::Bytes(bytes) => stream.write_all(bytes).await?,
            Reply::Close(bytes) => {
                stream.write_all(bytes).await?;
                stream.shutdown().await?;
            }
            Reply::Endless(head, block) => {
                stream.write_all(head).await?;
                loop {
                    stream.write_all(block).await?;
                }
            }
            Reply::Silence => {}
        }
    }
}

/// An answer with these lines in its head, and the length of its body.
pub fn answer(status: &str, lines: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\n{lines}\r\n");
    [head.as_bytes(), body].concat()
}
