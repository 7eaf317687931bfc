//! The blob store of botyard: a folder or a bucket, through object_store.
//!
//! Start at [`BlobStore`], which implements the port [`Blobs`](domain::blob::Blobs). `folder.rs` and
//! `bucket.rs` are the two backends, `staging.rs` takes bytes in, `upload.rs`
//! brings them to a bucket, `blocks.rs` reads them back. Everything here needs a tokio runtime, and
//! one that goes on running until it is dropped: connections to a bucket live in the runtime that
//! began them, and the others use them, too.
//!
//! # A folder
//!
//! `file:PATH`, on a local disk or on one that all nodes share. A blob lies in
//! `PATH/project/kind/sha256-id`; folders are made with mode 0700. What was put is on the disk, with
//! all folders above it, when [`put`](domain::blob::Blobs::put) returns.
//!
//! # A bucket
//!
//! `s3://bucket` or `s3://bucket/prefix`, at Amazon S3 or whatever speaks its protocol. The bucket
//! must be there, and the account may list, read, write and delete in it. How to reach it is read
//! from the variables that other programs read, too:
//!
//! | Variable | Says |
//! |---|---|
//! | `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` | the account |
//! | `AWS_SESSION_TOKEN` | the third part of credentials that expire |
//! | `AWS_REGION`, else `AWS_DEFAULT_REGION` | the region, `us-east-1` if neither is there |
//! | `AWS_ENDPOINT_URL_S3`, else `AWS_ENDPOINT_URL` | another server than Amazon's |
//! | `AWS_ALLOW_HTTP` | `true` lets that server be an `http://` one |
//! | `AWS_VIRTUAL_HOSTED_STYLE_REQUEST` | `true` puts the bucket into the host's name |
//! | `AWS_WEB_IDENTITY_TOKEN_FILE`, `AWS_ROLE_ARN`, `AWS_ROLE_SESSION_NAME` | credentials by web identity |
//! | `AWS_CONTAINER_CREDENTIALS_RELATIVE_URI`, `AWS_CONTAINER_CREDENTIALS_FULL_URI` | credentials of a container |
//! | `AWS_SERVER_SIDE_ENCRYPTION`, `AWS_SSE_KMS_KEY_ID` | encryption at rest |
//! | `AWS_PROXY_URL`, `AWS_PROXY_EXCLUDES` | a proxy on the way |
//! | `AWS_CONNECT_TIMEOUT`, `AWS_READ_TIMEOUT` | other bounds than `5 seconds` and `30 seconds` |
//!
//! The remaining variables of [`AmazonS3ConfigKey`](object_store::aws::AmazonS3ConfigKey) count, too.
//! Without any credentials those of the machine are asked for, as Amazon's machines have them.
//!
//! A process that is killed while it puts a large blob leaves an unfinished upload in the bucket,
//! which no list of objects shows and which is paid for. The bucket should have a lifecycle rule that aborts
//! incomplete uploads after a day.

mod blocking;
mod blocks;
mod bucket;
mod checked;
mod errors;
mod folder;
mod listing;
mod mark;
mod open;
mod page;
mod reserve;
mod staging;
mod store;
mod upload;

pub use open::{BlobUrl, OpenError};
pub use store::BlobStore;
