//! The order of checks: token, permanent key, parent, violations, entry.

use botyard_tests::{Caller, Mint, each_database};
use domain::bot::DeleteMode;
use serde_json::json;

use super::{each_level, rel};

const BOT_ENTRIES: &str = "/api/external/keyval";

each_level! {
    fn any_token_will_do_whatever_its_scopes(on: &OnKeyval) {
        let none = Mint { scopes: Some(domain::access::ScopeSet::NONE), ..Mint::default() };
        let client = on.tenant.bearer(on.scheme, none);
        let path = on.path("/u/t/k");
        let _ = client.put(&path, &json!({"value": 1})).ok();
        assert_eq!(client.get(&on.path("")).items().len(), 1);
        let _ = client.delete(&path).ok();
    }

    fn a_read_only_token_reads(on: &OnKeyval) {
        on.store_all([("u", "t", "k")]);
        let client = on.tenant.bearer(on.scheme, Mint::read_only());
        for rel in ["", "/u", "/u/t/k"] {
            let _ = client.get(&on.path(rel)).ok();
        }
        let before = on.tenant.snapshot();
        // Before anything else is reported, for permanent keys as well.
        for rel in ["/u/t/k", "/u/t/!k", "/u/t/none", "/u/t/%00", "/u/t/k?nope=1"] {
            client.put(&on.path(rel), &json!({})).problem(403, "read_only_token");
            client.delete(&on.path(rel)).problem(403, "read_only_token");
        }
        client.delete(&on.path("/u")).problem(403, "read_only_token");
        client.post(&on.path("/bulk-delete"), &json!({})).problem(403, "read_only_token");
        before.assert_unchanged(&on.tenant);
    }

    fn without_a_token_nothing_is_disclosed(on: &OnKeyval) {
        let anonymous = on.tenant.anonymous();
        for rel in ["/u/t/k", "/u/t/!k", "/u/t/%00", "/u/t/k?nope=1"] {
            anonymous.get(&on.path(rel)).problem(401, "unauthenticated");
            anonymous.put(&on.path(rel), &json!({})).problem(401, "unauthenticated");
            anonymous.delete(&on.path(rel)).problem(401, "unauthenticated");
        }
    }

    fn violations_are_reported_before_an_entry_is_looked_for(on: &OnKeyval) {
        let rel = rel(("u", "t", "none"));
        on.get(&format!("{rel}?x=1")).has_violations(&[("/x", "bad_query")]);
        on.delete(&format!("{rel}?x=1")).has_violations(&[("/x", "bad_query")]);
    }
}

each_database! {
    fn the_entries_of_a_hidden_bot_are_out_of_reach(app: &TestApp) {
        for mode in [DeleteMode::Archive, DeleteMode::Trash] {
            let tenant = app.tenant();
            let bot = tenant.new_bot("hidden");
            let client = tenant.client(Caller::Bot(tenant.bot_token(bot, Mint::default())));
            let path = |rest: &str| format!("{BOT_ENTRIES}{rest}");
            let _ = client.put(&path("/u/t/k"), &json!({"value": 1})).ok();
            tenant.delete_bot(bot, mode);
            let before = tenant.snapshot();
            for rest in ["", "/u", "/u/t/k", "/u/t/none", "/u/t/%00", "?nope=1", "?limit=0"] {
                client.get(&path(rest)).problem(404, "bot_not_found");
            }
            for rest in ["/u", "/u/t/k", "/%00", "/u/t/%00", "/u?nope=1"] {
                client.delete(&path(rest)).problem(404, "bot_not_found");
            }
            for body in [json!({"value": 1}), json!({}), json!([])] {
                client.put(&path("/u/t/k"), &body).problem(404, "bot_not_found");
                client.post(&path("/bulk-delete"), &body).problem(404, "bot_not_found");
            }
            // Permanent keys are refused before the bot is looked for.
            client.put(&path("/u/t/!k"), &json!({})).problem(403, "permanent_key");
            client.delete(&path("/u/t/!k")).problem(403, "permanent_key");
            let on_purpose = path("/u/t/!k?keepPermanent=false&nope=1");
            client.delete(&on_purpose).problem(404, "bot_not_found");
            before.assert_unchanged(&tenant);
            tenant.restore_bot(bot);
            assert_eq!(client.get(&path("/u/t/k")).ok()["value"], json!(1));
        }
    }

    fn the_entries_of_a_project_do_not_depend_on_any_bot(app: &TestApp) {
        let tenant = app.tenant();
        let client = tenant.as_project();
        let path = "/api/external/projectapi/keyval/u/t/k";
        let _ = client.put(path, &json!({"value": 1})).ok();
        tenant.delete_bot(tenant.bot(), DeleteMode::Delete);
        assert_eq!(client.get(path).ok()["value"], json!(1));
    }
}
