//! A website on loopback whose pages lie in memory, ready to be sent, so that the time of a fetch is that
//! of the program that fetches.

use std::collections::HashMap;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use anyhow::{Context as _, Result};

use crate::bench::{low_priority, site_page};

const ROBOTS: &str = "User-agent: *\nDisallow: /private/\n";

/// A running website. It is there until this program ends.
pub struct Site {
    address: SocketAddr,
    content: Arc<Content>,
}

/// Whole answers by their paths.
struct Content {
    answers: HashMap<String, Vec<u8>>,
    missing: Vec<u8>,
    /// How many pages were sent.
    sent: AtomicU64,
}

impl Site {
    /// Starts a site of so many pages.
    pub fn start(pages: u32) -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no free port")?;
        let address = listener.local_addr()?;
        let content = Arc::new(Content::of(pages));
        let site = Self { address, content: content.clone() };
        thread::spawn(move || {
            low_priority::take();
            for stream in listener.incoming().flatten() {
                let content = content.clone();
                // A visitor that goes away early is seen by what he makes of it.
                thread::spawn(move || drop(content.serve(&stream)));
            }
        });
        Ok(site)
    }

    /// Where its first page is.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// How many pages were sent since this was asked last.
    pub fn take_sent(&self) -> u64 {
        self.content.sent.swap(0, Ordering::Relaxed)
    }
}

impl Content {
    fn of(pages: u32) -> Self {
        let html = "text/html; charset=utf-8";
        let page = |number| {
            let body = site_page::html(number, pages);
            (site_page::path(number), answer("200 OK", html, &body))
        };
        let mut answers: HashMap<_, _> = (0..pages).map(page).collect();
        answers.insert("/robots.txt".to_owned(), answer("200 OK", "text/plain", ROBOTS));
        let missing = answer("404 Not Found", html, "<!DOCTYPE html><title>Not found</title>");
        Self { answers, missing, sent: AtomicU64::new(0) }
    }

    /// Answers one request after the other.
    fn serve(&self, stream: &TcpStream) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let mut input = BufReader::new(stream);
        let mut output = stream;
        let (mut first, mut line) = (String::new(), String::new());
        loop {
            first.clear();
            if input.read_line(&mut first)? == 0 {
                return Ok(());
            }
            line.clear();
            while line != "\r\n" {
                line.clear();
                if input.read_line(&mut line)? == 0 {
                    return Ok(());
                }
            }
            let path = first.split(' ').nth(1).unwrap_or_default();
            let answer = self.answers.get(path);
            if answer.is_some() && path != "/robots.txt" {
                self.sent.fetch_add(1, Ordering::Relaxed);
            }
            output.write_all(answer.unwrap_or(&self.missing))?;
        }
    }
}

fn answer(status: &str, media_type: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: {media_type}\r\nContent-Length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "that rule is for the server")]
    fn a_connection_serves_many_requests_and_pages_are_counted() {
        let site = Site::start(3).unwrap();
        let mut stream = TcpStream::connect(site.address).unwrap();
        for path in ["/", "/robots.txt", "/nowhere", &site_page::path(2)] {
            write!(stream, "GET {path} HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        }
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut answers = String::new();
        stream.read_to_string(&mut answers).unwrap();
        assert_eq!(answers.matches("HTTP/1.1 200 OK").count(), 3);
        assert_eq!(answers.matches("HTTP/1.1 404 Not Found").count(), 1);
        assert!(answers.ends_with("</html>\n"), "{answers}");
        assert_eq!((site.take_sent(), site.take_sent()), (2, 0));
    }
}
