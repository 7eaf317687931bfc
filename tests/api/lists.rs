//! The lists of what a bot has: `GET {bot}/skills` and `GET {bot}/stages`.

use std::sync::Arc;

use botyard_tests::{OnBot, Response, each_scheme};
use domain::id::Ids;
use serde_json::{Value, json};
use storage_diesel::system::{SystemClock, SystemEntropy};

use crate::skills::{NEVER, each, id};

const LISTS: [&str; 2] = ["/skills", "/stages"];

/// Makes so many items, and returns them.
fn make(bot: &OnBot<'_>, list: &str, count: usize) -> Vec<Value> {
    let name = |number| bot.text(&format!("{number}"));
    (0..count).map(|number| bot.post(list, &json!({"name": name(number)})).ok()).collect()
}

/// Makes so many items past the service; returns their ids.
pub fn make_many(bot: &OnBot<'_>, list: &str, count: usize) -> Vec<String> {
    let generator = Ids::new(Arc::new(SystemClock), Arc::new(SystemEntropy));
    let ids: Vec<_> = (0..count).map(|_| generator.next().to_string()).collect();
    let (columns, values) = match list {
        "/skills" => ("name, skill_id, answer_mode, enabled", ", 'random', TRUE"),
        _ => ("name, title", ""),
    };
    let sql = bot.tenant.app().sql();
    let (project, on) = (sql.id(bot.tenant.project().id), sql.id(bot.id()));
    for some in ids.chunks(200) {
        let row = |id| {
            let own = sql.id(id);
            format!("({own}, {project}, {on}, 1, 1, 2048, '{id}', '{id}'{values})")
        };
        let rows: Vec<_> = some.iter().map(row).collect();
        sql.execute(&format!(
            "INSERT INTO {} (id, project_id, bot_id, created_at, updated_at, size, {columns}) \
             VALUES {}",
            list.trim_start_matches('/'),
            rows.join(", ")
        ));
    }
    ids
}

/// The items of all pages, and how many there were on each.
fn collect_pages(bot: &OnBot<'_>, first: &str) -> (Vec<Value>, Vec<usize>) {
    bot.client.collect_pages(&bot.path(first))
}

fn ids(answer: &Response) -> Vec<Value> {
    each(&answer.items(), "_id")
}

