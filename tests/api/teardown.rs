//! What is left of a bot that was deleted for good: nothing, sooner or later. What it had goes in the
//! background, but clients see none of it from the moment of the answer on.

use botyard_tests::waiting::until;
use botyard_tests::{Caller, Form, OnBot, TestApp, at_once, each_database, each_scheme};
use domain::DomainError;
use serde_json::{Value, json};

use crate::bots::BOTS;
use crate::lists::make_many;
use crate::skills::{id, make, visual_blocks};

/// The one package that the API document shows.
const PACKAGE: &[u8] = include_bytes!("../../crates/http-actix/src/api/fusion/package.zip");

/// Waits until the bot's job is done, and makes sure that no table speaks of the bot any more.
#[track_caller]
fn is_gone(app: &TestApp, bot: &str) {
    let jobs = format!("SELECT COUNT(*) AS value FROM jobs WHERE subject = '{bot}'");
    until("the job of the deleted bot is done", || app.sql().number(&jobs) == 0);
    assert_eq!(app.sql().rows_with(bot), [""; 0]);
}

/// Gives the bot one of everything that it can have, without a package and without chunks.
fn populate(bot: &OnBot<'_>) {
    for skill_id in ["a", "b"] {
        let _ = make(bot, skill_id);
    }
    let _ = bot.post("/stages", &crate::stages::full(bot)).ok();
    let _ = bot.post("/fusion", &json!({"type": "links", "title": bot.text("view")})).ok();
    let document = Form::new().file("a.txt", "text/plain", bot.text("document").as_bytes());
    let path = format!("{BOTS}/{}/doc/upload", bot.id());
    let project = bot.tenant.as_project();
    let _ = project.request("POST", &path).form(&document.text("extract", "false")).send().ok();
    let blocks = ["ifthen_a".to_owned(), "other".to_owned()];
    visual_blocks::put(bot, bot.id(), &blocks);
    let _ = bot.tenant.as_bot(bot.id());
}

/// The lists of what a bot has.
const LISTS: [&str; 4] = ["/skills", "/stages", "/fusion", "/changelog"];

/// What everybody sees from the answer to the delete on.
#[track_caller]
fn it_is_out_of_reach(bot: &OnBot<'_>) {
    let project = bot.tenant.as_project();
    let base = format!("{BOTS}/{}", bot.id());
    for rel in ["", "/skills/a", "/stages/x", "?x=1"].into_iter().chain(LISTS) {
        project.get(&format!("{base}{rel}")).problem(404, "bot_not_found");
    }
    project.put(&base, &json!({"model": "x"})).problem(404, "bot_not_found");
    project.post(&format!("{base}/skills"), &json!({"name": "x"})).problem(404, "bot_not_found");
    project.post(&format!("{base}/duplicate"), &json!({})).problem(404, "bot_not_found");
    for query in ["", "?mode=delete", "?mode=archive", "?mode=trash"] {
        project.delete(&format!("{base}{query}")).problem(404, "bot_not_found");
    }
    let listed = project.get(BOTS).items();
    assert!(listed.iter().all(|listed| listed["_id"] != json!(bot.id().to_string())));
    if matches!(bot.client.caller(), Caller::Bot(_)) {
        for rel in ["", "/skills", "/changelog"] {
            bot.get(rel).problem(401, "unauthenticated");
        }
        bot.delete("").problem(401, "unauthenticated");
        bot.client.get("/api/external/checkauth").problem(401, "unauthenticated");
    }
}

