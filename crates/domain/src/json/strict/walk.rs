//! The pass over the text: from value to value, with a stack of its own.

use super::frame::{Frame, pointer};
use super::key::Key;
use super::names::Names;
use super::scan::{Malformed, Quoted, Scan};
use super::{MAX_DEPTH, MAX_MEMBERS, MAX_NUMBER, Member};
use crate::violation::{ViolationCode, Violations};

/// Why a pass ended before the end of the text.
#[derive(Debug)]
pub(super) enum Stop {
    /// The text is no JSON.
    Malformed(Malformed),
    /// A container lies too deep.
    TooDeep {
        /// That container.
        pointer: String,
    },
    /// The object has more members than any body may have.
    TooManyMembers,
}

impl From<Malformed> for Stop {
    fn from(malformed: Malformed) -> Self {
        Self::Malformed(malformed)
    }
}

/// What a pass through the whole text gave.
#[derive(Debug)]
pub(super) struct Scanned<'a> {
    /// Whether the text is an object.
    pub(super) root_is_object: bool,
    /// The members of that object.
    pub(super) members: Vec<Member<'a>>,
    /// What was found wrong.
    pub(super) violations: Violations,
}

/// A pass that is under way.
pub(super) struct Scanner<'a, 'b> {
    scan: Scan<'a>,
    frames: Vec<Frame<'a>>,
    names: Names<'a>,
    /// The top-level member that is only stored.
    raw_member: Option<&'b str>,
    /// Whether the pass is inside of that member.
    in_raw_member: bool,
    /// The top-level member that is being read, if its name is new, and where its value begins.
    member: Option<(Key<'a>, usize)>,
    /// Whether the value of that member can be read so far.
    is_readable: bool,
    walked: Scanned<'a>,
}

impl<'a, 'b> Scanner<'a, 'b> {
    pub(super) const fn new(text: &'a str, raw_member: Option<&'b str>) -> Self {
        Self {
            scan: Scan::new(text),
            frames: Vec::new(),
            names: Names::none(),
            raw_member,
            in_raw_member: false,
            member: None,
            is_readable: true,
            walked: Scanned {
                root_is_object: false,
                members: Vec::new(),
                violations: Violations::none(),
            },
        }
    }

    /// Goes through the text.
    pub(super) fn run(mut self) -> Result<Scanned<'a>, (Stop, Violations)> {
        match self.document() {
            Ok(()) => Ok(self.walked),
            Err(stop) => Err((stop, self.walked.violations)),
        }
    }

    fn document(&mut self) -> Result<(), Stop> {
        self.scan.skip_whitespace();
        self.walked.root_is_object = self.scan.peek() == Some(b'{');
        while !(self.value()? && self.after_value()?) {}
        self.scan.skip_whitespace();
        match self.scan.peek() {
            None => Ok(()),
            Some(_) => Err(self.scan.malformed("expected nothing more").into()),
        }
    }

    /// Reads a value, or the beginning of a container, up to the first value in it. Whether the
    /// value is over.
    fn value(&mut self) -> Result<bool, Stop> {
        self.scan.skip_whitespace();
        match self.scan.peek() {
            Some(b'"') => {
                if !self.scan.string()?.is_valid {
                    self.bad_character("A string can't hold U+0000 or half of a surrogate pair.");
                }
            }
            Some(b'-' | b'0'..=b'9') => {
                if self.scan.number()?.len() > MAX_NUMBER && !self.in_raw_member {
                    self.is_readable = false;
                    self.violation(
                        ViolationCode::OutOfRange,
                        "The number has more than 64 characters.",
                    );
                }
            }
            Some(b't') => self.scan.literal("true")?,
            Some(b'f') => self.scan.literal("false")?,
            Some(b'n') => self.scan.literal("null")?,
            Some(b'[') => {
                self.open(Frame::Array { index: 0 })?;
                return Ok(self.close(b']'));
            }
            Some(b'{') => {
                self.open(Frame::Object { key: Key::new(""), seen: self.names.open() })?;
                if !self.close(b'}') {
                    self.name()?;
                    return Ok(false);
                }
            }
            _ => return Err(self.scan.malformed("expected a value").into()),
        }
        Ok(true)
    }

