//! One text, a test for each database and, where an operation exists in both, for each scheme.

/// Makes of each function two tests, `name::sqlite` and `name::postgres`.
///
/// A function that takes a `&TestApp` gets the server that all tests of this database share. One
/// that takes a [`Database`](crate::Database) starts what it needs by itself.
#[macro_export]
macro_rules! each_database {
    ($($(#[$doc:meta])* fn $name:ident($app:ident: &TestApp) $body:block)+) => {$(
        $(#[$doc])*
        fn $name($app: &$crate::TestApp) $body

        mod $name {
            #[test]
            fn sqlite() {
                super::$name($crate::TestApp::shared($crate::Database::Sqlite));
            }

            #[test]
            fn postgres() {
                super::$name($crate::TestApp::shared($crate::Database::Postgres));
            }
        }
    )+};
    ($($(#[$doc:meta])* fn $name:ident($database:ident: Database) $body:block)+) => {$(
        $(#[$doc])*
        fn $name($database: $crate::Database) $body

        mod $name {
            #[test]
            fn sqlite() {
                super::$name($crate::Database::Sqlite);
            }

            #[test]
            fn postgres() {
                super::$name($crate::Database::Postgres);
            }
        }
    )+};
}

/// Makes of each function two tests: it gets a bot, reached with a bot token on SQLite and with a project
/// token on PostgreSQL. Both schemes run the same handlers on the same statements, so each scheme and each
/// database is tried, but not each with each. Their names are like `name::bot_token::sqlite`.
#[macro_export]
macro_rules! each_scheme {
    ($($(#[$doc:meta])* fn $name:ident($bot:ident: &OnBot) $body:block)+) => {$(
        $(#[$doc])*
        fn $name($bot: &$crate::OnBot<'_>) $body

        mod $name {
            mod bot_token {
                #[test]
                fn sqlite() {
                    let app = $crate::TestApp::shared($crate::Database::Sqlite);
                    super::super::$name(&app.tenant().with_bot_token());
                }
            }

            mod project_token {
                #[test]
                fn postgres() {
                    let app = $crate::TestApp::shared($crate::Database::Postgres);
                    super::super::$name(&app.tenant().with_project_token());
                }
            }
        }
    )+};
}

/// Makes of each function four tests, each scheme on each database: for what reads or writes rows in another
/// way in one scheme than in the other.
#[macro_export]
macro_rules! each_scheme_and_database {
    ($($(#[$doc:meta])* fn $name:ident($bot:ident: &OnBot) $body:block)+) => {$(
        $(#[$doc])*
        fn $name($bot: &$crate::OnBot<'_>) $body

        mod $name {
            mod bot_token {
                #[test]
                fn sqlite() {
                    let app = $crate::TestApp::shared($crate::Database::Sqlite);
                    super::super::$name(&app.tenant().with_bot_token());
                }

                #[test]
                fn postgres() {
                    let app = $crate::TestApp::shared($crate::Database::Postgres);
                    super::super::$name(&app.tenant().with_bot_token());
                }
            }

            mod project_token {
                #[test]
                fn sqlite() {
                    let app = $crate::TestApp::shared($crate::Database::Sqlite);
                    super::super::$name(&app.tenant().with_project_token());
                }

                #[test]
                fn postgres() {
                    let app = $crate::TestApp::shared($crate::Database::Postgres);
                    super::super::$name(&app.tenant().with_project_token());
                }
            }
        }
    )+};
}
