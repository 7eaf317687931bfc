//! Whether connections are encrypted, which PostgreSQL's client library decides by `sslmode` and the variables
//! `PGSSL…`. Here it is only found out what that comes to: asking for TLS in a build that has none is an error,
//! because a password and data would go over the network in plain text.

use std::env;
use std::net::IpAddr;

use super::address::Address;
use crate::open::OpenError;

/// Whether this build has TLS to PostgreSQL (feature `postgres-tls`).
pub const SUPPORTED: bool = cfg!(feature = "postgres-tls");

/// What `sslmode` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Never encrypt.
    Disable,
    /// Encrypt if the server refuses anything else.
    Allow,
    /// Encrypt if the server can; the default.
    Prefer,
    /// Fail rather than not encrypt: `require`, `verify-ca` and `verify-full`.
    Demanded,
}

/// What an address and the variables come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encryption {
    /// Nothing leaves this machine, or it was decided that it is not to be encrypted.
    NotNeeded,
    /// The connection fails if it can't be encrypted.
    Demanded,
    /// It is not encrypted, because this build has no TLS.
    Lacking,
    /// It is not encrypted unless the server demands that.
    Avoided,
    /// It is encrypted if the server can do so.
    Optional,
}

impl Encryption {
    /// Reads the address and the variables of this process.
    ///
    /// # Errors
    /// [`OpenError::NoTls`] if TLS is demanded and this build has none, [`OpenError::BadSslMode`] if `sslmode` is no
    /// word that the library knows.
    pub fn of(address: &Address<'_>) -> Result<Self, OpenError> {
        Self::with(address, &|name| env::var(name).ok(), SUPPORTED)
    }

    fn with(
        address: &Address<'_>,
        variable: &dyn Fn(&str) -> Option<String>,
        is_supported: bool,
    ) -> Result<Self, OpenError> {
        let (mode, by) = mode(address, variable)?;
        let is_local = || hosts(address, variable).iter().all(|host| is_local(host));
        Ok(match mode {
            Mode::Demanded if is_supported => Self::Demanded,
            Mode::Demanded => return Err(OpenError::NoTls(by)),
            Mode::Disable => Self::NotNeeded,
            Mode::Allow | Mode::Prefer if is_local() => Self::NotNeeded,
            Mode::Allow | Mode::Prefer if !is_supported => Self::Lacking,
            Mode::Allow => Self::Avoided,
            Mode::Prefer => Self::Optional,
        })
    }
}

/// The mode that holds, and what it comes from.
fn mode(
    address: &Address<'_>,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<(Mode, String), OpenError> {
    let named = |by: &str, mode: &str| Ok((read(mode)?, format!("{by}={mode}")));
    if let Some(mode) = address.option("sslmode") {
        return named("sslmode", &mode);
    }
    // As the driver of Java writes it.
    if address.option("ssl").is_some_and(|value| value == "true") {
        return Ok((Mode::Demanded, "ssl=true".to_owned()));
    }
    if let Some(mode) = variable("PGSSLMODE") {
        return named("PGSSLMODE", &mode);
    }
    if variable("PGREQUIRESSL").is_some_and(|value| value.starts_with('1')) {
        return Ok((Mode::Demanded, "PGREQUIRESSL=1".to_owned()));
    }
    // `sslrootcert=system` implies that the certificate is checked.
    let root = address.option("sslrootcert").or_else(|| variable("PGSSLROOTCERT"));
    if root.is_some_and(|root| root == "system") {
        return Ok((Mode::Demanded, "sslrootcert=system".to_owned()));
    }
    Ok((Mode::Prefer, String::new()))
}

fn read(mode: &str) -> Result<Mode, OpenError> {
    match mode {
        "disable" => Ok(Mode::Disable),
        "allow" => Ok(Mode::Allow),
        "prefer" => Ok(Mode::Prefer),
        "require" | "verify-ca" | "verify-full" => Ok(Mode::Demanded),
        _ => Err(OpenError::BadSslMode),
    }
}

/// The hosts that are tried; none if the library takes the socket of this machine.
fn hosts(address: &Address<'_>, variable: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
    let given = address.hosts();
    if !given.is_empty() {
        return given;
    }
    let list = variable("PGHOSTADDR").or_else(|| variable("PGHOST")).unwrap_or_default();
    list.split(',').filter(|host| !host.is_empty()).map(ToOwned::to_owned).collect()
}

