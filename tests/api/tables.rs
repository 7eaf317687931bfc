//! Lists as tables: `format=csv` of the changelog, the feedback and the usage.

use botyard_tests::{OnBot, Response, each_scheme};
use serde_json::{Value, json};

use crate::feedback::feedback;
use crate::usage::usage;

const LISTS: [&str; 3] = ["/changelog", "/feedback", "/usage"];

/// The lines of a table, each as its cells.
#[track_caller]
fn lines(answer: &Response) -> Vec<Vec<String>> {
    assert_eq!(answer.status(), 200, "{answer}");
    let content_type = answer.header("content-type");
    assert_eq!(content_type, Some("text/csv; charset=utf-8; header=present"));
    let text = answer.text();
    assert!(text.ends_with("\r\n"), "{text:?}");
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
    let records = reader.records().map(|record| record.unwrap());
    records.map(|record| record.iter().map(str::to_owned).collect()).collect()
}

/// What a line says of an item.
fn expected(header: &[String], item: &Value) -> Vec<String> {
    assert_eq!(item.as_object().unwrap().len(), header.len());
    let cell = |name: &String| match &item[name.as_str()] {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
            other.to_string()
        }
    };
    header.iter().map(cell).collect()
}

fn record(bot: &OnBot<'_>) {
    let _ = bot.post("/skills", &json!({"name": "a, \"b\"\r\nc"})).ok();
    let _ = bot.put("", &json!({"tagList": ["x", "y"], "temperature": 0.5})).ok();
    let said = json!({"comment": "one,\ntwo \"three\"", "question": "", "createdAt": "2026-01-31T13:00:00Z"});
    let odd = [feedback(bot, "first", &said), feedback(bot, "second", &json!({"rating": "up"}))];
    bot.tenant.record(bot.id(), odd);
    let used = json!({"inputTokens": 7, "seconds": 1.25, "cost": 0.001});
    let days = ["2026-01-31", "2026-02-01"].map(|day| usage(bot, day, "model", &used));
    bot.tenant.record(bot.id(), days);
}

each_scheme! {
    fn a_table_says_what_the_list_says(bot: &OnBot) {
        record(bot);
        for list in LISTS {
            let items = bot.get(list).items();
            let table = lines(&bot.get(&format!("{list}?format=csv")));
            let (header, rows) = table.split_first().unwrap();
            let wanted: Vec<_> = items.iter().map(|item| expected(header, item)).collect();
            // Members of an object stand in another order than in a parsed value.
            let sorted = |cell: &String| match serde_json::from_str::<Value>(cell) {
                Ok(value) if value.is_object() || value.is_array() => value.to_string(),
                Ok(_) | Err(_) => cell.clone(),
            };
            let parsed = |row: &Vec<String>| row.iter().map(sorted).collect::<Vec<_>>();
            assert_eq!(rows.iter().map(parsed).collect::<Vec<_>>(), wanted, "{list}");
            assert_eq!(bot.get(&format!("{list}?format=json")).items(), items);
            for query in ["count=true", "count=true&format=csv", "count=true&limit=1"] {
                let counted = bot.get(&format!("{list}?{query}"));
                let total = items.len().to_string();
                assert_eq!(counted.header("x-total-count"), Some(total.as_str()), "{list}?{query}");
            }
        }
    }

    fn each_page_of_a_table_has_its_header(bot: &OnBot) {
        record(bot);
        for list in LISTS {
            let whole = lines(&bot.get(&format!("{list}?format=csv")));
            let mut path = bot.path(&format!("{list}?format=csv&limit=1"));
            let mut rows = Vec::new();
            loop {
                let answer = bot.client.get(&path);
                let mut page = lines(&answer);
                assert_eq!(page.remove(0), whole[0]);
                assert!(page.len() <= 1);
                rows.extend(page);
                let Some(link) = answer.header("link") else { break };
                path = link.trim_start_matches('<').split('>').next().unwrap().to_owned();
            }
            assert_eq!(rows, whole[1..], "{list}");
        }
    }

    fn an_empty_table_has_a_header(bot: &OnBot) {
        for list in ["/feedback", "/usage"] {
            for path in [format!("{list}?format=csv"), format!("{list}?format=csv&limit=5")] {
                assert_eq!(lines(&bot.get(&path)).len(), 1, "{path}");
            }
        }
    }

    fn a_table_has_no_formulas(bot: &OnBot) {
        let said = json!({"comment": "=HYPERLINK(\"http://example.com\")"});
        bot.tenant.record(bot.id(), [feedback(bot, "m", &said)]);
        let table = lines(&bot.get("/feedback?format=csv"));
        let comment = table[0].iter().position(|name| name == "comment").unwrap();
        assert_eq!(table[1][comment], "'=HYPERLINK(\"http://example.com\")");
    }

    fn other_formats_are_refused(bot: &OnBot) {
        for list in LISTS {
            for format in ["xml", "CSV", ""] {
                bot.get(&format!("{list}?format={format}")).problem(422, "bad_query");
            }
        }
        bot.get("/skills?format=csv").problem(422, "bad_query");
    }
}
