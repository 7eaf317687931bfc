//! The address of a server, taken apart as PostgreSQL's client library does it. Only what has to be known here is
//! read; the library gets the whole text.

use std::borrow::Cow;

use url::form_urlencoded;

/// An address like `postgres://user:password@host:port/database?option=value`.
pub struct Address<'a> {
    text: &'a str,
    /// Between the credentials and the database: `host:port`, or several of them with commas.
    hosts: &'a str,
    /// What stands behind the question mark, if there is one.
    options: Option<&'a str>,
}

impl<'a> Address<'a> {
    /// Reads what begins with `postgres://` or `postgresql://`.
    pub fn new(text: &'a str) -> Self {
        let rest = text.split_once("://").map_or("", |(_, rest)| rest);
        // A password may contain a question mark, but no slash.
        let credentials = rest.split_once('@').filter(|(before, _)| !before.contains('/'));
        let rest = credentials.map_or(rest, |(_, behind)| behind);
        let (place, options) = match rest.split_once('?') {
            Some((place, options)) => (place, Some(options)),
            None => (rest, None),
        };
        let hosts = place.split_once('/').map_or(place, |(hosts, _)| hosts);
        Self { text, hosts, options }
    }

    /// The value of an option; if it is given more than once, the last one, as it is for the library.
    pub fn option(&self, name: &str) -> Option<String> {
        let options = form_urlencoded::parse(self.options.unwrap_or_default().as_bytes());
        let values = options.filter(|(given, _)| given == name).map(|(_, value)| value);
        values.last().map(Cow::into_owned)
    }

    /// The hosts, without their ports; none if the address leaves that to the library.
    pub fn hosts(&self) -> Vec<String> {
        let listed = |list: &str, host: fn(&str) -> String| -> Vec<String> {
            list.split(',').map(host).filter(|host| !host.is_empty()).collect()
        };
        let given = self.option("hostaddr").or_else(|| self.option("host"));
        match given {
            Some(list) => listed(&list, str::to_owned),
            None => listed(self.hosts, without_port),
        }
    }

    /// The address with more options, which hold also if it gives them itself.
    pub fn with(&self, options: &[(&str, &str)]) -> String {
        let mut address = self.text.to_owned();
        let mut joint = if self.options.is_some() { '&' } else { '?' };
        for (name, value) in options {
            // A parameter is decoded by the library as part of a URL, in which `+` is no blank.
            let value: String = form_urlencoded::byte_serialize(value.as_bytes()).collect();
            address.push(joint);
            address.push_str(&format!("{name}={}", value.replace('+', "%20")));
            joint = '&';
        }
        address
    }

    /// The address with those of these options that it does not give itself.
    pub fn with_defaults(&self, options: &[(&str, &str)]) -> String {
        let missing: Vec<_> =
            options.iter().copied().filter(|(name, _)| self.option(name).is_none()).collect();
        self.with(&missing)
    }
}

/// The host of `host:port`, `[host]:port` or `host`, in which a path is percent-encoded.
fn without_port(text: &str) -> String {
    let host = match text.strip_prefix('[') {
        Some(literal) => literal.split(']').next(),
        None => text.split(':').next(),
    };
    let host = host.unwrap_or_default();
    if host.to_ascii_lowercase().starts_with("%2f") { format!("/{host}") } else { host.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_found_wherever_they_stand() {
        for (address, expected) in [
            ("postgres://db/x", "db"),
            ("postgres://ada:secret@db:5432/x?sslmode=require", "db"),
            ("postgresql://ada@one:1,two,[2001:db8::1]:3/x", "one two 2001:db8::1"),
            ("postgres://ada:sec?ret@db/x", "db"),
            ("postgres://ada:secret@db?user=a@b", "db"),
            ("postgres:///x?host=db&user=ada", "db"),
            ("postgres:///x?host=%2Frun%2Fpostgresql", "/run/postgresql"),
            ("postgres://db/x?hostaddr=192.0.2.1&host=db", "192.0.2.1"),
            ("postgres:///x", ""),
            ("postgres://ada@/x", ""),
            ("postgres://", ""),
        ] {
            assert_eq!(Address::new(address).hosts().join(" "), expected, "{address}");
        }
        let socket = Address::new("postgres://%2Frun%2Fpostgresql/x").hosts();
        assert!(socket[0].starts_with('/'), "{socket:?}");
    }

    #[test]
    fn the_last_of_several_options_holds() {
        let address =
            Address::new("postgres://ada:a?sslmode=no@db/x?sslmode=allow&sslmode=verify%2Dfull");
        assert_eq!(address.option("sslmode").as_deref(), Some("verify-full"));
        assert_eq!(address.option("sslrootcert"), None);
        assert_eq!(Address::new("postgres://db/x").option("sslmode"), None);
    }

    #[test]
    fn an_address_keeps_what_it_says() {
        let defaults = [("connect_timeout", "3"), ("keepalives_idle", "15")];
        for (address, expected) in [
            ("postgres://db/x", "postgres://db/x?connect_timeout=3&keepalives_idle=15"),
            (
                "postgres://db/x?connect_timeout=9",
                "postgres://db/x?connect_timeout=9&keepalives_idle=15",
            ),
            (
                "postgres://ada:sec?ret@db/x",
                "postgres://ada:sec?ret@db/x?connect_timeout=3&keepalives_idle=15",
            ),
        ] {
            assert_eq!(Address::new(address).with_defaults(&defaults), expected);
        }
        let address = Address::new("postgres://db/x?sslrootcert=system");
        assert_eq!(
            address.with(&[("sslrootcert", "/a b/c&d.pem")]),
            "postgres://db/x?sslrootcert=system&sslrootcert=%2Fa%20b%2Fc%26d.pem"
        );
    }
}
