//! Who may read chats.

use botyard_tests::{Caller, Mint, each_database};
use domain::bot::DeleteMode;
use serde_json::{Value, json};

use super::{CHATS, Supervised, USERS, guests};

each_database! {
    fn a_token_without_the_scope_is_refused(app: &TestApp) {
        let on = Supervised::new(app);
        let user = on.user("g");
        let all_others = "bot:read,bot:write,changelog:read,embedding:read,embedding:write,\
            stats:read,fusion:read,fusion:write,skills:read,skills:write,stages:read,stages:write";
        let without = on.tenant.bot_token(on.bot(), Mint::scopes(all_others));
        let without = on.tenant.client(Caller::Bot(without));
        let with = on.tenant.bot_token(on.bot(), Mint::scopes("supervisor:read"));
        let with = on.tenant.client(Caller::Bot(with));
        let one = format!("{CHATS}/{user}");
        for path in [CHATS, USERS, &one, &format!("{CHATS}/nobody"), &format!("{CHATS}?x=1")] {
            let problem = without.get(path).problem(403, "missing_scope");
            assert_eq!(problem["requiredScopes"], json!(["supervisor:read"]));
        }
        for path in [CHATS, USERS, &one] {
            let _ = with.get(path).ok();
        }
    }

    fn a_project_token_is_none_here(app: &TestApp) {
        let on = Supervised::new(app);
        let client = on.tenant.as_project();
        for path in [CHATS, USERS] {
            client.get(path).problem(401, "unauthenticated");
            let of_project = path.replace("external", "external/projectapi");
            client.get(&of_project).problem(404, "unknown_path");
        }
    }

    fn a_hidden_bot_has_no_chats(app: &TestApp) {
        let on = Supervised::new(app);
        let user = on.user("g");
        on.says(user, [1]);
        on.tenant.delete_bot(on.bot(), DeleteMode::Archive);
        for path in [CHATS.to_owned(), USERS.to_owned(), format!("{CHATS}/{user}")] {
            on.client.get(&path).problem(404, "bot_not_found");
        }
        on.client.get(&format!("{CHATS}/nobody")).problem(404, "bot_not_found");
        on.tenant.restore_bot(on.bot());
        assert_eq!(guests(&on.chats(), &on.tenant), ["g"]);
    }

    fn a_bot_shows_nothing_of_another(app: &TestApp) {
        let on = Supervised::new(app);
        let other = on.tenant.new_bot("other");
        on.says(on.user("g"), [1]);
        let client = on.tenant.as_bot(other);
        for path in [CHATS, USERS] {
            assert_eq!(client.get(path).items(), Vec::<Value>::new());
        }
    }
}
