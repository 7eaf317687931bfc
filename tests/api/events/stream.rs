//! `GET projectapi/events/stream`, `GET bot/events/stream`, and tickets for them.

use botyard_tests::waiting::until;
use botyard_tests::{Caller, Client, Connection, Mint, OnBot, TestApp, each_database, each_scheme};
use domain::access::Scheme;
use domain::bot::DeleteMode;
use serde_json::{Value, json};

use super::{OF_BOT, OF_PROJECT, events_up_to, path};
use crate::skills::{id, make};

/// A stream that is open.
pub(super) struct Stream<'a> {
    connection: Connection<'a>,
    /// What has come of a message that is not complete.
    begun: String,
}

impl<'a> Stream<'a> {
    /// Opens a stream of the client's events with this query and these lines in the head.
    #[track_caller]
    pub(super) fn open(
        client: &'a Client<'a>,
        scheme: Scheme,
        query: &str,
        lines: &[&str],
    ) -> Self {
        let mut connection = client.connect();
        let path = format!("{}/stream{query}", path(scheme));
        let answer = connection.exchange("GET", &path, lines, b"");
        assert_eq!(answer.status(), 200, "{answer}");
        let begins = |text: &str| {
            let cursor =
                text.strip_prefix("retry: 2000\nid: ").and_then(|rest| rest.strip_suffix("\n\n"));
            cursor.is_some_and(|cursor| cursor.parse::<u64>().is_ok())
        };
        assert!(begins(&answer.text()), "{answer}");
        assert_eq!(answer.header("content-type"), Some("text/event-stream"));
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        Self { connection, begun: String::new() }
    }

    /// The next event, with the three fields of its message; `None` if the stream has ended.
    #[track_caller]
    fn try_next(&mut self) -> Option<Value> {
        loop {
            if let Some((message, rest)) = self.begun.split_once("\n\n") {
                let (message, rest) = (message.to_owned(), rest.to_owned());
                self.begun = rest;
                let field = |name: &str| message.lines().find_map(|line| line.strip_prefix(name));
                // A stream that should end sends no more after some seconds of silence.
                let data = field("data: ").expect("an event");
                let event: Value = serde_json::from_str(data).unwrap();
                assert_eq!(field("id: "), event["cursor"].as_str(), "{message}");
                assert_eq!(field("event: "), event["type"].as_str(), "{message}");
                assert_eq!(message.lines().count(), 3, "{message}");
                return Some(event);
            }
            let piece = self.connection.read_piece();
            if piece.is_empty() {
                return None;
            }
            self.begun.push_str(&piece);
        }
    }

    #[track_caller]
    pub(super) fn next(&mut self) -> Value {
        self.try_next().expect("the stream goes on")
    }
}

/// Streams what happens to the bot, with this query.
#[track_caller]
fn open<'a>(bot: &'a OnBot<'_>, query: &str) -> Stream<'a> {
    Stream::open(&bot.client, bot.scheme, query, &[])
}

