//! The session on which PostgreSQL announces to a server that tokens have changed.

use std::collections::BTreeSet;

use botyard_tests::waiting::until;
use botyard_tests::{Database, TestApp};

const CHECKAUTH: &str = "/api/external/checkauth";
const LISTENING: &str = "FROM pg_stat_activity WHERE datname = current_database() \
                         AND application_name = 'botyard-listener'";

/// The processes of PostgreSQL behind the listening sessions of the server and of the test's own services.
fn listening(app: &TestApp) -> BTreeSet<String> {
    app.sql().texts(&format!("SELECT pid::text AS value {LISTENING}")).into_iter().collect()
}

#[test]
fn a_listening_session_that_ends_refuses_nobody_postgres() {
    let app = TestApp::start(Database::Postgres, &[]);
    let tenant = app.tenant();
    let client = tenant.as_bot(tenant.new_bot("bot"));
    for _ in 0..3 {
        let ended = listening(&app);
        assert!(!ended.is_empty());
        let end = format!("SELECT count(pg_terminate_backend(pid)) AS value {LISTENING}");
        assert_eq!(usize::try_from(app.sql().number(&end)), Ok(ended.len()));
        until("other sessions listen", || {
            let _ = client.get(CHECKAUTH).ok();
            let now = listening(&app);
            now.len() == ended.len() && now.is_disjoint(&ended)
        });
    }
}