/// Whether a connection to it stays on this machine: a socket's path or the loopback address.
fn is_local(host: &str) -> bool {
    host.starts_with(['/', '@'])
        || host.eq_ignore_ascii_case("localhost")
        || host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

/// The address with the file of this machine's certificate authorities in place of `sslrootcert=system`: an OpenSSL
/// that comes with the program does not know where the system keeps them.
#[cfg(feature = "postgres-tls")]
pub fn with_system_roots(address: &Address<'_>, text: String) -> String {
    let root = address.option("sslrootcert").or_else(|| env::var("PGSSLROOTCERT").ok());
    // With a weaker mode the library refuses `system`, and says so.
    let mode = address.option("sslmode").or_else(|| env::var("PGSSLMODE").ok());
    if root.as_deref() != Some("system") || mode.is_some_and(|mode| mode != "verify-full") {
        return text;
    }
    match openssl_probe::probe().cert_file.as_deref().and_then(|file| file.to_str()) {
        Some(file) => {
            Address::new(&text).with(&[("sslmode", "verify-full"), ("sslrootcert", file)])
        }
        None => text,
    }
}

/// Nothing is checked with them in this build.
#[cfg(not(feature = "postgres-tls"))]
pub fn with_system_roots(_: &Address<'_>, text: String) -> String {
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes of an address, with and without TLS in the build.
    fn of(address: &str, variables: &[(&str, &str)]) -> [Result<Encryption, OpenError>; 2] {
        let variable = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        let address = Address::new(address);
        [true, false].map(|is_supported| Encryption::with(&address, &variable, is_supported))
    }

    #[test]
    fn tls_is_demanded_by_the_address_or_by_variables() {
        for (address, variable, by) in [
            ("postgres://db/x?sslmode=require", ("PGSSLMODE", "disable"), "sslmode=require"),
            ("postgres://localhost/x?sslmode=verify-ca", ("", ""), "sslmode=verify-ca"),
            ("postgres:///x?sslmode=verify%2Dfull", ("", ""), "sslmode=verify-full"),
            ("postgres://db/x?ssl=true", ("", ""), "ssl=true"),
            ("postgres://db/x", ("PGSSLMODE", "require"), "PGSSLMODE=require"),
            ("postgres://db/x", ("PGREQUIRESSL", "1"), "PGREQUIRESSL=1"),
            ("postgres://db/x", ("PGSSLROOTCERT", "system"), "sslrootcert=system"),
            ("postgres://db/x?sslrootcert=system", ("", ""), "sslrootcert=system"),
        ] {
            let refused = Err(OpenError::NoTls(by.to_owned()));
            assert_eq!(of(address, &[variable]), [Ok(Encryption::Demanded), refused], "{address}");
        }
    }

    #[test]
    fn what_leaves_the_machine_unencrypted_is_known() {
        use Encryption::{Avoided, Lacking, NotNeeded, Optional};
        for (address, variables, expected) in [
            ("postgres://db/x", &[][..], [Optional, Lacking]),
            ("postgres://192.0.2.1/x?sslmode=prefer", &[], [Optional, Lacking]),
            ("postgres://db/x?sslmode=allow", &[], [Avoided, Lacking]),
            ("postgres://db/x?sslmode=disable", &[], [NotNeeded; 2]),
            ("postgres://db/x", &[("PGSSLMODE", "disable")], [NotNeeded; 2]),
            ("postgres://db/x", &[("PGREQUIRESSL", "0")], [Optional, Lacking]),
            ("postgres://localhost,127.0.0.2,[::1]:5432/x", &[], [NotNeeded; 2]),
            ("postgres://localhost,db/x", &[], [Optional, Lacking]),
            ("postgres:///x", &[], [NotNeeded; 2]),
            ("postgres:///x?host=%2Frun%2Fpostgresql", &[("PGHOST", "db")], [NotNeeded; 2]),
            ("postgres://%2Frun%2Fpostgresql/x", &[], [NotNeeded; 2]),
            ("postgres:///x", &[("PGHOST", "db")], [Optional, Lacking]),
            ("postgres:///x", &[("PGHOST", "db"), ("PGHOSTADDR", "127.0.0.1")], [NotNeeded; 2]),
        ] {
            assert_eq!(of(address, variables), expected.map(Ok), "{address} {variables:?}");
        }
    }

    #[test]
    fn an_unknown_mode_is_refused_without_being_repeated() {
        for address in ["postgres://db/x?sslmode=verify", "postgres://db/x?sslmode="] {
            assert_eq!(of(address, &[]), [Err(OpenError::BadSslMode), Err(OpenError::BadSslMode)]);
        }
        assert!(!OpenError::BadSslMode.to_string().contains("`verify`"));
    }
}
