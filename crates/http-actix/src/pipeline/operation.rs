//! One row of the table of operations, made of a handler's own types.

use std::time::Duration;

use actix_web::http::Method;
use domain::access::{Scheme, ScopeSet};

use crate::body::spec::{BodySpec, FormSpec, JsonSpec};
use crate::body::take::FromBody;
use crate::options::HttpOptions;
use crate::pipeline::handler::{Handler, Run};
use crate::pipeline::path_param::PathDoc;
use crate::pipeline::preconditions::Preconditions;
use crate::pipeline::query::{ParamDoc, Query, first_value};
use crate::pipeline::target::{Parent, Target};
use crate::reply::{AFTER, LIMIT, ReplyKind, ReplySchema, UPDATED_SINCE};

/// Where the bot scheme's operations on its bot begin.
pub const BOT_BASE: &str = "/api/external/bot";
/// Where the project scheme's operations on a bot begin.
pub const PROJECT_BOT_BASE: &str = "/api/external/projectapi/bots/{botId}";
/// What the name of an operation of the project scheme ends in, if the bot scheme has the same one.
pub(crate) const OF_PROJECT: &str = "OfProject";

/// A method on a path, who may call it, what it takes and what it answers. The router, the check of
/// tokens and scopes, the API document and the tests' matrices all read this.
#[derive(Clone)]
pub struct Operation {
    /// Its name in the API document and in metrics.
    pub id: String,
    /// One sentence.
    pub summary: &'static str,
    /// The group in the API document.
    pub tag: &'static str,
    /// What the group is about, as a sentence.
    pub about: &'static str,
    /// The HTTP method.
    pub method: Method,
    /// The path, parameters in braces.
    pub path: String,
    /// Whose tokens it takes.
    pub scheme: Scheme,
    /// The scopes that a token needs, all of them.
    pub scopes: ScopeSet,
    /// The parameters of the path, in their order.
    pub path_docs: Vec<PathDoc>,
    /// What is looked up first.
    pub parent: Parent,
    /// The query parameters.
    pub query: Vec<ParamDoc>,
    /// The body, if it takes one.
    pub body: Option<BodySpec>,
    /// What 200 answers.
    pub reply: ReplySchema,
    /// On what a change can be made to depend.
    pub change_preconditions: Preconditions,
    /// Whether a request can have an `Idempotency-Key`.
    pub takes_key: bool,
    /// Statuses that only this operation has.
    pub extra_statuses: &'static [u16],
    /// Whether there is no time limit once the body was read: it works in small steps, and others are served
    /// in between.
    pub has_no_timeout: bool,
    /// Whether it waits for an extraction, for which it has time of its own.
    pub awaits_extraction: bool,
    /// Whether a token that may only read is let through although the method is one that changes something.
    pub is_for_readers: bool,
    /// Whether a ticket may stand for the token.
    pub takes_ticket: bool,
    pub(crate) run: Run,
}

impl Operation {
    /// Whether a read-only token is refused.
    #[must_use]
    pub fn writes(&self) -> bool {
        self.method != Method::GET && !self.is_for_readers
    }

    /// Whether what this query asks for is a list to its end, and no page of it.
    #[must_use]
    pub(super) fn asks_for_whole_list(&self, query: &str) -> bool {
        matches!(self.reply.kind, ReplyKind::List | ReplyKind::TabularList)
            && first_value(query, LIMIT).is_none()
    }

    /// The names of the path's parameters.
    pub fn path_params(&self) -> impl Iterator<Item = &str> {
        let segments = self.path.split('/');
        segments.filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'))
    }

    /// Its body, if that is JSON.
    #[must_use]
    pub const fn json(&self) -> Option<&JsonSpec> {
        match &self.body {
            Some(BodySpec::Json(json)) => Some(json),
            Some(BodySpec::Form(_)) | None => None,
        }
    }

    /// Its body, if that is a form.
    #[must_use]
    pub const fn form(&self) -> Option<&FormSpec> {
        match &self.body {
            Some(BodySpec::Form(form)) => Some(form),
            Some(BodySpec::Json(_)) | None => None,
        }
    }

    /// On what it can be made to depend.
    #[must_use]
    pub fn preconditions(&self) -> Preconditions {
        let has_tag = matches!(self.reply.kind, ReplyKind::Tagged | ReplyKind::File);
        if has_tag && !self.writes() { Preconditions::Read } else { self.change_preconditions }
    }

    /// How long a request may take; `None` for as long as it takes.
    #[must_use]
    pub const fn timeout(&self, options: &HttpOptions) -> Option<Duration> {
        if self.has_no_timeout {
            return None;
        }
        let timeout = match &self.body {
            Some(BodySpec::Form(_)) => options.limits.upload_timeout,
            Some(BodySpec::Json(_)) | None => options.limits.handler_timeout,
        };
        Some(if self.awaits_extraction {
            timeout.saturating_add(options.extraction_wait)
        } else {
            timeout
        })
    }

