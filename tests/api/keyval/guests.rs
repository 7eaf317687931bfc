//! `guestId` of the entries of a bot: that of the bot's user whose `_id` is the entry's userId.

use botyard_tests::{Tenant, each_database};
use domain::id::BotId;
use domain::input::{Input as _, InputSettings};
use domain::user::CreateUser;
use serde_json::{Value, json};

use super::{each_level, rel};

const ENTRIES: &str = "/api/external/keyval";

/// A user of a bot, by the `_id`.
#[track_caller]
fn new_user(tenant: &Tenant<'_>, bot: BotId, guest_id: &str) -> String {
    let body = json!({"guestId": guest_id}).to_string();
    let body = CreateUser::parse(body.as_bytes(), &InputSettings::default()).expect("a user");
    let app = tenant.app();
    let made = app.block_on(app.botyard().users.create(&tenant.bot_claim(bot), body));
    made.expect("a user").id.to_string()
}

each_database! {
    fn an_entry_of_a_user_names_the_guest(app: &TestApp) {
        let tenant = app.tenant();
        let client = tenant.as_bot(tenant.bot());
        let guest_id = tenant.text("guest / 1 ä");
        let user = new_user(&tenant, tenant.bot(), &guest_id);
        let others = new_user(&tenant, tenant.new_bot("other"), &tenant.text("other"));
        let upper = user.to_uppercase();
        for (user_id, expected) in [
            (user.as_str(), json!(guest_id)),
            (&guest_id, Value::Null),
            ("nobody", Value::Null),
            // What is called like the user of another bot has nothing to do with that.
            (&others, Value::Null),
            (&upper, Value::Null),
        ] {
            let rel = rel((user_id, "t", "k"));
            let path = format!("{ENTRIES}{rel}");
            let written = client.put(&path, &json!({"value": 1})).ok();
            assert_eq!(written.get("guestId"), None, "{user_id}");
            assert_eq!(client.get(&path).ok()["guestId"], expected, "{user_id}");
            let listed = client.get(ENTRIES).items();
            let entry = listed.iter().find(|entry| entry["userId"] == user_id).expect("the entry");
            assert_eq!(entry.get("guestId"), Some(&expected), "{user_id}");
        }
        for query in ["?limit=1000", "?key=k", "?keyPrefix=k", "?type=t"] {
            let listed = client.get(&format!("{ENTRIES}{query}")).items();
            let named = listed.iter().filter(|entry| entry["guestId"] == guest_id.as_str());
            assert_eq!((named.count(), listed.len()), (1, 5), "{query}");
        }
        assert_eq!(client.get(&format!("{ENTRIES}/{user}")).items()[0]["guestId"], guest_id);
    }

    fn entries_of_a_project_name_no_guest(app: &TestApp) {
        let tenant = app.tenant();
        let client = tenant.as_project();
        let user = new_user(&tenant, tenant.bot(), &tenant.text("guest"));
        let base = "/api/external/projectapi/keyval";
        let path = format!("{base}/{user}/t/k");
        let written = client.put(&path, &json!({"value": 1})).ok();
        let listed = client.get(base).items();
        for entry in [&written, &client.get(&path).ok(), &listed[0]] {
            assert_eq!(entry.get("guestId"), None, "{entry}");
        }
    }
}

each_level! {
    fn entries_go_by_their_user_id_and_by_no_guest_id(on: &OnKeyval) {
        let guest_id = on.tenant.text("guest");
        let user = new_user(&on.tenant, on.tenant.bot(), &guest_id);
        on.store_all([(&*user, "t", "k")]);
        on.get(&rel((&guest_id, "t", "k"))).problem(404, "keyval_entry_not_found");
        let rest = format!("/{}", super::encoded(&guest_id));
        assert_eq!(on.get(&rest).items(), Vec::<Value>::new());
        assert_eq!(on.delete(&rest).ok(), json!({"deleted": 0}));
        assert_eq!(on.list().len(), 1);
    }
}
