//! Columns that hold a type of the domain. How such a type is kept is decided here, once: a row has the column
//! that [`Stored`] names for it.
//!
//! What a column holds and must not is an error that names the column.

use std::error::Error;
use std::fmt::Debug;

use diesel::backend::Backend;
use diesel::deserialize::{self, FromSql, FromSqlRow};
use diesel::expression::AsExpression;
#[cfg(feature = "postgres")]
use diesel::pg::Pg;
#[cfg(feature = "sqlite")]
use diesel::serialize::IsNull;
use diesel::serialize::{self, Output, ToSql};
use diesel::sql_types::{BigInt, Text};
#[cfg(feature = "sqlite")]
use diesel::sqlite::Sqlite;
use domain::blob::{BlobKind, BlobState, Sha256};
use domain::clock::Timestamp;
use domain::crawl::{CrawlError, CrawlStatus, CrawlUrl};
use domain::encryption::EncryptionKeyId;
use domain::feedback::Rating;
use domain::free_fields::FreeFields;
use domain::history::{HistoryKind, Role};
use domain::id::{
    AuditEntryId, BlobId, BotDocumentId, BotId, ChangelogEntryId, ChunkId, ConfigId, CrawlId,
    DeliveryId, DocumentId, EventId, ExtractionId, FeedbackId, FusionViewId, HistoryItemId,
    IdempotentRequestId, InstallationId, JobId, KeyvalEntryId, MaxAgeRuleId, OrganisationId,
    PageId, PageSetId, ProjectId, SkillId, StageId, TokenId, UsageStatisticId, UserId,
    VisualBlockId, WebhookId,
};
use domain::input::Choice;
use domain::job::{JobKind, JobState};
use domain::json::{Json, JsonObject};
use domain::max_age::KeyPattern;
use domain::skill::AnswerMode;
use domain::usage::{Day, UsageKind};
use serde::Serialize;
use serde::de::DeserializeOwned;

pub(crate) use crate::sql::id::IdColumn;

/// A type of the domain that has columns.
pub(crate) trait Stored: Sized {
    /// What it is in a row.
    type Column;

    /// The column of a value.
    fn to_column(&self) -> Self::Column;

    /// The value in a column.
    fn from_column(column: Self::Column) -> Self;

    /// How many bytes it takes in its column, if it is of those that can be long.
    fn column_size(&self) -> usize {
        0
    }
}

/// A point in time, as milliseconds since 1970.
#[derive(Debug, Clone, Copy, AsExpression, FromSqlRow)]
#[diesel(sql_type = BigInt)]
pub(crate) struct TimeColumn(i64);

/// A number of things.
#[derive(Debug, Clone, Copy, AsExpression, FromSqlRow)]
#[diesel(sql_type = BigInt)]
pub(crate) struct CountColumn<N>(N);

/// A word of an enumeration.
#[derive(Debug, Clone, AsExpression, FromSqlRow)]
#[diesel(sql_type = Text)]
pub(crate) struct WordColumn<W>(W);

/// A value that has a text of its own, such as a hash or a day.
#[derive(Debug, Clone, AsExpression, FromSqlRow)]
#[diesel(sql_type = Text)]
pub(crate) struct TextColumn<T>(T);

/// The address of a page.
#[derive(Debug, Clone, AsExpression, FromSqlRow)]
#[diesel(sql_type = Text)]
pub(crate) struct UrlColumn(CrawlUrl);

/// A value as JSON text.
#[derive(Debug, Clone, AsExpression, FromSqlRow)]
#[diesel(sql_type = Text)]
pub(crate) struct JsonColumn<T>(T);

/// Reads and writes a column as a type that both databases know.
macro_rules! kept_as {
    (
        impl [$($T:ident: $bound:path)?] $Column:ty as $Raw:ty, $Sql:ty;
        write $write:expr;
        read $read:expr;
    ) => {
        impl<DB: Backend, $($T: $bound)?> FromSql<$Sql, DB> for $Column
        where
            $Raw: FromSql<$Sql, DB>,
        {
            fn from_sql(raw: DB::RawValue<'_>) -> deserialize::Result<Self> {
                let read: fn($Raw) -> deserialize::Result<Self> = $read;
                read(<$Raw>::from_sql(raw)?)
            }
        }

        #[cfg(feature = "sqlite")]
        impl<$($T: $bound + Debug)?> ToSql<$Sql, Sqlite> for $Column {
            fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
                let write: fn(&Self) -> Result<$Raw, Box<dyn Error + Send + Sync>> = $write;
                out.set_value(write(self)?);
                Ok(IsNull::No)
            }
        }

        #[cfg(feature = "postgres")]
        impl<$($T: $bound + Debug)?> ToSql<$Sql, Pg> for $Column {
            fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
                let write: fn(&Self) -> Result<$Raw, Box<dyn Error + Send + Sync>> = $write;
                ToSql::<$Sql, Pg>::to_sql(&write(self)?, &mut out.reborrow())
            }
        }
    };
}

kept_as! {
    impl [] TimeColumn as i64, BigInt;
    write |column| Ok(column.0);
    read |millis| Ok(Self(millis));
}

kept_as! {
    impl [N: Count] CountColumn<N> as i64, BigInt;
    write |column| Ok(column.0.try_into().map_err(|_| "the number is too large to be stored")?);
    read |number| N::try_from(number).map(Self).map_err(|_| "the number is none that was stored".into());
}

