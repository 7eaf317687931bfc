//! URLs without the secrets in them.

/// The URL with `***` in place of its password, or of all credentials when it is an S3 address.
///
/// Where a URL is ambiguous (a password with a bare `@`, `/` or `?`) this hides rather too much
/// than too little.
pub fn mask(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    let rest = mask_query(rest);
    let Some((user, host)) = rest.rsplit_once('@') else {
        return format!("{scheme}://{rest}");
    };
    let user = match (scheme, user.split_once(':')) {
        ("s3", _) => "***".to_owned(),
        (_, Some((name, _password))) => format!("{name}:***"),
        (_, None) => user.to_owned(),
    };
    format!("{scheme}://{user}@{host}")
}

/// PostgreSQL takes `password` and `sslpassword` as parameters too.
fn mask_query(rest: &str) -> String {
    let mut masked = String::with_capacity(rest.len());
    for piece in rest.split_inclusive(['?', '&']) {
        match piece.split_once('=') {
            Some((name, value)) if is_secret(name) => {
                masked.push_str(name);
                masked.push_str("=***");
                masked.extend(value.chars().next_back().filter(|end| "?&".contains(*end)));
            }
            _ => masked.push_str(piece),
        }
    }
    masked
}

fn is_secret(parameter: &str) -> bool {
    let parameter = parameter.to_ascii_lowercase();
    ["password", "secret", "token", "key"].iter().any(|word| parameter.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_hidden_wherever_they_stand() {
        for (url, shown) in [
            ("sqlite:data/botyard.db", "sqlite:data/botyard.db"),
            ("postgres://db/botyard", "postgres://db/botyard"),
            ("postgres://bo@db/botyard", "postgres://bo@db/botyard"),
            ("postgres://bo:pw@db:5432/x", "postgres://bo:***@db:5432/x"),
            ("postgres://bo:p@w@db/x", "postgres://bo:***@db/x"),
            ("postgres://bo:p/w@db/x", "postgres://bo:***@db/x"),
            ("postgres://bo:p?w@db/x", "postgres://bo:***@db/x"),
            ("postgres://:pw@db/x", "postgres://:***@db/x"),
            (
                "postgres://bo:pw@a:1,b:2/x?sslmode=require",
                "postgres://bo:***@a:1,b:2/x?sslmode=require",
            ),
            (
                "postgresql:///x?host=db&password=p@w&user=bo",
                "postgresql:///x?host=db&password=***&user=bo",
            ),
            ("postgres:///x?sslpassword=pw", "postgres:///x?sslpassword=***"),
            ("s3://id:secret@bucket/prefix", "s3://***@bucket/prefix"),
            (
                "s3://bucket?secret_access_key=pw&region=eu",
                "s3://bucket?secret_access_key=***&region=eu",
            ),
        ] {
            assert_eq!(mask(url), shown);
        }
    }
}
