//! Results whose reader stops before their end, as in `botyard config | head`.

use botyard_tests::each_database;

use super::command::run_unread;
use super::setup::migrated;

each_database! {
    fn results_that_no_process_reads_are_no_failure(database: Database) {
        let installation = migrated(database);
        for arguments in [
            &["config"][..],
            &["config", "--json"],
            &["docs", "openapi"],
            &["migrate", "--status"],
            &["organisation", "create", "--name", "Unread"],
            &["organisation", "list"],
        ] {
            run_unread(installation.command(&[]).args(arguments)).done();
        }
        // What there was to do was done all the same.
        let count = "SELECT count(*) AS value FROM organisations WHERE name = 'Unread'";
        assert_eq!(installation.sql().number(count), 1);
    }
}