kept_as! {
    impl [W: Choice] WordColumn<W> as String, Text;
    write |column| Ok(column.0.as_str().to_owned());
    read |word| W::parse(&word).map(Self).ok_or_else(|| "the word is not known".into());
}

kept_as! {
    impl [T: StoredAsText] TextColumn<T> as String, Text;
    write |column| Ok(column.0.to_text());
    read |text| T::from_text(&text).map(Self).ok_or_else(|| "it is none that was stored".into());
}

kept_as! {
    impl [] UrlColumn as String, Text;
    write |column| Ok(column.0.as_str().to_owned());
    read |text| CrawlUrl::stored(&text).map(Self).ok_or_else(|| "it is no address".into());
}

kept_as! {
    impl [T: StoredAsJson] JsonColumn<T> as String, Text;
    write |column| Ok(serde_json::to_string(&column.0)?);
    read |text| Ok(Self(serde_json::from_str(&text)?));
}

/// What is kept as a number of things.
pub(crate) trait Count: Copy + TryFrom<i64> + TryInto<i64> {}

impl<N: Copy + TryFrom<i64> + TryInto<i64>> Count for N {}

/// What is kept as a text of its own.
pub(crate) trait StoredAsText: Sized {
    /// The text.
    fn to_text(&self) -> String;

    /// The value of a text, if it is one.
    fn from_text(text: &str) -> Option<Self>;
}

/// What is kept as JSON.
pub(crate) trait StoredAsJson: Serialize + DeserializeOwned {}

/// Says which column types of the domain have.
macro_rules! stored {
    ($($T:ty: $Column:ty = $to:expr, $from:expr $(, size $size:expr)?;)+) => {$(
        impl Stored for $T {
            type Column = $Column;

            fn to_column(&self) -> Self::Column {
                let to: fn(&Self) -> $Column = $to;
                to(self)
            }

            fn from_column(column: Self::Column) -> Self {
                let from: fn($Column) -> Self = $from;
                from(column)
            }

            $(fn column_size(&self) -> usize {
                let size: fn(&Self) -> usize = $size;
                size(self)
            })?
        }
    )+};
    (ids $($Id:ty)+) => { stored! {
        $($Id: IdColumn = |id| IdColumn(id.uuid()), |column| Self::from_uuid(column.0);)+
    } };
    (counts $($Count:ty)+) => { stored! {
        $($Count: CountColumn<Self> = |count| CountColumn(*count), |column| column.0;)+
    } };
    (words $($Word:ty)+) => { stored! {
        $($Word: WordColumn<Self> = |word| WordColumn(*word), |column| column.0;)+
    } };
    (texts $($Text:ty = $to:expr, $from:expr;)+) => {
        $(impl StoredAsText for $Text {
            fn to_text(&self) -> String {
                let to: fn(&Self) -> String = $to;
                to(self)
            }

            fn from_text(text: &str) -> Option<Self> {
                let from: fn(&str) -> Option<Self> = $from;
                from(text)
            }
        })+

        stored! {
            $($Text: TextColumn<Self> = |value| TextColumn(value.clone()), |column| column.0;)+
        }
    };
    (json $($Json:ty)+) => {
        $(impl StoredAsJson for $Json {})+

        stored! {
            $(
                $Json: JsonColumn<Self> =
                    |value| JsonColumn(value.clone()), |column| column.0, size json_size;
            )+
        }
    };
}

stored! {
    String: Self = Self::clone, |column| column, size |text| text.len();
    bool: Self = |switch| *switch, |column| column;
    f64: Self = |number| *number, |column| column;
    CrawlUrl: UrlColumn = |url| UrlColumn(url.clone()), |column| column.0;
    Timestamp: TimeColumn = |time| TimeColumn(time.millis()), |column| Self::from_millis(column.0);
}

stored! {
    ids InstallationId AuditEntryId BlobId BotDocumentId BotId ChangelogEntryId ChunkId ConfigId CrawlId DeliveryId DocumentId EventId ExtractionId FeedbackId FusionViewId
        HistoryItemId JobId IdempotentRequestId KeyvalEntryId MaxAgeRuleId OrganisationId PageId PageSetId ProjectId SkillId StageId
        TokenId UsageStatisticId UserId VisualBlockId WebhookId
}

stored! { counts u8 u32 u64 }

stored! {
    words AnswerMode BlobKind BlobState CrawlError CrawlStatus HistoryKind JobState Rating Role UsageKind
}

stored! {
    texts
    Day = Day::to_string, Day::parse;
    EncryptionKeyId = EncryptionKeyId::to_string, EncryptionKeyId::parse;
    JobKind = |kind| kind.as_str().to_owned(), |kind| Some(JobKind::from_row(kind.to_owned()));
    Json = |json| json.as_str().to_owned(), Json::parse_text;
    KeyPattern = |pattern| pattern.as_str().to_owned(), KeyPattern::parse;
    Sha256 = Sha256::to_string, Sha256::parse;
}

stored! { json FreeFields Vec<String> Vec<JsonObject> }

impl<T: Stored> Stored for Option<T> {
    type Column = Option<T::Column>;

    fn to_column(&self) -> Self::Column {
        self.as_ref().map(T::to_column)
    }

    fn from_column(column: Self::Column) -> Self {
        column.map(T::from_column)
    }

    fn column_size(&self) -> usize {
        self.as_ref().map_or(0, T::column_size)
    }
}

fn json_size(value: &impl Serialize) -> usize {
    // What can't be written is refused by the column itself.
    serde_json::to_vec(value).map_or(0, |json| json.len())
}
