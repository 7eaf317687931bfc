//! `GET /api/external/supervisor/chats/{userId}`

use botyard_tests::{Response, each_database};
use serde_json::json;

use super::{CHATS, Supervised};
use crate::skills::NEVER;

/// Sends a path as it stands, past any client that would tidy it up.
#[track_caller]
fn raw(on: &Supervised<'_>, address: &str) -> Response {
    on.client.connect().exchange("GET", &format!("{CHATS}/{address}"), &[], b"")
}

each_database! {
    fn one_chat_is_as_the_list_shows_it(app: &TestApp) {
        let on = Supervised::new(app);
        let [a, b] = ["a", "b"].map(|guest_id| on.user(guest_id));
        on.says(a, [1, 3]);
        on.says(b, [2]);
        let chats = on.chats();
        assert_eq!([on.chat(a).ok(), on.chat(b).ok()], chats[..]);
        let path = format!("{CHATS}/{}", a.to_string().replace('-', "%2D"));
        assert_eq!(on.client.get(&path).ok(), chats[0]);
    }

    fn a_user_without_a_chat_has_no_items(app: &TestApp) {
        let on = Supervised::new(app);
        let user = on.user("silent");
        let guest_id = on.tenant.text("silent");
        let expected = json!({
            "userId": user.to_string(),
            "guestId": guest_id,
            "lastAt": null,
            "items": [],
        });
        assert_eq!(on.chat(user).ok(), expected);
    }

    fn what_is_no_user_of_the_bot_is_not_found(app: &TestApp) {
        let on = Supervised::new(app);
        let user = on.user("g");
        on.says(user, [1]);
        let other = on.tenant.new_bot("other");
        let of_other = on.tenant.new_user(other, "of another bot");
        let sibling = on.tenant.sibling();
        let of_sibling = sibling.new_user(sibling.bot(), "of another project");
        let id = user.to_string();
        let odd = [
            of_other.to_string(),
            of_sibling.to_string(),
            NEVER.to_owned(),
            on.bot().to_string(),
            "g".to_owned(),
            "%20".to_owned(),
            "%00".to_owned(),
            "%2F".to_owned(),
            "..%2F..".to_owned(),
            id.to_uppercase(),
            id.replace('-', ""),
            format!("{id}%20"),
            format!("{id}'%20OR%20'1'='1"),
            "a".repeat(4_096),
        ];
        for address in odd {
            raw(&on, &address).problem(404, "user_not_found");
        }
        for address in ["", "/", &format!("{id}/"), &format!("{id}/items")] {
            raw(&on, address).problem(404, "unknown_path");
        }
    }

    fn one_chat_has_no_pages(app: &TestApp) {
        let on = Supervised::new(app);
        let user = on.user("g");
        for address in [user.to_string(), NEVER.to_owned()] {
            let answer = on.client.get(&format!("{CHATS}/{address}?limit=1&cursor=x"));
            answer.has_violations(&[("/limit", "bad_query"), ("/cursor", "bad_query")]);
        }
    }
}
