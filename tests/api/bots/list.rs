//! `GET /api/external/projectapi/bots`

use std::sync::Arc;

use botyard_tests::{Client, Tenant, each_database};
use domain::bot::{BotKind, DeleteMode};
use domain::id::Ids;
use serde_json::{Value, json};
use storage_diesel::system::{SystemClock, SystemEntropy};

use super::BOTS;

fn ids(items: &[Value]) -> Vec<String> {
    items.iter().map(|item| item["_id"].as_str().unwrap().to_owned()).collect()
}

/// The ids of all bots, page by page, and how many there were on each page.
fn collect_pages(client: &Client<'_>, first: &str) -> (Vec<String>, Vec<usize>) {
    let (mut all, mut sizes, mut next) = (Vec::new(), Vec::new(), Some(first.to_owned()));
    while let Some(path) = next {
        let page = client.get(&path);
        let items = page.items();
        sizes.push(items.len());
        all.extend(ids(&items));
        assert!(sizes.len() < 100, "the list does not end");
        next = page.next_page();
    }
    (all, sizes)
}

/// Makes so many bots at once, past the services. Returns their ids.
fn make_many(tenant: &Tenant<'_>, count: usize) -> Vec<String> {
    let generator = Ids::new(Arc::new(SystemClock), Arc::new(SystemEntropy));
    let ids: Vec<_> = (0..count).map(|_| generator.next().to_string()).collect();
    let config = json!({"name": tenant.text("one of many")});
    let sql = tenant.app().sql();
    let project = sql.id(tenant.project().id);
    for some in ids.chunks(400) {
        let rows: Vec<_> = some
            .iter()
            .map(|id| {
                format!(
                    "({}, {project}, 'one of many', 'regular', 'active', '{config}', 1, 2)",
                    sql.id(id)
                )
            })
            .collect();
        sql.execute(&format!(
            "INSERT INTO bots (id, project_id, name, kind, state, config, created_at, updated_at) \
             VALUES {}",
            rows.join(", ")
        ));
    }
    ids
}

