//! More than fits into one answer of the database.

use botyard_tests::each_database;
use serde_json::json;

use super::{CHATS, Supervised, USERS, guests, texts};

each_database! {
    fn a_long_chat_is_streamed_whole(app: &TestApp) {
        let on = Supervised::new(app);
        let [long, short] = ["long", "short"].map(|guest_id| on.user(guest_id));
        on.says(long, 0..3_203);
        on.says(short, [3_300]);
        let expected: Vec<_> = (0..3_203).map(|second| second.to_string()).collect();
        for path in [CHATS.to_owned(), format!("{CHATS}?limit=2"), format!("{CHATS}/{long}")] {
            let answer = on.client.connect().exchange("GET", &path, &[], b"");
            assert_eq!(answer.header("transfer-encoding"), Some("chunked"));
            let whole = answer.ok();
            let chat = if whole.is_array() { &whole[1] } else { &whole };
            assert!(texts(chat, &on.tenant) == expected, "{path}");
        }
    }

    fn large_texts_are_sent_whole(app: &TestApp) {
        let on = Supervised::new(app);
        let user = on.user("g");
        let large = format!("{} ", on.tenant.marker()).repeat((1 << 20) / 26);
        let items = (0..20).map(|second| on.item(user, second, &json!({"text": large})));
        on.tenant.record(on.bot(), items);
        let chat = on.chat(user).ok();
        let items = chat["items"].as_array().unwrap();
        assert!(items.len() == 20 && items.iter().all(|item| item["text"] == json!(large)));
        assert!(on.chats() == [chat]);
    }

    fn many_chats_are_listed_whole(app: &TestApp) {
        let on = Supervised::new(app);
        let names: Vec<_> = (0..603).map(|number| format!("{number}")).collect();
        let guests_of = names.iter().map(|name| {
            let guest_id = on.tenant.text(name);
            let user = domain::recorder::NewUser { guest_id, ..domain::recorder::NewUser::default() };
            user.try_into().expect("a valid user")
        });
        on.tenant.record(on.bot(), guests_of);
        let made = on.client.get("/api/external/useraccess/users").items();
        assert!(guests(&made, &on.tenant) == names);
        let ids = made.iter().map(|user| domain::id::UserId::parse(user["_id"].as_str().unwrap()));
        let items = (0..).zip(ids).map(|(second, user)| {
            on.item(user.unwrap(), second, &json!({}))
        });
        on.tenant.record(on.bot(), items);
        assert!(on.client.get(USERS).items().len() == names.len());
        let chats = on.chats();
        let latest_first: Vec<_> = names.into_iter().rev().collect();
        assert!(guests(&chats, &on.tenant) == latest_first);
        assert!(chats.iter().all(|chat| chat["items"].as_array().unwrap().len() == 1));
        let (collected, sizes) = on.client.collect_pages(&format!("{CHATS}?limit=300"));
        assert_eq!(sizes, [300, 300, 3]);
        assert!(collected == chats);
    }
}
