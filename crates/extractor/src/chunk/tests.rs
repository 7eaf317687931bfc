//! What chunks must be like, regardless of the text.

use domain::document::Strategy;
use proptest::prelude::*;
use unicode_segmentation::UnicodeSegmentation as _;

use super::*;

fn settings(strategy: Strategy, max_chars: u32, max_overlap: u32) -> ExtractionSettings {
    ExtractionSettings {
        max_chars,
        max_overlap,
        strategy,
        images_enabled: false,
        ocr_enabled: false,
        ocr_language: "deu".to_owned(),
    }
}

fn cut(text: &str, settings: &ExtractionSettings) -> Vec<ExtractedChunk> {
    let document = Document { text: text.to_owned(), ..Document::default() };
    chunks(&document, settings, &Limits::default()).collect::<Result<_, _>>().unwrap()
}

fn texts(text: &str, strategy: Strategy, max: u32, overlap: u32) -> Vec<String> {
    cut(text, &settings(strategy, max, overlap)).into_iter().map(|chunk| chunk.text).collect()
}

/// The laws that hold for every text.
fn hold(text: &str, settings: &ExtractionSettings) {
    let chunks = cut(text, settings);
    let chars: Vec<char> = text.chars().collect();
    let mut is_covered = vec![false; chars.len()];
    let mut last: Option<&ExtractedChunk> = None;
    let mut offsets: Vec<usize> = Vec::new();
    let mut long_graphemes = Vec::new();
    let mut offset = 0;
    for grapheme in text.graphemes(true) {
        offsets.push(offset);
        let count = grapheme.chars().count();
        if count > settings.max_chars as usize / 2 {
            long_graphemes.push(offset..offset + count);
        }
        offset += count;
    }
    offsets.push(offset);
    for chunk in &chunks {
        let (start, end) = (chunk.char_start as usize, chunk.char_end as usize);
        assert_eq!(chunk.text, chars[start..end].iter().collect::<String>());
        assert!(!chunk.text.trim().is_empty());
        assert!(end - start <= settings.max_chars as usize, "{} characters", end - start);
        for edge in [start, end] {
            let is_within = long_graphemes.iter().any(|long| long.contains(&edge));
            assert!(is_within || offsets.binary_search(&edge).is_ok(), "{edge} is in a grapheme");
        }
        if let Some(last) = last {
            assert!(last.char_start < chunk.char_start && last.char_end < chunk.char_end);
            let overlap = last.char_end.saturating_sub(chunk.char_start);
            assert!(overlap <= settings.max_overlap.into(), "{overlap} characters overlap");
        }
        is_covered[start..end].fill(true);
        last = Some(chunk);
    }
    for (at, char) in chars.iter().enumerate() {
        assert!(is_covered[at] || char.is_whitespace(), "{char:?} at {at} is in no chunk");
    }
    assert_eq!(cut(text, settings), chunks);
}

fn strategies() -> impl proptest::strategy::Strategy<Value = Strategy> {
    prop_oneof![Just(Strategy::Text), Just(Strategy::Markdown), Just(Strategy::Yaml)]
}

/// Pieces of which texts are made that could be cut in a wrong place.
fn pieces() -> impl proptest::strategy::Strategy<Value = String> {
    let word = "[a-zäß]{1,9}[.,!?]? ";
    let lines = r"(#{1,7} [a-z]{0,9}\n|(=|-){3}\n|```\n|~~~~\n|\n{1,3}|\r\n| {0,40}|---\n|\t|\|)";
    let yaml = "(\n|\n  ){1,2}(- |# )?[a-z]{1,9}:( [a-z]{0,40})?";
    let clusters = "(e\u{301}{0,60}|🇩🇪|👩\u{200d}👩\u{200d}👧|각|\u{600}| \u{308}|\u{200d}|한|漢字。|\u{e01}\u{e33}|\u{915}\u{94d}\u{937})";
    let any = "(?s).{0,5}";
    let run = "[A-Za-z0-9]{60,200}";
    prop_oneof![4 => word, 2 => lines, 1 => yaml, 2 => clusters, 1 => any, 1 => run]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_laws_hold(
        pieces in proptest::collection::vec(pieces(), 0..120),
        strategy in strategies(),
        max in 1..160_u32,
        overlap in 0..160_u32,
    ) {
        hold(&pieces.concat(), &settings(strategy, max, overlap.min(max - 1)));
    }
}

#[test]
fn what_is_repeated_gives_way_to_a_grapheme() {
    // The number sign and the blank behind it are one grapheme, for which a repeated `aa:` leaves no room.
    let text = "\n- aa: \u{600} ";
    hold(text, &settings(Strategy::Text, 5, 3));
    assert_eq!(texts(text, Strategy::Text, 5, 3), ["- aa:", "\u{600} "]);
}

