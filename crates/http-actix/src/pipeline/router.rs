//! From a path to what answers it.
//!
//! The table of operations is the only source of routes, and this small tree of segments is the only
//! thing that matches them: the path is split first and each segment decoded once, so that `%2F` stays
//! part of a key, and a literal segment wins over a parameter for every method, as the API promises.

use std::collections::HashMap;

use actix_web::http::Method;
use percent_encoding::percent_decode_str;

/// A tree of path segments with one `T` for each method.
pub struct Router<T> {
    root: Node<T>,
}

struct Node<T> {
    literals: HashMap<String, Self>,
    parameter: Option<(String, Box<Self>)>,
    methods: Vec<(Method, T)>,
}

impl<T> Default for Node<T> {
    fn default() -> Self {
        Self { literals: HashMap::new(), parameter: None, methods: Vec::new() }
    }
}

impl<T> Default for Router<T> {
    fn default() -> Self {
        Self { root: Node::default() }
    }
}

/// The values of the parameters of one path, decoded.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct PathParams(Vec<(String, String)>);

impl PathParams {
    /// The value of a parameter that the route has.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(parameter, _)| parameter == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// What a path leads to.
#[derive(Debug)]
pub enum RouteMatch<'a, T> {
    /// The route, with the values of its parameters.
    Route(&'a T, PathParams),
    /// The path is known under other methods, listed as `Allow` wants them.
    OtherMethods(String),
    /// The path is not known.
    Nothing,
    /// A segment is longer than allowed.
    TooLong,
}

impl<T> Router<T> {
    /// Adds a route; `pattern` is like `/a/{b}`.
    ///
    /// # Errors
    /// A sentence if the route is there already, or names a parameter other than its neighbours do.
    pub fn add(&mut self, method: Method, pattern: &str, target: T) -> Result<(), String> {
        let mut node = &mut self.root;
        for segment in pattern.split('/').skip(1) {
            let parameter = segment.strip_prefix('{').and_then(|segment| segment.strip_suffix('}'));
            node = match parameter {
                None => node.literals.entry(segment.to_owned()).or_default(),
                Some(name) => {
                    let (known, next) =
                        node.parameter.get_or_insert_with(|| (name.to_owned(), Box::default()));
                    if known != name {
                        return Err(format!("{pattern}: `{name}` is called `{known}` elsewhere"));
                    }
                    next
                }
            };
        }
        if node.methods.iter().any(|(known, _)| *known == method) {
            return Err(format!("{method} {pattern} is there twice"));
        }
        node.methods.push((method, target));
        Ok(())
    }

    /// Finds the route of a raw path. `HEAD` finds what `GET` does.
    #[must_use]
    pub fn find(&self, method: &Method, path: &str, segment_max: usize) -> RouteMatch<'_, T> {
        let mut node = &self.root;
        let mut params = PathParams::default();
        for raw in path.split('/').skip(1) {
            // A text that is no UTF-8 can't be the name of anything.
            let Ok(segment) = percent_decode_str(raw).decode_utf8() else {
                return RouteMatch::Nothing;
            };
            if segment.len() > segment_max {
                return RouteMatch::TooLong;
            }
            node = match (node.literals.get(segment.as_ref()), &node.parameter) {
                (Some(next), _) => next,
                (None, Some((name, next))) if !segment.is_empty() => {
                    params.0.push((name.clone(), segment.into_owned()));
                    next
                }
                (None, _) => return RouteMatch::Nothing,
            };
        }
        if node.methods.is_empty() {
            return RouteMatch::Nothing;
        }
        let wanted = if method == Method::HEAD { &Method::GET } else { method };
        match node.methods.iter().find(|(method, _)| method == wanted) {
            Some((_, target)) => RouteMatch::Route(target, params),
            None => RouteMatch::OtherMethods(allow(node.methods.iter().map(|(method, _)| method))),
        }
    }
}

fn allow<'a>(methods: impl Iterator<Item = &'a Method>) -> String {
    let mut names: Vec<&str> = methods.map(Method::as_str).collect();
    if names.contains(&"GET") {
        names.push("HEAD");
    }
    names.sort_unstable();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn router() -> Router<&'static str> {
        let mut router = Router::default();
        for (method, pattern) in [
            (Method::GET, "/api/keyval"),
            (Method::GET, "/api/keyval/{userId}"),
            (Method::DELETE, "/api/keyval/{userId}"),
            (Method::GET, "/api/keyval/{userId}/{type}/{key}"),
            (Method::POST, "/api/keyval/bulk-delete"),
        ] {
            router.add(method, pattern, pattern).unwrap();
        }
        router
    }

    fn find(method: Method, path: &str) -> String {
        match router().find(&method, path, 11) {
            RouteMatch::Route(pattern, params) => params
                .0
                .iter()
                .fold((*pattern).to_owned(), |all, (name, value)| format!("{all} {name}={value}")),
            RouteMatch::OtherMethods(allow) => allow,
            RouteMatch::Nothing => "nothing".to_owned(),
            RouteMatch::TooLong => "too long".to_owned(),
        }
    }

    #[test]
    fn segments_are_split_first_and_decoded_once() {
        assert_eq!(
            find(Method::GET, "/api/keyval/%2Fa%252F+"),
            "/api/keyval/{userId} userId=/a%2F+"
        );
        assert_eq!(find(Method::GET, "/%61pi/keyval"), "/api/keyval");
        assert_eq!(find(Method::GET, "/api%2Fkeyval"), "nothing");
        assert_eq!(find(Method::GET, "/api/keyval/%ff"), "nothing");
        assert_eq!(find(Method::GET, "/api/keyval/.."), "/api/keyval/{userId} userId=..");
        assert_eq!(
            find(Method::GET, "/api/keyval/%411234567890"),
            "/api/keyval/{userId} userId=A1234567890"
        );
        assert_eq!(find(Method::GET, "/api/keyval/123456789012"), "too long");
    }

    #[test]
    fn empty_segments_and_trailing_slashes_lead_nowhere() {
        for path in
            ["", "/", "/api", "/api/keyval/", "/api//keyval", "//api/keyval", "/api/keyval/u/t/"]
        {
            assert_eq!(find(Method::GET, path), "nothing", "{path}");
        }
    }

    #[test]
    fn literals_win_for_every_method() {
        assert_eq!(find(Method::POST, "/api/keyval/bulk-delete"), "/api/keyval/bulk-delete");
        assert_eq!(find(Method::DELETE, "/api/keyval/bulk-delete"), "POST");
        assert_eq!(find(Method::GET, "/api/keyval/bulk-delete/t/k"), "nothing");
    }

    #[test]
    fn other_methods_are_listed() {
        assert_eq!(find(Method::PUT, "/api/keyval/u"), "DELETE, GET, HEAD");
        assert_eq!(find(Method::HEAD, "/api/keyval/u"), "/api/keyval/{userId} userId=u");
    }

    #[test]
    fn a_route_can_be_added_once() {
        let mut router = router();
        assert!(router.add(Method::GET, "/api/keyval", "again").is_err());
        assert!(router.add(Method::PUT, "/api/keyval/{id}", "other name").is_err());
    }
}
