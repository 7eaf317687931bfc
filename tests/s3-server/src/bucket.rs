//! A bucket in memory: the operations that a store of objects needs, with S3's rules.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use bytes::{Bytes, BytesMut};
use futures_util::TryStreamExt as _;
use s3s::dto::*;
use s3s::{Body, S3, S3Request, S3Response, S3Result, s3_error};

/// Every part of an upload but the last has at least so many bytes.
const LEAST_PART: usize = 5 << 20;

/// What all clones share.
#[derive(Clone)]
pub(crate) struct Bucket {
    name: &'static str,
    content: Arc<Mutex<Content>>,
}

#[derive(Default)]
struct Content {
    objects: BTreeMap<String, Stored>,
    uploads: BTreeMap<String, Upload>,
    /// Makes the entity tags and the names of uploads.
    counter: u64,
}

#[derive(Clone)]
struct Stored {
    bytes: Bytes,
    tag: String,
    modified: SystemTime,
}

#[derive(Default)]
struct Upload {
    key: String,
    parts: BTreeMap<PartNumber, (String, Bytes)>,
}

impl Content {
    fn next(&mut self) -> String {
        self.counter += 1;
        format!("{:032x}", self.counter)
    }

    fn store(&mut self, key: &str, bytes: Bytes) -> String {
        let tag = self.next();
        #[expect(clippy::disallowed_methods, reason = "a server has a clock of its own")]
        let modified = SystemTime::now();
        self.objects.insert(key.to_owned(), Stored { bytes, tag: tag.clone(), modified });
        tag
    }
}

impl Bucket {
    pub(crate) fn new(name: &'static str) -> Self {
        Self { name, content: Arc::default() }
    }

    pub(crate) fn keys(&self) -> Vec<String> {
        self.lock().objects.keys().cloned().collect()
    }

    pub(crate) fn insert(&self, key: &str, bytes: Bytes) {
        self.lock().store(key, bytes);
    }

    pub(crate) fn unfinished_uploads(&self) -> usize {
        self.lock().uploads.len()
    }

    fn lock(&self) -> MutexGuard<'_, Content> {
        self.content.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The content of the bucket of this name.
    fn of(&self, name: &str) -> S3Result<MutexGuard<'_, Content>> {
        if name == self.name { Ok(self.lock()) } else { Err(s3_error!(NoSuchBucket)) }
    }

    fn object(&self, bucket: &str, key: &str) -> S3Result<Stored> {
        let stored = self.of(bucket)?.objects.get(key).cloned();
        stored.ok_or_else(|| s3_error!(NoSuchKey))
    }
}

async fn collect(body: Option<StreamingBlob>) -> S3Result<Bytes> {
    let Some(body) = body else { return Ok(Bytes::new()) };
    let bytes = body.try_fold(BytesMut::new(), async |mut all, block| {
        all.extend_from_slice(&block);
        Ok(all)
    });
    Ok(bytes.await.map_err(|_| s3_error!(IncompleteBody))?.freeze())
}

fn length(bytes: &Bytes) -> i64 {
    i64::try_from(bytes.len()).unwrap_or(i64::MAX)
}

#[async_trait::async_trait]
impl S3 for Bucket {
    async fn put_object(
        &self,
        request: S3Request<PutObjectInput>,
    ) -> S3Result<S3Response<PutObjectOutput>> {
        let PutObjectInput { bucket, key, body, .. } = request.input;
        let bytes = collect(body).await?;
        let tag = self.of(&bucket)?.store(&key, bytes);
        Ok(S3Response::new(PutObjectOutput {
            e_tag: Some(ETag::Strong(tag)),
            ..Default::default()
        }))
    }

    async fn get_object(
        &self,
        request: S3Request<GetObjectInput>,
    ) -> S3Result<S3Response<GetObjectOutput>> {
        let GetObjectInput { bucket, key, range, .. } = request.input;
        let Stored { mut bytes, tag, modified } = self.object(&bucket, &key)?;
        let size = bytes.len();
        let mut content_range = None;
        if let Some(range) = range {
            let range = range.check(size as u64)?;
            content_range = Some(format!("bytes {}-{}/{size}", range.start, range.end - 1));
            let at = |place: u64| usize::try_from(place).unwrap_or(size);
            bytes = bytes.slice(at(range.start)..at(range.end));
        }
        Ok(S3Response::new(GetObjectOutput {
            content_length: Some(length(&bytes)),
            content_range,
            e_tag: Some(ETag::Strong(tag)),
            last_modified: Some(modified.into()),
            body: Some(StreamingBlob::from(Body::from(bytes))),
            ..Default::default()
        }))
    }

    async fn head_object(
        &self,
        request: S3Request<HeadObjectInput>,
    ) -> S3Result<S3Response<HeadObjectOutput>> {
        let Stored { bytes, tag, modified } =
            self.object(&request.input.bucket, &request.input.key)?;
        Ok(S3Response::new(HeadObjectOutput {
            content_length: Some(length(&bytes)),
            e_tag: Some(ETag::Strong(tag)),
            last_modified: Some(modified.into()),
            ..Default::default()
        }))
    }

    async fn delete_object(
        &self,
        request: S3Request<DeleteObjectInput>,
    ) -> S3Result<S3Response<DeleteObjectOutput>> {
        self.of(&request.input.bucket)?.objects.remove(&request.input.key);
        Ok(S3Response::new(DeleteObjectOutput::default()))
    }

