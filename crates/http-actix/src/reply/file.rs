//! Files: whole, in part, or not again (RFC 9110, sections 13 and 14).

use std::ops::Range;

use actix_web::body::SizedStream;
use actix_web::http::Method;
use actix_web::http::header::{self, ByteRangeSpec, EntityTag, Header, HeaderValue, IfRange};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};
use bytes::Bytes;
use domain::blob::{BlobReader, Sha256};
use domain::error::DomainError;
use futures_util::stream::{self, Stream};
use percent_encoding::utf8_percent_encode;
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, SchemaFormat, Type};

use super::kind::{Reply, ReplyKind, ReplySchema};
use super::paging::UNRESERVED;
use super::request_head::RequestHead;
use crate::pipeline::preconditions::{ReadDecision, evaluate_read};
use crate::problem::Problem;

/// What an answer says of a file ahead of its bytes.
pub struct FileHead {
    /// What it is called.
    pub name: String,
    /// Its media type.
    pub media_type: String,
    /// How many bytes it has.
    pub size: u64,
    /// Their hash.
    pub sha256: Sha256,
}

/// What bytes of a file a request asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
enum RequestedBytes {
    /// Nothing: the client has it.
    Nothing,
    /// All of it.
    Whole,
    /// These bytes.
    Part(Range<u64>),
}

/// An answer with a file.
pub struct File(HttpResponse);

impl File {
    /// Answers what a request wants of a file: all of it, one part (206), or that the client has it
    /// (304). `read` opens the bytes in a range; the answer to a HEAD does not need them.
    ///
    /// # Errors
    /// 416 for a range beyond the end; whatever `read` fails with.
    pub async fn answer(
        head: &FileHead,
        at: &RequestHead,
        read: impl AsyncFnOnce(Range<u64>) -> Result<Box<dyn BlobReader>, DomainError>,
    ) -> Result<Self, Problem> {
        let (mut response, range) = match head.requested_bytes(at.request())? {
            RequestedBytes::Nothing => {
                let mut response = HttpResponse::NotModified();
                return Ok(Self(response.insert_header((header::ETAG, head.tag())).finish()));
            }
            RequestedBytes::Whole => (HttpResponse::Ok(), 0..head.size),
            RequestedBytes::Part(range) => {
                let mut response = HttpResponse::PartialContent();
                let (last, size) = (range.end.saturating_sub(1), head.size);
                let place = format!("bytes {}-{last}/{size}", range.start);
                response.insert_header((header::CONTENT_RANGE, place));
                (response, range)
            }
        };
        head.describe(&mut response);
        let size = range.end.saturating_sub(range.start);
        if at.request().method() == Method::HEAD {
            let nothing = stream::empty::<Result<Bytes, Problem>>();
            return Ok(Self(response.body(SizedStream::new(size, nothing))));
        }
        let blocks = blocks(read(range).await?, size);
        Ok(Self(response.body(SizedStream::new(size, Box::pin(blocks)))))
    }
}

impl Reply for File {
    fn schema() -> ReplySchema {
        let body = || {
            let bytes = ObjectBuilder::new().schema_type(Type::String);
            bytes.format(Some(SchemaFormat::KnownFormat(KnownFormat::Binary))).into()
        };
        ReplySchema { body, components: |_| (), kind: ReplyKind::File }
    }

    fn respond(self, _: &RequestHead) -> Result<HttpResponse, Problem> {
        Ok(self.0)
    }
}

impl FileHead {
    fn tag(&self) -> EntityTag {
        EntityTag::new_strong(self.sha256.to_string())
    }

