//! The named components of the document: what several operations have in common is written once.

use std::collections::BTreeMap;

use domain::access::Scheme;
use utoipa::openapi::header::Header;
use utoipa::openapi::path::Parameter;
use utoipa::openapi::request_body::RequestBody;
use utoipa::openapi::schema::{Components, ComponentsBuilder};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityScheme};
use utoipa::openapi::{Ref, RefOr, Response, Schema};

use super::examples;

/// The components that were referred to so far.
#[derive(Default)]
pub struct ComponentRegistry {
    components: Components,
    /// Names under which a second component was put that is not the same; it is a defect if there are any.
    pub clashes: Vec<String>,
}

impl ComponentRegistry {
    /// Puts a schema among the components, and refers to it.
    pub fn schema(&mut self, name: &str, schema: impl Into<RefOr<Schema>>) -> Ref {
        self.put("schemas", name, schema.into(), |components| &mut components.schemas)
    }

    /// Puts schemas among the components.
    pub fn schemas(&mut self, schemas: impl IntoIterator<Item = (String, RefOr<Schema>)>) {
        for (name, schema) in schemas {
            self.schema(&name, schema);
        }
    }

    /// Puts a parameter among the components, under the first of these names that no other one has, and refers
    /// to it.
    pub fn parameter(&mut self, [first, other]: &[String; 2], parameter: Parameter) -> Ref {
        let parameter = RefOr::T(parameter);
        let known = self.components.parameters.get(first);
        let name = if known.is_none_or(|known| *known == parameter) { first } else { other };
        self.put("parameters", name, parameter, |components| &mut components.parameters)
    }

    /// Puts a request body among the components, and refers to it.
    pub fn request_body(&mut self, name: &str, body: RequestBody) -> Ref {
        self.put("requestBodies", name, body.into(), |components| &mut components.request_bodies)
    }

    /// Puts a response among the components, with its example, and refers to it.
    pub fn response(&mut self, name: &str, mut response: Response) -> Ref {
        for (media_type, content) in &mut response.content {
            // A table shows the same as the list.
            if let RefOr::T(content) = content
                && media_type != "text/csv"
            {
                content.example = examples::of(name);
            }
        }
        self.put("responses", name, response.into(), |components| &mut components.responses)
    }

    /// Puts a header of responses among the components, and refers to it.
    pub fn header(&mut self, name: &str, header: Header) -> Ref {
        self.put("headers", name, header.into(), |components| &mut components.headers)
    }

    /// All of them, and the two ways to present a token.
    pub fn build(self, token_header: impl Fn(Scheme) -> String) -> Components {
        let with_schemes = |components: ComponentsBuilder, scheme: Scheme| {
            let header = ApiKeyValue::new(token_header(scheme));
            let header = SecurityScheme::ApiKey(ApiKey::Header(header));
            components.security_scheme(scheme.as_str(), header)
        };
        [Scheme::Bot, Scheme::Project]
            .into_iter()
            .fold(ComponentsBuilder::from(self.components), with_schemes)
            .build()
    }

    fn put<T: PartialEq>(
        &mut self,
        kind: &str,
        name: &str,
        component: RefOr<T>,
        map: impl Fn(&mut Components) -> &mut BTreeMap<String, RefOr<T>>,
    ) -> Ref {
        let known = map(&mut self.components);
        match known.get(name) {
            Some(known) if *known != component => self.clashes.push(format!("{kind}/{name}")),
            Some(_) => {}
            None => {
                known.insert(name.to_owned(), component);
            }
        }
        Ref::new(format!("#/components/{kind}/{name}"))
    }
}

/// A name with its words capitalised and nothing between them: `If-Range` is `IfRange`.
pub fn capitalised(name: &str) -> String {
    let words = name.split(|letter: char| !letter.is_ascii_alphanumeric());
    let capitalised = words.filter_map(|word| {
        let mut letters = word.chars();
        Some(letters.next()?.to_uppercase().chain(letters).collect::<String>())
    });
    capitalised.collect()
}
