//! Who may read feedback, and whose: the same holds for usage.

use botyard_tests::{Mint, OnBot, each_scheme};
use domain::bot::DeleteMode;
use serde_json::{Value, json};

use super::feedback;
use crate::usage::usage;

const LISTS: [&str; 2] = ["/feedback", "/usage"];

fn make(bot: &OnBot<'_>) {
    let records = [feedback(bot, "m", &json!({})), usage(bot, "2026-01-31", "m", &json!({}))];
    bot.tenant.record(bot.id(), records);
}

each_scheme! {
    fn a_token_without_the_scope_is_refused(bot: &OnBot) {
        make(bot);
        let without = bot.tenant.bearer(bot.scheme, Mint::scopes("changelog:read,skills:read"));
        let with = bot.tenant.bearer(bot.scheme, Mint::scopes("stats:read"));
        for list in LISTS {
            for rel in [list.to_owned(), format!("{list}?limit=0")] {
                let problem = without.get(&bot.path(&rel)).problem(403, "missing_scope");
                assert_eq!(problem["requiredScopes"], json!(["stats:read"]));
            }
            assert_eq!(with.get(&bot.path(list)).items().len(), 1);
        }
    }

    fn a_bot_shows_nothing_of_another(bot: &OnBot) {
        make(bot);
        let other = bot.tenant.new_bot("other");
        let client = bot.tenant.as_project();
        for list in LISTS {
            let of_other = format!("{}/{other}{list}", crate::bots::BOTS);
            assert_eq!(client.get(&of_other).items(), Vec::<Value>::new());
            let page = bot.get(&format!("{list}?limit=1"));
            assert_eq!((page.items().len(), page.next_page()), (1, None));
        }
        let sibling = bot.tenant.sibling().with_project_token();
        for list in LISTS {
            let path = format!("{}/{}{list}", crate::bots::BOTS, bot.id());
            sibling.client.get(&path).problem(404, "bot_not_found");
        }
    }

    fn a_hidden_bot_shows_nothing(bot: &OnBot) {
        make(bot);
        bot.tenant.delete_bot(bot.id(), DeleteMode::Trash);
        for list in LISTS {
            bot.get(list).problem(404, "bot_not_found");
            bot.get(&format!("{list}?limit=0")).problem(404, "bot_not_found");
        }
        bot.tenant.restore_bot(bot.id());
        for list in LISTS {
            assert_eq!(bot.get(list).items().len(), 1);
        }
    }

    fn a_duplicate_has_used_nothing(bot: &OnBot) {
        make(bot);
        let copy = bot.post("/duplicate", &json!({})).ok();
        let client = bot.tenant.as_project();
        for list in LISTS {
            let path = format!("{}/{}{list}", crate::bots::BOTS, copy["_id"].as_str().unwrap());
            assert_eq!(client.get(&path).items(), Vec::<Value>::new());
        }
    }
}
