//! The bodies of the user operations.

use serde::Serialize;

use super::GUEST_ID_MAX;
use crate::free_fields::FreeFieldsPatch;
use crate::id::UserId;
use crate::input::{Field, Fields, Input};
use crate::violation::ViolationCode;

/// How many users one request deletes at most.
pub const USER_IDS_MAX: usize = 1_000;

/// What only the service sets.
const RESERVED: [&str; 6] = ["_id", "userId", "botId", "stats", "createdAt", "updatedAt"];
/// The same for an update, which has its user's address beside that.
const RESERVED_ON_UPDATE: [&str; 4] = ["botId", "stats", "createdAt", "updatedAt"];

/// A new user. A missing guestId is no violation, but a reason to refuse the user.
#[derive(Debug, Clone, Serialize)]
pub struct CreateUser {
    /// `guestId`: at most 256 bytes; may be empty.
    #[serde(rename = "guestId")]
    pub guest_id: Option<String>,
    /// All other members.
    #[serde(flatten)]
    pub fields: FreeFieldsPatch,
}

impl Input for CreateUser {
    fn read(fields: &mut Fields<'_>) -> Self {
        let guest_id = fields.optional(guest_id());
        Self { guest_id, fields: fields.free(&RESERVED) }
    }
}

/// A partial update of the user whom `_id` or `userId` names.
#[derive(Debug, Clone, Serialize)]
pub struct UpdateUser {
    /// The user, who need not exist. `None` if the body has neither.
    #[serde(rename = "userId", skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// `guestId`, if it changes: at most 256 bytes; may be empty.
    #[serde(rename = "guestId", skip_serializing_if = "Option::is_none")]
    pub guest_id: Option<String>,
    /// All other members.
    #[serde(flatten)]
    pub fields: FreeFieldsPatch,
}

impl Input for UpdateUser {
    fn read(fields: &mut Fields<'_>) -> Self {
        let own_id = fields.optional::<String>(Field::new("_id").description(BY_ID));
        let user_id = fields.optional::<String>(Field::new("userId").description(BY_ID));
        if let (Some(one), Some(other)) = (&own_id, &user_id)
            && one != other
        {
            let what = "names another user than `_id`";
            fields.violation("userId", ViolationCode::Contradiction, what);
        }
        fields.some_field();
        let guest_id = fields.not_null(guest_id());
        Self { user_id: own_id.or(user_id), guest_id, fields: fields.free(&RESERVED_ON_UPDATE) }
    }
}

/// What an update says of its user's address.
const BY_ID: &str = "The `_id` of the user; it stands in `_id` or in `userId`, or in both.";

/// Users to delete.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DeleteUsers {
    /// `userIds`, at most [`USER_IDS_MAX`], each once; those that can't be anybody's left out.
    pub user_ids: Vec<UserId>,
}

impl Input for DeleteUsers {
    fn read(fields: &mut Fields<'_>) -> Self {
        let user_ids = Field::<Vec<String>>::new("userIds").some_items(USER_IDS_MAX);
        let description = "The `_id`s of the users. Those that name nobody are skipped.";
        let given = fields.required(user_ids.description(description));
        let given = given.unwrap_or_default();
        let mut user_ids: Vec<_> = given.iter().filter_map(|id| UserId::parse(id)).collect();
        user_ids.sort_unstable();
        user_ids.dedup();
        Self { user_ids }
    }
}

/// The user whose numbers go back to 0.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResetStats {
    /// `userId`; the user need not exist.
    pub user_id: String,
}

impl Input for ResetStats {
    fn read(fields: &mut Fields<'_>) -> Self {
        let user_id = Field::new("userId").description("The `_id` of the user.");
        Self { user_id: fields.required(user_id).unwrap_or_default() }
    }
}

