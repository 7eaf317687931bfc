//! What a case works with: a store, an organisation with a project, and makers of everything else.

use std::hash::{BuildHasher, RandomState};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use uuid::Uuid;

use domain::access::{
    BotClaim, BotScope, Operator, ProjectClaim, ProjectScope, ScopeSet, Secret, Token, TokenOwner,
};
use domain::batch::Batch;
use domain::bot::{Bot, BotConfig, BotKind, BotState, BotSummary};
use domain::changelog::{Action, ChangedResource, ChangelogEntry, ChangelogFilter, FieldChange};
use domain::clock::Timestamp;
use domain::error::DomainError;
use domain::id::{BotId, ChangelogEntryId, Ids, OrganisationId, ProjectId, TokenId};
use domain::lock::Lock;
use domain::organisation::Organisation;
use domain::project::Project;
use domain::store::{Repositories, Store};
use domain::testing::{
    ResolveClaim as _, RunUnits as _, SeededEntropy, SetClock, bot_scope, project_scope,
};

pub(crate) const OPERATOR: Operator = Operator::of_this_installation();
/// When everything is made, in milliseconds.
pub(crate) const NOW: i64 = 1_800_000_000_000;

pub(crate) const fn at(offset: i64) -> Timestamp {
    Timestamp::from_millis(NOW + offset)
}

pub(crate) struct World {
    pub store: Arc<dyn Store>,
    pub organisation: Organisation,
    pub project: Project,
    ids: Ids,
    entropy: Arc<SeededEntropy>,
}

impl World {
    /// A new organisation with a project. Its identifiers are its own also in a shared database.
    pub fn new(store: Arc<dyn Store>) -> Self {
        let seed = RandomState::new().hash_one(0);
        let entropy = Arc::new(SeededEntropy::new(seed));
        let ids = Ids::new(Arc::new(SetClock::at(NOW)), entropy.clone());
        let organisation = Organisation {
            id: OrganisationId::from_uuid(ids.next()),
            name: "Organisation".to_owned(),
            created_at: at(0),
        };
        let project = Project {
            id: ProjectId::from_uuid(ids.next()),
            organisation_id: organisation.id,
            name: "Project".to_owned(),
            created_at: at(0),
        };
        let world = Self {
            store,
            organisation: organisation.clone(),
            project: project.clone(),
            ids,
            entropy,
        };
        world.write(move |tx| {
            tx.insert_organisation(OPERATOR, &organisation)?;
            Ok(tx.insert_project(OPERATOR, &project)?)
        });
        world
    }

    /// Where identifiers and tokens come from, so that no two of them are the same.
    pub fn entropy(&self) -> Arc<SeededEntropy> {
        self.entropy.clone()
    }

    /// A new identifier.
    pub fn id(&self) -> Uuid {
        self.ids.next()
    }

