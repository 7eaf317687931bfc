//! Which blob store is used, and why it can't be used.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use object_store::path::Path;

/// Where the blobs are.
#[derive(Clone, PartialEq, Eq)]
pub enum BlobUrl {
    /// A folder.
    Folder(PathBuf),
    /// A bucket that is reached by the S3 protocol.
    Bucket {
        /// Its name.
        name: String,
        /// What the keys of all blobs begin with, without a slash at either end; may be empty.
        prefix: String,
    },
}

impl FromStr for BlobUrl {
    type Err = OpenError;

    /// Reads `file:` followed by a path, or `s3://` followed by a bucket and perhaps a prefix.
    fn from_str(text: &str) -> Result<Self, OpenError> {
        let url = match text.strip_prefix("s3://") {
            Some(rest) => bucket(rest),
            None => text.strip_prefix("file:").and_then(folder),
        };
        url.ok_or(OpenError::BadUrl)
    }
}

/// The path in `file:PATH`. After two slashes there would be a host, so a third must follow.
fn folder(path: &str) -> Option<BlobUrl> {
    let path = match path.strip_prefix("//") {
        Some(path) => Some(path).filter(|path| path.starts_with('/')),
        None => Some(path).filter(|path| !path.is_empty()),
    };
    path.map(|path| BlobUrl::Folder(PathBuf::from(path)))
}

fn bucket(rest: &str) -> Option<BlobUrl> {
    let (name, prefix) = rest.split_once('/').unwrap_or((rest, ""));
    let prefix = prefix.strip_suffix('/').unwrap_or(prefix);
    let plain = |text: &str, also: &[u8]| {
        text.bytes().all(|byte| byte.is_ascii_alphanumeric() || also.contains(&byte))
    };
    // Neither a password nor a query can stand in such an address.
    let is_fine = !name.is_empty()
        && plain(name, b"-._")
        && plain(prefix, b"-._=/")
        && Path::parse(prefix).is_ok_and(|path| path.as_ref() == prefix);
    is_fine.then(|| BlobUrl::Bucket { name: name.to_owned(), prefix: prefix.to_owned() })
}

impl fmt::Display for BlobUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(path) => write!(f, "file:{}", path.display()),
            Self::Bucket { name, prefix } if prefix.is_empty() => write!(f, "s3://{name}"),
            Self::Bucket { name, prefix } => write!(f, "s3://{name}/{prefix}"),
        }
    }
}

impl fmt::Debug for BlobUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Why a blob store can't be opened: one line for the person who starts the service. It never
/// holds credentials.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// The address is of no known form.
    #[error(
        "the address of the blobs must be `file:` followed by a path, or `s3://` followed by a \
         bucket and, if wanted, `/` and a prefix of letters, digits and `-._=/`"
    )]
    BadUrl,
    /// A folder can't be made or used.
    #[error("the folder {} can't be used: {reason}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// The variables of the environment that lead to the bucket make no sense.
    #[error("the bucket can't be reached with these `AWS_…` variables: {0}")]
    Variables(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_shown() {
        for (text, shown) in [
            ("file:data/blobs", "file:data/blobs"),
            ("file:/srv/blobs", "file:/srv/blobs"),
            ("file:///srv/blobs", "file:/srv/blobs"),
            ("s3://bucket", "s3://bucket"),
            ("s3://bucket/", "s3://bucket"),
            ("s3://my.bucket-1/some/prefix/", "s3://my.bucket-1/some/prefix"),
        ] {
            let url: BlobUrl = text.parse().unwrap();
            assert_eq!(format!("{url:?}"), shown);
            assert_eq!(shown.parse(), Ok(url));
        }
    }

    #[test]
    fn other_addresses_are_refused() {
        for bad in [
            "",
            "data/blobs",
            "file:",
            "file://",
            "file://host/srv",
            "s3:",
            "s3://",
            "s3:///prefix",
            "s3://key:secret@bucket/prefix",
            "s3://bucket/a//b",
            "s3://bucket/a/../b",
            "s3://bucket/./a",
            "s3://bucket/a?region=x",
            "s3://bucket/a#b",
            "https://bucket.s3.amazonaws.com",
        ] {
            let error = bad.parse::<BlobUrl>().unwrap_err();
            assert_eq!(error, OpenError::BadUrl, "{bad}");
            assert!(!error.to_string().contains("secret"));
        }
    }
}