    /// Reads what stands between a value and the next one. Whether there is no next one.
    fn after_value(&mut self) -> Result<bool, Stop> {
        loop {
            if self.frames.len() == 1
                && let Some((key, start)) = self.member.take()
            {
                let raw = self.scan.since(start);
                let is_readable = self.is_readable;
                if self.walked.members.len() == MAX_MEMBERS {
                    return Err(Stop::TooManyMembers);
                }
                self.walked.members.push(Member { name: key.name(), raw, is_readable });
            }
            self.scan.skip_whitespace();
            match self.frames.last_mut() {
                None => return Ok(true),
                Some(Frame::Array { index }) => {
                    if self.scan.take(b',') {
                        *index += 1;
                        return Ok(false);
                    }
                    if !self.close(b']') {
                        return Err(self.scan.malformed("expected `,` or `]`").into());
                    }
                }
                Some(Frame::Object { .. }) => {
                    if self.scan.take(b',') {
                        self.scan.skip_whitespace();
                        self.name()?;
                        return Ok(false);
                    }
                    if !self.close(b'}') {
                        return Err(self.scan.malformed("expected `,` or `}`").into());
                    }
                }
            }
        }
    }

    /// Reads a bracket that opens a container.
    fn open(&mut self, frame: Frame<'a>) -> Result<(), Stop> {
        if self.frames.len() == MAX_DEPTH {
            return Err(Stop::TooDeep { pointer: pointer(&self.frames) });
        }
        self.frames.push(frame);
        self.scan.skip();
        self.scan.skip_whitespace();
        Ok(())
    }

    /// Leaves the innermost container if its closing bracket comes next; whether it does.
    fn close(&mut self, bracket: u8) -> bool {
        let closes = self.scan.take(bracket);
        if closes && let Some(Frame::Object { seen, .. }) = self.frames.pop() {
            self.names.close(&seen);
        }
        closes
    }

    /// Reads a member's name and colon, up to its value.
    fn name(&mut self) -> Result<(), Malformed> {
        if self.scan.peek() != Some(b'"') {
            return Err(self.scan.malformed("expected a member's name in double quotes"));
        }
        let Quoted { raw, is_valid } = self.scan.string()?;
        self.scan.skip_whitespace();
        if !self.scan.take(b':') {
            return Err(self.scan.malformed("expected `:`"));
        }
        self.scan.skip_whitespace();

        let name = Key::new(raw);
        let is_top = self.frames.len() == 1;
        let mut is_new = true;
        if let Some(Frame::Object { key, seen }) = self.frames.last_mut() {
            *key = name;
            is_new = self.names.add(seen, name);
        }
        if is_top {
            self.in_raw_member = self.raw_member.is_some_and(|raw_member| name.is(raw_member));
            self.member = is_new.then(|| (name, self.scan.at()));
            self.is_readable = true;
        }
        if !is_new {
            self.violation(
                ViolationCode::DuplicateField,
                "The object has this member more than once.",
            );
        }
        if !is_valid {
            self.bad_character("A name can't hold U+0000 or half of a surrogate pair.");
        }
        Ok(())
    }

    fn bad_character(&mut self, message: &'static str) {
        if !self.in_raw_member {
            self.is_readable = false;
            self.violation(ViolationCode::BadCharacter, message);
        }
    }

    /// Notes what is wrong with the value that is being read.
    fn violation(&mut self, code: ViolationCode, message: &'static str) {
        let frames = &self.frames;
        self.walked.violations.body_with(code, || (pointer(frames), message.to_owned()));
    }
}