each_scheme! {
    fn a_bot_takes_everything_along(bot: &OnBot) {
        populate(bot);
        let owner = bot.tenant.as_bot(bot.id());
        let _ = owner.get("/api/external/bot/skills").ok();
        let _ = bot.delete("").ok();
        it_is_out_of_reach(bot);
        owner.get("/api/external/bot/skills").problem(401, "unauthenticated");
        is_gone(bot.tenant.app(), &bot.id().to_string());
        it_is_out_of_reach(bot);
    }

    fn a_bot_with_much_takes_everything_along_as_well(bot: &OnBot) {
        populate(bot);
        for list in ["/skills", "/stages"] {
            let _ = make_many(bot, list, 700);
        }
        let _ = bot.delete_with("", &json!({"mode": "delete"})).ok();
        it_is_out_of_reach(bot);
        is_gone(bot.tenant.app(), &bot.id().to_string());
    }

    fn a_plain_bot_goes_too(bot: &OnBot) {
        let _ = bot.delete("").ok();
        is_gone(bot.tenant.app(), &bot.id().to_string());
    }

    fn other_bots_keep_all_that_they_have(bot: &OnBot) {
        populate(bot);
        let copy = bot.post("/duplicate", &json!({})).ok();
        let other = bot.tenant.new_bot("other").to_string();
        let project = bot.tenant.as_project();
        for bot in [&other, &id(&copy)] {
            let body = json!({"name": "same", "skillId": "same"});
            let _ = project.post(&format!("{BOTS}/{bot}/skills"), &body).ok();
        }
        let app = bot.tenant.app();
        // What the deleted bot has says something of its copy, which is removed with it.
        let rows = || {
            let rows = [&other, &id(&copy)].map(|bot| app.sql().rows_with(bot)).concat();
            rows.into_iter().filter(|row| !row.contains(&bot.id().to_string())).collect::<Vec<_>>()
        };
        let before = rows();
        assert!(before.len() > 10, "{before:?}");
        let _ = bot.delete("").ok();
        is_gone(app, &bot.id().to_string());
        assert_eq!(rows(), before);
        let skills = project.get(&format!("{BOTS}/{}/skills", id(&copy))).items();
        assert_eq!(skills.len(), 3);
    }

    fn of_deletes_at_once_one_is_done(bot: &OnBot) {
        populate(bot);
        let (answers, gone) = (at_once(12, |_| bot.delete("")), bot.scheme);
        let done = answers.iter().filter(|answer| answer.status() == 200).count();
        assert_eq!(done, 1);
        for answer in answers.iter().filter(|answer| answer.status() != 200) {
            // A bot token may have been found valid just before it went.
            match (gone, answer.status()) {
                (domain::access::Scheme::Bot, 401) => answer.problem(401, "unauthenticated"),
                _ => answer.problem(404, "bot_not_found"),
            };
        }
        is_gone(bot.tenant.app(), &bot.id().to_string());
    }

    fn writers_at_the_same_time_leave_nothing_behind(bot: &OnBot) {
        populate(bot);
        let made = at_once(21, |number| {
            if number == 20 {
                // The others have begun by then.
                until("something was written", || bot_has_grown(bot));
                let _ = bot.delete("").ok();
                return 0;
            }
            let mut made = 0;
            loop {
                let name = bot.text(&format!("w{number}-{made}"));
                let answer = match number % 4 {
                    0 => bot.post("/stages", &json!({"name": name, "skills": ["a"]})),
                    1 => bot.put("/skills/a", &json!({"content": name})),
                    2 => bot.post("/fusion", &json!({"type": "links", "title": name})),
                    _ => bot.post("/skills", &json!({"name": name})),
                };
                match answer.status() {
                    200 => made += 1,
                    401 => {
                        answer.problem(401, "unauthenticated");
                        return made;
                    }
                    _ => {
                        answer.problem(404, "bot_not_found");
                        return made;
                    }
                }
                assert!(made < 10_000, "the bot does not go");
            }
        });
        assert!(made.iter().sum::<usize>() > 0);
        is_gone(bot.tenant.app(), &bot.id().to_string());
    }

    fn an_archived_bot_keeps_all_that_it_has(bot: &OnBot) {
        populate(bot);
        let before = LISTS.map(|list| bot.get(list).items());
        for mode in ["archive", "trash"] {
            let _ = bot.delete_with("", &json!({"mode": mode})).ok();
            bot.tenant.restore_bot(bot.id());
        }
        let mut after = LISTS.map(|list| bot.get(list).items());
        // Archived, restored, trashed, restored.
        after[3].drain(..4);
        assert_eq!(after, before);
        assert_eq!(visual_blocks::names(bot, bot.id()).len(), 2);
    }
}

/// Whether the bot has more skills than [`populate`] gave it.
fn bot_has_grown(bot: &OnBot<'_>) -> bool {
    let query = format!("SELECT COUNT(*) AS value FROM skills WHERE bot_id = '{}'", bot.id());
    bot.tenant.app().sql().number(&query) > 2
}

