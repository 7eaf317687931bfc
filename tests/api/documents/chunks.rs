//! `GET /api/external/projectapi/doc/files/{docId}/chunks`

use botyard_tests::{Form, OnBot, each_database};
use domain::id::ChunkId;
use serde_json::{Value, json};

use super::{chunks, chunks_at, project, text_form, upload, upload_plain};
use crate::skills::{each, id};

/// So many paragraphs, each with its number and with letters that have several bytes.
fn paragraphs(bot: &OnBot<'_>, count: usize) -> String {
    let paragraph = |number| bot.text(&format!("Absatz {number}: Ähren im Feld 𝄞, é, 👩🏽."));
    (1..=count).map(paragraph).collect::<Vec<_>>().join("\n\n")
}

/// A text, and the document of it in chunks of at most 100 characters.
#[track_caller]
fn cut(bot: &OnBot<'_>, count: usize) -> (String, String) {
    let text = paragraphs(bot, count);
    let document = upload(bot, &text_form("a.txt", &text).text("maxChars", "100"));
    (text, id(&document))
}

#[track_caller]
fn number(chunk: &Value, member: &str) -> usize {
    let number = chunk[member].as_u64().unwrap_or_else(|| panic!("no {member} in {chunk}"));
    usize::try_from(number).unwrap()
}

