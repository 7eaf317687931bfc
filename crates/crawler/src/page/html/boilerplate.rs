//! What on a page is not its content: decided by what an element says of itself, and then, once it has
//! ended, by what was in it. Names of classes are chosen freely, so they are never enough alone.

use super::element::ElementKind;
use super::tag::{Attribute, Tag};

/// Why an element is probably not content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Suspicion {
    /// It is not: hardly anything that could be in it says otherwise.
    Certain,
    /// It is not shown, or leads through the site.
    Aside,
    /// It stands at the edge of the page.
    Edge,
    /// It asks for something, as for consent or an address.
    Banner,
    /// It may be a list of links to elsewhere.
    Links,
    /// It may be nothing but things to fill in.
    Form,
}

/// What was on a page up to some place.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Amount {
    /// Bytes of text, blanks left out.
    pub text: usize,
    /// How many of them belong to links.
    pub linked: usize,
    /// Elements that say that they are the main content.
    pub mains: u32,
    pub articles: u32,
    /// Headings of the first level.
    pub titles: u32,
    /// Things to press or to fill in.
    pub controls: u32,
}

impl Amount {
    fn since(&self, before: &Self) -> Self {
        Self {
            text: self.text - before.text,
            linked: self.linked - before.linked,
            mains: self.mains - before.mains,
            articles: self.articles - before.articles,
            titles: self.titles - before.titles,
            controls: self.controls - before.controls,
        }
    }
}

/// From how many bytes of text on, blanks left out, an element may be the article itself.
const ARTICLE: usize = 1_000;

impl Suspicion {
    /// Why a thing with this start tag may not be content.
    pub(super) fn of(kind: ElementKind, tag: &Tag, is_in_content: bool) -> Option<Self> {
        if matches!(kind, ElementKind::Page | ElementKind::Main) {
            return None;
        }
        if is_hidden(tag) {
            return Some(Self::Aside);
        }
        let by_role = tag.get(Attribute::Role).and_then(of_role);
        let is_list_of_crumbs = tag
            .get(Attribute::Itemtype)
            .is_some_and(|itemtype| itemtype.trim_end_matches('/').ends_with("/BreadcrumbList"));
        if is_list_of_crumbs {
            return Some(Self::Certain);
        }
        by_role.or_else(|| match kind {
            ElementKind::Edge => Some(match &*tag.name {
                b"aside" => Self::Edge,
                _ => Self::Aside,
            }),
            ElementKind::Header if !is_in_content => Some(Self::Edge),
            ElementKind::Footer => Some(Self::Edge),
            ElementKind::Form => Some(Self::Form),
            ElementKind::Article
            | ElementKind::Heading(_)
            | ElementKind::Table
            | ElementKind::Rows { .. }
            | ElementKind::Row => None,
            ElementKind::Page
            | ElementKind::Main
            | ElementKind::Plain
            | ElementKind::Part
            | ElementKind::Paragraph
            | ElementKind::Header
            | ElementKind::Marked(_)
            | ElementKind::MarkedPart(_)
            | ElementKind::Link
            | ElementKind::Quotation
            | ElementKind::Quote
            | ElementKind::Preformatted
            | ElementKind::List { .. }
            | ElementKind::Item
            | ElementKind::Definitions
            | ElementKind::Term
            | ElementKind::Definition
            | ElementKind::Cell { .. }
            | ElementKind::Caption
            | ElementKind::Reading
            | ElementKind::ReadingSign
            | ElementKind::Fallback
            | ElementKind::Control
            | ElementKind::Label
            | ElementKind::Title
            | ElementKind::Drawing
            | ElementKind::Dropped
            | ElementKind::Leaf(_) => {
                let names = [Attribute::Class, Attribute::Id].map(|name| tag.get(name));
                names.into_iter().flatten().find_map(of_names)
            }
        })
    }

    /// Whether it counts in what is no page of a site. There a footer may hold notes and an aside a part of
    /// the text, and what names of classes mean is anybody's guess.
    pub(super) const fn holds_in_files(self) -> bool {
        match self {
            Self::Certain | Self::Aside => true,
            Self::Edge | Self::Banner | Self::Links | Self::Form => false,
        }
    }

    /// Whether it was right, once all of the element is known.
    pub(super) fn is_right(self, before: &Amount, after: &Amount) -> bool {
        let inside = after.since(before);
        let has_heart = inside.mains > 0;
        let has_beginning = inside.titles > 0 || inside.articles > 0;
        // The name of a class alone does not outweigh a long text, most of which leads nowhere.
        let words = inside.text - inside.linked;
        let is_article = words >= ARTICLE && words * 2 >= inside.text;
        match self {
            // Numbers of lines are long as well, but no beginning.
            Self::Certain => !(is_article && (has_beginning || words >= 5 * ARTICLE)),
            // Some pages are shown by a script once they are complete.
            Self::Aside => !has_heart && (inside.titles == 0 || inside.text < 1_000),
            // Teasers of articles are no beginning here.
            Self::Edge => !has_heart && inside.titles == 0 && !is_article,
            Self::Banner => {
                let asks = inside.controls > 0 || inside.linked > 0;
                let most = match (has_beginning, asks) {
                    (false, true) => 4_000,
                    (false, false) => 300,
                    (true, _) if inside.controls > 0 => 600,
                    (true, _) => 0,
                };
                !has_heart && inside.text < most
            }
            Self::Links => {
                let presses = inside.text < 60 && inside.controls > 0;
                !has_heart && !has_beginning && (presses || inside.linked * 3 >= inside.text)
            }
            Self::Form => !has_heart && !has_beginning && words < 200,
        }
    }
}

