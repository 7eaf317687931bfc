//! What a block lies in: quotes, lists and their items, which begin each of its lines.

/// How many quotes and items a line begins with at most. Those that lie deeper are not shown: each
/// line of a page would be as long as it is deep.
const DEPTH_MAX: usize = 8;

/// Something that blocks lie in.
#[derive(Debug)]
pub(super) enum Container {
    Quote {
        is_begun: bool,
    },
    List {
        /// The number of the next item.
        next: Option<u32>,
        is_begun: bool,
        /// Whether its items are terms with what they mean.
        defines: bool,
    },
    Item {
        number: Option<u32>,
        is_begun: bool,
    },
    /// One that is not shown.
    Hidden,
}

/// All that a block lies in.
#[derive(Debug, Default)]
pub(super) struct Containers(Vec<Container>);

impl Containers {
    /// How many there are.
    pub(super) const fn len(&self) -> usize {
        self.0.len()
    }

    /// Goes back to so many.
    pub(super) fn truncate(&mut self, len: usize) {
        self.0.truncate(len);
    }

    /// A quote begins.
    pub(super) fn quote(&mut self) {
        self.push(Container::Quote { is_begun: false });
    }

    /// A list begins. One that lies in another, and not in an item of it, belongs to the item before.
    pub(super) fn list(&mut self, first: Option<u32>, defines: bool) {
        if let Some(Container::List { next, is_begun: true, .. }) = self.0.last() {
            let number = next.map(|next| next.saturating_sub(1));
            self.push(Container::Item { number, is_begun: true });
        }
        self.0.push(Container::List { next: first, is_begun: false, defines });
    }

    /// An item begins.
    pub(super) fn item(&mut self, own: Option<u32>) {
        let mut number = None;
        if let Some(Container::List { next: Some(next), .. }) = self.0.last_mut() {
            number = Some(own.unwrap_or(*next));
            *next = number.unwrap_or_default().saturating_add(1);
        }
        self.push(Container::Item { number, is_begun: false });
    }

    /// A term begins, and with it an item; or what it means, which goes on with that. Says whether
    /// there is a list that defines terms.
    pub(super) fn term(&mut self, is_meaning: bool) -> bool {
        let is_in_item = matches!(
            self.0.as_slice(),
            [.., Container::List { defines: true, .. }, Container::Item { .. } | Container::Hidden]
        );
        if is_in_item && !is_meaning {
            self.0.pop();
        }
        let is_in_list = matches!(self.0.last(), Some(Container::List { defines: true, .. }));
        // A meaning without a term is only a way to move a paragraph to the right.
        if is_in_list && !is_meaning {
            self.item(None);
        }
        is_in_item || is_in_list
    }

    /// Parts the next block from what is written already: by an empty line, or not at all if it begins
    /// an item that follows another, or the text of the item around it.
    pub(super) fn part(&mut self, out: &mut String) {
        let is_fresh = |container: &Container| {
            matches!(
                container,
                Container::Item { is_begun: false, .. } | Container::Quote { is_begun: false }
            )
        };
        let fresh = self.0.iter().position(is_fresh).unwrap_or(self.0.len());
        let around = self.0.get(..fresh).unwrap_or_default();
        let follows_item = match self.0.get(fresh) {
            Some(Container::Item { number, .. }) => {
                let is_in_item =
                    around.iter().any(|around| matches!(around, Container::Item { .. }));
                // Only a list that begins with 1 can follow a paragraph at once.
                let may_follow = number.is_none_or(|number| number == 1);
                matches!(around.last(), Some(Container::List { is_begun: true, .. }))
                    || (is_in_item && may_follow)
            }
            _ => false,
        };
        if !out.is_empty() && !follows_item {
            let start = out.len();
            for container in self.0.iter().take(fresh) {
                container.begin_line(out);
            }
            end_line(out, start);
        }
        for container in &mut self.0 {
            if let Container::List { is_begun, .. } = container {
                *is_begun = true;
            }
        }
    }

    /// Writes a line.
    pub(super) fn line(&mut self, out: &mut String, line: &str) {
        let start = out.len();
        for container in &mut self.0 {
            container.begin_line(out);
            if let Container::Item { is_begun, .. } | Container::Quote { is_begun } = container {
                *is_begun = true;
            }
        }
        out.push_str(line);
        end_line(out, start);
    }

    fn push(&mut self, container: Container) {
        let is_shown = |container: &&Container| !matches!(container, Container::List { .. });
        let is_too_deep = self.0.iter().filter(is_shown).count() >= DEPTH_MAX;
        self.0.push(if is_too_deep { Container::Hidden } else { container });
    }
}

impl Container {
    /// Writes what its next line begins with.
    fn begin_line(&self, out: &mut String) {
        match self {
            Self::Quote { .. } => out.push_str("> "),
            Self::Item { number: None, is_begun: false } => out.push_str("- "),
            Self::Item { number: None, is_begun: true } => out.push_str("  "),
            Self::Item { number: Some(number), is_begun: false } => {
                out.push_str(&format!("{number}. "));
            }
            Self::Item { number: Some(number), is_begun: true } => {
                let digits = number.to_string().len();
                out.extend(std::iter::repeat_n(' ', digits + 2));
            }
            Self::List { .. } | Self::Hidden => {}
        }
    }
}

/// Ends the line that begins here, without blanks at its end.
fn end_line(out: &mut String, start: usize) {
    let blanks = out.get(start..).map_or(0, |line| line.len() - line.trim_end().len());
    out.truncate(out.len() - blanks);
    out.push('\n');
}