/// A guestId is bounded in bytes.
fn guest_id() -> Field<String> {
    let guest_id = Field::new("guestId").documented_bytes(0, GUEST_ID_MAX);
    let description = "What the chat runtime calls the user; no other user of the bot has the same, \
                   and no user has none.";
    guest_id.description(description).check(|guest_id, check| {
        if guest_id.len() > GUEST_ID_MAX {
            let what = format_args!("must have at most {GUEST_ID_MAX} bytes");
            check.violation(ViolationCode::TooLong, what);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::InputSettings;
    use crate::violation::{Violations, codes};

    const ID: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

    fn refused<T: Input + std::fmt::Debug>(body: &str) -> Violations {
        T::parse(body.as_bytes(), &InputSettings::default()).unwrap_err()
    }

    fn read<T: Input + std::fmt::Debug>(body: &str) -> T {
        T::parse(body.as_bytes(), &InputSettings::default()).unwrap().into_inner()
    }

    #[test]
    fn a_missing_guest_id_is_no_violation_of_a_new_user() {
        for (body, guest_id) in [
            ("{}", None),
            (r#"{"guestId":null}"#, None),
            (r#"{"guestId":""}"#, Some("")),
            (r#"{"guestId":" g "}"#, Some(" g ")),
        ] {
            assert_eq!(read::<CreateUser>(body).guest_id.as_deref(), guest_id, "{body}");
        }
        let longest = format!(r#"{{"guestId":"{}"}}"#, "ä".repeat(128));
        assert!(read::<CreateUser>(&longest).guest_id.is_some());
        for (guest_id, code) in [
            ("1", "wrong_type"),
            ("[]", "wrong_type"),
            (r#""a\u0000""#, "bad_character"),
            (&format!("\"a{}\"", "ä".repeat(128)), "too_long"),
        ] {
            let body = format!(r#"{{"guestId":{guest_id}}}"#);
            assert_eq!(codes(&refused::<CreateUser>(&body)), [("/guestId", code)], "{body}");
        }
    }

    #[test]
    fn all_other_members_are_free_but_for_those_of_the_service() {
        let user: CreateUser = read(r#"{"b":1.10,"guestId":"g","a":null,"name":"x"}"#);
        let names: Vec<_> = user.fields.0.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["b", "a", "name"]);
        assert_eq!(user.fields.0[0].1.as_ref().unwrap().as_str(), "1.10");
        assert_eq!(user.fields.0[1].1, None);
        let body = r#"{"_id":1,"userId":1,"botId":1,"stats":null,"createdAt":1,"updatedAt":1,"guestId":1}"#;
        let violations = refused::<CreateUser>(body);
        let expected = [
            ("/guestId", "wrong_type"),
            ("/_id", "reserved_field"),
            ("/userId", "reserved_field"),
            ("/botId", "reserved_field"),
            ("/stats", "reserved_field"),
            ("/createdAt", "reserved_field"),
            ("/updatedAt", "reserved_field"),
        ];
        assert_eq!(codes(&violations), expected);
        let violations =
            refused::<UpdateUser>(&format!(r#"{{"_id":"{ID}","stats":{{}},"botId":1}}"#));
        assert_eq!(
            codes(&violations),
            [("/stats", "reserved_field"), ("/botId", "reserved_field")]
        );
    }

    #[test]
    fn an_update_names_its_user_one_way_or_the_other() {
        for (body, user_id) in [
            (r#"{"_id":"a","x":1}"#, Some("a")),
            (r#"{"userId":"a","x":1}"#, Some("a")),
            (r#"{"userId":"a","_id":"a","x":1}"#, Some("a")),
            (r#"{"userId":null,"_id":"a","x":1}"#, Some("a")),
            (r#"{"x":1}"#, None),
        ] {
            assert_eq!(read::<UpdateUser>(body).user_id.as_deref(), user_id, "{body}");
        }
        for (body, violation) in [
            (r#"{"_id":"a","userId":"b","x":1}"#, ("/userId", "contradiction")),
            (r#"{"_id":1,"x":1}"#, ("/_id", "wrong_type")),
            (r#"{"userId":[],"x":1}"#, ("/userId", "wrong_type")),
            (r#"{"_id":"a","userId":"a"}"#, ("", "no_fields")),
            ("{}", ("", "no_fields")),
            (r#"{"_id":"a","guestId":null}"#, ("/guestId", "null")),
        ] {
            assert_eq!(codes(&refused::<UpdateUser>(body)), [violation], "{body}");
        }
        let nothing_of_itself: UpdateUser = read(r#"{"_id":"a","x":null}"#);
        assert_eq!(nothing_of_itself.fields.0, [("x".to_owned(), None)]);
    }

    #[test]
    fn a_delete_names_1_to_1000_users_each_once() {
        let body =
            |ids: &[String]| format!(r#"{{"userIds":{}}}"#, serde_json::to_string(ids).unwrap());
        let (nobody, twice) = ("nobody".to_owned(), ID.to_owned());
        let users: DeleteUsers = read(&body(&[twice.clone(), nobody.clone(), twice]));
        assert_eq!(users.user_ids, [UserId::parse(ID).unwrap()]);
        assert!(read::<DeleteUsers>(&body(&vec![nobody.clone(); 1_000])).user_ids.is_empty());
        for (body, violation) in [
            (body(&vec![nobody; 1_001]), ("/userIds", "too_many_items")),
            (body(&[]), ("/userIds", "too_short")),
            ("{}".to_owned(), ("/userIds", "missing_field")),
            (r#"{"userIds":null}"#.to_owned(), ("/userIds", "missing_field")),
            (r#"{"userIds":"a"}"#.to_owned(), ("/userIds", "wrong_type")),
            (r#"{"userIds":["a",1]}"#.to_owned(), ("/userIds/1", "wrong_type")),
        ] {
            assert_eq!(codes(&refused::<DeleteUsers>(&body)), [violation], "{body:.80}");
        }
    }

    #[test]
    fn a_reset_names_its_user() {
        assert_eq!(read::<ResetStats>(r#"{"userId":"a"}"#).user_id, "a");
        for (body, violation) in [
            ("{}", ("/userId", "missing_field")),
            (r#"{"userId":null}"#, ("/userId", "missing_field")),
            (r#"{"userId":1}"#, ("/userId", "wrong_type")),
            (r#"{"userId":"a","x":1}"#, ("/x", "unknown_field")),
        ] {
            assert_eq!(codes(&refused::<ResetStats>(body)), [violation], "{body}");
        }
    }
}
