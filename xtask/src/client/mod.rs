//! The modules of `crates/client` that are made of docs/openapi.json: one for each tag, with its types and the
//! methods of both clients; and the list of operations by which the black-box tests read every answer as that client
//! does.

mod document;
mod modules;
mod operations;
mod text;
mod types;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context as _, Result};

use self::document::{Components, Document};
use self::modules::Modules;
use self::operations::{Answer, client_of};
use self::text::{formatted, snake_case};
use self::types::Purpose;

/// The first line of each file.
pub const HEAD: &str = "// Made of docs/openapi.json by `cargo xtask openapi`.\n\n";

/// A module of more lines is made of three files: its operations, the bodies of requests, and what is in answers.
const LONG: usize = 400;

/// Every file that is made, by its path from the root, with its text.
pub fn files(openapi: &[u8], root: &Path) -> Result<Vec<(String, String)>> {
    let document: Document = serde_json::from_slice(openapi).context("docs/openapi.json")?;
    let modules = Modules::of(&document)?;
    let purposes = purposes(&document.components);
    let mut files = Vec::new();
    for name in modules.names() {
        let module = Module::of(&name, &document, &purposes, &modules).context(name.clone())?;
        for (file, code) in module.files(&modules, root)? {
            files.push((format!("crates/client/src/{file}.rs"), code));
        }
    }
    let code = list_of_operations(&document, &modules)?;
    files.push(("tests/src/operations.rs".to_owned(), formatted(code, root)?));
    Ok(files)
}

/// The types of bodies; all others are parts of answers.
fn purposes(components: &Components) -> BTreeMap<String, Purpose> {
    let mut purposes = BTreeMap::new();
    for body in components.request_bodies.values() {
        let json = body.json().map(|schema| (schema, Purpose::Request));
        let form = body.form().map(|schema| (schema, Purpose::Form));
        for (schema, purpose) in json.into_iter().chain(form) {
            let name =
                schema.reference.as_deref().and_then(|reference| reference.rsplit('/').next());
            purposes.extend(name.map(|name| (name.to_owned(), purpose)));
            let schema = name.and_then(|name| components.schema(name).ok());
            // The objects in its lists.
            let lists = schema.into_iter().flat_map(|schema| schema.properties.0.iter());
            let of_items = lists.filter_map(|(_, list)| list.items.as_ref()?.reference.as_deref());
            let names = of_items.filter_map(|reference| reference.rsplit('/').next());
            purposes.extend(names.map(|name| (name.to_owned(), Purpose::Request)));
        }
    }
    purposes
}

/// The code of a module.
struct Module {
    name: String,
    title: String,
    operations: String,
    bodies: String,
    answers: String,
}

impl Module {
    fn of(
        name: &str,
        document: &Document,
        purposes: &BTreeMap<String, Purpose>,
        modules: &Modules,
    ) -> Result<Self> {
        let (mut bodies, mut answers) = (String::new(), String::new());
        for (type_name, schema) in &document.components.schemas.0 {
            if modules.module(type_name) == Some(name) {
                let purpose = purposes.get(type_name).copied().unwrap_or(Purpose::Answer);
                let code = types::code(type_name, schema, purpose, &document.components)?;
                if purpose == Purpose::Answer { answers += &code } else { bodies += &code }
            }
        }
        let mut title = "What several resources have in common".to_owned();
        let mut methods: BTreeMap<&str, String> = BTreeMap::new();
        let mut queries = BTreeMap::new();
        for (path, item) in &document.paths.0 {
            for (method, operation) in &item.operations {
                let tag = operation.tags.first().context("an operation without a tag")?;
                if snake_case(tag) != name {
                    continue;
                }
                title.clone_from(tag);
                let written = operations::method(path, *method, operation, document)
                    .with_context(|| operation.operation_id.clone())?;
                if let Some(written) = written {
                    *methods.entry(written.client).or_default() += &written.code;
                    queries.extend(written.query);
                }
            }
        }
        let queries: String = queries.into_values().collect();
        let methods: String = methods
            .iter()
            .map(|(client, code)| format!("impl {client} {{\n{code}}}\n\n"))
            .collect();
        let operations = methods + &queries;
        Ok(Self { name: name.to_owned(), title, operations, bodies, answers })
    }

