//! Forms of the table of operations as a client sends them.

use botyard_tests::Form;
use http_actix::FormExample;

/// The example, put together.
pub fn of(example: &FormExample) -> Form {
    let texts = example.texts.iter();
    let form = texts.fold(Form::new(), |form, (name, text)| form.text(name, text));
    form.file(example.file_name, example.media_type, &example.content)
}

/// The example with another value in one of its texts.
///
/// # Panics
/// If it lacks that.
pub fn with_text(mut example: FormExample, name: &str, text: &str) -> FormExample {
    let field = example.texts.iter_mut().find(|(known, _)| *known == name);
    let (_, value) = field.unwrap_or_else(|| panic!("the example has no `{name}`"));
    text.clone_into(value);
    example
}
