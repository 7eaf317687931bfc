//! `X-Request-Id`

use std::collections::BTreeSet;

use botyard_tests::{Mint, each_database};

const PATH: &str = "/api/external/projectapi/checkauth";

each_database! {
    fn an_id_that_the_client_gives_is_taken_over(app: &TestApp) {
        let longest = "x".repeat(64);
        for id in ["1", "a.B_c-9", "...", "4bf92f3577b34da6a3ce929d0e0e4736", &longest] {
            let refused = app.anonymous().request("GET", PATH).header("X-Request-Id", id).send();
            assert_eq!(refused.header("x-request-id"), Some(id));
            let missing = app.anonymous().request("GET", "/nope").header("x-request-id", id).send();
            assert_eq!(missing.header("x-request-id"), Some(id));
            let client = app.tenant().as_project();
            let done = client.request("GET", PATH).header("X-REQUEST-ID", id).send();
            let _ = done.ok();
            assert_eq!(done.header("x-request-id"), Some(id));
        }
    }

    fn an_id_that_is_not_fit_to_be_logged_is_replaced(app: &TestApp) {
        let too_long = "x".repeat(65);
        for id in ["", " ", "a b", "a/b", "a\tb", "ä", "a\"b", "<x>", "a,b", "a:b", &too_long] {
            let answer = app.anonymous().request("GET", PATH).header("X-Request-Id", id).send();
            let made = answer.header("x-request-id").unwrap();
            assert_ne!(made, id);
            assert!(!made.contains(id.trim()) || id.trim().is_empty(), "{made}");
        }
    }

    fn a_token_is_no_id_of_a_request(app: &TestApp) {
        let tenant = app.tenant();
        let anonymous = tenant.anonymous();
        for secret in [
            tenant.project_token(Mint::default()),
            tenant.bot_token(tenant.bot(), Mint::default()),
        ] {
            let request = anonymous.request("GET", PATH);
            let answer = request.header("X-Request-Id", secret.secret()).send();
            answer.problem(401, "unauthenticated");
        }
    }

    fn ids_that_are_made_are_all_different(app: &TestApp) {
        let client = app.anonymous();
        let made: BTreeSet<_> = (0..50)
            .map(|_| client.get(PATH).header("x-request-id").unwrap().to_owned())
            .collect();
        assert_eq!(made.len(), 50);
    }
}