    /// Its files: the name of each, without an extension, and its text.
    fn files(&self, modules: &Modules, root: &Path) -> Result<Vec<(String, String)>> {
        let Self { name, title, operations, bodies, answers } = self;
        let file = |about: &str, parts: &str, code: &str| {
            let reexported = (!parts.is_empty()).then_some(name.as_str());
            let imports = imports(code, modules, reexported);
            formatted(format!("{HEAD}//! {title}{about}.\n\n{parts}{imports}\n{code}"), root)
        };
        let whole = file("", "", &format!("{operations}{bodies}{answers}"))?;
        if whole.lines().count() <= LONG {
            return Ok(vec![(name.clone(), whole)]);
        }
        let parts = [
            ("answers", ": what is in answers", answers),
            ("bodies", ": the bodies of requests", bodies),
        ];
        let parts = parts.into_iter().filter(|(.., code)| !code.is_empty());
        let (mut modules, mut reexports, mut files) = (String::new(), String::new(), Vec::new());
        for (part, about, code) in parts {
            modules += &format!("mod {part};\n");
            reexports += &format!("pub use self::{part}::*;\n");
            files.push((format!("{name}/{part}"), file(about, "", code)?));
        }
        let parts = format!("{modules}\n{reexports}\n");
        let about = if operations.is_empty() { "" } else { ": the operations" };
        files.push((name.clone(), file(about, &parts, operations)?));
        Ok(files)
    }
}

/// The imports that the code needs; all types of one module may be there already.
fn imports(code: &str, modules: &Modules, reexported: Option<&str>) -> String {
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let words: BTreeSet<_> = lines
        .flat_map(|line| line.split(|letter: char| !letter.is_alphanumeric() && letter != '_'))
        .collect();
    let has = |word: &str| words.contains(word);
    let of = |names: &[&str]| {
        names.iter().copied().filter(|name| has(name)).collect::<Vec<_>>().join(", ")
    };
    let own = of(&[
        "BotClient",
        "Day",
        "File",
        "Json",
        "Page",
        "PageQuery",
        "ProjectClient",
        "Result",
        "Tagged",
        "Timestamp",
        "nullable",
    ]);
    let serde = of(&["Deserialize", "Serialize"]);
    let mut imports = String::new();
    for (word, line) in [
        ("Method", "use reqwest::Method;\n".to_owned()),
        ("Form", "use reqwest::multipart::Form;\n".to_owned()),
        ("Serialize", format!("use serde::{{{serde}}};\n")),
        ("Uuid", "use uuid::Uuid;\n".to_owned()),
    ] {
        if has(word) {
            imports += &line;
        }
    }
    if !own.is_empty() {
        imports += &format!("\nuse crate::{{{own}}};\n");
    }
    let mut others: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, module) in modules.types().filter(|(name, _)| has_type(code, name)) {
        let is_here =
            ["struct", "enum"].iter().any(|kind| code.contains(&format!("pub {kind} {name} ")));
        if !is_here && Some(module) != reexported {
            others.entry(module).or_default().push(name);
        }
    }
    for (module, names) in others {
        imports += &format!("use crate::{module}::{{{}}};\n", names.join(", "));
    }
    imports
}

/// Whether the code has a type where types stand: variants of words can have the name of one.
fn has_type(code: &str, name: &str) -> bool {
    let follows = |rest: &str| !rest.starts_with(|letter: char| letter.is_alphanumeric());
    [": ", "<", "&"]
        .iter()
        .any(|before| code.split(&format!("{before}{name}")).skip(1).any(follows))
}

