//! x

use botyard_tests::{each_database, each_scheme};
use serde_json::json;

each_scheme! {
    fn the_bot_is_there(bot: &OnBot) {
        let got = bot.get("").ok();
        assert_eq!(got["_id"], json!(bot.id().to_string()));
    }
}

each_database! {
    fn the_list_is_there(app: &TestApp) {
        let tenant = app.tenant();
        assert_eq!(tenant.as_project().get("/api/external/projectapi/bots").items().len(), 1);
        assert_eq!(tenant.snapshot(), tenant.snapshot());
        assert!(tenant.snapshot().contains("bots {"), "{}", tenant.snapshot());
    }
}
