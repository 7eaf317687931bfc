//! Crawls are reached through their own bot alone, and only while that is there.

use botyard_tests::{Client, Mint, OnBot, each_scheme_and_database};
use domain::bot::DeleteMode;
use serde_json::{Value, json};

use super::{CLOSED, ended_at, make, path, without_pages};
use crate::bots::BOTS;
use crate::skills::id;

/// Every operation on the list and on one of its items.
fn all_operations(client: &Client<'_>, base: &str, crawl: &str) -> Vec<(u16, Value)> {
    let (list, item) = (format!("{base}/embedding"), format!("{base}/embedding/{crawl}"));
    let answers = [
        client.get(&list),
        client.post(&list, &json!({"url": CLOSED})),
        client.get(&item),
        client.put(&item, &json!({"name": "x"})),
        client.delete(&item),
        // A wrong body or query tells nothing that a valid one does not.
        client.post(&list, &json!({"url": "x"})),
        client.put(&item, &json!({})),
        client.get(&format!("{list}?limit=0")),
        client.delete(&format!("{item}?x=1")),
    ];
    answers.into_iter().map(|answer| (answer.status(), answer.json()["code"].clone())).collect()
}

/// A bot that is hidden has no crawls, until it comes back with all of them.
fn are_hidden_with_their_bot(bot: &OnBot<'_>, mode: DeleteMode) {
    let made = make(bot, "x");
    bot.tenant.delete_bot(bot.id(), mode);
    let before = bot.tenant.snapshot();
    for answer in all_operations(&bot.client, bot.base(), &id(&made)) {
        assert_eq!(answer, (404, json!("bot_not_found")));
    }
    before.assert_unchanged(&bot.tenant);
    bot.tenant.restore_bot(bot.id());
    assert_eq!(bot.get("/embedding").items(), [made]);
}

each_scheme_and_database! {
    fn a_bot_reaches_no_other_bot_of_its_project(bot: &OnBot) {
        let other = format!("{BOTS}/{}", bot.tenant.new_bot("other"));
        let project = bot.tenant.as_project();
        let body = json!({"url": CLOSED, "name": bot.text("foreign")});
        let foreign = project.post(&format!("{other}/embedding"), &body).ok();
        let foreign = ended_at(&project, &format!("{other}{}", path(&foreign)));
        let own = make(bot, "own");
        let rel = path(&foreign);
        bot.get(&rel).problem(404, "website_crawl_not_found");
        bot.put(&rel, &json!({"name": bot.text("stolen")})).problem(404, "website_crawl_not_found");
        bot.delete(&rel).problem(404, "website_crawl_not_found");
        assert_eq!(bot.get("/embedding").items(), [own]);
        assert_eq!(project.get(&format!("{other}{rel}")).ok(), foreign);
        assert_eq!(project.get(&format!("{other}/embedding")).items(), [without_pages(foreign)]);
    }

    fn a_project_token_reaches_no_bot_of_another_project(bot: &OnBot) {
        let made = make(bot, "x");
        let base = format!("{BOTS}/{}", bot.id());
        let before = bot.tenant.snapshot();
        for stranger in [bot.tenant.sibling(), bot.tenant.app().tenant()] {
            let client = stranger.as_project();
            for answer in all_operations(&client, &base, &id(&made)) {
                assert_eq!(answer, (404, json!("bot_not_found")));
            }
        }
        before.assert_unchanged(&bot.tenant);
    }

    fn an_archived_bot_has_no_crawls(bot: &OnBot) {
        are_hidden_with_their_bot(bot, DeleteMode::Archive);
    }

    fn a_trashed_bot_has_no_crawls(bot: &OnBot) {
        are_hidden_with_their_bot(bot, DeleteMode::Trash);
    }

    fn reading_and_writing_ask_for_their_own_scopes(bot: &OnBot) {
        let made = make(bot, "x");
        let before = bot.tenant.snapshot();
        let reads = bot.tenant.bearer(bot.scheme, Mint::scopes("embedding:read"));
        let writes = bot.tenant.bearer(bot.scheme, Mint::scopes("embedding:write"));
        let before_by_reader = all_operations(&reads, bot.base(), &id(&made));
        let statuses: Vec<_> = before_by_reader.iter().map(|(status, _)| *status).collect();
        assert_eq!(statuses, [200, 403, 200, 403, 403, 403, 403, 422, 403]);
        for path in ["/embedding".to_owned(), path(&made)] {
            let answer = writes.get(&bot.path(&path)).problem(403, "missing_scope");
            assert_eq!(answer["requiredScopes"], json!(["embedding:read"]));
        }
        let answer = reads.delete(&bot.path(&path(&made))).problem(403, "missing_scope");
        assert_eq!(answer["requiredScopes"], json!(["embedding:write"]));
        // But for the tokens that were made meanwhile.
        assert_eq!(bot.tenant.snapshot().rows_but_tokens(), before.rows_but_tokens());
        let _ = writes.put(&bot.path(&path(&made)), &json!({"active": false})).ok();
        let _ = writes.delete(&bot.path(&path(&made))).ok();
    }
}
