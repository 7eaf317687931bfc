//! Pages of a list: what a request asks for, and where the next one is.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::clock::{TimeCursor, Timestamp};
use domain::document::ChunkPosition;
use domain::id::{
    BotId, ChangelogEntryId, DeliveryId, ExtractionId, FeedbackId, HistoryItemId, MaxAgeRuleId,
    UserId, WebhookId,
};

use super::request_head::RequestHead;
use crate::pipeline::query::{Query, QueryParams};

/// The largest page that a client can ask for.
const PAGE_MAX: u32 = 1_000;

/// The key by which a list goes on: what stands in `cursor`.
pub trait Cursor: Sized + Clone + 'static {
    /// The cursor that goes on after this key.
    fn encode(&self) -> String;

    /// Reads a cursor that [`Cursor::encode`] wrote.
    fn decode(text: &str) -> Option<Self>;
}

macro_rules! id_cursors {
    ($($id:ty)+) => {$(
        impl Cursor for $id {
            fn encode(&self) -> String {
                self.to_string()
            }

            fn decode(text: &str) -> Option<Self> {
                Self::parse(text)
            }
        }
    )+};
}

id_cursors! {
    BotId ChangelogEntryId DeliveryId FeedbackId HistoryItemId MaxAgeRuleId UserId WebhookId
}

/// The position of an item in its list.
impl Cursor for u32 {
    fn encode(&self) -> String {
        self.to_string()
    }

    fn decode(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

impl Cursor for ChunkPosition {
    fn encode(&self) -> String {
        format!("{}.{}", self.index, self.extraction_id)
    }

    fn decode(text: &str) -> Option<Self> {
        let (index, id) = text.split_once('.')?;
        Some(Self { index: index.parse().ok()?, extraction_id: ExtractionId::parse(id)? })
    }
}

impl<I: Cursor> Cursor for TimeCursor<I> {
    fn encode(&self) -> String {
        format!("{}.{}", self.at.millis(), self.id.encode())
    }

    fn decode(text: &str) -> Option<Self> {
        let (millis, id) = text.split_once('.')?;
        let at = Timestamp::from_millis(millis.parse().ok()?);
        Some(Self { at, id: I::decode(id)? })
    }
}

/// Makes a cursor of texts, none of which has U+0000 in it: that is what joins them.
pub fn join_texts<const N: usize>(texts: [&str; N]) -> String {
    URL_SAFE_NO_PAD.encode(texts.join("\0"))
}

/// The texts of a cursor that [`join_texts`] made of as many.
pub fn split_texts<const N: usize>(cursor: &str) -> Option<[String; N]> {
    let joined = String::from_utf8(URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()?;
    joined.split('\0').map(str::to_owned).collect::<Vec<_>>().try_into().ok()
}

/// The query parameters of a list.
#[derive(Debug, Clone)]
pub struct Paging<K> {
    /// How many items a page has at most; `None` for the whole list.
    pub(super) limit: Option<u32>,
    /// Where it goes on.
    pub(super) cursor: Option<K>,
}

impl<K: Cursor> Query for Paging<K> {
    fn read(params: &mut QueryParams) -> Self {
        Self::read_if(params, |_| true)
    }
}

impl<K: Cursor> Paging<K> {
    /// The same for a list that not every cursor belongs to.
    pub fn read_if(params: &mut QueryParams, is_of_list: impl FnOnce(&K) -> bool) -> Self {
        let decode = |text: &str| K::decode(text).filter(is_of_list);
        let (limit, cursor) = limit_and_cursor(params, decode);
        Self { limit, cursor }
    }
}

/// Reads how many items a page has, and where it goes on.
pub(super) fn limit_and_cursor<K>(
    params: &mut QueryParams,
    decode: impl FnOnce(&str) -> Option<K>,
) -> (Option<u32>, Option<K>) {
    let limit = params.integer(
        LIMIT,
        (1, PAGE_MAX),
        "Answers a page of at most so many items; `Link` leads to the next one.",
    );
    let text = params.text("cursor", "Goes on where a page ended, as its `Link` says.");
    let cursor = text.as_deref().map(decode);
    if cursor.as_ref().is_some_and(Option::is_none) {
        params.violation("cursor", "is not a cursor of this list");
    }
    (limit, cursor.flatten())
}

/// The parameter that asks for a page of a list.
pub const LIMIT: &str = "limit";

/// The parameter that goes on where a page of a list ended.
pub(super) const CURSOR: &str = "cursor";

/// The link to the next page: this request again, with another cursor in its parameter `name`.
pub(super) fn next_link(at: &RequestHead, name: &str, cursor: &str) -> String {
    let cursor = format!("{name}={}", percent_encoding::utf8_percent_encode(cursor, UNRESERVED));
    let others = at.query().split('&').filter(|pair| !pair.is_empty() && !is_called(pair, name));
    let query: Vec<&str> = others.chain([cursor.as_str()]).collect();
    format!("<{}?{}>; rel=\"next\"", at.path(), query.join("&"))
}

/// Whether this is the parameter with this name, however that is escaped.
fn is_called(pair: &str, name: &str) -> bool {
    let found = pair.split_once('=').map_or(pair, |(name, _)| name);
    percent_encoding::percent_decode_str(found).eq(name.bytes())
}

/// Leaves only what is unreserved (RFC 3986, section 2.3) as it is.
pub(super) const UNRESERVED: &percent_encoding::AsciiSet =
    &percent_encoding::NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn a_moment_reads_back_as_it_was_written() {
        let id = UserId::parse("01890a5d-ac96-774b-bcce-b302099a8057").unwrap();
        for millis in [0, -1, 1_769_860_800_007, i64::MAX, i64::MIN] {
            let cursor = TimeCursor { at: Timestamp::from_millis(millis), id };
            assert_eq!(TimeCursor::decode(&cursor.encode()), Some(cursor));
        }
        let cursor = TimeCursor { at: Timestamp::from_millis(7), id };
        assert_eq!(cursor.encode(), "7.01890a5d-ac96-774b-bcce-b302099a8057");
        for bad in ["", ".", "7", "7.", "x.01890a5d-ac96-774b-bcce-b302099a8057", "7.7.7"] {
            assert_eq!(TimeCursor::<UserId>::decode(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_position_among_chunks_reads_back_as_it_was_written() {
        let extraction_id = ExtractionId::parse("01890a5d-ac96-774b-bcce-b302099a8057").unwrap();
        let position = ChunkPosition { extraction_id, index: 7 };
        assert_eq!(position.encode(), "7.01890a5d-ac96-774b-bcce-b302099a8057");
        assert_eq!(ChunkPosition::decode(&position.encode()), Some(position));
        for bad in ["", "7", "-1.01890a5d-ac96-774b-bcce-b302099a8057", "7.7"] {
            assert_eq!(ChunkPosition::decode(bad), None, "{bad}");
        }
    }

    #[test]
    fn the_link_replaces_the_cursor_however_it_is_written() {
        for (query, expected) in [
            ("limit=1", "limit=1&cursor=a%2Fb"),
            ("limit=1&cursor=x", "limit=1&cursor=a%2Fb"),
            ("cur%73or=x&limit=1", "limit=1&cursor=a%2Fb"),
            ("%63ursor&&l%69mit=1&cursors=2", "l%69mit=1&cursors=2&cursor=a%2Fb"),
        ] {
            let request = TestRequest::with_uri(&format!("/list?{query}")).to_http_request();
            let link = next_link(&RequestHead::of(request), CURSOR, "a/b");
            assert_eq!(link, format!("</list?{expected}>; rel=\"next\""));
        }
    }
}
