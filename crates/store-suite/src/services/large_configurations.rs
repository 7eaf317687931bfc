//! Changes of bots whose configuration is read before the unit that writes.

use std::sync::Arc;
use std::thread;

use crate::acting_store::ActingStore;
use crate::services::installation::Installation;
use crate::world::wait;
use domain::Botyard;
use domain::access::{BotClaim, Claim as _};
use domain::bot::{Bot, BotState, BotWithTokens, DeleteMode};
use domain::entity_tag::Tagged as _;
use domain::error::{DomainError, Resource};
use domain::precondition::Precondition;
use domain::store::Store;

const MISSING: DomainError = DomainError::NotFound(Resource::Bot);

struct Setting {
    store: Arc<dyn Store>,
    installation: Installation,
    bot: Bot,
    claim: BotClaim,
}

impl Setting {
    fn new(store: Arc<dyn Store>) -> Self {
        let installation = Installation::new(store.clone());
        let mut bot = installation.world.bot("before");
        bot.config.custom_css = Some("x".repeat(100 << 10));
        installation.world.store_bot(&bot);
        let claim = installation.world.claim(&bot);
        Self { store, installation, bot, claim }
    }

    fn update(
        &self,
        botyard: &Botyard,
        claim: &BotClaim,
        body: &str,
    ) -> Result<BotWithTokens, DomainError> {
        wait(botyard.bots.update(claim, self.installation.body(body)))
    }