each_database! {
    fn a_chunk_has_this_shape(app: &TestApp) {
        let bot = project(app);
        let words = bot.text("Ähren");
        let document = id(&upload(&bot, &text_form("a.txt", &words)));
        let answer = bot.client.get(&chunks_at(&document));
        let chunk = answer.items()[0]["_id"].as_str().unwrap().to_owned();
        assert!(ChunkId::parse(&chunk).is_some(), "{chunk}");
        let end = words.chars().count();
        assert_eq!(answer.text(), format!(
            "[{{\"_id\":\"{chunk}\",\"docId\":\"{document}\",\"index\":0,\"text\":\"{words}\",\
             \"charStart\":0,\"charEnd\":{end},\"page\":null,\"heading\":[]}}]"
        ));
    }

    fn chunks_say_exactly_which_characters_they_are(app: &TestApp) {
        let bot = project(app);
        let (text, document) = cut(&bot, 20);
        let text: Vec<char> = text.chars().collect();
        let chunks = chunks(&bot.client, &document);
        assert!(chunks.len() > 10, "{}", chunks.len());
        let mut end = 0;
        for (index, chunk) in chunks.iter().enumerate() {
            assert_eq!(number(chunk, "index"), index);
            let range = number(chunk, "charStart")..number(chunk, "charEnd");
            assert!(range.len() <= 100, "{chunk}");
            assert_eq!(chunk["text"], json!(text[range.clone()].iter().collect::<String>()));
            // Nothing but blanks is left out between them, and no more than the overlap is repeated.
            assert!(range.start + 10 >= end, "{chunk}");
            if range.start > end {
                assert!(text[end..range.start].iter().all(|letter| letter.is_whitespace()));
            }
            assert!(range.end > end, "{chunk}");
            end = range.end;
        }
        assert_eq!(end, text.len());
        let counted = super::get(&bot.client, &document)["extraction"]["chunkCount"].clone();
        assert_eq!(counted, json!(chunks.len()));
    }

    fn a_grapheme_is_never_cut(app: &TestApp) {
        let bot = project(app);
        // Of three characters, so that no multiple of it is a hundred.
        let text = "e\u{301}\u{323}".repeat(200);
        let form = text_form("a.txt", &text).text("maxChars", "100").text("maxOverlap", "0");
        let document = id(&upload(&bot, &form));
        let lengths: Vec<_> =
            chunks(&bot.client, &document).iter().map(|chunk| number(chunk, "charEnd")).collect();
        assert_eq!(lengths, [99, 198, 297, 396, 495, 594, 600]);
    }

    fn the_overlap_is_as_large_as_asked(app: &TestApp) {
        let bot = project(app);
        let text = (0..200).map(|number| format!("word{number}")).collect::<Vec<_>>().join(" ");
        for (overlap, some) in [("0", false), ("50", true)] {
            let form = text_form("a.txt", &text).text("maxChars", "200").text("maxOverlap", overlap);
            let chunks = chunks(&bot.client, &id(&upload(&bot, &form)));
            let repeated: Vec<_> = chunks
                .windows(2)
                .map(|two| number(&two[0], "charEnd").saturating_sub(number(&two[1], "charStart")))
                .collect();
            assert!(repeated.len() > 4);
            assert!(repeated.iter().all(|count| (*count > 0) == some && *count <= 50), "{repeated:?}");
        }
    }

    fn the_page_is_the_one_on_which_a_chunk_begins(app: &TestApp) {
        let bot = project(app);
        let line = "Sixty characters stand on this line, which is one of many.";
        let pdf = test_samples::pdf::pdf(&[&[line], &[], &[line, line, line], &[line, line]]);
        let form = Form::new().file("a.pdf", "application/pdf", &pdf).text("maxChars", "100");
        let chunks = chunks(&bot.client, &id(&upload(&bot, &form)));
        let mut pages = each(&chunks, "page");
        assert!(pages.len() > 3, "{pages:?}");
        pages.dedup();
        assert_eq!(pages, [json!(1), json!(3), json!(4)]);
    }

    fn headings_are_kept_as_context(app: &TestApp) {
        let bot = project(app);
        let section = |heading: &str, word: &str| format!("{heading}\n\n{}\n\n", format!("{word} ").repeat(12));
        let text = [
            section("Before.", "oats"),
            section("# Farm", "cows"),
            section("## Fields", "wheat"),
            section("### North", "rye"),
            section("## Barn", "hay"),
            section("# Mill", "flour"),
        ];
        let form = Form::new().file("a.md", "text/markdown", text.concat().as_bytes());
        let form = form.text("maxChars", "100").text("maxOverlap", "0");
        let chunks = chunks(&bot.client, &id(&upload(&bot, &form)));
        for (word, heading) in [
            ("oats", json!([])),
            ("cows", json!(["Farm"])),
            ("wheat", json!(["Farm", "Fields"])),
            ("rye", json!(["Farm", "Fields", "North"])),
            ("hay", json!(["Farm", "Barn"])),
            ("flour", json!(["Mill"])),
        ] {
            let found = chunks.iter().find(|chunk| chunk["text"].as_str().unwrap().contains(word));
            let found = found.unwrap_or_else(|| panic!("no {word} in {chunks:?}"));
            assert_eq!(found["heading"], heading, "{word}");
        }
    }

    fn yaml_is_cut_between_its_entries(app: &TestApp) {
        let bot = project(app);
        let entries: String = (0..30)
            .map(|number| format!("entry{number}:\n  name: Name {number}\n  count: {number}\n"))
            .collect();
        let form = Form::new().file("a.yaml", "application/yaml", entries.as_bytes());
        let form = form.text("maxChars", "150").text("maxOverlap", "0");
        let chunks = chunks(&bot.client, &id(&upload(&bot, &form)));
        assert!(chunks.len() > 5);
        for chunk in chunks {
            assert!(chunk["text"].as_str().unwrap().starts_with("entry"), "{chunk}");
        }
    }

    fn a_document_without_chunks_has_an_empty_list(app: &TestApp) {
        let bot = project(app);
        let plain = upload_plain(&bot, "plain");
        let failed = id(&upload(&bot, &Form::new().file("a", "x/y", b"\0\x01")));
        for document in [plain, failed] {
            for query in ["", "?limit=1", "?limit=1000", "?"] {
                let answer = bot.client.get(&format!("{}{query}", chunks_at(&document)));
                assert_eq!((answer.text().as_str(), answer.next_page()), ("[]", None));
            }
        }
    }

    fn pages_together_are_the_whole_list(app: &TestApp) {
        let bot = project(app);
        let (_, document) = cut(&bot, 10);
        let path = chunks_at(&document);
        let whole = bot.client.get(&path).items();
        let count = whole.len();
        assert!(count > 5, "{count}");
        for limit in [1, 2, count - 1, count, count + 1, 1_000] {
            let (collected, sizes) = bot.client.collect_pages(&format!("{path}?limit={limit}"));
            assert_eq!(collected, whole, "limit {limit}");
            let mut expected = vec![limit; count / limit];
            expected.extend([count % limit].into_iter().filter(|rest| *rest > 0));
            assert_eq!(sizes, expected, "limit {limit}");
        }
    }

    fn a_cursor_without_a_limit_gives_the_whole_rest(app: &TestApp) {
        let bot = project(app);
        let (_, document) = cut(&bot, 10);
        let path = chunks_at(&document);
        let whole = bot.client.get(&path).items();
        let next = bot.client.get(&format!("{path}?limit=3")).next_page().unwrap();
        assert!(next.starts_with(&format!("{path}?limit=3&cursor=")), "{next}");
        let rest = bot.client.get(&next.replace("limit=3&", ""));
        assert_eq!((rest.items(), rest.next_page()), (whole[3..].to_vec(), None));
    }

    fn very_many_chunks_are_streamed_whole(app: &TestApp) {
        let bot = project(app);
        let text: String = (0..1_300).map(|n| format!("Paragraph {n} {}\n\n", "x".repeat(80))).collect();
        let form = text_form("a.txt", &text).text("maxChars", "100").text("maxOverlap", "0");
        let document = upload(&bot, &form);
        assert_eq!(document["extraction"]["chunkCount"], json!(1_300));
        let path = chunks_at(&id(&document));
        let answer = bot.connect().exchange("GET", &path, &[], b"");
        assert_eq!(answer.header("transfer-encoding"), Some("chunked"));
        assert_eq!(answer.next_page(), None);
        let indexes: Vec<_> = answer.items().iter().map(|chunk| number(chunk, "index")).collect();
        assert!(indexes == (0..1_300).collect::<Vec<_>>());
        let (collected, sizes) = bot.client.collect_pages(&format!("{path}?limit=500"));
        assert_eq!(sizes, [500, 500, 300]);
        assert!(collected == answer.items());
    }

    fn a_cursor_goes_on_in_the_list_that_it_is_of_and_in_no_other(app: &TestApp) {
        let bot = project(app);
        let (_, document) = cut(&bot, 10);
        let next = bot.client.get(&format!("{}?limit=1", chunks_at(&document))).next_page();
        let next = next.unwrap();
        let cursor = next.split("cursor=").nth(1).unwrap();
        let sibling = bot.tenant.sibling().with_project_token();
        for other in [&bot, &sibling] {
            let (_, own) = cut(other, 10);
            let answer = other.client.get(&format!("{}?cursor={cursor}", chunks_at(&own)));
            answer.problem(409, "refused");
        }
        sibling.client.get(&next).problem(404, "document_not_found");
        // Chunks of two extractions never come in one list.
        let whole = bot.client.get(&next.replace("limit=1&", ""));
        assert_eq!(whole.items().len(), chunks(&bot.client, &document).len() - 1);
        let body = json!({"maxChars": 200});
        let _ = bot.client.post(&super::extract_at(&document), &body).ok();
        super::settled(&bot, &document);
        bot.client.get(&next).problem(409, "refused");
    }
}
