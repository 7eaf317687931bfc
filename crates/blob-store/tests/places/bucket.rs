//! What is particular to a bucket.

use std::net::TcpListener;

use blob_store::{BlobStore, BlobUrl, OpenError};
use domain::blob::{BlobError, Blobs as _};
use futures_util::FutureExt as _;
use s3_server::S3Server;

use crate::world::{Place, key, until, url};

/// A store on this server, with one of the variables changed or left out.
fn with_variable(server: &S3Server, name: &str, value: Option<&str>) -> Result<Place, OpenError> {
    let mut variables = server.variables();
    variables.retain(|(known, _)| known != name);
    variables.extend(value.map(|value| (name.to_owned(), value.to_owned())));
    Place::with_variables(&url(server, ""), variables)
}

async fn failure_of_check(place: &Place) -> String {
    match place.blobs.check().await {
        Err(BlobError::Failed(text)) => text,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_blob_lies_under_the_prefix_and_its_key() {
    for (prefix, expected) in [("", key(1, 1).to_string()), ("a/b", format!("a/b/{}", key(1, 1)))] {
        let place = Place::bucket_at(prefix);
        for size in [10, 6 << 20] {
            let staged = place.stage(&vec![7; size]).await;
            place.blobs.put(&key(1, 1), &staged).await.unwrap();
            assert_eq!(place.server().keys(), [expected.as_str()]);
            assert_eq!(place.read(&key(1, 1)).await.len(), size);
            assert_eq!(place.listed().await.0, [key(1, 1).to_string()]);
        }
    }
}

#[tokio::test]
async fn a_long_list_comes_in_pages_and_without_foreign_objects() {
    for prefix in ["", "a/b"] {
        let place = Place::bucket_at(prefix);
        let slash = if prefix.is_empty() { "" } else { "/" };
        let mut keys: Vec<String> =
            (0..1203).map(|number| key(number % 2, number).to_string()).collect();
        for key in &keys {
            place.server().insert(&format!("{prefix}{slash}{key}"), "");
        }
        for foreign in ["README", "folder/", &format!("{}#1", key(1, 1)), "x/fusion/y"] {
            place.server().insert(&format!("{prefix}{slash}{foreign}"), "foreign");
            place.server().insert(&format!("elsewhere/{foreign}"), "foreign");
        }
        place.server().insert(&format!("a/bc/{}", key(1, 1)), "foreign");
        keys.sort();
        assert_eq!(place.listed().await, (keys, 500));
    }
}

#[tokio::test]
async fn a_put_that_fails_leaves_nothing() {
    let place = Place::bucket();
    let (small, large) = (place.stage(&[7; 10]).await, place.stage(&vec![7; 17 << 20]).await);
    // The first write begins an upload in parts, each later one brings a part, the last completes it.
    for (staged, successes) in [(&small, 0), (&large, 0), (&large, 1), (&large, 3), (&large, 5)] {
        place.server().fail_writes_after(successes);
        let error = place.blobs.put(&key(1, 1), staged).await;
        assert!(matches!(error, Err(BlobError::Failed(_))), "{error:?}");
        assert_eq!(place.server().keys(), [""; 0]);
        assert_eq!(place.server().unfinished_uploads(), 0, "after {successes}");
    }
    place.server().fail_writes(false);
    place.blobs.put(&key(1, 1), &large).await.unwrap();
    assert_eq!(place.read(&key(1, 1)).await.len(), 17 << 20);
}

#[tokio::test]
async fn a_put_whose_caller_is_gone_leaves_no_parts_behind() {
    let place = Place::bucket();
    let staged = place.stage(&vec![7; 12 << 20]).await;
    let key = key(1, 1);
    let mut put = Box::pin(place.blobs.put(&key, &staged));
    assert!(put.as_mut().now_or_never().is_none());
    drop(put);
    until(async || !place.server().keys().is_empty()).await;
    assert_eq!(place.server().unfinished_uploads(), 0);
    assert_eq!(place.read(&key).await.len(), 12 << 20);
}

#[tokio::test]
async fn refused_credentials_are_reported_but_not_shown() {
    let server = S3Server::start();
    for (name, value) in
        [("AWS_SECRET_ACCESS_KEY", "another-secret"), ("AWS_ACCESS_KEY_ID", "ANOTHERKEY")]
    {
        let place = with_variable(&server, name, Some(value)).unwrap();
        let error = failure_of_check(&place).await;
        assert!(error.contains("403 Forbidden"), "{error}");
        let staged = place.stage(b"a blob").await;
        let put = place.blobs.put(&key(1, 1), &staged).await.unwrap_err().to_string();
        let read = place.blobs.read(&key(1, 1), 0..1).await.map(drop).unwrap_err().to_string();
        for error in [error, put, read] {
            for secret in [value, server.access_key, server.secret_key] {
                assert!(!error.contains(secret), "{error}");
            }
        }
    }
}

#[tokio::test]
async fn a_bucket_that_is_not_there_is_noticed() {
    let server = S3Server::start();
    let url: BlobUrl = "s3://no-such-bucket".parse().unwrap();
    let place = Place::with_variables(&url, server.variables()).unwrap();
    let error = failure_of_check(&place).await;
    assert!(error.contains("NoSuchBucket"), "{error}");
}

#[tokio::test]
async fn a_server_that_is_not_there_is_noticed() {
    let server = S3Server::start();
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let endpoint = format!("http://{free}");
    let place = with_variable(&server, "AWS_ENDPOINT_URL", Some(&endpoint)).unwrap();
    let error = failure_of_check(&place).await;
    assert!(error.contains(&endpoint), "{error}");
    let staged = place.stage(b"a blob").await;
    let put = place.blobs.put(&key(1, 1), &staged).await;
    let read = place.blobs.read(&key(1, 1), 0..1).await.map(drop);
    let delete = place.blobs.delete(&key(1, 1)).await;
    let list =
        place.blobs.list(key(1, 1).project_id().unwrap()).await.unwrap().next().await.map(drop);
    for failed in [put, read, delete, list] {
        assert!(matches!(failed, Err(BlobError::Failed(_))), "{failed:?}");
    }
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_noticed() {
    let place = Place::bucket();
    place.blobs.check().await.unwrap();
    place.server().hang(true);
    let error = failure_of_check(&place).await;
    assert!(error.contains("no answer"), "{error}");
    place.server().hang(false);
    place.blobs.check().await.unwrap();
}

#[tokio::test]
async fn variables_that_make_no_sense_are_refused() {
    let server = S3Server::start();
    let refused = |name, value| match with_variable(&server, name, Some(value)) {
        Err(OpenError::Variables(text)) => text,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("{name}={value} was taken"),
    };
    for name in ["AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"] {
        let text = refused(name, "http://ada:secret@127.0.0.1:1");
        assert!(!text.contains("secret"), "{text}");
    }
    assert!(refused("AWS_ALLOW_HTTP", "perhaps").contains("perhaps"));
    let text = refused("AWS_PROXY_URL", "http://ada:secret@[");
    assert!(!text.contains("secret"), "{text}");

    // Plain HTTP has to be asked for.
    let place = with_variable(&server, "AWS_ALLOW_HTTP", None).unwrap();
    failure_of_check(&place).await;
}

#[test]
fn a_connection_that_ends_with_its_runtime_is_replaced() {
    let place = Place::bucket();
    for round in 0..3 {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let staged = place.stage(b"a blob").await;
            place.blobs.put(&key(1, round), &staged).await.unwrap();
            assert_eq!(place.read(&key(1, 0)).await, b"a blob");
        });
    }
}

#[test]
fn the_folder_of_what_comes_in_is_needed_for_a_bucket_too() {
    let server = S3Server::start();
    let file = tempfile::NamedTempFile::new().unwrap();
    let opened =
        BlobStore::open_with(&url(&server, ""), file.path().to_owned(), server.variables());
    assert!(matches!(opened.map(drop), Err(OpenError::Folder { .. })));
}
