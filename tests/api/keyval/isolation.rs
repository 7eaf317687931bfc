//! The entries of a bot, of its project and of everybody else have nothing to do with each other.

use botyard_tests::{Client, each_database};
use serde_json::{Value, json};

use super::rel;

const OF_BOT: &str = "/api/external/keyval";
const OF_PROJECT: &str = "/api/external/projectapi/keyval";

each_database! {
    fn the_same_address_is_another_entry_of_each_owner(app: &TestApp) {
        let (tenant, foreign) = (app.tenant(), app.tenant());
        let (second, sibling) = (tenant.new_bot("second"), tenant.sibling());
        let owners: [(Client<'_>, &str); 6] = [
            (tenant.as_bot(tenant.bot()), OF_BOT),
            (tenant.as_bot(second), OF_BOT),
            (tenant.as_project(), OF_PROJECT),
            (sibling.as_bot(sibling.bot()), OF_BOT),
            (sibling.as_project(), OF_PROJECT),
            (foreign.as_project(), OF_PROJECT),
        ];
        let at = |base: &str, rest: &str| format!("{base}{rest}");
        let here = rel(("u", "t", "k"));
        for (number, (client, base)) in owners.iter().enumerate() {
            assert_eq!(client.get(base).items(), Vec::<Value>::new());
            client.get(&at(base, &here)).problem(404, "keyval_entry_not_found");
            client.delete(&at(base, &here)).problem(404, "keyval_entry_not_found");
            let _ = client.put(&at(base, &here), &json!({"value": number})).ok();
        }
        // Whatever one of them deletes, it deletes of its own.
        for (number, (client, base)) in owners.iter().enumerate() {
            for (number, (client, base)) in owners.iter().enumerate().skip(number) {
                assert_eq!(client.get(&at(base, &here)).ok()["value"], json!(number));
                assert_eq!(client.get(base).items().len(), 1);
                assert_eq!(client.get(&at(base, "/u")).items().len(), 1);
            }
            let all = json!({"keyPrefix": "", "keepPermanent": false});
            let deleted = match number % 3 {
                0 => client.post(&at(base, "/bulk-delete"), &all),
                1 => client.delete(&at(base, "/u")),
                _ => client.delete(&at(base, &here)),
            };
            let _ = deleted.ok();
            assert_eq!(client.get(base).items(), Vec::<Value>::new());
        }
    }

    fn two_tokens_of_one_owner_see_the_same(app: &TestApp) {
        let tenant = app.tenant();
        for (clients, base) in [
            ([tenant.as_bot(tenant.bot()), tenant.as_bot(tenant.bot())], OF_BOT),
            ([tenant.as_project(), tenant.as_project()], OF_PROJECT),
        ] {
            let path = format!("{base}{}", rel(("u", "t", "k")));
            let _ = clients[0].put(&path, &json!({"value": 1})).ok();
            let read = clients[1].get(&path).ok();
            assert_eq!(read["value"], json!(1));
        }
    }

    fn a_duplicate_has_no_entries(app: &TestApp) {
        let tenant = app.tenant();
        let own = tenant.as_bot(tenant.bot());
        let _ = own.put(&format!("{OF_BOT}/u/t/k"), &json!({"value": 1})).ok();
        let made = own.post("/api/external/bot/duplicate", &json!({})).ok();
        let duplicate = domain::id::BotId::parse(made["_id"].as_str().unwrap()).unwrap();
        assert_eq!(tenant.as_bot(duplicate).get(OF_BOT).items(), Vec::<Value>::new());
        assert_eq!(own.get(OF_BOT).items().len(), 1);
    }

    fn a_token_of_the_other_scheme_opens_nothing(app: &TestApp) {
        let tenant = app.tenant();
        for (client, base) in
            [(tenant.as_bot(tenant.bot()), OF_PROJECT), (tenant.as_project(), OF_BOT)]
        {
            client.get(base).problem(401, "unauthenticated");
            client.delete(&format!("{base}/u")).problem(401, "unauthenticated");
        }
    }
}
