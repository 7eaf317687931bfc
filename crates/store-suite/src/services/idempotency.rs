//! Requests that take effect once: what of them is stored, for how long, and who has a key.

use std::sync::Arc;
use std::time::Duration;

use crate::acting_store::ActingStore;
use crate::services::installation::Installation;
use crate::world::{NOW, OPERATOR, together, wait};
use domain::access::{BotClaim, Claim as _, Principal, Secret, Token, TokenOwner};
use domain::blob::Sha256;
use domain::bot::{Bot, BotWithTokens};
use domain::clock::Timestamp;
use domain::error::{DomainError, Resource, StorageError};
use domain::idempotency::{
    AnswerAgain, AnswerText, AnsweredBot, IdempotencyKey, IdempotentOutcome, IdempotentRequest,
    StoredAnswer,
};
use domain::list::ListQuery;
use domain::skill::{CreateSkill, Skill};
use domain::store::Store;
use domain::{Botyard, Limits};

/// A bot, and a client with a token for it.
struct Asking {
    installation: Installation,
    principal: Principal,
    claim: BotClaim,
}

impl Asking {
    fn with(store: Arc<dyn Store>, limits: Limits) -> Self {
        let installation = Installation::with(store, limits);
        let world = &installation.world;
        let owner = TokenOwner::Bot(world.stored_bot("bot").id);
        let secret = Secret::generate(owner.scheme(), world.entropy().as_ref());
        world.store_token(&Token { digest: secret.digest(), ..world.token(owner) });
        let access = &installation.botyard.access;
        let principal = wait(access.authenticate(owner.scheme(), secret.digest())).unwrap();
        let principal = Principal::clone(&principal);
        let claim = principal.own_bot().unwrap();
        Self { installation, principal, claim }
    }

    /// An attempt at a request.
    fn attempt(&self, key: &str, target: &str, body: &str) -> Arc<IdempotentRequest> {
        let key = IdempotencyKey::parse(key).unwrap();
        let answer = |skill: &Skill| Some(answer(&skill.fields.name));
        let requests = &self.installation.botyard.idempotency;
        let request = requests.attempt(&self.principal, key, Sha256::of(target.as_bytes()), answer);
        request.set_body(Sha256::of(body.as_bytes()));
        request
    }