each_database! {
    fn a_deleted_bot_can_not_be_restored(app: &TestApp) {
        let bot = app.tenant().with_project_token();
        let _ = bot.delete("").ok();
        let (bots, operator) = (&app.botyard().bots, app.operator());
        let restored = app.block_on(bots.restore(operator, bot.id()));
        assert!(matches!(restored, Err(DomainError::NotFound(_))), "{restored:?}");
        let listed = app.block_on(bots.list_all(operator, bot.tenant.project().id)).unwrap();
        assert!(listed.iter().all(|listed| listed.id != bot.id()), "{listed:?}");
        is_gone(app, &bot.id().to_string());
    }

    fn no_client_deletes_a_bot_from_the_archive(app: &TestApp) {
        let bot = app.tenant().with_project_token();
        populate(&bot);
        let _ = bot.delete("?mode=archive").ok();
        let before = bot.tenant.snapshot();
        bot.delete("").problem(404, "bot_not_found");
        bot.delete("?mode=delete").problem(404, "bot_not_found");
        before.assert_unchanged(&bot.tenant);
    }
}

/// Files in the blob store.
fn files(app: &TestApp) -> usize {
    fn count(folder: &std::path::Path) -> usize {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| if entry.path().is_dir() { count(&entry.path()) } else { 1 }).sum()
    }
    // The mark of the place does not count.
    count(&app.installation().data_dir().join("blobs")) - 1
}

/// A view with a package, on the bot with this path.
fn upload(bot: &OnBot<'_>, base: &str) -> Value {
    let client = bot.tenant.as_project();
    let body = json!({"type": "h5p", "title": bot.text("view")});
    let view = client.post(&format!("{base}/fusion"), &body).ok();
    let path = format!("{base}/fusion/{}/upload", id(&view));
    client.request("POST", &path).form(&Form::archive(PACKAGE)).send().ok()
}

fn blobs(app: &TestApp) -> i64 {
    app.sql().number("SELECT COUNT(*) AS value FROM blobs")
}

each_database! {
    fn packages_go_with_the_last_bot_that_has_them(database: Database) {
        let app = TestApp::start(database, &[("BLOBS__GRACE", "0s")]);
        let bot = app.tenant().with_project_token();
        let _ = upload(&bot, bot.base());
        let copy = id(&bot.post("/duplicate", &json!({})).ok());
        let other = app.tenant().with_project_token();
        let _ = upload(&other, other.base());
        assert_eq!((blobs(&app), files(&app)), (2, 2));

        let _ = bot.delete("").ok();
        is_gone(&app, &bot.id().to_string());
        // The copy still has it.
        let view = bot.tenant.as_project().get(&format!("{BOTS}/{copy}/fusion")).items();
        assert_eq!(view[0]["file"]["size"], json!(PACKAGE.len()));
        let _ = bot.tenant.as_project().delete(&format!("{BOTS}/{copy}")).ok();
        is_gone(&app, &copy);
        until("the package is gone", || (blobs(&app), files(&app)) == (1, 1));
        // The other project has one of its own.
        assert!(other.get("/fusion").items()[0]["file"].is_object());
        let _ = other.delete("").ok();
        until("the package of the other project is gone", || (blobs(&app), files(&app)) == (0, 0));
        until("no job is left but those that repeat", || {
            let jobs = "SELECT COUNT(*) AS value FROM jobs \
                        WHERE kind NOT IN ('sweep_blobs', 'clean_up')";
            app.sql().number(jobs) == 0
        });
    }

    fn a_package_stays_for_its_grace(database: Database) {
        let app = TestApp::start(database, &[("BLOBS__GRACE", "1d")]);
        let bot = app.tenant().with_project_token();
        let _ = upload(&bot, bot.base());
        let _ = bot.delete("").ok();
        is_gone(&app, &bot.id().to_string());
        assert_eq!((blobs(&app), files(&app)), (1, 1));
        let due =
            "SELECT COUNT(*) AS value FROM jobs WHERE kind = 'remove_blob' AND state = 'queued'";
        assert_eq!(app.sql().number(due), 1);
    }

    fn a_quota_counts_no_deleted_bot_however_much_it_had(database: Database) {
        let app = TestApp::start(database, &[("LIMITS__BOTS_PER_PROJECT", "2")]);
        let bot = app.tenant().with_project_token();
        let client = bot.tenant.as_project();
        let new = || client.post(BOTS, &json!({"name": bot.text("x")}));
        let mut last = id(&new().ok());
        for list in ["/skills", "/stages"] {
            let _ = make_many(&bot, list, 1_000);
        }
        new().problem(403, "quota_exceeded");
        let _ = bot.delete("").ok();
        // At once, whether or not the content is gone.
        for _ in 0..5 {
            let made = id(&new().ok());
            new().problem(403, "quota_exceeded");
            let _ = client.delete(&format!("{BOTS}/{last}")).ok();
            last = made;
        }
        is_gone(&app, &bot.id().to_string());
    }
}