    /// What a request wants. A range that is malformed, several ranges, and one that is to go on with
    /// another state of the file stand for the whole, as RFC 9110 allows or demands.
    fn requested_bytes(&self, request: &HttpRequest) -> Result<RequestedBytes, Problem> {
        if evaluate_read(request.headers(), Some(&self.tag().to_string()))?
            == ReadDecision::NotModified
        {
            return Ok(RequestedBytes::Nothing);
        }
        let Some(range) = one_range(request).filter(|_| self.may_go_on(request)) else {
            return Ok(RequestedBytes::Whole);
        };
        let range = range.to_satisfiable_range(self.size);
        let (first, last) = range.ok_or_else(|| Problem::beyond(self.size))?;
        Ok(RequestedBytes::Part(first..last.saturating_add(1)))
    }

    /// Whether a part may be sent: the client wants one regardless of the file, or has others of this very
    /// file. No answer says when a file was changed, so no time matches.
    fn may_go_on(&self, request: &HttpRequest) -> bool {
        match IfRange::parse(request) {
            Ok(IfRange::EntityTag(tag)) => tag.strong_eq(&self.tag()),
            Ok(IfRange::Date(_)) => false,
            Err(_) => !request.headers().contains_key(header::IF_RANGE),
        }
    }

    fn describe(&self, response: &mut HttpResponseBuilder) {
        let media_type = HeaderValue::from_str(&self.media_type);
        let unknown = HeaderValue::from_static("application/octet-stream");
        let name = utf8_percent_encode(&self.name, UNRESERVED);
        // What is left of it is for clients that know nothing else.
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._- ()[]".contains(letter);
        let plain = self.name.replace(|letter| !is_plain(letter), "_");
        let disposition = format!("attachment; filename*=UTF-8''{name}; filename=\"{plain}\"");
        response
            .insert_header((header::CONTENT_TYPE, media_type.unwrap_or(unknown)))
            .insert_header((header::CONTENT_DISPOSITION, disposition))
            .insert_header((header::ETAG, self.tag()))
            .insert_header((header::ACCEPT_RANGES, "bytes"));
    }
}

/// The range that a GET names, if it is one and well-formed.
fn one_range(request: &HttpRequest) -> Option<ByteRangeSpec> {
    let mut fields = request.headers().get_all(header::RANGE);
    let (only, others) = (fields.next()?, fields.next());
    // Of several ranges the parser leaves out those that are malformed, and it takes numbers with signs.
    let mut range = only.as_bytes().iter().skip_while(|byte| **byte != b'=').skip(1);
    let is_plain = range.all(|byte| byte.is_ascii_digit() || *byte == b'-');
    if request.method() != Method::GET || others.is_some() || !is_plain {
        return None;
    }
    match header::Range::parse(request).ok()? {
        header::Range::Bytes(ranges) => ranges.into_iter().next(),
        header::Range::Unregistered(..) => None,
    }
}

/// The blocks of a reader, which has so many bytes. If there are fewer, the answer breaks off.
fn blocks(
    reader: Box<dyn BlobReader>,
    size: u64,
) -> impl Stream<Item = Result<Bytes, Problem>> + 'static {
    stream::try_unfold((reader, size), |(mut reader, left)| async move {
        match reader.next().await.map_err(DomainError::from)? {
            Some(block) => {
                let left = left.saturating_sub(block.len() as u64);
                Ok(Some((Bytes::from(block), (reader, left))))
            }
            None if left > 0 => Err(Problem::internal("a file has fewer bytes than it should")),
            None => Ok(None),
        }
    })
}

#[cfg(test)]
mod tests {
    use actix_web::body::{BodySize, MessageBody as _, to_bytes};
    use actix_web::test::TestRequest;
    use async_trait::async_trait;
    use domain::blob::BlobError;

    use super::*;

    const TAG: &str = "\"0202020202020202020202020202020202020202020202020202020202020202\"";

    fn head() -> FileHead {
        FileHead {
            name: "Übung \"1\"; a=b (1) [2].pdf".to_owned(),
            media_type: "application/pdf".to_owned(),
            size: 100,
            sha256: Sha256::from_bytes([2; 32]),
        }
    }