    /// Carries out a request that makes a skill of this name, which also is its body.
    fn create(&self, request: &Arc<IdempotentRequest>, name: &str) -> Result<Skill, DomainError> {
        let body = self.installation.body::<CreateSkill>(&format!(r#"{{"name":{name:?}}}"#));
        let claim = self.claim.clone().once(request.clone());
        wait(self.installation.botyard.skills.create(&claim, body))
    }

    fn find(&self, request: &Arc<IdempotentRequest>) -> Result<Option<Sha256>, DomainError> {
        wait(self.installation.botyard.idempotency.find(request))
    }

    /// What was answered, where all of it was stored.
    fn answer(&self, request: &Arc<IdempotentRequest>) -> Result<AnswerText, DomainError> {
        match self.answer_again(request)? {
            AnswerAgain::Text(text) => Ok(text),
            AnswerAgain::Anew(bot) => panic!("{bot:?} was not stored"),
        }
    }

    fn answer_again(
        &self,
        request: &Arc<IdempotentRequest>,
    ) -> Result<AnswerAgain<BotWithTokens>, DomainError> {
        wait(self.installation.botyard.idempotency.answer(&self.principal, request))
    }

    /// Whether a request with this key would be carried out.
    fn is_free(&self, key: &str) -> bool {
        self.find(&self.attempt(key, "skills", "a")).unwrap().is_none()
    }

    fn skills(&self) -> usize {
        wait(self.installation.botyard.skills.page(&self.claim, &ListQuery::default(), None, 99))
            .unwrap()
            .0
            .len()
    }
}

fn answer(body: &str) -> AnswerText {
    AnswerText { entity_tag: None, body: body.to_owned() }
}

/// An answer of which all was stored.
fn stored(body: &str) -> Option<StoredAnswer> {
    Some(StoredAnswer::Text(answer(body)))
}

pub(crate) fn a_request_takes_effect_once(store: Arc<dyn Store>) {
    let asking = Asking::with(store, Limits::default());
    let attempt = || asking.attempt("key", "skills", "a");
    let first = attempt();
    assert_eq!(asking.find(&first), Ok(None));
    asking.create(&first, "a").unwrap();
    assert_eq!(first.take_stored(), stored("a"));
    // One that looked before the first was answered is stopped by the unit itself.
    let second = attempt();
    assert_eq!(asking.create(&second, "a"), Err(DomainError::AlreadyAnswered));
    assert_eq!((second.take_stored(), asking.answer(&second)), (None, Ok(answer("a"))));
    assert_eq!(asking.find(&attempt()), Ok(Some(Sha256::of(b"a"))));
    for (target, body) in [("stages", "a"), ("skills", "b")] {
        let other = asking.attempt("key", target, body);
        assert_eq!(asking.create(&other, "b"), Err(DomainError::IdempotencyKeyReused));
    }
    let elsewhere = asking.attempt("key", "stages", "a");
    assert_eq!(asking.find(&elsewhere), Err(DomainError::IdempotencyKeyReused));
    assert_eq!(asking.skills(), 1);
    asking.create(&asking.attempt("other", "skills", "a"), "b").unwrap();
    assert_eq!(asking.skills(), 2);
}

/// The first unit only finds that the configuration is long, and the second one that the bot has been changed.
pub(crate) fn a_change_of_a_large_configuration_takes_effect_once(store: Arc<dyn Store>) {
    let asking = Asking::with(store.clone(), Limits::default());
    let installation = &asking.installation;
    let update = |claim: &BotClaim, botyard: &Botyard, body: &str| {
        wait(botyard.bots.update(claim, installation.body(body)))
    };
    let long = format!(r#"{{"customCss":"{}"}}"#, "x".repeat(100 << 10));
    update(&asking.claim, &installation.botyard, &long).unwrap();
    let attempt = || {
        let answer = |done: &BotWithTokens| Some(answer(&done.bot.config.name));
        let key = IdempotencyKey::parse("key").unwrap();
        let requests = &installation.botyard.idempotency;
        let request = requests.attempt(&asking.principal, key, Sha256::of(b"update"), answer);
        request.set_body(Sha256::of(b"after"));
        request
    };
    let (botyard, claim) = (installation.botyard.clone(), asking.claim.clone());
    let between = installation.body(r#"{"name":"between"}"#);
    let disturbed = ActingStore::before(1, store, move |_| {
        wait(botyard.bots.update(&claim, between)).map(drop)
    });
    let first = attempt();
    let claim = asking.claim.clone().once(first.clone());
    let done = update(&claim, &installation.behind(disturbed), r#"{"name":"after"}"#).unwrap();
    assert_eq!(done.bot.config.name, "after");
    update(&asking.claim, &installation.botyard, r#"{"name":"later"}"#).unwrap();
    let repeated = attempt();
    let claim = asking.claim.clone().once(repeated.clone());
    let answered = update(&claim, &installation.botyard, r#"{"name":"after"}"#);
    assert_eq!(answered, Err(DomainError::AlreadyAnswered));
    assert_eq!(asking.answer(&repeated), Ok(answer("after")));
    let now = wait(installation.botyard.bots.get(&asking.claim)).unwrap();
    assert_eq!(now.bot.config.name, "later");
}

/// The bot is read before the first unit that writes; that one leaves the request to the next.
pub(crate) fn a_duplicate_that_reads_its_bot_again_takes_effect_once(store: Arc<dyn Store>) {
    let asking = Asking::with(store.clone(), Limits { bots_per_project: 2, ..Limits::default() });
    let installation = &asking.installation;
    let requests = &installation.botyard.idempotency;
    let attempt = || {
        let key = IdempotencyKey::parse("key").unwrap();
        let answer = |made: &BotWithTokens| Some(answer(&made.bot.config.name));
        let request = requests.attempt(&asking.principal, key, Sha256::of(b"duplicate"), answer);
        request.set_body(Sha256::of(b"{}"));
        request
    };
    let duplicate = |request: &Arc<IdempotentRequest>, name: &str, breaks_off: bool| {
        let (botyard, claim) = (installation.botyard.clone(), asking.claim.clone());
        let update = installation.body(&format!(r#"{{"name":{name:?}}}"#));
        let changed = ActingStore::by(store.clone(), move |_| {
            wait(botyard.bots.update(&claim, update)).map(drop)
        });
        let changed = match breaks_off {
            true => ActingStore::before(1, changed, |_| Err(StorageError::Overloaded.into())),
            false => changed,
        };
        let claim = asking.claim.clone().once(request.clone());
        wait(installation.behind(changed).bots.duplicate(&claim, installation.body("{}")))
    };
    // What has only found the bot changed does not keep others from the request.
    let broken = attempt();
    assert_eq!(duplicate(&broken, "none", true), Err(StorageError::Overloaded.into()));
    assert_eq!(asking.find(&attempt()), Ok(None));
    let first = attempt();
    assert_eq!(duplicate(&first, "one", false).unwrap().bot.config.name, "one (copy)");
    assert_eq!(first.take_stored(), stored("one (copy)"));
    let second = attempt();
    assert_eq!(duplicate(&second, "two", false), Err(DomainError::AlreadyAnswered));
    assert_eq!(asking.answer(&second), Ok(answer("one (copy)")));
}

/// To store megabytes once more would take as long as the change itself.
pub(crate) fn the_answer_of_a_large_bot_is_not_stored(store: Arc<dyn Store>) {
    let asking = Asking::with(store, Limits::default());
    let (botyard, claim) = (&asking.installation.botyard, &asking.claim);
    let text = "x".repeat(600 << 10);
    let long = format!(r#"{{"customCss":"{text}","customJs":"{text}","name":"large"}}"#);
    let attempt = |key: &str| {
        let answer = |done: &BotWithTokens| Some(answer(&done.bot.config.name));
        let key = IdempotencyKey::parse(key).unwrap();
        let of = Sha256::of(b"bot");
        let request = botyard.idempotency.attempt(&asking.principal, key, of, answer);
        request.set_body(Sha256::of(b"body"));
        request
    };
    let name = |request: &Arc<IdempotentRequest>| match asking.answer_again(request).unwrap() {
        AnswerAgain::Anew(shown) => (shown.bot.id, shown.bot.config.name),
        AnswerAgain::Text(text) => panic!("{text:?} was stored"),
    };
    let update = |claim: &BotClaim, body: &str| {
        wait(botyard.bots.update(claim, asking.installation.body(body))).unwrap()
    };
    let answered =
        |bot: &Bot| Some(StoredAnswer::Bot(AnsweredBot { id: bot.id, updated_at: bot.updated_at }));
    // A change that makes it large, one that leaves it as large, and one that changes nothing.
    let name_of_it = r#"{"name":"still large"}"#;
    for (key, body) in [("1", &*long), ("2", name_of_it), ("3", name_of_it)] {
        let request = attempt(key);
        let changed = update(&claim.clone().once(request.clone()), body).bot;
        assert_eq!(request.take_stored(), answered(&changed));
        assert_eq!(name(&request), (changed.id, changed.config.name));
    }
    // A bot that is made, and a copy, which the token of the original reaches in no other way.
    let (created, copied) = (attempt("4"), attempt("5"));
    let project = claim.project().once(created.clone());
    let body = asking.installation.body(&long);
    let new = wait(botyard.bots.create(&project, body)).unwrap().bot;
    let of_copy = claim.clone().once(copied.clone());
    let body = asking.installation.body("{}");
    let copy = wait(botyard.bots.duplicate(&of_copy, body)).unwrap().bot;
    for (request, bot, called) in
        [(created, &new, "large"), (copied.clone(), &copy, "still large (copy)")]
    {
        assert_eq!(request.take_stored(), answered(bot));
        assert_eq!(name(&request), (bot.id, called.to_owned()));
    }
    // Of the copy it sees what it was shown, and nothing else.
    asking.installation.wait_until(Duration::from_secs(1));
    let on_copy = asking.installation.world.claim(&copy);
    update(&on_copy, r#"{"name":"secret"}"#);
    let missing = Err(DomainError::NotFound(Resource::Bot));
    assert_eq!(asking.answer_again(&copied), missing);
    // Once it is small again, all of an answer is stored.
    let request = attempt("6");
    update(&claim.clone().once(request.clone()), r#"{"customCss":"","name":"small"}"#);
    assert_eq!(request.take_stored(), stored("small"));
    assert_eq!(name(&attempt("2")).1, "small");
}

pub(crate) fn one_of_many_at_once_takes_effect(store: Arc<dyn Store>) {
    let asking = Asking::with(store, Limits::default());
    for round in 0..5 {
        let key = format!("key-{round}");
        let name = format!("name-{round}");
        let made = together(8, |_| {
            let request = asking.attempt(&key, "skills", "a");
            match asking.create(&request, &name) {
                Ok(_) => true,
                // Whatever it was refused for, the other one has been answered.
                Err(_) => {
                    assert_eq!(asking.find(&request), Ok(Some(Sha256::of(b"a"))));
                    assert_eq!(asking.answer(&request), Ok(answer(&name)));
                    false
                }
            }
        });
        assert_eq!(made.iter().filter(|made| **made).count(), 1);
        assert_eq!(asking.skills(), round + 1);
    }
}

pub(crate) fn what_is_refused_is_not_kept(store: Arc<dyn Store>) {
    let asking = Asking::with(store, Limits::default());
    asking.create(&asking.attempt("first", "skills", "a"), "a").unwrap();
    let taken = asking.create(&asking.attempt("key", "skills", "a"), "a");
    assert!(matches!(taken, Err(DomainError::Taken(_))), "{taken:?}");
    assert!(asking.is_free("key"));
}

pub(crate) fn a_key_is_taken_until_its_lease_ends(store: Arc<dyn Store>) {
    let asking = Asking::with(store, Limits::default());
    let (first, second) =
        (asking.attempt("key", "skills", "a"), asking.attempt("key", "skills", "a"));
    let world = &asking.installation.world;
    let [now, end] = [0, 60_000].map(|millis| Timestamp::from_millis(NOW + millis));
    let take = |request: &Arc<IdempotentRequest>, now: Timestamp| {
        let open = IdempotentOutcome::Open(now.plus(Duration::from_secs(60)));
        let request = request.clone();
        world.write(move |tx| Ok(tx.store_idempotent_request(&request, now, open)?))
    };
    assert!(take(&first, now));
    assert_eq!(asking.find(&second), Err(DomainError::IdempotencyInProgress));
    assert_eq!(asking.create(&second, "a"), Err(DomainError::IdempotencyInProgress));
    // The attempt that has the key goes on with it.
    assert!(take(&first, now));
    asking.installation.wait_until(Duration::from_secs(60));
    assert_eq!(asking.find(&second), Ok(None));
    assert!(take(&second, end));
    // What comes too late changes nothing any more.
    assert!(!take(&first, end));
    assert_eq!(asking.create(&first, "b"), Err(DomainError::IdempotencyInProgress));
    asking.create(&second, "a").unwrap();
    assert_eq!(asking.create(&first, "b"), Err(DomainError::AlreadyAnswered));
    assert_eq!(asking.skills(), 1);
}

pub(crate) fn an_answer_is_replaced_and_forgotten(store: Arc<dyn Store>) {
    let asking = Asking::with(store, Limits::default());
    let request = asking.attempt("key", "skills", "a");
    asking.create(&request, "a").unwrap();
    let requests = &asking.installation.botyard.idempotency;
    wait(requests.answer_instead(&request, answer("later"))).unwrap();
    assert_eq!(asking.find(&request), Ok(Some(Sha256::of(b"a"))));
    assert_eq!(asking.answer(&request), Ok(answer("later")));
    // What was answered is not given back by mistake.
    wait(requests.release(&request)).unwrap();
    assert!(!asking.is_free("key"));
    wait(requests.forget(&asking.attempt("key", "skills", "a"))).unwrap();
    assert!(!asking.is_free("key"));
    wait(requests.forget(&request)).unwrap();
    assert!(asking.is_free("key"));
    assert_eq!(asking.answer(&request), Err(DomainError::IdempotencyInProgress));
}

pub(crate) fn the_oldest_answers_go(store: Arc<dyn Store>) {
    let day = Duration::from_secs(24 * 60 * 60);
    for (limits, kept) in [
        (Limits { idempotency_keys_per_project: 2, ..Limits::default() }, 2),
        // A row counts for 400 bytes and its answer.
        (Limits { idempotency_bytes_per_project: 1_300, ..Limits::default() }, 3),
        (Limits { idempotency_bytes_per_project: 1, ..Limits::default() }, 0),
        (Limits::default(), 5),
    ] {
        let asking = Asking::with(store.clone(), limits);
        let keys: Vec<_> = (0..5).map(|number| format!("key-{number}")).collect();
        for key in &keys {
            asking.create(&asking.attempt(key, "skills", "a"), key).unwrap();
        }
        // Another process knows nothing of them before it looks.
        let other = asking.installation.behind(asking.installation.world.store.clone());
        assert_eq!(wait(other.idempotency.trim(OPERATOR)), Ok(0));
        wait(other.idempotency.mark_overgrown_for_trim(OPERATOR)).unwrap();
        assert_eq!(wait(other.idempotency.trim(OPERATOR)), Ok(5 - kept));
        let requests = &asking.installation.botyard.idempotency;
        assert_eq!(wait(requests.trim(OPERATOR)), Ok(0));
        let free: Vec<_> = keys.iter().map(|key| asking.is_free(key)).collect();
        let wanted: Vec<_> = (0..5).map(|number| number + kept < 5).collect();
        assert_eq!(free, wanted);
        asking.installation.wait_until(day);
        wait(requests.remove_old(OPERATOR)).unwrap();
        assert_eq!(asking.is_free("key-4"), kept == 0);
        asking.installation.wait_until(day + Duration::from_millis(2));
        wait(requests.remove_old(OPERATOR)).unwrap();
        assert!(keys.iter().all(|key| asking.is_free(key)));
    }
}
