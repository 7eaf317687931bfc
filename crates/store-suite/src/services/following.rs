//! Lists that are followed: who knows a list and what has changed since knows what is in it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::contract::events::all_events;
use crate::services::crawl_service;
use crate::services::document_service::{assign, replace, upload};
use crate::services::extraction_runs::extract;
use crate::services::installation::Installation;
use crate::services::user_service::{create as create_user, ids_of};
use crate::world::{together, wait};
use domain::access::{MintToken, TokenTarget};
use domain::bot::{Bot, DeleteMode};
use domain::crawl::{CrawlFilter, CrawlStatus};
use domain::document::DocumentFilter;
use domain::error::DomainError;
use domain::free_fields::FreeFields;
use domain::id::SkillId;
use domain::list::{EventRange, ListChanges, ListQuery, Listed, Search};
use domain::recorder::{NewUser, Record};
use domain::skill::Skill;
use domain::store::Store;
use domain::user::UserStats;

/// How long a follower waits for what is committed.
const HEARD_WITHIN: Duration = Duration::from_secs(60);

/// What has changed in a list after an event, read in parts of about so many.
fn changed<R: Listed>(
    mut after: u64,
    through: u64,
    limit: u32,
    follow: impl Fn(EventRange, u32) -> Result<ListChanges<R>, DomainError>,
) -> Vec<R::Id> {
    let mut all = Vec::new();
    while after < through {
        let ListChanges { items, read_through } =
            follow(EventRange { after, through }, limit).unwrap();
        assert!(
            read_through > after && read_through <= through,
            "{after} {read_through} {through}"
        );
        let numbers: Vec<_> = items.iter().map(|(_, number)| *number).collect();
        assert!(numbers.is_sorted() && numbers.iter().all(|number| *number <= read_through));
        // From the number of an item it goes on as well as from the end.
        let cut = items.len().div_ceil(2);
        let from = items.get(..cut).and_then(|items| items.last()).map(|(_, number)| *number);
        let rest: BTreeSet<_> =
            items.get(cut..).into_iter().flatten().map(|(item, _)| item.id()).collect();
        if let Some(from) = from.filter(|_| !rest.is_empty()) {
            let again = follow(EventRange { after: from, through: read_through }, 500).unwrap();
            let again: BTreeSet<_> = again.items.iter().map(|(item, _)| item.id()).collect();
            assert!(rest.is_subset(&again));
        }
        all.extend(items.into_iter().map(|(item, _)| item.id()));
        after = read_through;
    }
    all
}

/// What matches a filter.
fn filtered<R: Listed>(filter: R::Filter) -> ListQuery<R> {
    let mut query = ListQuery::default();
    query.filter = filter;
    query
}

impl Installation {
    fn latest(&self) -> u64 {
        wait(self.botyard.events.latest(&self.world.claim_on_project())).unwrap()
    }

    /// The number of the latest event, once there are so many more.
    fn latest_after(&self, before: u64, events: u64) -> u64 {
        all_events(&self.world, &self.world.project, before + events);
        self.latest()
    }