each_scheme! {
    fn what_happens_is_sent_as_it_happens(bot: &OnBot) {
        let _ = events_up_to(bot, &id(&make(bot, "before")));
        let mut stream = open(bot, "");
        let skill = make(bot, "a");
        let event = stream.next();
        assert_eq!((&event["type"], &event["resourceId"]), (&json!("skill.created"), &skill["_id"]));
        let _ = bot.put(&format!("/skills/{}", id(&skill)), &json!({"name": "b"})).ok();
        let updated = stream.next();
        assert_eq!(updated["type"], "skill.updated");
        // The same as the feed has.
        let after = format!("{}?after={}", path(bot.scheme), event["cursor"].as_str().unwrap());
        assert_eq!(bot.client.get(&after).items(), [updated]);
        // What another process does.
        bot.tenant.delete_bot(bot.tenant.bot(), DeleteMode::Archive);
        if bot.scheme == Scheme::Project {
            assert_eq!(stream.next()["type"], "bot.archived");
        }
    }

    fn a_stream_goes_on_after_a_cursor(bot: &OnBot) {
        let made: Vec<_> = ["a", "b", "c"].iter().map(|name| id(&make(bot, name))).collect();
        let all = events_up_to(bot, &made[2]);
        let mut stream = open(bot, "?after=0");
        let sent: Vec<_> = all.iter().map(|_| stream.next()).collect();
        assert_eq!(sent, all);
        for (place, event) in all.iter().enumerate().take(all.len() - 1) {
            let cursor = event["cursor"].as_str().unwrap();
            assert_eq!(open(bot, &format!("?after={cursor}")).next(), all[place + 1]);
            // What a browser sends goes before the address, which stays what it was.
            let header = format!("Last-Event-ID: {cursor}");
            let mut stream = Stream::open(&bot.client, bot.scheme, "?after=0", &[&header]);
            assert_eq!(stream.next(), all[place + 1]);
        }
    }

    fn a_cursor_that_is_none_begins_no_stream(bot: &OnBot) {
        let stream = format!("{}/stream", path(bot.scheme));
        let last = events_up_to(bot, &id(&make(bot, "a"))).pop().unwrap();
        let next = last["cursor"].as_str().unwrap().parse::<u64>().unwrap() + 1;
        bot.client.get(&format!("{stream}?after={next}")).problem(410, "cursor_expired");
        bot.client.get(&format!("{stream}?after=x")).problem(422, "bad_query");
        let request = bot.client.request("GET", &stream).header("Last-Event-ID", "x");
        let answer = request.send();
        answer.problem(422, "bad_query");
        answer.has_violations(&[("/Last-Event-ID", "bad_query")]);
        let expired = bot.client.request("GET", &stream).header("Last-Event-ID", &next.to_string());
        expired.send().problem(410, "cursor_expired");
    }

    fn a_stream_has_what_it_is_asked_for(bot: &OnBot) {
        let _ = events_up_to(bot, &id(&make(bot, "before")));
        let sibling = bot.tenant.new_bot("another bot");
        let mut stages = open(bot, "?types=stage.*,bot.updated");
        let mut own = match bot.scheme {
            Scheme::Bot => open(bot, ""),
            Scheme::Project => open(bot, &format!("?botId={}", bot.tenant.bot())),
        };
        let project = bot.tenant.as_project();
        let other = format!("/api/external/projectapi/bots/{sibling}/skills");
        let _ = project.post(&other, &json!({"name": "x", "skillId": "x"})).ok();
        let skill = make(bot, "a");
        let stage = bot.post("/stages", &json!({"title": "t", "name": "n"})).ok();
        assert_eq!(stages.next()["resourceId"], stage["_id"]);
        assert_eq!(own.next()["resourceId"], skill["_id"]);
        assert_eq!(own.next()["resourceId"], stage["_id"]);
    }

    fn a_stream_ends_with_its_token(bot: &OnBot) {
        let token = match bot.scheme {
            Scheme::Bot => bot.tenant.bot_token(bot.tenant.bot(), Mint::default()),
            Scheme::Project => bot.tenant.project_token(Mint::default()),
        };
        let caller = match bot.scheme {
            Scheme::Bot => Caller::Bot(token.clone()),
            Scheme::Project => Caller::Project(token.clone()),
        };
        let client = bot.tenant.client(caller);
        let mut stream = Stream::open(&client, bot.scheme, "?types=stage.created", &[]);
        bot.tenant.revoke(&token);
        assert_eq!(stream.try_next(), None);
    }

    fn a_ticket_opens_one_stream(bot: &OnBot) {
        let tickets = format!("{}/ticket", path(bot.scheme));
        let stream = format!("{}/stream", path(bot.scheme));
        let reader = bot.tenant.bearer(bot.scheme, Mint::read_only());
        let issued = reader.request("POST", &tickets).send().ok();
        let ticket = issued["ticket"].as_str().unwrap();
        assert_eq!(issued.as_object().unwrap().len(), 2);
        let anonymous = bot.tenant.anonymous();
        let other_scheme = match bot.scheme {
            Scheme::Bot => OF_PROJECT,
            Scheme::Project => OF_BOT,
        };
        let elsewhere = anonymous.get(&format!("{other_scheme}/stream?ticket={ticket}"));
        elsewhere.problem(401, "unauthenticated");
        let mut open = Stream::open(&anonymous, bot.scheme, &format!("?ticket={ticket}"), &[]);
        let again = anonymous.get(&format!("{stream}?ticket={ticket}"));
        let detail = again.problem(401, "unauthenticated")["detail"].to_string();
        assert!(detail.contains("ticket"), "{detail}");
        let _ = make(bot, "a");
        let mut event = open.next();
        while event["type"] != "skill.created" {
            event = open.next();
        }
        for bad in ["", "byt_", &ticket[..52], &ticket.replace("byt_", "byp_")] {
            anonymous.get(&format!("{stream}?ticket={bad}")).problem(401, "unauthenticated");
        }
        // A ticket stands for its token on streams alone.
        let fresh = reader.request("POST", &tickets).send().ok();
        let fresh = fresh["ticket"].as_str().unwrap();
        anonymous.get(&format!("{}?ticket={fresh}", path(bot.scheme))).problem(401, "unauthenticated");
        let unscoped = bot.tenant.bearer(bot.scheme, Mint::scopes("skills:read"));
        unscoped.request("POST", &tickets).send().problem(403, "missing_scope");
    }
}

