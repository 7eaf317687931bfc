//! A server that is asked to end while clients keep on calling finishes the requests that it has begun.

use std::thread;

use botyard_tests::waiting::until;
use botyard_tests::{Installation, each_database};

use super::writer::{Ending, Shared, nothing_is_there_by_half, writers};

const CLIENTS: usize = 32;

each_database! {
    fn no_request_in_flight_is_dropped(database: Database) {
        let installation = Installation::new(database);
        let mut server = installation.serve(&[]);
        let mut writers = writers(&installation, server.address(), CLIENTS);
        for signal in ["TERM", "INT"] {
            let shared = Shared::new(Ending::Asked);
            let (address, shared) = (server.address(), &shared);
            thread::scope(|scope| {
                for writer in &mut writers {
                    scope.spawn(move || writer.run(address, shared));
                }
                until("all clients are at work", || {
                    shared.at_work() == CLIENTS && shared.acknowledged() >= 10 * CLIENTS
                });
                shared.tell();
                server.signal(signal);
                assert_eq!(server.wait(), 0);
            });
            // The next round begins with a look at what is there.
            server = installation.serve(&[]);
        }
        assert_eq!(server.stop(), 0);
        for writer in &writers {
            writer.is_all_there(installation.sql());
        }
        nothing_is_there_by_half(installation.sql());
    }
}