    /// Runs a writing unit that must succeed.
    pub fn write<T: Send + 'static>(
        &self,
        unit: impl Fn(&mut dyn Repositories) -> Result<T, DomainError> + Send + 'static,
    ) -> T {
        self.try_write(unit).unwrap()
    }

    /// Runs a writing unit.
    pub fn try_write<T: Send + 'static>(
        &self,
        unit: impl Fn(&mut dyn Repositories) -> Result<T, DomainError> + Send + 'static,
    ) -> Result<T, DomainError> {
        wait(self.store.write(unit))
    }

    /// Runs a reading unit that must succeed.
    pub fn read<T: Send + 'static>(
        &self,
        unit: impl Fn(&mut dyn Repositories) -> Result<T, DomainError> + Send + 'static,
    ) -> T {
        wait(self.store.read(unit)).unwrap()
    }

    /// Reads a whole list, a batch at a time, which `unit` reads from a key on.
    pub fn whole<T: Send + 'static, K: Clone + Send + 'static>(
        &self,
        unit: impl Fn(&mut dyn Repositories, Option<K>) -> Result<Batch<T>, DomainError>
        + Clone
        + Send
        + 'static,
        key: impl Fn(&T) -> K,
    ) -> Vec<T> {
        let mut all = Vec::new();
        loop {
            let (unit, after) = (unit.clone(), all.last().map(&key));
            let batch = self.read(move |tx| unit(tx, after.clone()));
            let is_last = batch.is_last();
            all.extend(batch);
            if is_last {
                return all;
            }
        }
    }

    pub fn organisation(&self, name: &str) -> Organisation {
        Organisation {
            id: OrganisationId::from_uuid(self.ids.next()),
            name: name.to_owned(),
            created_at: at(1),
        }
    }

    pub fn project(&self, organisation: &Organisation, name: &str) -> Project {
        Project {
            id: ProjectId::from_uuid(self.ids.next()),
            organisation_id: organisation.id,
            name: name.to_owned(),
            created_at: at(2),
        }
    }

    /// Another project of the same organisation, stored.
    pub fn other_project(&self) -> Project {
        let project = self.project(&self.organisation, "Other");
        let stored = project.clone();
        self.write(move |tx| Ok(tx.insert_project(OPERATOR, &stored)?));
        project
    }

    /// A regular bot of the project, not stored.
    pub fn bot(&self, name: &str) -> Bot {
        Bot {
            id: BotId::from_uuid(self.ids.next()),
            project_id: self.project.id,
            kind: BotKind::Regular,
            state: BotState::Active,
            config: BotConfig { name: name.to_owned(), ..BotConfig::default() },
            created_at: at(3),
            updated_at: at(4),
        }
    }

    /// A regular bot of the project, stored.
    pub fn stored_bot(&self, name: &str) -> Bot {
        let bot = self.bot(name);
        self.store_bot(&bot);
        bot
    }

    pub fn store_bot(&self, bot: &Bot) {
        let bot = bot.clone();
        let claim = self.claim_on_project();
        self.write(move |tx| {
            let (_, scope) = claim.resolve(tx, Lock::Exclusive)?;
            Ok(tx.insert_bot(&scope, &bot, None)?)
        });
    }

    /// A bot of another project, stored.
    pub fn bot_of(&self, project: &Project) -> Bot {
        let mut bot = self.bot("Foreign");
        bot.project_id = project.id;
        let (stored, claim) = (bot.clone(), OPERATOR.project(project));
        self.write(move |tx| {
            let (_, scope) = claim.resolve(tx, Lock::Exclusive)?;
            Ok(tx.insert_bot(&scope, &stored, None)?)
        });
        bot
    }

    pub fn claim(&self, bot: &Bot) -> BotClaim {
        OPERATOR.bot(self.organisation.id, bot)
    }

    /// The right to a bot, whether it is there or not.
    pub fn scope(&self, bot: &Bot) -> BotScope {
        bot_scope(self.organisation.id, bot, None)
    }

    /// The right to a bot as if it lay in another project: what only tests can make.
    pub fn forged_scope(&self, bot: &Bot, project: &Project) -> BotScope {
        let mut bot = bot.clone();
        bot.project_id = project.id;
        bot_scope(self.organisation.id, &bot, None)
    }

    pub fn claim_on_project(&self) -> ProjectClaim {
        OPERATOR.project(&self.project)
    }

    /// The bot as clients find it.
    pub fn find(&self, bot: &Bot) -> Option<Bot> {
        let claim = self.claim(bot);
        self.read(move |tx| Ok(tx.live_bot(&claim, Lock::None)?))
    }

    /// The bot in any state but that of a deleted one.
    pub fn summary(&self, bot: &Bot) -> Option<BotSummary> {
        let id = bot.id;
        self.read(move |tx| Ok(tx.bot_in_any_state(OPERATOR, id, Lock::None)?))
    }

    /// A token, not stored.
    pub fn token(&self, owner: TokenOwner) -> Token {
        let secret = Secret::generate(owner.scheme(), self.entropy.as_ref());
        Token {
            id: TokenId::from_uuid(self.ids.next()),
            organisation_id: self.organisation.id,
            project_id: self.project.id,
            owner,
            digest: secret.digest(),
            last_four: secret.last_four(),
            name: "Token".to_owned(),
            scopes: ScopeSet::of_scheme(owner.scheme()),
            read_only: false,
            created_at: at(5),
            expires_at: None,
            revoked_at: None,
            last_used_at: None,
        }
    }

    pub fn store_token(&self, token: &Token) {
        let token = token.clone();
        self.write(move |tx| Ok(tx.insert_token(OPERATOR, &token)?));
    }

    /// All tokens of a bot, valid or not.
    pub fn tokens_of(&self, bot: &Bot) -> Vec<Token> {
        let (project, bot) = (bot.project_id, bot.id);
        self.read(move |tx| Ok(tx.tokens(OPERATOR, project, Some(bot))?))
    }

    /// An entry of a bot's changelog, not stored.
    pub fn entry(&self, scope: &BotScope, changes: &[FieldChange]) -> ChangelogEntry {
        ChangelogEntry::new(
            ChangelogEntryId::from_uuid(self.ids.next()),
            at(6),
            scope,
            Action::Update,
            ChangedResource::Bot,
            scope.bot_id(),
            changes,
        )
    }

    pub fn store_entry(&self, scope: &BotScope, entry: &ChangelogEntry) {
        let (scope, entry) = (scope.clone(), entry.clone());
        self.write(move |tx| Ok(tx.record(&scope, &entry, None)?));
    }

    pub fn changelog(
        &self,
        scope: &BotScope,
        before: Option<ChangelogEntryId>,
        limit: u32,
    ) -> Vec<ChangelogEntry> {
        let scope = scope.clone();
        self.read(move |tx| {
            Ok(tx.changelog(&scope, ChangelogFilter::default(), before, limit)?.into_items())
        })
    }
}

/// The right to the project of a bot.
pub(crate) fn project_of(scope: &BotScope) -> ProjectScope {
    project_scope(scope.organisation_id(), scope.project_id())
}

/// Waits for a future on this thread.
pub fn wait<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(value) => return value,
            Poll::Pending => thread::park(),
        }
    }
}

/// Does the same on several threads at once, which know their numbers.
pub(crate) fn together<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let work = &work;
    thread::scope(|scope| {
        let threads: Vec<_> = (0..count).map(|number| scope.spawn(move || work(number))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// A whole list, read in pages of this size.
pub(crate) fn in_pages<T>(size: u32, page: impl Fn(Option<&T>, u32) -> Vec<T>) -> Vec<T> {
    let mut seen = Vec::new();
    loop {
        let next = page(seen.last(), size);
        assert!(next.len() <= size as usize);
        if next.is_empty() {
            return seen;
        }
        seen.extend(next);
    }
}