each_database! {
    fn a_stream_of_a_bot_ends_with_the_bot(app: &TestApp) {
        let bot = app.tenant().with_bot_token();
        let mut stream = open(&bot, "?types=stage.created");
        bot.tenant.delete_bot(bot.tenant.bot(), DeleteMode::Archive);
        assert_eq!(stream.try_next(), None);
        bot.client.get(&format!("{OF_BOT}/stream")).problem(404, "bot_not_found");
    }

}

each_database! {
    fn a_token_a_project_and_a_node_have_so_many_streams(database: Database) {
        let settings = [
            ("EVENTS__STREAMS_PER_TOKEN", "2"),
            ("EVENTS__STREAMS_PER_PROJECT", "3"),
            ("EVENTS__STREAMS", "4"),
        ];
        let app = TestApp::start(database, &settings);
        let [tenant, other, third] = [(); 3].map(|()| app.tenant());
        let clients = [&tenant, &tenant, &other, &third].map(|tenant| tenant.as_project());
        let [first, second, of_other, of_third] = &clients;
        let open = |client| Stream::open(client, Scheme::Project, "", &[]);
        let refused = |client: &Client<'_>| {
            let answer = client.get(&format!("{OF_PROJECT}/stream"));
            assert_eq!(answer.header("retry-after"), Some("10"), "{answer}");
            answer.problem(429, "too_many_at_once")["detail"].as_str().unwrap().to_owned()
        };
        let (one, two) = (open(first), open(first));
        assert!(refused(first).starts_with("The token"));
        let _three = open(second);
        assert!(refused(second).starts_with("The project"));
        let _four = open(of_other);
        assert!(refused(of_third).starts_with("The service"));
        // Streams are no requests in progress.
        let _ = first.get("/api/external/projectapi/bots").ok();
        let counted = |count: usize| {
            let metrics = app.anonymous().get("/metrics").text().to_owned();
            metrics.contains(&format!("\nbotyard_event_streams {count}\n"))
        };
        assert!(counted(4));
        // A client that goes makes room at once.
        drop((one, two));
        let is_free = || first.get(&format!("{OF_PROJECT}/stream")).status() == 200;
        until("there is room again", is_free);
        until("two streams are left", || counted(2));
    }

    fn streams_end_when_the_server_stops(database: Database) {
        let app = TestApp::start(database, &[("SHUTDOWN__GRACE", "1h")]);
        let bot = app.tenant().with_project_token();
        let mut stream = open(&bot, "");
        app.server().signal("TERM");
        assert_eq!(stream.try_next(), None);
        stream.connection.expect_closed();
    }
}