each_database! {
    fn bots_are_listed_oldest_first(app: &TestApp) {
        let tenant = app.tenant();
        let made: Vec<_> = (0..5).map(|number| tenant.new_bot(&format!("bot {number}"))).collect();
        let client = tenant.as_project();
        // What is changed does not move.
        let path = format!("{BOTS}/{}", made[0]);
        let _ = client.put(&path, &json!({"model": tenant.text("changed")})).ok();
        let mut expected = vec![tenant.bot().to_string()];
        expected.extend(made.iter().map(ToString::to_string));
        assert_eq!(ids(&client.get(BOTS).items()), expected);
    }

    fn the_list_shows_bots_as_a_read_does(app: &TestApp) {
        let tenant = app.tenant();
        let client = tenant.as_project();
        let _token = tenant.as_bot(tenant.bot());
        let plain = tenant.new_bot("plain");
        let listed = client.get(BOTS).items();
        let expected =
            [tenant.bot(), plain].map(|bot| client.get(&format!("{BOTS}/{bot}")).ok());
        assert_eq!(listed, expected);
    }

    fn hidden_and_foreign_bots_are_not_listed(app: &TestApp) {
        let tenant = app.tenant();
        let _sibling = tenant.sibling();
        let _stranger = app.tenant();
        let gone = [DeleteMode::Archive, DeleteMode::Trash, DeleteMode::Delete];
        for mode in gone {
            tenant.delete_bot(tenant.new_bot(mode.as_str()), mode);
        }
        let _demo = tenant.new_hidden_bot(BotKind::Demo);
        let _template = tenant.new_hidden_bot(BotKind::Template);
        let client = tenant.as_project();
        assert_eq!(ids(&client.get(BOTS).items()), [tenant.bot().to_string()]);
        let (collected, sizes) = collect_pages(&client, &format!("{BOTS}?limit=1"));
        assert_eq!((collected.len(), sizes), (1, vec![1]));
    }

    fn a_project_without_bots_has_an_empty_list(app: &TestApp) {
        let tenant = app.tenant();
        tenant.delete_bot(tenant.bot(), DeleteMode::Delete);
        let client = tenant.as_project();
        for query in ["", "?limit=1", "?limit=1000"] {
            let answer = client.get(&format!("{BOTS}{query}"));
            assert_eq!(answer.text(), "[]", "{query}");
            assert_eq!(answer.next_page(), None, "{query}");
        }
    }

    fn pages_together_are_the_whole_list(app: &TestApp) {
        let tenant = app.tenant();
        for number in 0..6 {
            let _ = tenant.new_bot(&format!("bot {number}"));
        }
        let client = tenant.as_project();
        let whole = ids(&client.get(BOTS).items());
        assert_eq!(whole.len(), 7);
        for (limit, expected) in [
            (1, vec![1; 7]),
            (2, vec![2, 2, 2, 1]),
            (3, vec![3, 3, 1]),
            (6, vec![6, 1]),
            // A page that holds the last one has no next.
            (7, vec![7]),
            (8, vec![7]),
            (1000, vec![7]),
        ] {
            let (collected, sizes) = collect_pages(&client, &format!("{BOTS}?limit={limit}"));
            assert_eq!((collected, sizes), (whole.clone(), expected), "limit {limit}");
        }
    }

    fn a_page_shows_what_the_whole_list_shows(app: &TestApp) {
        let tenant = app.tenant();
        let _ = tenant.new_bot("second");
        let client = tenant.as_project();
        let whole = client.get(BOTS).items();
        assert_eq!(client.get(&format!("{BOTS}?limit=2")).items(), whole);
        assert_eq!(client.get(&format!("{BOTS}?limit=1")).items(), whole[..1]);
    }

    fn the_link_to_the_next_page_keeps_the_limit(app: &TestApp) {
        let tenant = app.tenant();
        let _ = tenant.new_bot("second");
        let client = tenant.as_project();
        let next = client.get(&format!("{BOTS}?limit=1")).next_page().unwrap();
        assert_eq!(next, format!("{BOTS}?limit=1&cursor={}", tenant.bot()));
        // The link of the second page replaces the cursor instead of adding one.
        let _ = tenant.new_bot("third");
        let next = client.get(&next).next_page().unwrap();
        assert_eq!(next.matches("cursor=").count(), 1, "{next}");
    }

    fn a_cursor_without_a_limit_gives_the_whole_rest(app: &TestApp) {
        let tenant = app.tenant();
        let more: Vec<_> = (0..3).map(|_| tenant.new_bot("more").to_string()).collect();
        let client = tenant.as_project();
        let rest = client.get(&format!("{BOTS}?cursor={}", tenant.bot()));
        assert_eq!(ids(&rest.items()), more);
        assert_eq!(rest.next_page(), None);
    }

    fn paging_goes_on_when_bots_come_and_go(app: &TestApp) {
        let tenant = app.tenant();
        let more: Vec<_> = (0..4).map(|_| tenant.new_bot("more")).collect();
        let client = tenant.as_project();
        let first = client.get(&format!("{BOTS}?limit=2"));
        assert_eq!(ids(&first.items()), [tenant.bot().to_string(), more[0].to_string()]);
        tenant.delete_bot(more[0], DeleteMode::Delete);
        tenant.delete_bot(more[1], DeleteMode::Archive);
        let last = tenant.new_bot("last");
        let (rest, _) = collect_pages(&client, &first.next_page().unwrap());
        assert_eq!(rest, [more[2], more[3], last].map(|bot| bot.to_string()));
    }

    fn a_cursor_of_another_project_shows_nothing_of_it(app: &TestApp) {
        let (tenant, other) = (app.tenant(), app.tenant());
        let client = tenant.as_project();
        let answer = client.get(&format!("{BOTS}?limit=1000&cursor={}", other.bot()));
        assert_eq!(ids(&answer.items()), Vec::<String>::new());
    }

    fn a_limit_is_a_number_from_1_to_1000(app: &TestApp) {
        let client = app.tenant().as_project();
        for bad in ["0", "1001", "-1", "+1", "1.0", "1e2", "", "abc", "%20", "9999999999999999999999", "%00"] {
            let answer = client.get(&format!("{BOTS}?limit={bad}"));
            answer.problem(422, "bad_query");
            answer.has_violations(&[("/limit", "bad_query")]);
        }
        client.get(&format!("{BOTS}?limit")).has_violations(&[("/limit", "bad_query")]);
    }

    fn a_cursor_is_one_that_the_list_gave(app: &TestApp) {
        let tenant = app.tenant();
        let client = tenant.as_project();
        let upper = tenant.bot().to_string().to_uppercase();
        for bad in ["", "x", "0", "null", "%FF", upper.as_str(), "01900000-0000-7000-8000-00000000000"] {
            let answer = client.get(&format!("{BOTS}?cursor={bad}"));
            answer.has_violations(&[("/cursor", "bad_query")]);
        }
    }

    fn unknown_and_repeated_parameters_are_refused(app: &TestApp) {
        let client = app.tenant().as_project();
        for (query, pointers) in [
            ("limit=1&limit=1", vec!["/limit"]),
            ("limit=1&%6cimit=2", vec!["/limit"]),
            ("Limit=1", vec!["/Limit"]),
            ("limit=1&offset=2&page=3", vec!["/offset", "/page"]),
            ("limit=0&cursor=x&a%2Fb=1", vec!["/limit", "/cursor", "/a~1b"]),
            ("=1", vec!["/"]),
            ("%FF=1", vec!["/"]),
            ("limit=%4", vec!["/limit"]),
        ] {
            let answer = client.get(&format!("{BOTS}?{query}"));
            let expected: Vec<_> =
                pointers.into_iter().map(|pointer| (pointer, "bad_query")).collect();
            answer.has_violations(&expected);
        }
    }

    fn an_empty_query_is_no_query(app: &TestApp) {
        let client = app.tenant().as_project();
        for query in ["?", "?&", "?&&limit=5&"] {
            assert_eq!(client.get(&format!("{BOTS}{query}")).items().len(), 1, "{query}");
        }
    }

    fn a_long_list_is_streamed_whole(app: &TestApp) {
        let tenant = app.tenant();
        let mut expected = vec![tenant.bot().to_string()];
        expected.extend(make_many(&tenant, 1_200));
        // Two generators made the ids, perhaps in the same millisecond.
        expected.sort();
        let client = tenant.as_project();
        let answer = client.connect().exchange("GET", BOTS, &[], b"");
        assert_eq!(answer.header("transfer-encoding"), Some("chunked"));
        assert_eq!(answer.header("content-length"), None);
        assert_eq!(answer.next_page(), None);
        assert_eq!(ids(&answer.items()), expected);
        let (collected, sizes) = collect_pages(&client, &format!("{BOTS}?limit=1000"));
        assert_eq!((collected, sizes), (expected.clone(), vec![1_000, 201]));
        let (collected, _) = collect_pages(&client, &format!("{BOTS}?limit=499"));
        assert_eq!(collected, expected);
    }

    fn a_list_of_exactly_two_pages_of_the_stream_ends(app: &TestApp) {
        let tenant = app.tenant();
        let _ = make_many(&tenant, 999);
        assert_eq!(tenant.as_project().get(BOTS).items().len(), 1_000);
    }
}