    /// What a GET with these headers wants; `None` for what lies beyond the file.
    fn requested_bytes(headers: &[(&str, &str)]) -> Option<RequestedBytes> {
        let request = headers
            .iter()
            .fold(TestRequest::get(), |request, header| request.append_header(*header));
        head().requested_bytes(&request.to_http_request()).ok()
    }

    #[test]
    fn a_range_is_a_part() {
        for (range, expected) in [
            ("bytes=0-0", RequestedBytes::Part(0..1)),
            ("bytes=10-19", RequestedBytes::Part(10..20)),
            ("bytes=0-", RequestedBytes::Part(0..100)),
            ("bytes=99-", RequestedBytes::Part(99..100)),
            ("bytes=90-1000", RequestedBytes::Part(90..100)),
            ("bytes=-1", RequestedBytes::Part(99..100)),
            ("bytes=-1000", RequestedBytes::Part(0..100)),
            ("bytes=0-1,5-6", RequestedBytes::Whole),
            ("bytes=0-1,", RequestedBytes::Whole),
            ("bytes=0-1,x", RequestedBytes::Whole),
            ("bytes=5-4", RequestedBytes::Whole),
            ("bytes=-", RequestedBytes::Whole),
            ("bytes=", RequestedBytes::Whole),
            ("bytes", RequestedBytes::Whole),
            ("bytes=a-b", RequestedBytes::Whole),
            ("bytes=+1-2", RequestedBytes::Whole),
            ("bytes=1-+2", RequestedBytes::Whole),
            ("bytes=+1-", RequestedBytes::Whole),
            ("bytes=-+1", RequestedBytes::Whole),
            ("bytes=--1", RequestedBytes::Whole),
            ("bytes=1--2", RequestedBytes::Whole),
            ("bytes=1", RequestedBytes::Whole),
            ("bytes= 1-2", RequestedBytes::Whole),
            ("bytes=1 - 2", RequestedBytes::Whole),
            ("bytes= -1", RequestedBytes::Whole),
            ("bytes=- ", RequestedBytes::Whole),
            ("bytes =1-2", RequestedBytes::Whole),
            ("bytes==1-2", RequestedBytes::Whole),
            ("=1-2", RequestedBytes::Whole),
            ("", RequestedBytes::Whole),
            ("bytes=0-99999999999999999999999", RequestedBytes::Whole),
            ("pages=1-2", RequestedBytes::Whole),
        ] {
            assert_eq!(requested_bytes(&[("Range", range)]), Some(expected), "{range}");
        }
        for beyond in ["bytes=100-", "bytes=100-200", "bytes=-0"] {
            assert_eq!(requested_bytes(&[("Range", beyond)]), None, "{beyond}");
        }
        let twice = [("Range", "bytes=0-1"), ("Range", "bytes=2-3")];
        assert_eq!(requested_bytes(&twice), Some(RequestedBytes::Whole));
        let of_head = TestRequest::default().method(Method::HEAD);
        let of_head = of_head.insert_header(("Range", "bytes=0-1")).to_http_request();
        assert_eq!(head().requested_bytes(&of_head).ok(), Some(RequestedBytes::Whole));
    }

    #[test]
    fn a_file_that_the_client_has_is_not_sent_again() {
        let weak = format!("W/{TAG}");
        let among = format!("\"a\", {TAG}");
        for tags in [TAG, "*", &weak, &among] {
            let headers = [("If-None-Match", tags), ("Range", "bytes=0-1")];
            assert_eq!(requested_bytes(&headers), Some(RequestedBytes::Nothing), "{tags}");
        }
        for tags in ["\"a\"", "W/\"a\", \"b\""] {
            assert_eq!(
                requested_bytes(&[("If-None-Match", tags)]),
                Some(RequestedBytes::Whole),
                "{tags}"
            );
        }
        for malformed in ["", "a", TAG.trim_matches('"')] {
            assert_eq!(requested_bytes(&[("If-None-Match", malformed)]), None, "{malformed}");
        }
        assert_eq!(requested_bytes(&[("If-Match", TAG)]), Some(RequestedBytes::Whole));
        assert_eq!(requested_bytes(&[("If-Match", "\"a\"")]), None);
    }

