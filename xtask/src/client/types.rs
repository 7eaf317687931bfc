//! A schema of the document as a type of Rust.

use std::fmt::Write as _;

use anyhow::{Context as _, Result, bail};

use super::document::{Components, Schema};
use super::text::{comment, identifier, pascal_case, snake_case};

/// What a type is for, which decides how it may be made and extended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The JSON body of a request.
    Request,
    /// A form with a file.
    Form,
    /// A part of an answer.
    Answer,
}

/// The code of a type, and of the words of its members that have no name of their own.
pub fn code(
    name: &str,
    schema: &Schema,
    purpose: Purpose,
    components: &Components,
) -> Result<String> {
    if schema.types.has("string") {
        return Ok(words(name, schema));
    }
    if !schema.types.has("object") {
        bail!("the schema {name} is neither an object nor words");
    }
    let mut parts = String::new();
    let mut fields = Vec::new();
    for (member, property) in &schema.properties.0 {
        let value = if property.words.is_empty() {
            value_type(property).with_context(|| format!("{name}.{member}"))?
        } else {
            let words_name = format!("{name}{}", pascal_case(member));
            parts += &words(&words_name, property);
            words_name
        };
        let required = schema.required.contains(member);
        fields.push(Field { name: member, property, value, required });
    }
    let mut code = comment(schema.description.as_deref().unwrap_or(name));
    code += match purpose {
        Purpose::Form => "#[derive(Debug)]\n",
        Purpose::Request if has_default(&fields, components) => {
            "#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]\n"
        }
        Purpose::Request => "#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]\n",
        Purpose::Answer => {
            "#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]\n#[non_exhaustive]\n"
        }
    };
    if purpose != Purpose::Form {
        code += "#[serde(rename_all = \"camelCase\")]\n";
    }
    writeln!(code, "pub struct {name} {{")?;
    for field in &fields {
        code += &field.code(name, purpose);
    }
    if schema.additional_properties {
        code += "/// The members that no field is for, by their names.\n#[serde(flatten)]\n\
                 pub others: serde_json::Map<String, serde_json::Value>,\n";
    }
    code += "}\n\n";
    if purpose == Purpose::Form {
        code += &form(name, &fields)?;
    }
    Ok(code + &parts)
}

struct Field<'a> {
    name: &'a str,
    property: &'a Schema,
    /// The type of a value that is there.
    value: String,
    required: bool,
}

impl Field<'_> {
    fn is_nullable(&self) -> bool {
        self.property.types.has("null")
            || self.property.one_of.iter().any(|one| one.types.has("null"))
    }

    fn code(&self, parent: &str, purpose: Purpose) -> String {
        let mut code = comment(self.property.description.as_deref().unwrap_or(self.name));
        let means_something = purpose == Purpose::Answer || parent.starts_with("Update");
        let (attributes, field_type) = match (self.required, self.is_nullable()) {
            (true, false) => (vec![], self.value.clone()),
            (true, true) => (vec![], format!("Option<{}>", self.value)),
            (false, true) if means_something => (
                vec!["default", "skip_serializing_if = \"Option::is_none\"", "with = \"nullable\""],
                format!("Option<Option<{}>>", self.value),
            ),
            (false, _) => (
                vec!["skip_serializing_if = \"Option::is_none\""],
                format!("Option<{}>", self.value),
            ),
        };
        if purpose != Purpose::Form {
            let name = self.name;
            let rename =
                (camel_case(&snake_case(name)) != name).then(|| format!("rename = {name:?}"));
            let attributes: Vec<_> =
                rename.as_deref().into_iter().chain(attributes.iter().copied()).collect();
            if !attributes.is_empty() {
                code += &format!("#[serde({})]\n", attributes.join(", "));
            }
        }
        code + &format!("pub {}: {field_type},\n", identifier(self.name))
    }
}