/// Whether a start tag says that its element is not shown.
pub(super) fn is_hidden(tag: &Tag) -> bool {
    let style = tag.get(Attribute::Style).unwrap_or_default();
    tag.get(Attribute::Hidden).is_some_and(|value| !value.eq_ignore_ascii_case("until-found"))
        || tag.has_word(Attribute::AriaHidden, "true")
        || declares(style, "display", "none")
        || declares(style, "visibility", "hidden")
}

fn declares(style: &str, property: &str, value: &str) -> bool {
    style.split(';').filter_map(|declaration| declaration.split_once(':')).any(|(name, said)| {
        let said = said.split('!').next().unwrap_or_default();
        name.trim().eq_ignore_ascii_case(property) && said.trim().eq_ignore_ascii_case(value)
    })
}

fn of_role(role: &str) -> Option<Suspicion> {
    Some(match role.trim() {
        "navigation" | "search" | "dialog" | "alertdialog" | "menu" | "menubar" | "toolbar"
        | "tooltip" | "tablist" => Suspicion::Aside,
        "banner" | "contentinfo" | "complementary" => Suspicion::Edge,
        _ => return None,
    })
}

/// What the names of classes, or an id, say.
fn of_names(names: &str) -> Option<Suspicion> {
    let mut links = None;
    for name in names.split_ascii_whitespace() {
        if is_for_screen_readers(name) {
            return Some(Suspicion::Certain);
        }
        // Parts of a page have heads and feet as well as the page; these are those of the page.
        let is_edge_of_page =
            ["header", "footer", "page-header", "page-footer", "site-header", "site-footer"]
                .iter()
                .any(|edge| name.eq_ignore_ascii_case(edge));
        match of_name(name).or(is_edge_of_page.then_some(Suspicion::Links)) {
            Some(Suspicion::Links) => links = Some(Suspicion::Links),
            Some(suspicion) => return Some(suspicion),
            None => {}
        }
    }
    links
}

fn is_for_screen_readers(name: &str) -> bool {
    ["sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text"].contains(&name)
}

fn of_name(name: &str) -> Option<Suspicion> {
    let mut links = None;
    // A page `with-sidebar` is not the sidebar.
    let mut is_said_of_page = false;
    for part in name.split(|char: char| !char.is_alphanumeric()) {
        let mut rest = part;
        while !rest.is_empty() {
            let (word, next) = rest.split_at_checked(end_of_word(rest)).unwrap_or((rest, ""));
            rest = next;
            let mut lower = [0; 16];
            let Some(lower) = lower.get_mut(..word.len()) else {
                continue;
            };
            lower.copy_from_slice(word.as_bytes());
            lower.make_ascii_lowercase();
            match &*lower {
                b"with" | b"without" | b"has" | b"no" | b"is" => is_said_of_page = true,
                _ if is_said_of_page => is_said_of_page = false,
                word => match of_word(word) {
                    Some(Suspicion::Links) => links = Some(Suspicion::Links),
                    Some(suspicion) => return Some(suspicion),
                    None => {}
                },
            }
        }
    }
    links
}

/// Where the first word of a name ends that is written `likeThis`.
fn end_of_word(name: &str) -> usize {
    let pairs = name.as_bytes().windows(2);
    let humps =
        |pair: &[u8]| matches!(pair, [a, b] if a.is_ascii_lowercase() && b.is_ascii_uppercase());
    pairs.into_iter().position(humps).map_or(name.len(), |at| at + 1)
}

fn of_word(word: &[u8]) -> Option<Suspicion> {
    Some(match word {
        b"breadcrumb" | b"breadcrumbs" | b"editsection" | b"gutter" | b"linenos" | b"lineno"
        | b"linenumbers" | b"lnt" | b"skiplink" | b"skiplinks" => Suspicion::Certain,
        b"sidebar" | b"advert" | b"advertisement" | b"ads" | b"adsense" | b"pagination"
        | b"paginator" | b"pager" => Suspicion::Edge,
        b"cookie" | b"cookies" | b"cookiebar" | b"cookiebanner" | b"consent" | b"gdpr"
        | b"dsgvo" | b"newsletter" | b"popup" | b"modal" | b"paywall" => Suspicion::Banner,
        b"nav" | b"navbar" | b"navi" | b"navigation" | b"menu" | b"menubar" | b"submenu"
        | b"topbar" | b"share" | b"sharing" | b"sharedaddy" | b"social" | b"skip" | b"toc"
        | b"related" | b"tags" => Suspicion::Links,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_by_whole_words() {
        for (names, expected) in [
            ("site cookie-banner", Some(Suspicion::Banner)),
            ("CookieConsent", Some(Suspicion::Banner)),
            ("newsletterSignup", Some(Suspicion::Banner)),
            ("discookie", None),
            ("with-sidebar", None),
            ("page--has-sidebar wide", None),
            ("left_sidebar", Some(Suspicion::Edge)),
            ("share-price", Some(Suspicion::Links)),
            ("shared", None),
            ("main-menu c-breadcrumb", Some(Suspicion::Certain)),
            ("sr-only", Some(Suspicion::Certain)),
            ("überschrift-menu", Some(Suspicion::Links)),
            ("a-very-long-name-averyveryverylongword", None),
            ("", None),
        ] {
            assert_eq!(of_names(names), expected, "{names}");
        }
    }

    #[test]
    fn styles_hide() {
        assert!(declares("color:red; DISPLAY : none !important", "display", "none"));
        assert!(!declares("display:block;x-display:none", "display", "none"));
    }
}
