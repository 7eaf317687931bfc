//! What a copy has of the skills and stages of its source, and what stays behind.

use botyard_tests::{Client, OnBot, at_once, each_scheme};
use domain::id::BotId;
use serde_json::{Value, json};

use crate::bots::BOTS;
use crate::lists::make_many;
use crate::skills::{LONG_AGO, age, each, full, id, make, make_plain, visual_blocks};

/// A copy, as the bearer of a project token sees it.
struct Copy<'a> {
    client: Client<'a>,
    base: String,
    id: BotId,
}

impl<'a> Copy<'a> {
    #[track_caller]
    fn of(bot: &OnBot<'a>) -> Self {
        let made = id(&bot.post("/duplicate", &json!({})).ok());
        let base = format!("{BOTS}/{made}");
        Self { client: bot.tenant.as_project(), base, id: BotId::parse(&made).unwrap() }
    }

    #[track_caller]
    fn list(&self, rel: &str) -> Vec<Value> {
        self.client.get(&format!("{}{rel}", self.base)).items()
    }

    #[track_caller]
    fn put(&self, rel: &str, body: &Value) -> Value {
        self.client.put(&format!("{}{rel}", self.base), body).ok()
    }

    #[track_caller]
    fn delete(&self, rel: &str) {
        let _ = self.client.delete(&format!("{}{rel}", self.base)).ok();
    }
}

/// Skills that were named and one that was not, and stages with them.
fn populate(bot: &OnBot<'_>) -> (Vec<Value>, Vec<Value>) {
    let mut named = full(bot);
    named["skillId"] = json!("named");
    let skills = vec![
        make(bot, "z"),
        make_plain(bot, "plain"),
        bot.post("/skills", &named).ok(),
        make(bot, "a"),
    ];
    let of = |skills: Value| json!({"name": bot.text("stage"), "skills": skills});
    let stages = [
        crate::stages::full(bot),
        of(json!(["named", skills[1]["_id"], "unknown", "z"])),
        of(json!([])),
        of(json!(null)),
    ];
    (skills, stages.iter().map(|stage| bot.post("/stages", stage).ok()).collect())
}

/// Without what a copy has of its own.
fn bare(items: &[Value]) -> Vec<Value> {
    let own = ["_id", "botId", "createdAt", "updatedAt"];
    let mut items = items.to_vec();
    for item in &mut items {
        item.as_object_mut().unwrap().retain(|name, _| !own.contains(&name.as_str()));
    }
    items
}

/// Everything that can be seen of the source.
fn source(bot: &OnBot<'_>) -> [Vec<Value>; 2] {
    ["/skills", "/stages"].map(|list| bot.get(list).items())
}