    /// Every status that it answers with, in ascending order. Whatever its nature, an operation can
    /// be sent too long a path, come too often, or meet a service in trouble.
    #[must_use]
    pub fn statuses(&self) -> Vec<u16> {
        let mut statuses = vec![200, 401, 414, 422, 429, 500, 503];
        if !self.scopes.is_empty() || self.writes() {
            statuses.push(403);
        }
        if self.parent != Parent::Token {
            statuses.push(404);
        }
        if self.body.is_some() {
            statuses.extend([400, 413, 415]);
        }
        if self.takes_key {
            statuses.push(409);
        }
        if self.goes_by_events() {
            statuses.push(410);
        }
        match self.preconditions() {
            Preconditions::None => {}
            Preconditions::Read => statuses.extend([304, 412]),
            Preconditions::Update | Preconditions::Upsert => statuses.push(412),
        }
        statuses.extend(self.extra_statuses);
        statuses.sort_unstable();
        statuses.dedup();
        statuses
    }

    /// Whether it can go on by events, which may not be kept any more.
    fn goes_by_events(&self) -> bool {
        self.query.iter().any(|param| [AFTER, UPDATED_SINCE].contains(&param.name))
    }

    /// Names the statuses that only this operation has.
    #[must_use]
    pub const fn extra_statuses(mut self, statuses: &'static [u16]) -> Self {
        self.extra_statuses = statuses;
        self
    }

    /// Lets a change depend on the entity tag of what is changed, which the service must evaluate.
    #[must_use]
    pub const fn takes_if_match(mut self) -> Self {
        self.change_preconditions = Preconditions::Update;
        self
    }

    /// Lets it depend also on that there is nothing yet.
    #[must_use]
    pub const fn takes_if_none_match(mut self) -> Self {
        self.change_preconditions = Preconditions::Upsert;
        self
    }

    /// Lets it take as long as it takes.
    #[must_use]
    pub const fn without_timeout(mut self) -> Self {
        self.has_no_timeout = true;
        self
    }

    /// Lets tokens through that may only read.
    #[must_use]
    pub const fn for_readers(mut self) -> Self {
        self.is_for_readers = true;
        self
    }

    /// Lets a ticket stand for the token.
    #[must_use]
    pub const fn takes_ticket(mut self) -> Self {
        self.takes_ticket = true;
        self
    }

    /// Gives it time to wait for an extraction.
    #[must_use]
    pub const fn awaits_extraction(mut self) -> Self {
        self.awaits_extraction = true;
        self
    }
}

/// An operation of one scheme, described by the types of its handler.
pub fn operation<A: Target, Q: Query, B: FromBody>(
    scheme: Scheme,
    method: Method,
    path: &str,
    (id, summary): (&str, &'static str),
    handler: Handler<A, Q, B>,
) -> Operation {
    Operation {
        id: id.to_owned(),
        summary,
        tag: "",
        about: "",
        method,
        path: path.to_owned(),
        scheme,
        scopes: A::required(scheme),
        path_docs: A::path(scheme),
        parent: A::parent(scheme),
        query: Q::describe(),
        body: B::spec(),
        reply: handler.reply,
        change_preconditions: Preconditions::None,
        takes_key: handler.takes_key,
        extra_statuses: &[],
        has_no_timeout: false,
        awaits_extraction: false,
        is_for_readers: false,
        takes_ticket: false,
        run: handler.run,
    }
}

/// The same operation in both schemes: on the bot of a bot token, and on any bot of a project
/// token's project. `rel` is appended to both bases.
pub fn on_bot<A: Target, Q: Query, B: FromBody>(
    method: Method,
    rel: &str,
    (id, summary): (&str, &'static str),
    handler: Handler<A, Q, B>,
) -> [Operation; 2] {
    in_both_schemes([BOT_BASE, PROJECT_BOT_BASE], method, rel, (id, summary), handler)
}

/// The same operation in both schemes, at `rel` below the base of each.
pub fn in_both_schemes<A: Target, Q: Query, B: FromBody>(
    [of_bot, of_project]: [&str; 2],
    method: Method,
    rel: &str,
    (id, summary): (&str, &'static str),
    handler: Handler<A, Q, B>,
) -> [Operation; 2] {
    let (own, any) = (format!("{of_bot}{rel}"), format!("{of_project}{rel}"));
    let id_of_project = format!("{id}{OF_PROJECT}");
    [
        operation(Scheme::Bot, method.clone(), &own, (id, summary), handler.clone()),
        operation(Scheme::Project, method, &any, (&id_of_project, summary), handler),
    ]
}