    async fn list_objects_v2(
        &self,
        request: S3Request<ListObjectsV2Input>,
    ) -> S3Result<S3Response<ListObjectsV2Output>> {
        let input = request.input;
        if input.delimiter.is_some() {
            return Err(s3_error!(NotImplemented, "this server lists without a delimiter"));
        }
        let content = self.of(&input.bucket)?;
        let limit = usize::try_from(input.max_keys.unwrap_or(1000)).unwrap_or(0).min(1000);
        let prefix = input.prefix.clone().unwrap_or_default();
        // A token is the last key of the page before, so both mean the same.
        let after = input.continuation_token.as_ref().or(input.start_after.as_ref());
        let from = after.map_or(Bound::Unbounded, |key| Bound::Excluded(key.clone()));
        let mut found = content
            .objects
            .range((from, Bound::Unbounded))
            .filter(|(key, _)| key.starts_with(&prefix))
            .peekable();
        let contents: Vec<Object> = found
            .by_ref()
            .take(limit)
            .map(|(key, stored)| Object {
                key: Some(key.clone()),
                size: Some(length(&stored.bytes)),
                e_tag: Some(ETag::Strong(stored.tag.clone())),
                last_modified: Some(stored.modified.into()),
                ..Default::default()
            })
            .collect();
        let is_truncated = found.peek().is_some();
        let last = contents.last().and_then(|object| object.key.clone());
        Ok(S3Response::new(ListObjectsV2Output {
            name: Some(input.bucket),
            prefix: input.prefix,
            key_count: i32::try_from(contents.len()).ok(),
            max_keys: input.max_keys,
            is_truncated: Some(is_truncated),
            next_continuation_token: last.filter(|_| is_truncated),
            contents: Some(contents),
            ..Default::default()
        }))
    }

    async fn create_multipart_upload(
        &self,
        request: S3Request<CreateMultipartUploadInput>,
    ) -> S3Result<S3Response<CreateMultipartUploadOutput>> {
        let CreateMultipartUploadInput { bucket, key, .. } = request.input;
        let mut content = self.of(&bucket)?;
        let id = content.next();
        content.uploads.insert(id.clone(), Upload { key: key.clone(), ..Default::default() });
        Ok(S3Response::new(CreateMultipartUploadOutput {
            bucket: Some(bucket),
            key: Some(key),
            upload_id: Some(id),
            ..Default::default()
        }))
    }

    async fn upload_part(
        &self,
        request: S3Request<UploadPartInput>,
    ) -> S3Result<S3Response<UploadPartOutput>> {
        let UploadPartInput { bucket, upload_id, part_number, body, .. } = request.input;
        let bytes = collect(body).await?;
        let mut content = self.of(&bucket)?;
        let tag = content.next();
        let upload = content.uploads.get_mut(&upload_id).ok_or_else(|| s3_error!(NoSuchUpload))?;
        upload.parts.insert(part_number, (tag.clone(), bytes));
        Ok(S3Response::new(UploadPartOutput {
            e_tag: Some(ETag::Strong(tag)),
            ..Default::default()
        }))
    }

    async fn complete_multipart_upload(
        &self,
        request: S3Request<CompleteMultipartUploadInput>,
    ) -> S3Result<S3Response<CompleteMultipartUploadOutput>> {
        let CompleteMultipartUploadInput { bucket, key, upload_id, multipart_upload, .. } =
            request.input;
        let mut content = self.of(&bucket)?;
        let upload = content.uploads.get(&upload_id).filter(|upload| upload.key == key);
        let parts = &upload.ok_or_else(|| s3_error!(NoSuchUpload))?.parts;
        let named = multipart_upload.and_then(|named| named.parts).unwrap_or_default();
        if named.is_empty() || !named.is_sorted_by_key(|part| part.part_number) {
            return Err(s3_error!(InvalidPartOrder));
        }
        let mut whole = BytesMut::new();
        for (at, part) in named.iter().enumerate() {
            let found = part.part_number.and_then(|number| parts.get(&number));
            let (tag, bytes) = found.ok_or_else(|| s3_error!(InvalidPart))?;
            if part.e_tag.as_ref().map(ETag::value) != Some(tag.as_str()) {
                return Err(s3_error!(InvalidPart));
            }
            if bytes.len() < LEAST_PART && at + 1 < named.len() {
                return Err(s3_error!(EntityTooSmall));
            }
            whole.extend_from_slice(bytes);
        }
        content.uploads.remove(&upload_id);
        let tag = content.store(&key, whole.freeze());
        Ok(S3Response::new(CompleteMultipartUploadOutput {
            bucket: Some(bucket),
            key: Some(key),
            e_tag: Some(ETag::Strong(tag)),
            ..Default::default()
        }))
    }

    async fn abort_multipart_upload(
        &self,
        request: S3Request<AbortMultipartUploadInput>,
    ) -> S3Result<S3Response<AbortMultipartUploadOutput>> {
        let AbortMultipartUploadInput { bucket, upload_id, .. } = request.input;
        let removed = self.of(&bucket)?.uploads.remove(&upload_id);
        removed.ok_or_else(|| s3_error!(NoSuchUpload))?;
        Ok(S3Response::new(AbortMultipartUploadOutput::default()))
    }
}
