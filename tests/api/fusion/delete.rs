//! `DELETE {bot}/fusion/{fusionId}`

use botyard_tests::{at_once, each_scheme};
use serde_json::json;

use super::{archive, at, new_view, upload, upload_at};

each_scheme! {
    fn a_deleted_view_is_gone(bot: &OnBot) {
        let (id, other) = (new_view(bot), new_view(bot));
        let _ = upload(bot, &id, &archive("content"));
        let kept = bot.get(&at(&other)).ok();
        assert_eq!(bot.delete(&at(&id)).text(), format!(r#"{{"deleted":true,"_id":"{id}"}}"#));
        bot.get(&at(&id)).problem(404, "fusion_view_not_found");
        bot.put(&at(&id), &json!({"a": 1})).problem(404, "fusion_view_not_found");
        bot.delete(&at(&id)).problem(404, "fusion_view_not_found");
        let path = bot.path(&upload_at(&id));
        let answer = bot.client.request("POST", &path).body("x").send();
        answer.problem(404, "fusion_view_not_found");
        assert_eq!(bot.get("/fusion").items(), [kept]);
    }

    fn a_body_counts_for_nothing_and_a_query_is_refused(bot: &OnBot) {
        let id = new_view(bot);
        bot.delete(&at(&format!("{id}?mode=archive"))).has_violations(&[("/mode", "bad_query")]);
        let _ = bot.get(&at(&id)).ok();
        let _ = bot.delete_with(&at(&id), &json!({"mode": "archive"})).ok();
        bot.get(&at(&id)).problem(404, "fusion_view_not_found");
    }

    fn of_several_that_delete_at_once_one_succeeds(bot: &OnBot) {
        let id = new_view(bot);
        let path = at(&id);
        let mut statuses = at_once(4, |_| bot.delete(&path).status());
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 404, 404, 404]);
    }
}
