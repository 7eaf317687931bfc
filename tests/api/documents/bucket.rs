//! Documents in a bucket, behind the S3 protocol.

use botyard_tests::waiting::until;
use botyard_tests::{Database, Form, TestApp, each_database};
use s3_server::S3Server;
use serde_json::json;

use super::{
    at, download_at, extract_at, project, replace, settled, status, text_form, texts, upload,
};
use crate::fusion::files::jobs;
use crate::fusion::sha256;
use crate::skills::id;

/// A server whose files lie in a bucket and go at once.
#[track_caller]
fn start(database: Database, server: &S3Server) -> TestApp {
    let url = format!("s3://{}/prefix", server.bucket);
    let variables = server.variables();
    let mut settings = vec![("BLOB_URL", url.as_str()), ("BLOBS__GRACE", "0s")];
    settings.extend(variables.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    TestApp::start(database, &settings)
}

/// The keys of all files: the place has a mark besides.
fn files(server: &S3Server) -> Vec<String> {
    server.keys().into_iter().filter(|key| key != "prefix/installation").collect()
}

each_database! {
    fn documents_live_in_a_bucket_as_they_do_in_a_folder(database: Database) {
        let server = S3Server::start();
        let app = start(database, &server);
        let bot = project(&app);
        let words = bot.text("Words");
        let document = id(&upload(&bot, &text_form("a.txt", &words)));
        assert_eq!(texts(&bot.client, &document), [words.as_str()]);
        assert_eq!(files(&server).len(), 1);
        let answer = bot.client.get(&download_at(&document));
        let tag = format!("\"{}\"", sha256(words.as_bytes()));
        assert_eq!((answer.text(), answer.header("etag")), (words.clone(), Some(tag.as_str())));
        let request = bot.client.request("GET", &download_at(&document));
        let part = request.header("Range", "bytes=2-4").send();
        assert_eq!((part.status(), part.text().as_str()), (206, &words[2..5]));

        let large: Vec<u8> = (0..12_000_000_u32).map(|n| (n.wrapping_mul(n) >> 9) as u8).collect();
        let form = Form::new().file("b", "application/octet-stream", &large);
        let _ = replace(&bot.client, &document, &form.text("extract", "false")).ok();
        assert!(bot.client.get(&download_at(&document)).bytes() == large);
        let request = bot.client.request("GET", &download_at(&document));
        let part = request.header("Range", "bytes=-5000000").send();
        assert!(part.bytes() == &large[7_000_000..]);
        until("the first file is gone", || jobs(&bot.tenant) == 0 && files(&server).len() == 1);
        let _ = bot.client.delete(&at(&document)).ok();
        until("nothing is left", || jobs(&bot.tenant) == 0 && files(&server).is_empty());
    }

    fn a_document_in_a_bucket_is_extracted_from_there(database: Database) {
        let server = S3Server::start();
        let app = start(database, &server);
        let bot = project(&app);
        let line = bot.text("A line of text that is nothing but a line of text");
        let text = format!("{line}\n").repeat(40_000);
        let form = text_form("a.txt", &text).text("extract", "false");
        let document = id(&upload(&bot, &form));
        let _ = bot.client.post(&extract_at(&document), &json!({"maxOverlap": 0})).ok();
        let after = settled(&bot, &document);
        assert_eq!(status(&after), "finished");
        let whole = texts(&bot.client, &document).join("\n");
        assert!(whole == text.trim_end());
    }
}