    #[test]
    fn a_client_goes_on_with_the_same_file_only() {
        let weak = format!("W/{TAG}");
        for (condition, expected) in [
            (TAG, RequestedBytes::Part(5..100)),
            (&weak, RequestedBytes::Whole),
            ("\"a\"", RequestedBytes::Whole),
            ("Sun, 22 Nov 2026 03:00:00 GMT", RequestedBytes::Whole),
            ("x", RequestedBytes::Whole),
        ] {
            let headers = [("Range", "bytes=5-"), ("If-Range", condition)];
            assert_eq!(requested_bytes(&headers), Some(expected), "{condition}");
        }
        assert_eq!(requested_bytes(&[("If-Range", TAG)]), Some(RequestedBytes::Whole));
    }

    /// So many bytes, ten at a time.
    struct Tens(u64);

    #[async_trait]
    impl BlobReader for Tens {
        async fn next(&mut self) -> Result<Option<Vec<u8>>, BlobError> {
            let size = self.0.min(10);
            self.0 -= size;
            Ok((size > 0).then(|| vec![b'x'; usize::try_from(size).unwrap()]))
        }
    }

    async fn answered(range: &str, bytes: u64) -> HttpResponse {
        let request = TestRequest::get().insert_header(("Range", range)).to_http_request();
        let read = async |_: Range<u64>| Ok(Box::new(Tens(bytes)) as Box<dyn BlobReader>);
        File::answer(&head(), &RequestHead::of(request), read).await.ok().unwrap().0
    }

    #[actix_web::test]
    async fn a_part_is_described_and_sent() {
        let answer = answered("bytes=10-34", 25).await;
        let value_of =
            |name: &str| answer.headers().get(name).unwrap().to_str().unwrap().to_owned();
        assert_eq!(answer.status(), 206);
        assert_eq!(value_of("content-range"), "bytes 10-34/100");
        assert_eq!(value_of("content-type"), "application/pdf");
        assert_eq!(value_of("etag"), TAG);
        assert_eq!(value_of("accept-ranges"), "bytes");
        let disposition = "attachment; filename*=UTF-8''%C3%9Cbung%20%221%22%3B%20a%3Db%20%281%29%20%5B2%5D.pdf; \
                           filename=\"_bung _1__ a_b (1) [2].pdf\"";
        assert_eq!(value_of("content-disposition"), disposition);
        assert_eq!(to_bytes(answer.into_body()).await.unwrap(), [b'x'; 25].as_slice());
    }

    #[actix_web::test]
    async fn a_head_is_answered_without_the_file() {
        let read = async |_: Range<u64>| -> Result<Box<dyn BlobReader>, DomainError> {
            Err(BlobError::Failed("nobody needs it".to_owned()).into())
        };
        for (method, status) in [(Method::HEAD, Some(200)), (Method::GET, None)] {
            let request = TestRequest::default().method(method).to_http_request();
            let answer = File::answer(&head(), &RequestHead::of(request), read).await;
            let answer = answer.ok().map(|answer| answer.0);
            assert_eq!(answer.as_ref().map(|answer| answer.status().as_u16()), status);
            if let Some(answer) = answer {
                assert_eq!(answer.body().size(), BodySize::Sized(100));
                assert_eq!(answer.headers().get("etag").unwrap(), TAG);
            }
        }
    }

    #[actix_web::test]
    async fn a_file_that_is_too_short_breaks_off() {
        let answer = answered("bytes=0-24", 20).await;
        assert!(to_bytes(answer.into_body()).await.is_err());
    }
}