    fn skill(&self, bot: &Bot, name: &str) -> SkillId {
        let claim = self.world.claim(bot);
        self.create_skill(&claim, &format!(r#"{{"name":"{name}"}}"#)).unwrap().id
    }

    fn rename(&self, bot: &Bot, skill: SkillId, name: &str) {
        let (claim, body) = (self.world.claim(bot), self.body(&format!(r#"{{"name":"{name}"}}"#)));
        wait(self.botyard.skills.update(&claim, skill.to_string(), body)).unwrap();
    }
}

pub(crate) fn what_has_changed_is_handed_out_once(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let (botyard, world) = (&installation.botyard, &installation.world);
    let (bot, other) = (world.stored_bot("bot"), world.stored_bot("other"));
    let claim = world.claim(&bot);
    let old = installation.skill(&bot, "old");
    let before = installation.latest_after(0, 1);
    let (one, two) = (installation.skill(&bot, "one"), installation.skill(&bot, "two"));
    installation.rename(&bot, one, "ONE");
    let gone = installation.skill(&bot, "gone");
    wait(botyard.skills.delete(&claim, gone.to_string())).unwrap();
    installation.skill(&other, "other");
    let through = installation.latest_after(before, 6);
    let all = ListQuery::<Skill>::default();
    let follow = |query: &ListQuery<Skill>, limit| {
        let follow =
            |following, limit| wait(botyard.skills.follow(&claim, query, following, limit));
        changed(before, through, limit, follow)
    };
    assert_eq!(follow(&all, 100), [two, one]);
    // In small parts it may come again, but what it is like in the end comes last.
    assert_eq!(follow(&all, 1), [one, two, one]);
    let mut search = all.clone();
    search.search = Search::of("one");
    assert_eq!(follow(&search, 100), [one]);
    let nothing = EventRange { after: through, through };
    let followed = wait(botyard.skills.follow(&claim, &all, nothing, 9)).unwrap();
    assert_eq!((followed.items.len(), followed.read_through), (0, through));
    for after in [through + 1, u64::MAX] {
        let following = EventRange { after, through: u64::MAX };
        let refused = wait(botyard.skills.follow(&claim, &all, following, 9));
        assert_eq!(refused.map(|_| ()), Err(DomainError::CursorExpired(0)));
    }
    installation.rename(&bot, old, "OLD");
    let later = installation.latest_after(through, 1);
    let follow = |following, limit| wait(botyard.skills.follow(&claim, &all, following, limit));
    assert_eq!(changed(through, later, 9, follow), [old]);
}

pub(crate) fn every_list_can_be_followed(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let (botyard, world) = (&installation.botyard, &installation.world);
    let project = world.claim_on_project();
    let bot =
        wait(botyard.bots.create(&project, installation.body(r#"{"name":"b"}"#))).unwrap().bot;
    let claim = world.claim(&bot);
    let followed = |before: u64, events: u64| (before, installation.latest_after(before, events));
    macro_rules! changes {
        ($service:ident, $claim:expr, $query:expr, $range:expr) => {{
            let (claim, query, (after, through)) = ($claim, $query, $range);
            let follow =
                |following, limit| wait(botyard.$service.follow(claim, &query, following, limit));
            changed(after, through, 50, follow)
        }};
    }
    let mut before = installation.latest_after(0, 1);
    let mut range = |events| {
        let range = followed(before, events);
        before = range.1;
        range
    };
    // Bots, also by their tokens; one that is gone is none of them.
    let request = MintToken {
        target: TokenTarget::Bot(bot.id),
        name: "t".to_owned(),
        scopes: None,
        read_only: false,
        expires_in: None,
    };
    wait(botyard.access.mint(crate::world::OPERATOR, request)).unwrap();
    let gone = wait(botyard.bots.create(&project, installation.body(r#"{"name":"g"}"#))).unwrap();
    wait(botyard.bots.delete(&world.claim(&gone.bot), DeleteMode::Archive)).unwrap();
    let copy = wait(botyard.bots.duplicate(&claim, installation.body("{}"))).unwrap().bot.id;
    assert_eq!(changes!(bots, &project, ListQuery::default(), range(5)), [bot.id, copy]);

    let stage = installation.create_stage(&claim, r#"{"title":"s","name":"s"}"#);
    assert_eq!(changes!(stages, &claim, ListQuery::default(), range(1)), [stage.id]);
    let view = installation.create_view(&claim);
    installation.upload(&claim, &view, "content").unwrap();
    assert_eq!(changes!(fusion, &claim, ListQuery::default(), range(2)), [view.id]);

    installation.site.page("there", &[]);
    let crawl = crawl_service::create(&installation, &bot, "there", "").unwrap().id;
    let queued = filtered(CrawlFilter { status: Some(CrawlStatus::Queued) });
    let first = range(1);
    assert_eq!(changes!(crawls, &claim, queued.clone(), first), [crawl]);
    installation.work();
    let second = range(2);
    assert_eq!(changes!(crawls, &claim, ListQuery::default(), second), [crawl]);
    assert_eq!(changes!(crawls, &claim, queued, second), []);

    let document = upload(&installation, "a.txt", "a").id;
    installation.work();
    assert_eq!(changes!(documents, &project, ListQuery::default(), range(2)), [document]);
    extract(&installation, document, "{}");
    assert_eq!(changes!(documents, &project, ListQuery::default(), range(1)), [document]);
    replace(&installation, document, "b.txt", "b", &[("extract", "false")]).unwrap();
    assign(&installation, &claim, &[document.to_string()]).unwrap();
    let on_bot = filtered(DocumentFilter { bot_id: Some(bot.id), ..DocumentFilter::default() });
    assert_eq!(changes!(documents, &project, on_bot, range(2)), [document]);

    let user = create_user(&installation, &bot, r#"{"guestId":"g"}"#).unwrap();
    assert_eq!(changes!(users, &claim, ListQuery::default(), range(1)), [user.id]);
    let new_users = |from: usize, to: usize| -> Vec<Record> {
        let user = |number| NewUser {
            guest_id: format!("recorded {number}"),
            fields: FreeFields::default(),
            stats: UserStats::default(),
            created_at: None,
        };
        (from..to).map(|number| user(number).try_into().unwrap()).collect()
    };
    wait(botyard.recorder.record(&claim, new_users(0, 20))).unwrap();
    let body = installation.body(&ids_of(&[&user]));
    wait(botyard.users.delete(&claim, body)).unwrap();
    let found = changes!(users, &claim, ListQuery::default(), range(21));
    assert_eq!((found.len(), found.contains(&user.id)), (20, false));
    // One event stands for many that are recorded at once, so the list has to be read anew.
    let one = create_user(&installation, &bot, r#"{"guestId":"h"}"#).unwrap();
    wait(botyard.recorder.record(&claim, new_users(20, 121))).unwrap();
    let (after, through) = range(2);
    let follow = |after| {
        let following = EventRange { after, through };
        wait(botyard.users.follow(&claim, &ListQuery::default(), following, 9))
    };
    let until = follow(after).unwrap();
    assert_eq!((until.items[0].0.id, until.read_through), (one.id, through - 1));
    assert_eq!(follow(through - 1), Err(DomainError::CursorExpired(through)));
    assert_eq!(follow(through).unwrap().read_through, through);
}

/// Followers know the list from the first page on, while many write it.
pub(crate) fn a_follower_knows_the_list_that_many_write(store: Arc<dyn Store>) {
    const WRITERS: usize = 6;
    const CHANGES: usize = 12;
    let installation = Installation::new(store);
    let (botyard, world) = (&installation.botyard, &installation.world);
    let bot = world.stored_bot("bot");
    let claim = world.claim(&bot);
    let all = ListQuery::<Skill>::default();
    let names = |skills: Vec<Skill>| -> BTreeMap<SkillId, String> {
        skills.into_iter().map(|skill| (skill.id, skill.fields.name)).collect()
    };
    let whole = || names(wait(botyard.skills.page(&claim, &all, None, 1_000)).unwrap().0);
    let left = AtomicUsize::new(WRITERS);
    let known = together(WRITERS + 2, |number| {
        if number < WRITERS {
            let mut made = Vec::new();
            for change in 0..CHANGES {
                let name = format!("{number} {change}");
                match made.get(change / 3) {
                    Some(skill) if change % 3 > 0 => installation.rename(&bot, *skill, &name),
                    Some(_) | None => made.push(installation.skill(&bot, &name)),
                }
            }
            left.fetch_sub(1, Ordering::SeqCst);
            return None;
        }
        let began = Instant::now();
        let mut after = installation.latest();
        let mut known = whole();
        loop {
            let is_last = left.load(Ordering::SeqCst) == 0;
            let through = installation.latest();
            let following = EventRange { after, through };
            let followed = wait(botyard.skills.follow(&claim, &all, following, 4)).unwrap();
            known.extend(names(followed.items.into_iter().map(|(skill, _)| skill).collect()));
            after = followed.read_through;
            if is_last && after == (WRITERS * CHANGES) as u64 {
                return Some(known);
            }
            assert!(began.elapsed() < HEARD_WITHIN, "{after} {through}");
            thread::yield_now();
        }
    });
    let now = whole();
    assert_eq!(now.len(), WRITERS * CHANGES.div_ceil(3));
    for known in known.into_iter().flatten() {
        assert_eq!(known, now);
    }
}
