//! Text that is made up.

const WORDS: [&str; 64] = [
    "account",
    "address",
    "answer",
    "backup",
    "balance",
    "billing",
    "branch",
    "button",
    "calendar",
    "cancel",
    "change",
    "channel",
    "choose",
    "column",
    "contact",
    "contract",
    "customer",
    "data",
    "default",
    "delivery",
    "department",
    "device",
    "document",
    "edit",
    "enter",
    "every",
    "export",
    "field",
    "filter",
    "folder",
    "form",
    "group",
    "import",
    "invoice",
    "keep",
    "language",
    "letter",
    "list",
    "message",
    "month",
    "notice",
    "number",
    "office",
    "open",
    "option",
    "order",
    "package",
    "payment",
    "period",
    "person",
    "price",
    "printer",
    "product",
    "region",
    "report",
    "request",
    "return",
    "search",
    "select",
    "service",
    "setting",
    "step",
    "store",
    "week",
];

/// Text that is made up, the same from the same state.
pub struct Words(pub u64);

impl Words {
    /// A number below another one.
    pub fn number(&mut self, below: u32) -> u32 {
        // Knuth's linear congruential generator. Its high bits are more random than its low ones.
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u32::try_from((self.0 >> 33) % u64::from(below.max(1))).unwrap_or(0)
    }

    /// Any word.
    pub fn word(&mut self) -> &'static str {
        let at = self.number(64) as usize;
        WORDS.get(at).copied().unwrap_or_default()
    }

    /// So many words.
    pub fn words(&mut self, count: u32) -> String {
        (0..count).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }

    /// What a chapter could be called.
    pub fn title(&mut self) -> String {
        format!("The {} of a {}", self.word(), self.words(2))
    }

    /// A sentence of 7 to 14 words.
    pub fn sentence(&mut self) -> String {
        let count = 6 + self.number(8);
        format!("The {}.", self.words(count))
    }
}