#[test]
fn the_laws_hold_for_texts_that_are_hard_to_cut() {
    let half = 1 << 19;
    let texts: [String; 12] = [
        "a".repeat(2 * half),
        "\u{301}".repeat(half),
        (0..100_000).map(|n| format!("# Heading {n}\n")).collect(),
        format!("a{}b", "\n".repeat(2 * half)),
        "🇩🇪".repeat(half / 16),
        "👩\u{200d}".repeat(half / 16),
        "a \u{308}".repeat(half / 16),
        "\u{915}\u{94d}".repeat(half / 16),
        "漢字".repeat(half / 16),
        (0..20_000).map(|n| format!("key{n}: |\n  text\n")).collect(),
        "a\n".repeat(half / 4) + "---",
        "```\n".repeat(half / 8),
    ];
    for text in &texts {
        for strategy in [Strategy::Text, Strategy::Markdown, Strategy::Yaml] {
            assert_eq!(cut(text, &settings(strategy, 1_000, 100)).is_empty(), text.is_empty());
        }
        let part: String = text.chars().take(1 << 12).collect();
        hold(&part, &settings(Strategy::Markdown, 1_000, 100));
        hold(&part, &settings(Strategy::Text, 100, 99));
    }
}

#[test]
fn a_text_that_fits_is_one_chunk() {
    assert_eq!(texts("", Strategy::Text, 100, 10), [""; 0]);
    assert_eq!(texts(" \n\t\u{a0}", Strategy::Text, 100, 10), [""; 0]);
    let chunks = cut("\n  Ähren\n\nim Feld \n", &settings(Strategy::Text, 100, 10));
    let [chunk] = chunks.as_slice() else { panic!("{chunks:?}") };
    assert_eq!(
        (chunk.text.as_str(), chunk.char_start, chunk.char_end),
        ("Ähren\n\nim Feld", 3, 17)
    );
}

#[test]
fn text_is_cut_at_the_best_place_that_a_chunk_reaches() {
    let cut = |text: &str| texts(text, Strategy::Text, 20, 0);
    assert_eq!(cut("One. Two.\n\nThree. Four. Five."), ["One. Two.", "Three. Four. Five."]);
    assert_eq!(cut("One. Two.\nThree.\nFour. Five."), ["One. Two.\nThree.", "Four. Five."]);
    assert_eq!(cut("One two three. Four five six."), ["One two three.", "Four five six."]);
    assert_eq!(cut("one two three four five six"), ["one two three four", "five six"]);
    assert_eq!(
        cut("漢字漢字漢字漢字漢字漢字漢字。漢字漢字漢字"),
        ["漢字漢字漢字漢字漢字漢字漢字。", "漢字漢字漢字"]
    );
    assert_eq!(cut(&"a".repeat(45)).iter().map(String::len).collect::<Vec<_>>(), [20, 20, 5]);
    // A break that would leave next to nothing before it does not count.
    assert_eq!(cut("A.\n\nOne two three four five"), ["A.\n\nOne two three", "four five"]);
}

#[test]
fn a_chunk_repeats_whole_sentences_or_words() {
    let text = "One two. Three four. Five six. Seven.";
    assert_eq!(
        texts(text, Strategy::Text, 22, 12),
        ["One two. Three four.", "Three four. Five six.", "Five six. Seven.",]
    );
    assert_eq!(
        texts(text, Strategy::Text, 22, 5),
        ["One two. Three four.", "four. Five six. Seven.",]
    );
    // What a new heading begins repeats nothing of what was before it.
    let text = "# A\n\nOne two three.\n\n# B\n\nFour five six.";
    let expected = ["# A\n\nOne two three.", "# B\n\nFour five six."];
    assert_eq!(texts(text, Strategy::Markdown, 30, 25), expected);
}

#[test]
fn markdown_is_cut_before_headings_and_not_within_code() {
    let text = "# A\n\nOne.\n\nTwo.\n\n## B\n\nThree.\n\nFour.\n";
    assert_eq!(
        texts(text, Strategy::Markdown, 30, 0),
        ["# A\n\nOne.\n\nTwo.", "## B\n\nThree.\n\nFour."]
    );
    let text = "Before it.\n\n```\nlet a;\n\nlet b;\n```\n\nAfter.";
    assert_eq!(
        texts(text, Strategy::Markdown, 30, 0),
        ["Before it.", "```\nlet a;\n\nlet b;\n```\n\nAfter."]
    );
    let text = "- one\n- two\n\n      code\n      code\n";
    assert_eq!(texts(text, Strategy::Markdown, 24, 0), ["- one\n- two", "      code\n      code"]);
}