/// Whether `Default` makes something of every field.
fn has_default(fields: &[Field<'_>], components: &Components) -> bool {
    fields.iter().filter(|field| field.required && !field.is_nullable()).all(|field| {
        let schema = components.schema(&field.value);
        schema.map_or(true, |schema| schema.words.is_empty())
    })
}

/// What serde makes of the name of a field.
fn camel_case(snake: &str) -> String {
    let mut pascal = pascal_case(snake);
    if let Some(first) = pascal.get_mut(..1) {
        first.make_ascii_lowercase();
    }
    pascal
}

/// The type of a value of a schema, `null` apart.
pub fn value_type(schema: &Schema) -> Result<String> {
    if let Some(reference) = &schema.reference {
        let name = reference.rsplit('/').next().unwrap_or_default();
        return Ok(name.to_owned());
    }
    if let [one, _null] = schema.one_of.as_slice() {
        return value_type(one);
    }
    let is = |name| schema.types.has(name);
    let at_least_0 = schema.minimum.is_some_and(|minimum| minimum >= 0.0);
    Ok(match schema.format.as_deref() {
        Some("uuid") => "Uuid".to_owned(),
        Some("date-time") => "Timestamp".to_owned(),
        Some("date") => "Day".to_owned(),
        Some("binary") => "File".to_owned(),
        Some("int32") if at_least_0 => "u32".to_owned(),
        Some("int32") => "i32".to_owned(),
        Some("double") => "f64".to_owned(),
        Some("int64") | None if is("integer") => if at_least_0 { "u64" } else { "i64" }.to_owned(),
        None if is("number") => "f64".to_owned(),
        None if is("string") => "String".to_owned(),
        None if is("boolean") => "bool".to_owned(),
        None if is("array") => {
            let items = schema.items.as_deref().context("an array of what?")?;
            format!("Vec<{}>", value_type(items)?)
        }
        None if is("object") && schema.additional_properties => {
            "serde_json::Map<String, serde_json::Value>".to_owned()
        }
        None if !is("object") => "Json".to_owned(),
        other => bail!("there is no type for the format {other:?}"),
    })
}

/// One of several words.
fn words(name: &str, schema: &Schema) -> String {
    let mut code = comment(schema.description.as_deref().unwrap_or(name));
    code += "#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]\n#[non_exhaustive]\n";
    code += &format!("pub enum {name} {{\n");
    let mut arms = String::new();
    for word in &schema.words {
        let variant = pascal_case(word);
        code += &format!("/// `{word}`\n#[serde(rename = {word:?})]\n{variant},\n");
        arms += &format!("Self::{variant} => {word:?},\n");
    }
    code += "/// A word that this version of the client does not know.\n#[serde(untagged)]\nOther(String),\n}\n\n";
    code += &format!(
        "impl {name} {{ /// The word.\npub fn as_str(&self) -> &str {{ match self {{ {arms} Self::Other(word) => word, }} }} }}\n\n"
    );
    code
}

/// How a form is begun, and how it is sent.
fn form(name: &str, fields: &[Field<'_>]) -> Result<String> {
    let mut defaults = String::new();
    let mut texts = String::new();
    for field in fields {
        let (name, member) = (identifier(field.name), field.name);
        match (field.value.as_str(), field.required) {
            ("File", true) => defaults += &format!("{name},"),
            (_, true) => bail!("a form needs {member}, and only files are expected so"),
            (value, false) => {
                defaults += &format!("{name}: None,");
                let text = match value {
                    "String" => "value".to_owned(),
                    "bool" | "u64" => "value.to_string()".to_owned(),
                    _ => "value.as_str().to_owned()".to_owned(),
                };
                texts += &format!(
                    "if let Some(value) = self.{name} {{ form = form.text({member:?}, {text}); }}\n"
                );
            }
        }
    }
    let begin = if texts.is_empty() { "let form" } else { "let mut form" };
    Ok(format!(
        "impl {name} {{\n/// A form with nothing but the file.\npub const fn new(file: File) -> Self {{ Self {{ {defaults} }} }}\n\n\
         pub(crate) fn into_form(self) -> Form {{ {begin} = Form::new();\n{texts}form.part(\"file\", self.file.into_part()) }} }}\n\n"
    ))
}
