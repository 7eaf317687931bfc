//! `GET /api/external/projectapi/doc/files` and `GET …/{docId}`

use botyard_tests::{OnBot, each_database};
use domain::bot::DeleteMode;
use serde_json::{Value, json};

use super::{FILES, assign, at, get, project, upload_plain, upload_text};
use crate::skills::{NEVER, each, id};

/// Makes so many documents; returns them as they are read.
#[track_caller]
fn make(bot: &OnBot<'_>, count: usize) -> Vec<Value> {
    let make = |number| get(&bot.client, &upload_plain(bot, &format!("{number}.txt")));
    (0..count).map(make).collect()
}

/// Copies one document past the service, so many times; returns the ids.
fn make_many(bot: &OnBot<'_>, count: usize) -> Vec<String> {
    use domain::id::Ids;
    use std::sync::Arc;
    use storage_diesel::system::{SystemClock, SystemEntropy};
    let document = upload_plain(bot, "x");
    let generator = Ids::new(Arc::new(SystemClock), Arc::new(SystemEntropy));
    let ids: Vec<_> = (0..count).map(|_| generator.next().to_string()).collect();
    let others = "project_id, blob_id, file_name, mime_type, size, sha256, extraction_status, \
                  chunk_count, created_at, updated_at, settings";
    let sql = bot.tenant.app().sql();
    for some in ids.chunks(100) {
        let rows: Vec<_> = some
            .iter()
            .map(|id| {
                let id = sql.id(id);
                format!("SELECT {id}, {others} FROM documents WHERE id = '{document}'")
            })
            .collect();
        let rows = rows.join(" UNION ALL ");
        sql.execute(&format!("INSERT INTO documents (id, {others}) {rows}"));
    }
    [vec![document], ids].concat()
}

each_database! {
    fn an_empty_list_is_an_empty_array(app: &TestApp) {
        let bot = project(app);
        for query in ["", "?limit=1", "?limit=1000", "?", "?&"] {
            let answer = bot.client.get(&format!("{FILES}{query}"));
            assert_eq!((answer.text().as_str(), answer.next_page()), ("[]", None), "{query}");
        }
    }

    fn documents_are_listed_oldest_first_as_a_read_shows_them(app: &TestApp) {
        let bot = project(app);
        let mut made = make(&bot, 3);
        made.push(upload_text(&bot, "extracted.txt"));
        assert_eq!(bot.client.get(FILES).items(), made);
        assert_eq!(bot.client.get(FILES).text(), {
            let texts: Vec<_> =
                made.iter().map(|document| bot.client.get(&at(&id(document))).text()).collect();
            format!("[{}]", texts.join(","))
        });
    }

    fn a_document_says_which_bots_have_it(app: &TestApp) {
        let bot = project(app);
        let [one, other] = ["a", "b"].map(|name| upload_plain(&bot, name));
        let bots = [bot.id(), bot.tenant.new_bot("second"), bot.tenant.new_bot("third")];
        let names = bots.map(|bot| bot.to_string());
        // In the order in which the bots were made, not in that in which they got the document.
        for on in names.iter().rev() {
            let _ = assign(&bot.client, on, &[&one]);
        }
        let _ = assign(&bot.client, &names[1], &[&other]);
        let of = |document: &str| get(&bot.client, document)["botIds"].clone();
        assert_eq!((of(&one), of(&other)), (json!(names), json!([names[1]])));
        let listed = each(&bot.client.get(FILES).items(), "botIds");
        assert_eq!(listed, [json!(names), json!([names[1]])]);

        // Bots that are not to be found are left out until they come back.
        for mode in [DeleteMode::Archive, DeleteMode::Trash] {
            bot.tenant.delete_bot(bots[1], mode);
            assert_eq!((of(&one), of(&other)), (json!([names[0], names[2]]), json!([])));
            let listed = each(&bot.client.get(FILES).items(), "botIds");
            assert_eq!(listed, [json!([names[0], names[2]]), json!([])]);
            bot.tenant.restore_bot(bots[1]);
            assert_eq!((of(&one), of(&other)), (json!(names), json!([names[1]])));
        }
        bot.tenant.delete_bot(bots[1], DeleteMode::Delete);
        assert_eq!((of(&one), of(&other)), (json!([names[0], names[2]]), json!([])));
    }

    fn copies_on_bots_are_not_listed(app: &TestApp) {
        let bot = project(app);
        let document = upload_plain(&bot, "a");
        let copy = assign(&bot.client, &bot.id().to_string(), &[&document]).remove(0);
        let listed = bot.client.get(FILES).items();
        assert_eq!(each(&listed, "_id"), [json!(document)]);
        assert!(listed.iter().all(|document| document["botId"] == Value::Null));
        bot.client.get(&at(&id(&copy))).problem(404, "document_not_found");
    }

    fn pages_together_are_the_whole_list(app: &TestApp) {
        let bot = project(app);
        let whole = make(&bot, 5);
        for (limit, expected) in [
            (1, vec![1; 5]),
            (2, vec![2, 2, 1]),
            (4, vec![4, 1]),
            (5, vec![5]),
            (6, vec![5]),
            (1_000, vec![5]),
        ] {
            let (collected, sizes) = bot.client.collect_pages(&format!("{FILES}?limit={limit}"));
            assert_eq!((collected, sizes), (whole.clone(), expected), "limit {limit}");
        }
        let next = bot.client.get(&format!("{FILES}?limit=2")).next_page();
        assert_eq!(next, Some(format!("{FILES}?limit=2&cursor={}", id(&whole[1]))));
        let rest = bot.client.get(&format!("{FILES}?cursor={}", id(&whole[1])));
        assert_eq!((rest.items(), rest.next_page()), (whole[2..].to_vec(), None));
    }

    fn paging_goes_on_when_documents_come_and_go(app: &TestApp) {
        let bot = project(app);
        let made = make(&bot, 5);
        let first = bot.client.get(&format!("{FILES}?limit=2"));
        for gone in [1, 2] {
            let _ = bot.client.delete(&at(&id(&made[gone]))).ok();
        }
        let last = upload_plain(&bot, "last");
        let next = first.next_page().unwrap().replace("limit=2", "limit=1000");
        let rest = each(&bot.client.get(&next).items(), "_id");
        assert_eq!(rest, [made[3]["_id"].clone(), made[4]["_id"].clone(), json!(last)]);
    }

    fn a_long_list_is_streamed_whole(app: &TestApp) {
        let bot = project(app);
        let made = make_many(&bot, 1_202);
        let answer = bot.connect().exchange("GET", FILES, &[], b"");
        assert_eq!(answer.header("transfer-encoding"), Some("chunked"));
        assert_eq!(answer.next_page(), None);
        let ids = each(&answer.items(), "_id");
        assert!(ids == made.iter().map(|id| json!(id)).collect::<Vec<_>>());
        let (collected, sizes) = bot.client.collect_pages(&format!("{FILES}?limit=500"));
        assert_eq!(sizes, [500, 500, 203]);
        assert!(collected == answer.items());
    }

    fn a_cursor_of_another_project_shows_nothing_of_it(app: &TestApp) {
        let bot = project(app);
        let other = bot.tenant.sibling().with_project_token();
        let foreign = upload_plain(&other, "foreign");
        let made = make(&bot, 2);
        for cursor in [NEVER, "00000000-0000-0000-0000-000000000000", &foreign] {
            let answer = bot.client.get(&format!("{FILES}?cursor={cursor}"));
            assert_eq!(answer.items(), made, "all of these are newer");
        }
    }
}
