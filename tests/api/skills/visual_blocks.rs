//! Which visual blocks go with a skill. No endpoint shows them.

use botyard_tests::{OnBot, each_scheme};
use domain::id::BotId;
use domain::input::{Input as _, InputSettings};
use domain::json::Json;
use domain::visual_block::NewVisualBlock;
use serde_json::json;

use super::{id, make, make_plain, path};

/// Gives a bot visual blocks of these names.
#[track_caller]
pub fn put(bot: &OnBot<'_>, on: BotId, names: &[String]) {
    let (app, claim) = (bot.tenant.app(), bot.tenant.bot_claim(on));
    for name in names {
        let content = Json::of(&json!({"shows": bot.text(name)}));
        let block = NewVisualBlock { name: name.clone(), content };
        let block = block.check(&InputSettings::default()).expect("a valid block");
        let put = app.block_on(app.botyard().visual_blocks.put(&claim, block));
        put.expect("the block is stored");
    }
}

/// The names of a bot's visual blocks, sorted.
pub fn names(bot: &OnBot<'_>, on: BotId) -> Vec<String> {
    let query = format!("SELECT name AS value FROM visual_blocks WHERE bot_id = '{on}'");
    let mut names = bot.tenant.app().sql().texts(&query);
    names.sort();
    names
}

each_scheme! {
    fn the_blocks_of_a_skill_go_with_it(bot: &OnBot) {
        let [skill, other] = ["gone", "stays"].map(|skill_id| make(bot, skill_id));
        let mut kept = vec![
            "ifthen_stays".to_owned(),
            format!("ifthen_{}", id(&other)),
            "ifthen_".to_owned(),
            "ifthen_gone2".to_owned(),
            "ifthen_gon".to_owned(),
            "ifthen__one".to_owned(),
            "ifthen_%".to_owned(),
            "ifthen_Gone".to_owned(),
            "IFTHEN_gone".to_owned(),
            "ifthen-gone".to_owned(),
            "xifthen_gone".to_owned(),
            "gone".to_owned(),
            id(&skill),
            bot.text("gone"),
            format!("ifthen_{}", bot.text("gone")),
            format!("ifthen_{}", id(&skill).to_uppercase()),
        ];
        kept.sort();
        let own = ["ifthen_gone".to_owned(), format!("ifthen_{}", id(&skill))];
        let elsewhere = bot.tenant.new_bot("elsewhere");
        put(bot, bot.id(), &[&kept[..], &own].concat());
        put(bot, elsewhere, &own);
        assert_eq!(names(bot, bot.id()).len(), kept.len() + 2);
        let _ = bot.delete(&path("gone")).ok();
        assert_eq!(names(bot, bot.id()), kept);
        assert_eq!(names(bot, elsewhere).len(), 2);
    }

    fn a_skill_without_blocks_goes_alone(bot: &OnBot) {
        let _ = make(bot, "gone");
        put(bot, bot.id(), &["ifthen_other".to_owned()]);
        let _ = bot.delete(&path("gone")).ok();
        assert_eq!(names(bot, bot.id()), ["ifthen_other"]);
    }

    fn a_skill_that_is_called_by_its_id_takes_its_block_along(bot: &OnBot) {
        let skill = make_plain(bot, "plain");
        put(bot, bot.id(), &[format!("ifthen_{}", id(&skill)), "ifthen_other".to_owned()]);
        let _ = bot.delete(&path(&id(&skill))).ok();
        assert_eq!(names(bot, bot.id()), ["ifthen_other"]);
    }

    fn the_skill_id_that_counts_is_the_last_one(bot: &OnBot) {
        let skill = make(bot, "before");
        let own = format!("ifthen_{}", id(&skill));
        put(bot, bot.id(), &["ifthen_before".to_owned(), "ifthen_now".to_owned(), own]);
        let _ = bot.put(&path("before"), &json!({"skillId": "now", "content": bot.text("x")})).ok();
        assert_eq!(names(bot, bot.id()).len(), 3);
        let _ = bot.delete(&path("now")).ok();
        assert_eq!(names(bot, bot.id()), ["ifthen_before"]);
    }

    fn a_refused_delete_takes_no_block(bot: &OnBot) {
        put(bot, bot.id(), &["ifthen_nobody".to_owned()]);
        bot.delete(&path("nobody")).problem(404, "skill_not_found");
        let _ = make(bot, "nobody");
        bot.delete(&path("nobody?x=1")).has_violations(&[("/x", "bad_query")]);
        assert_eq!(names(bot, bot.id()), ["ifthen_nobody"]);
    }
}