each_scheme! {
    fn skills_and_stages_are_copied_in_their_order(bot: &OnBot) {
        let (skills, stages) = populate(bot);
        let copy = Copy::of(bot);
        for (list, of_source) in [("/skills", &skills), ("/stages", &stages)] {
            let copied = copy.list(list);
            assert_eq!(bare(&copied), bare(of_source), "{list}");
            let (old, new) = (each(of_source, "_id"), each(&copied, "_id"));
            assert!(new.iter().all(|id| !old.contains(id)), "{list}: {new:?}");
            assert!(
                new.is_sorted_by(|one, other| one.as_str() < other.as_str()),
                "{list}: {new:?}"
            );
            assert!(copied.iter().all(|item| item["botId"] == json!(copy.id.to_string())));
        }
        assert_eq!(source(bot), [skills, stages]);
    }

    fn what_is_copied_is_new(bot: &OnBot) {
        let _ = populate(bot);
        for list in ["/skills", "/stages"] {
            age(bot, list.trim_start_matches('/'));
        }
        let copy = Copy::of(bot);
        for list in ["/skills", "/stages"] {
            for item in copy.list(list) {
                assert_eq!(item["createdAt"], item["updatedAt"], "{item}");
                assert!(item["createdAt"].as_str() > Some(LONG_AGO), "{item}");
            }
            assert!(bot.get(list).items().iter().all(|item| item["createdAt"] == json!(LONG_AGO)));
        }
    }

    fn numbers_in_params_are_copied_as_written(bot: &OnBot) {
        let params = r#"[{"z":1.10,"a":12345678901234567890123}]"#;
        let body = format!(r#"{{"name":"x","params":{params}}}"#);
        let _ = bot.client.request("POST", &bot.path("/skills")).body(body).send().ok();
        let copy = Copy::of(bot);
        let answer = copy.client.get(&format!("{}/skills", copy.base));
        assert!(answer.text().contains(&format!("\"params\":{params}")), "{answer}");
    }

    fn a_copied_skill_keeps_its_skill_id_even_if_it_was_the_id_of_another(bot: &OnBot) {
        let plain = make_plain(bot, "plain");
        let named = make(bot, "named");
        let copy = Copy::of(bot);
        let by_skill_id = format!("/skills/{}", id(&plain));
        let copied = copy.list("/skills").swap_remove(0);
        assert_eq!(copied["skillId"], plain["_id"]);
        let got = copy.client.get(&format!("{}{by_skill_id}", copy.base)).ok();
        assert_eq!(got, copied);
        // It may be said again, and be kept while others change.
        for body in [
            json!({"skillId": plain["_id"], "content": bot.text("1")}),
            json!({"content": bot.text("2")}),
            bare(&[copied]).swap_remove(0),
        ] {
            assert_eq!(copy.put(&by_skill_id, &body)["skillId"], plain["_id"]);
        }
        // Once given up, it is what it looks like: the id of another skill.
        let renamed = copy.put(&by_skill_id, &json!({"skillId": "own"}));
        let again = copy
            .client
            .put(&format!("{}/skills/own", copy.base), &json!({"skillId": plain["_id"]}));
        again.has_violations(&[("/skillId", "not_allowed")]);
        assert_eq!(
            copy.put("/skills/own", &json!({"skillId": renamed["_id"]}))["skillId"],
            renamed["_id"]
        );
        // The `_id` of the source's skill is no address in the copy.
        for address in [id(&plain), id(&named)] {
            let answer = copy.client.get(&format!("{}/skills/{address}", copy.base));
            answer.problem(404, "skill_not_found");
        }
    }

    fn what_is_changed_on_the_copy_stays_on_the_copy(bot: &OnBot) {
        let _ = populate(bot);
        let before = source(bot);
        let copy = Copy::of(bot);
        let log = bot.get("/changelog").items();
        let _ = copy.put("/skills/z", &json!({"skillId": "new", "name": bot.text("new")}));
        assert_eq!(each(&copy.list("/stages"), "skills")[1].as_array().unwrap()[3], json!("new"));
        copy.delete("/skills/named");
        let stages = copy.list("/stages");
        let _ = copy.put(&format!("/stages/{}", id(&stages[0])), &json!({"skills": null}));
        copy.delete(&format!("/stages/{}", id(&stages[2])));
        assert_eq!(source(bot), before);
        copy.delete("");
        assert_eq!(source(bot), before);
        assert_eq!(bot.get("/changelog").items(), log);
    }

    fn what_is_changed_on_the_source_stays_on_the_source(bot: &OnBot) {
        let _ = populate(bot);
        let copy = Copy::of(bot);
        let all = || ["/skills", "/stages", "/changelog"].map(|list| copy.list(list));
        let before = all();
        let _ = bot.put("/skills/z", &json!({"skillId": "new"})).ok();
        let _ = bot.delete("/skills/named").ok();
        let stages = bot.get("/stages").items();
        let _ = bot.delete(&format!("/stages/{}", id(&stages[0]))).ok();
        assert_eq!(all(), before);
        let _ = bot.delete("").ok();
        assert_eq!(all(), before);
    }

    fn tokens_and_changelog_stay_behind_and_visual_blocks_come_along(bot: &OnBot) {
        let (skills, _) = populate(bot);
        let mut blocks = ["ifthen_named".to_owned(), format!("ifthen_{}", id(&skills[0]))];
        blocks.sort();
        visual_blocks::put(bot, bot.id(), &blocks);
        let _ = bot.tenant.as_bot(bot.id());
        let copy = Copy::of(bot);
        assert_eq!(visual_blocks::names(bot, copy.id), blocks);
        let got = copy.client.get(&copy.base).ok();
        assert_eq!(got["apiKeys"], json!([]));
        let log = copy.list("/changelog");
        assert_eq!(each(&log, "action"), ["duplicate"]);
        assert_eq!(each(&log, "resource"), ["bot"]);
        // The blocks of the copy go with its skills, and those of the source stay.
        copy.delete("/skills/named");
        let is_of_named = |name: &String| name == "ifthen_named";
        let left: Vec<_> = blocks.iter().filter(|name| !is_of_named(name)).cloned().collect();
        assert_eq!(visual_blocks::names(bot, copy.id), left);
        assert_eq!(visual_blocks::names(bot, bot.id()).len(), 2);
    }

    fn a_copy_of_a_copy_has_it_all_too(bot: &OnBot) {
        let (skills, stages) = populate(bot);
        let copy = Copy::of(bot);
        let second = copy.client.post(&format!("{}/duplicate", copy.base), &json!({})).ok();
        let base = format!("{BOTS}/{}", id(&second));
        for (list, of_source) in [("/skills", &skills), ("/stages", &stages)] {
            let copied = copy.client.get(&format!("{base}{list}")).items();
            assert_eq!(bare(&copied), bare(of_source), "{list}");
        }
    }

    fn many_are_copied_in_their_order(bot: &OnBot) {
        let made = ["/skills", "/stages"].map(|list| make_many(bot, list, 1_100));
        let copy = Copy::of(bot);
        for (list, made) in ["/skills", "/stages"].into_iter().zip(made) {
            // Each of them is called by the id that it has on the source.
            let names: Vec<_> = copy
                .list(list)
                .iter()
                .map(|item| item["name"].as_str().unwrap().to_owned())
                .collect();
            assert!(names == made, "{list}");
        }
    }

    fn an_empty_bot_has_an_empty_copy(bot: &OnBot) {
        let copy = Copy::of(bot);
        for list in ["/skills", "/stages"] {
            assert_eq!(copy.list(list), Vec::<Value>::new());
        }
    }

    fn a_copy_that_is_made_while_skills_are_renamed_is_of_one_moment(bot: &OnBot) {
        let skills: Vec<_> = (0..3).map(|number| make(bot, &format!("s{number}"))).collect();
        let all = json!(each(&skills, "skillId"));
        let _ = bot.post("/stages", &json!({"name": bot.text("all"), "skills": all})).ok();
        let copies = at_once(24, |number| {
            if number % 3 == 0 {
                return Some(Copy::of(bot));
            }
            let skill = format!("/skills/{}", id(&skills[number % skills.len()]));
            let _ = bot.put(&skill, &json!({"skillId": format!("r{number}")})).ok();
            None
        });
        for copy in copies.into_iter().flatten() {
            let (skills, stages) = (copy.list("/skills"), copy.list("/stages"));
            assert_eq!(stages[0]["skills"], json!(each(&skills, "skillId")));
        }
    }
}