each_scheme! {
    fn an_empty_list_is_an_empty_array(bot: &OnBot) {
        for list in LISTS {
            for query in ["", "?limit=1", "?limit=1000", "?", "?&"] {
                let answer = bot.get(&format!("{list}{query}"));
                assert_eq!((answer.text().as_str(), answer.next_page()), ("[]", None), "{list}");
            }
        }
    }

    fn items_are_listed_oldest_first_as_a_read_shows_them(bot: &OnBot) {
        for list in LISTS {
            let made = make(bot, list, 5);
            assert_eq!(bot.get(list).items(), made);
            // What is changed does not move.
            let rel = format!("{list}/{}", id(&made[1]));
            let changed = bot.put(&rel, &json!({"name": bot.text("changed")})).ok();
            assert_eq!(bot.get(&rel).ok(), changed);
            let mut expected = made;
            expected[1] = changed;
            assert_eq!(bot.get(list).items(), expected);
        }
    }

    fn pages_together_are_the_whole_list(bot: &OnBot) {
        for list in LISTS {
            let whole = make(bot, list, 5);
            for (limit, expected) in [
                (1, vec![1; 5]),
                (2, vec![2, 2, 1]),
                (4, vec![4, 1]),
                // A page that holds the last one has no next.
                (5, vec![5]),
                (6, vec![5]),
                (1_000, vec![5]),
            ] {
                let (collected, sizes) = collect_pages(bot, &format!("{list}?limit={limit}"));
                assert_eq!((collected, sizes), (whole.clone(), expected), "{list} limit {limit}");
            }
        }
    }

    fn the_link_to_the_next_page_has_limit_and_cursor(bot: &OnBot) {
        for list in LISTS {
            let made = make(bot, list, 3);
            for number in 0..2 {
                let query = match number {
                    0 => "limit=1".to_owned(),
                    _ => format!("limit=1&cursor={}", id(&made[number - 1])),
                };
                let next = bot.get(&format!("{list}?{query}")).next_page();
                let expected = format!("{list}?limit=1&cursor={}", id(&made[number]));
                assert_eq!(next, Some(bot.path(&expected)));
            }
        }
    }

    fn a_cursor_without_a_limit_gives_the_whole_rest(bot: &OnBot) {
        for list in LISTS {
            let made = make(bot, list, 4);
            let rest = bot.get(&format!("{list}?cursor={}", id(&made[0])));
            assert_eq!((rest.items(), rest.next_page()), (made[1..].to_vec(), None));
            let nothing = bot.get(&format!("{list}?limit=1&cursor={}", id(&made[3])));
            assert_eq!((nothing.items(), nothing.next_page()), (vec![], None));
        }
    }

    fn paging_goes_on_when_items_come_and_go(bot: &OnBot) {
        for list in LISTS {
            let made = make(bot, list, 5);
            let first = bot.get(&format!("{list}?limit=2"));
            for gone in [1, 2] {
                let _ = bot.delete(&format!("{list}/{}", id(&made[gone]))).ok();
            }
            let last = bot.post(list, &json!({"name": bot.text("last")})).ok();
            let next = first.next_page().unwrap();
            let rest = bot.client.get(&next.replace("limit=2", "limit=1000"));
            assert_eq!(rest.items(), [made[3].clone(), made[4].clone(), last]);
        }
    }

    fn a_cursor_of_another_bot_shows_nothing_of_it(bot: &OnBot) {
        for list in LISTS {
            let other = bot.tenant.new_bot("other");
            let others = format!("{}/{other}{list}", crate::bots::BOTS);
            let client = bot.tenant.as_project();
            let foreign = client.post(&others, &json!({"name": bot.text("foreign")})).ok();
            let made = make(bot, list, 2);
            for cursor in [NEVER, "00000000-0000-0000-0000-000000000000"] {
                let answer = bot.get(&format!("{list}?cursor={cursor}"));
                assert_eq!(answer.items(), made, "all of these are newer");
            }
            let answer = bot.get(&format!("{list}?limit=1000&cursor={}", id(&foreign)));
            assert_eq!(answer.items(), made);
            let answer = client.get(&format!("{others}?cursor={}", id(&made[0])));
            assert_eq!(answer.items(), Vec::<Value>::new());
        }
    }

    fn a_wrong_query_is_refused(bot: &OnBot) {
        for list in LISTS {
            let made = make(bot, list, 1);
            let upper = format!("cursor={}", id(&made[0]).to_uppercase());
            for (query, pointers) in [
                ("limit=0", vec!["/limit"]),
                ("limit=1001", vec!["/limit"]),
                ("limit=x", vec!["/limit"]),
                ("limit=", vec!["/limit"]),
                ("limit", vec!["/limit"]),
                ("limit=1.0", vec!["/limit"]),
                ("limit=%00", vec!["/limit"]),
                ("limit=1&limit=1", vec!["/limit"]),
                ("cursor=", vec!["/cursor"]),
                ("cursor=x", vec!["/cursor"]),
                ("cursor=%FF", vec!["/cursor"]),
                (&upper, vec!["/cursor"]),
                ("limit=0&cursor=x&name=y&Limit=1", vec!["/limit", "/cursor", "/name", "/Limit"]),
            ] {
                let expected: Vec<_> =
                    pointers.into_iter().map(|pointer| (pointer, "bad_query")).collect();
                bot.get(&format!("{list}?{query}")).has_violations(&expected);
            }
        }
    }

    fn a_long_list_is_streamed_whole(bot: &OnBot) {
        for list in LISTS {
            let made = make_many(bot, list, 1_203);
            let answer = bot.connect().exchange("GET", &bot.path(list), &[], b"");
            assert_eq!(answer.header("transfer-encoding"), Some("chunked"));
            assert_eq!(answer.next_page(), None);
            assert!(ids(&answer) == made.iter().map(|id| json!(id)).collect::<Vec<_>>());
            let (collected, sizes) = collect_pages(bot, &format!("{list}?limit=500"));
            assert_eq!(sizes, [500, 500, 203]);
            assert!(collected == answer.items());
        }
    }
}