#[test]
fn each_outermost_key_of_yaml_is_a_chunk_and_long_ones_are_split_on() {
    let text = "# Of all\n\n%YAML 1.2\n---\n# About a\na: 1\n# About b\n# and more\nb:\n  x:\n    - 1\n    - 2\n  y:\n    - 3\n\"c\": |\n  no: key\n---\nd: 4\n";
    assert_eq!(
        texts(text, Strategy::Yaml, 100, 20),
        [
            "# Of all\n\n%YAML 1.2",
            "---\n# About a\na: 1",
            "# About b\n# and more\nb:\n  x:\n    - 1\n    - 2\n  y:\n    - 3",
            "\"c\": |\n  no: key",
            "---\nd: 4",
        ]
    );
    assert_eq!(
        texts(text, Strategy::Yaml, 50, 0)[2..4],
        ["# About b\n# and more\nb:\n  x:\n    - 1\n    - 2", "  y:\n    - 3",]
    );
    let list = "- a: 1\n  b: 2\n- a: 3\n  b: 4\n- a: 5\n";
    assert_eq!(texts(list, Strategy::Yaml, 30, 0), ["- a: 1\n  b: 2\n- a: 3\n  b: 4", "- a: 5"]);
}

fn headings(text: &str, strategy: Strategy, is_markdown: bool) -> Vec<(String, Vec<String>)> {
    let document = Document { text: text.to_owned(), is_markdown, ..Document::default() };
    let chunks = chunks(&document, &settings(strategy, 14, 0), &Limits::default());
    let first = |text: &str| text.lines().next().unwrap().to_owned();
    chunks.map(|chunk| chunk.unwrap()).map(|chunk| (first(&chunk.text), chunk.heading)).collect()
}

#[test]
fn a_chunk_knows_the_headings_above_it() {
    let text = "before it all\n\n# A #\n\none\n\n### C\ntext text\n\n```\n# no heading\n```\n\nB\n b\n-----\n\ntwo two two\n\n    # code\n\n#none\n\n# Z\n";
    let of = |chunk: &str, heading: &[&str]| {
        (chunk.to_owned(), heading.iter().map(ToString::to_string).collect::<Vec<_>>())
    };
    let expected = [
        of("before it all", &[]),
        of("# A #", &["A"]),
        of("### C", &["A", "C"]),
        of("text text", &["A", "C"]),
        of("```", &["A", "C"]),
        of("# no heading", &["A", "C"]),
        of("```", &["A", "C"]),
        of("B", &["A", "B b"]),
        of("two two two", &["A", "B b"]),
        of("# code", &["A", "B b"]),
        of("# Z", &["Z"]),
    ];
    let found = headings(text, Strategy::Markdown, false);
    assert_eq!(found, expected);
    let bare = headings(text, Strategy::Text, false);
    assert!(bare.iter().all(|(_, heading)| heading.is_empty()));
    let known = headings(text, Strategy::Text, true);
    assert_eq!(known.last(), expected.last());
}

#[test]
fn fields_before_a_text_are_no_headings() {
    let text = "---\ntitle: A\n---\n\n# B\n\ntext text";
    let found = headings(text, Strategy::Markdown, true);
    assert_eq!(found.last().unwrap().1, ["B"]);
    assert!(found[0].1.is_empty());
}

#[test]
fn a_chunk_is_on_the_page_on_which_it_begins() {
    let page = |start, number| Page { start, number };
    let document = Document {
        text: "ä".repeat(300),
        pages: vec![page(0, 1), page(100, 2), page(150, 3), page(150, 4), page(200, 5)],
        is_markdown: false,
    };
    let chunks = chunks(&document, &settings(Strategy::Text, 50, 0), &Limits::default());
    let pages: Vec<_> = chunks.map(|chunk| chunk.unwrap().page).collect();
    assert_eq!(pages, [Some(1), Some(1), Some(2), Some(4), Some(5), Some(5)]);
}

#[test]
fn chunks_are_bounded() {
    let document = Document { text: "a".repeat(1_000), ..Document::default() };
    let settings = settings(Strategy::Text, 100, 0);
    for limits in [
        Limits { chunks: 9, ..Limits::default() },
        Limits { result_bytes: 999, ..Limits::default() },
    ] {
        let chunks: Vec<_> = chunks(&document, &settings, &limits).collect();
        assert_eq!(chunks.len(), 10);
        assert_eq!(chunks[9], Err(ExtractionError::TooLarge));
        assert!(chunks[..9].iter().all(Result::is_ok));
    }
}
