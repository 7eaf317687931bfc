//! Which connections a server has not closed, as the system sees it: a client that reads nothing can't see
//! that, because the end of the connection waits behind what was not read.

use std::collections::HashSet;
use std::fs;
use std::net::SocketAddr;

use anyhow::{Context as _, Result};

const TABLE: &str = "/proc/net/tcp";
/// Open on both sides, or closed only by the client.
const OPEN: [&str; 2] = ["01", "08"];

/// How many connections that come from these ports a server has not closed.
pub fn open(server: SocketAddr, clients: &HashSet<u16>) -> Result<usize> {
    let table = fs::read_to_string(TABLE).context(TABLE)?;
    Ok(count(&table, server.port(), clients))
}

fn count(table: &str, server: u16, clients: &HashSet<u16>) -> usize {
    let is_open = |line: &&str| {
        let mut columns = line.split_whitespace().skip(1);
        let mut next = || columns.next().unwrap_or_default();
        let (local, remote, state) = (port(next()), port(next()), next());
        local == Some(server)
            && remote.is_some_and(|remote| clients.contains(&remote))
            && OPEN.contains(&state)
    };
    table.lines().filter(is_open).count()
}

fn port(address: &str) -> Option<u16> {
    u16::from_str_radix(address.split_once(':')?.1, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_count_until_the_server_has_closed_them() {
        let line = |local, remote, state| {
            format!(
                "   0: 0100007F:{local} 0100007F:{remote} {state} 00000000:00000000 00:00000000 \
                 00000000     0        0 4711 1 0000000000000000 20 4 30 10 -1\n"
            )
        };
        let table: String = [
            "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt\n".into(),
            line("1F90", "0000", "0A"),
            line("1F90", "C350", "01"),
            line("1F90", "C351", "08"),
            line("1F90", "C352", "04"),
            line("1F90", "C353", "01"),
            line("C350", "1F90", "01"),
        ]
        .concat();
        let clients = HashSet::from([0xC350, 0xC351, 0xC352]);
        assert_eq!(count(&table, 0x1F90, &clients), 2);
        assert_eq!(count(&table, 0x1F91, &clients), 0);
    }
}