/// The code of the list by which the tests read bodies and answers.
fn list_of_operations(document: &Document, modules: &Modules) -> Result<String> {
    let mut rows = String::new();
    let mut count = 0;
    for (path, item) in &document.paths.0 {
        for (method, operation) in &item.operations {
            if client_of(operation).is_none() {
                continue;
            }
            let Some(answer) = Answer::of(operation, document)? else { continue };
            let qualified = |name: &str| {
                let module = modules.module(name).unwrap_or_default();
                format!("client::{module}::{name}")
            };
            let answer = match answer {
                Answer::One(name) => qualified(&name),
                Answer::OneOrNull(name) => format!("Option<{}>", qualified(&name)),
                Answer::All(name) | Answer::Page(name) => format!("Vec<{}>", qualified(&name)),
            };
            let body = operation.request_body.as_ref();
            let body = body.and_then(|body| document.components.request_bodies.get(body.name()));
            let body =
                body.and_then(|body| body.json()).and_then(|schema| schema.reference.as_deref());
            let body = body.and_then(|reference| reference.rsplit('/').next());
            let body = body.map_or_else(
                || "None".to_owned(),
                |name| format!("Some(again::<{}>)", qualified(name)),
            );
            rows += &format!(
                "Operation {{ method: {:?}, path: {path:?}, body: {body}, answer: again::<{answer}> }},\n",
                method.name()
            );
            count += 1;
        }
    }
    Ok(format!(
        "{HEAD}//! The operations, with the types that the client has for their bodies and answers.\n\n\
         use crate::typed::{{Operation, again}};\n\n\
         /// Every operation that answers JSON.\n\
         pub(crate) const OPERATIONS: [Operation; {count}] = [\n{rows}];\n"
    ))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A document with one operation of each scheme, whose body has so many more members.
    fn document(more: usize) -> Vec<u8> {
        let members = (0..more).map(|number| (format!("m{number}"), json!({"type": "string"})));
        let mut members: serde_json::Map<_, _> = members.collect();
        members.insert("type".to_owned(), json!({"type": "string"}));
        members.insert("keptFor".to_owned(), json!({"type": ["integer", "null"], "minimum": 0}));
        let operation = |id: &str, scheme: &str, parameters: serde_json::Value| {
            json!({
                "tags": ["Key-value entry"],
                "operationId": id,
                "summary": "Stores the entry",
                "parameters": parameters,
                "requestBody": {"$ref": "#/components/requestBodies/PutEntry"},
                "responses": {"200": {"$ref": "#/components/responses/Entry"}},
                "security": [{scheme: []}],
            })
        };
        let id = json!({"$ref": "#/components/parameters/Id"});
        let key = json!({"$ref": "#/components/parameters/Key"});
        let document = json!({
            "paths": {
                "/bot/{key}": {"put": operation("putEntry", "APIKeyHeader", json!([key]))},
                "/projects/{id}/{key}": {
                    "put": operation("putEntryOfProject", "APIKeyHeaderProject", json!([id, key])),
                },
            },
            "components": {
                "parameters": {
                    "Id": {
                        "name": "id",
                        "in": "path",
                        "description": "Its id.",
                        "schema": {"type": "string", "format": "uuid"},
                    },
                    "Key": {
                        "name": "key",
                        "in": "path",
                        "description": "Its key.",
                        "schema": {"type": "string"},
                    },
                },
                "requestBodies": {"PutEntry": {"content": {
                    "application/json": {"schema": {"$ref": "#/components/schemas/UpdateEntry"}},
                }}},
                "responses": {"Entry": {"content": {
                    "application/json": {"schema": {"$ref": "#/components/schemas/Entry"}},
                }}},
                "schemas": {
                    "Entry": {
                        "type": "object",
                        "description": "An entry.",
                        "required": ["_id", "until"],
                        "properties": {
                            "_id": {"type": "string", "format": "uuid"},
                            "until": {"type": ["string", "null"], "format": "date-time"},
                        },
                    },
                    "UpdateEntry": {
                        "type": "object",
                        "description": "Changes an entry.",
                        "properties": members,
                    },
                    "Problem": {"type": "object", "description": "What went wrong."},
                },
            },
        });
        serde_json::to_vec(&document).unwrap()
    }

    fn made(more: usize) -> BTreeMap<String, String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        files(&document(more), root).unwrap().into_iter().collect()
    }

    fn code() -> String {
        let made = made(0);
        let paths = [
            "crates/client/src/key_value_entry.rs",
            "crates/client/src/shared.rs",
            "tests/src/operations.rs",
        ];
        assert!(made.keys().eq(paths), "{:?}", made.keys());
        made[paths[0]].clone()
    }

    #[test]
    fn a_long_module_has_a_file_for_operations_bodies_and_answers() {
        let made = made(300);
        let file = |name: &str| &made[&format!("crates/client/src/key_value_entry{name}.rs")];
        let (operations, bodies, answers) = (file(""), file("/bodies"), file("/answers"));
        assert!(
            operations.contains("fn put_entry") && !operations.contains("use crate::key_value")
        );
        assert!(bodies.contains("pub struct UpdateEntry") && !bodies.contains("pub struct Entry"));
        assert!(answers.contains("pub struct Entry") && answers.contains("use uuid::Uuid;"));
    }

    #[test]
    fn an_operation_is_a_method_of_the_client_of_its_scheme() {
        let code = code();
        let (bot, project) = code.split_once("impl ProjectClient").unwrap();
        assert!(bot.contains("impl BotClient"), "{bot}");
        assert!(bot.contains("put_entry(&self, key: &str, body: &UpdateEntry)"), "{bot}");
        let method = "put_entry(&self, id: Uuid, key: &str, body: &UpdateEntry)";
        assert!(project.contains(method), "{project}");
        assert!(project.contains(r#"["projects", &id.to_string(), key]"#), "{project}");
    }

    #[test]
    fn absent_null_and_required_members_differ() {
        let code = code();
        assert!(code.contains("pub until: Option<Timestamp>"), "{code}");
        assert!(code.contains("pub r#type: Option<String>"), "{code}");
        assert!(code.contains("pub kept_for: Option<Option<u64>>"), "{code}");
        assert!(code.contains("#[serde(rename = \"_id\")]\n    pub id: Uuid"), "{code}");
    }
}
