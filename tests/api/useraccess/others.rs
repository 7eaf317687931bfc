//! Users of other bots, and bots that are not to be found.

use botyard_tests::each_database;
use domain::bot::DeleteMode;
use serde_json::{Value, json};

use super::{Users, at, id_of};
use crate::keyval::encoded;

each_database! {
    fn users_of_other_bots_are_unknown(app: &TestApp) {
        let users = Users::new(app);
        let _ = users.user("own");
        let beside = users.tenant.new_bot("beside");
        let sibling = users.tenant.sibling();
        let foreign = app.tenant();
        let others = [(&users.tenant, beside), (&sibling, sibling.bot()), (&foreign, foreign.bot())];
        for (tenant, bot) in others {
            let id = tenant.new_user(bot, "theirs").to_string();
            let (before, own) = (tenant.snapshot(), users.tenant.snapshot());
            let guest_id = tenant.text("theirs");
            assert_eq!(users.by_id(&id).ok(), Value::Null);
            let by_guest = format!("/user/byGuestId/{}", encoded(&guest_id));
            assert_eq!(users.client.get(&at(&by_guest)).ok(), Value::Null);
            for body in [json!({"_id": id, "a": 1}), json!({"userId": id, "guestId": "x"})] {
                users.update(&body).problem(403, "user_unknown");
            }
            let answer = users.client.post(&at("/resetstats"), &json!({"userId": id}));
            answer.problem(403, "user_unknown");
            assert_eq!(users.delete(&[&id]).ok(), json!({"deleted": 0}));
            before.assert_unchanged(tenant);
            own.assert_unchanged(&users.tenant);
        }
        assert_eq!(users.all().len(), 1);
    }

    fn what_others_keep_under_the_same_ids_is_theirs(app: &TestApp) {
        let users = Users::new(app);
        let (id, beside) = (id_of(&users.user("g")), users.tenant.new_bot("beside"));
        let other = users.tenant.as_bot(beside);
        let _ = other.put(&format!("/api/external/keyval/{id}/t/k"), &json!({"value": 1})).ok();
        // The neighbour can't have it deleted, and keeps its own when the owner does.
        let body = json!({"userIds": [id]});
        assert_eq!(other.delete_with(&at("/users"), &body).ok(), json!({"deleted": 0}));
        assert_ne!(users.by_id(&id).ok(), Value::Null);
        assert_eq!(users.delete(&[&id]).ok(), json!({"deleted": 1}));
        assert_eq!(other.get(&format!("/api/external/keyval/{id}")).items().len(), 1);
    }

    fn a_bot_that_is_not_found_has_no_users(app: &TestApp) {
        let users = Users::new(app);
        let user = users.user("g");
        let (id, guest) = (id_of(&user), encoded(user["guestId"].as_str().unwrap()));
        for mode in [DeleteMode::Archive, DeleteMode::Trash] {
            users.tenant.delete_bot(users.bot(), mode);
            let before = users.tenant.snapshot();
            for rel in [
                "/users", "/users?limit=1", "/user/usersinorg", "/users?nope=1",
                &format!("/user/byId/{id}"), &format!("/user/byGuestId/{guest}"),
                "/user/byGuestId/%00",
            ] {
                users.client.get(&at(rel)).problem(404, "bot_not_found");
            }
            users.create(&json!({"guestId": "h"})).problem(404, "bot_not_found");
            users.create(&json!({})).problem(404, "bot_not_found");
            users.update(&json!({"_id": id, "a": 1})).problem(404, "bot_not_found");
            users.delete(&[&id]).problem(404, "bot_not_found");
            let reset = users.client.post(&at("/resetstats"), &json!({"userId": id}));
            reset.problem(404, "bot_not_found");
            before.assert_unchanged(&users.tenant);
            users.tenant.restore_bot(users.bot());
        }
        assert_eq!(users.all(), [user]);
    }
}