    /// Services on a store that changes the temperature before so many writing units.
    fn disturbed_before(&self, units: &[u8]) -> Botyard {
        let mut store = self.store.clone();
        for before in units {
            let (botyard, claim) = (self.installation.botyard.clone(), self.claim.clone());
            let update = self.installation.body(&format!(r#"{{"temperature":0.{before}}}"#));
            store = ActingStore::before(usize::from(*before), store, move |_| {
                wait(botyard.bots.update(&claim, update)).map(drop)
            });
        }
        self.installation.behind(store)
    }

    fn now(&self) -> Bot {
        self.installation.world.find(&self.bot).unwrap()
    }

    fn tag(&self) -> Precondition {
        let now = wait(self.installation.botyard.bots.get(&self.claim)).unwrap();
        Precondition::Matches(vec![now.entity_tag()])
    }
}

/// The first unit only finds that the configuration is long, each further one that the bot has been changed since it was
/// read, and the fifth one reads it itself.
pub(crate) fn changes_in_between_are_kept(store: Arc<dyn Store>) {
    for units in [&[][..], &[0], &[1], &[1, 2], &[1, 2, 3], &[1, 2, 3, 4]] {
        let setting = Setting::new(store.clone());
        let entries = setting.installation.changelog_entries(&setting.bot).len();
        let disturbed = setting.disturbed_before(units);
        let updated = setting.update(&disturbed, &setting.claim, r#"{"name":"after"}"#).unwrap();
        let now = setting.now();
        assert_eq!(updated.bot, now, "{units:?}");
        assert_eq!(now.config.name, "after");
        let temperature = now.config.temperature.map(|number| number.0);
        assert_eq!(temperature, units.last().map(|last| f64::from(*last) / 10.0));
        assert_eq!(now.config.custom_css, setting.bot.config.custom_css);
        let recorded = setting.installation.changelog_entries(&setting.bot).len() - entries;
        assert_eq!(recorded, units.len() + 1);
    }
}

pub(crate) fn what_changes_nothing_leaves_no_trace(store: Arc<dyn Store>) {
    let setting = Setting::new(store);
    setting.installation.wait_until(std::time::Duration::from_secs(5));
    let botyard = &setting.installation.botyard;
    let same = setting.update(botyard, &setting.claim, r#"{"name":"before"}"#).unwrap();
    assert_eq!((same.bot, setting.now()), (setting.bot.clone(), setting.bot.clone()));
    assert_eq!(setting.installation.changelog_entries(&setting.bot), []);
}

pub(crate) fn preconditions_are_evaluated_by_the_bot_as_it_is(store: Arc<dyn Store>) {
    let setting = Setting::new(store);
    let botyard = &setting.installation.botyard;
    let update = |botyard: &Botyard, name: &str, condition: Precondition| {
        let claim = setting.claim.clone().only_if(condition);
        setting.update(botyard, &claim, &format!(r#"{{"name":"{name}"}}"#))
    };
    let delete = |botyard: &Botyard, condition: Precondition| {
        let claim = setting.claim.clone().only_if(condition);
        wait(botyard.bots.delete(&claim, DeleteMode::Archive))
    };
    let failed = |found: Result<(), DomainError>| {
        assert!(matches!(found, Err(DomainError::PreconditionFailed(Some(_)))), "{found:?}");
    };
    let stale = setting.tag();
    update(botyard, "one", stale.clone()).unwrap();
    failed(update(botyard, "two", stale.clone()).map(drop));
    failed(delete(botyard, stale).map(drop));
    let disturbed = setting.disturbed_before(&[1]);
    failed(update(&disturbed, "two", setting.tag()).map(drop));
    let disturbed = setting.disturbed_before(&[1]);
    setting.update(botyard, &setting.claim, r#"{"temperature":0.5}"#).unwrap();
    failed(delete(&disturbed, setting.tag()).map(drop));
    assert_eq!(setting.now().config.name, "one");
    delete(botyard, setting.tag()).unwrap();
    assert_eq!(setting.installation.world.find(&setting.bot), None);
}

/// A bot that goes between the units is not there for the last one.
pub(crate) fn a_bot_that_was_deleted_meanwhile_is_not_found(store: Arc<dyn Store>) {
    for before in 0..2 {
        let setting = Setting::new(store.clone());
        let (botyard, claim) = (setting.installation.botyard.clone(), setting.claim.clone());
        let deleted = ActingStore::before(before, store.clone(), move |_| {
            wait(botyard.bots.delete(&claim, DeleteMode::Archive)).map(drop)
        });
        let behind = setting.installation.behind(deleted);
        let missing = setting.update(&behind, &setting.claim, r#"{"name":"after"}"#);
        assert_eq!(missing, Err(MISSING));
        let left = setting.installation.world.summary(&setting.bot).unwrap();
        assert_eq!((left.state, left.name.as_str()), (BotState::Archived, "before"));
    }
}

/// It is stored in several parts, which end between any two characters.
pub(crate) fn a_configuration_of_several_parts_comes_back_as_it_was(store: Arc<dyn Store>) {
    let mut setting = Setting::new(store);
    setting.bot.config.custom_css = Some("€".repeat(700_000));
    setting.bot.config.custom_js = Some("ä\"\\\n🤖".repeat(100_000));
    let world = &setting.installation.world;
    let mut bot = world.bot("several parts");
    bot.config = setting.bot.config.clone();
    world.store_bot(&bot);
    assert_eq!(world.find(&bot), Some(bot));
}

/// A reader finds the configuration from before a change or the one from after it.
pub(crate) fn a_configuration_can_be_read_while_it_is_replaced(store: Arc<dyn Store>) {
    const CHANGES: usize = 12;
    // Two parts.
    const LENGTH: usize = 600 << 10;
    let setting = Setting::new(store);
    let botyard = &setting.installation.botyard;
    let change = |number: usize| {
        let letter = ["a", "b"][number % 2];
        let body = format!(r#"{{"name":"{letter}","customCss":"{}"}}"#, letter.repeat(LENGTH));
        let _ = setting.update(botyard, &setting.claim, &body).unwrap();
    };
    change(0);
    thread::scope(|scope| {
        let changes = scope.spawn(|| (1..CHANGES).for_each(change));
        let read = || {
            while !changes.is_finished() {
                let read = wait(botyard.bots.get(&setting.claim)).unwrap().bot.config;
                assert_eq!(read.custom_css.unwrap(), read.name.repeat(LENGTH));
            }
        };
        thread::scope(|readers| {
            for _ in 0..3 {
                readers.spawn(read);
            }
        });
    });
}
