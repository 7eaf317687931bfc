//! Where uploaded files are.

pub use blob_store::BlobUrl;

use super::{Scalar, Shape};

impl Scalar for BlobUrl {
    type Value = Self;
    // The address itself has no place for a password, so one that holds any is refused; but then it
    // must not be quoted.
    const SHAPE: Shape = Shape {
        credentials: true,
        ..Shape::new("place for files", "file:PATH, s3://BUCKET or s3://BUCKET/PREFIX", "URL")
    };

    fn read(text: &str) -> Result<Self, String> {
        let url = text.parse().ok().filter(|_| !text.contains(char::is_control));
        url.ok_or_else(|| Self::SHAPE.mismatch())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_folder_or_a_bucket() {
        for (text, shown) in [
            ("file:data/blobs", "file:data/blobs"),
            ("file:///srv/blobs", "file:/srv/blobs"),
            ("s3://bucket/prefix/", "s3://bucket/prefix"),
        ] {
            assert_eq!(<BlobUrl as Scalar>::read(text).unwrap().to_string(), shown);
        }
        for bad in
            ["", "data/blobs", "file:", "file:a\0b", "s3://", "https://bucket", "s3://k:pw@b"]
        {
            let complaint = <BlobUrl as Scalar>::read(bad).unwrap_err();
            assert!(complaint.starts_with("is no place for files; write file:PATH"), "{bad}");
            assert!(!complaint.contains("pw"));
        }
    }
}
