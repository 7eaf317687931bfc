//! A server that is killed while clients write: nothing that it acknowledged is lost, nothing is there
//! in part, and it starts again by itself.

use std::thread;

use botyard_tests::waiting::until;
use botyard_tests::{Installation, each_database};

use super::writer::{Ending, Shared, nothing_is_there_by_half, writers};

const ROUNDS: usize = 10;
const CLIENTS: usize = 50;

each_database! {
    fn nothing_acknowledged_is_lost_when_the_server_is_killed(database: Database) {
        let settings = [("LIMITS__BOTS_PER_PROJECT", "0"), ("LOG__LEVEL", "warn")];
        let installation = Installation::new(database);
        let mut server = installation.serve(&settings);
        let mut writers = writers(&installation, server.address(), CLIENTS);
        // No other process may have the SQLite file open between two rounds, or it would be that one
        // that keeps it whole. So everything is looked at through the server until the end.
        for round in 0..ROUNDS {
            let shared = Shared::new(Ending::Killed);
            let (address, shared) = (server.address(), &shared);
            thread::scope(|scope| {
                for writer in &mut writers {
                    scope.spawn(move || writer.run(address, shared));
                }
                // A different moment each time; most clients have written something by then.
                let enough = CLIENTS + round * 97 % 200;
                until("the clients are at work", || shared.acknowledged() >= enough);
                shared.tell();
                server.kill();
            });
            server = installation.serve(&settings);
        }
        for writer in &mut writers {
            writer.look(server.address());
        }
        assert_eq!(server.stop(), 0);
        for writer in &writers {
            writer.is_all_there(installation.sql());
        }
        nothing_is_there_by_half(installation.sql());
    }
}
