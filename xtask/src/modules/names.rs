//! What the words of a module mean: what it defines, and what it imports.

use std::collections::HashMap;

use proc_macro2::{TokenStream, TokenTree};
use syn::{Item, UseTree, Visibility};

use super::crate_tree::{attributes, is_for_tests};

/// What a word means in a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Meaning {
    /// The file with this place defines it.
    DefinedIn(usize),
    /// A module.
    Module(usize),
    /// It is imported from this path.
    Imported(Vec<String>),
}

/// Names, paths of glob imports, and paths that are imported for the module itself.
pub type Names = (HashMap<String, Meaning>, Vec<Vec<String>>, Vec<Vec<String>>);

/// The names that these items bring, those of modules apart.
pub fn names_of(items: &[Item], file: usize) -> Names {
    let (mut names, mut globs, mut imports) = Names::default();
    for item in items.iter().filter(|item| !is_for_tests(attributes(item))) {
        match item {
            Item::Use(import) => {
                let mut leaves = Vec::new();
                collect(&import.tree, &mut Vec::new(), &mut leaves);
                for (name, path) in leaves {
                    if matches!(import.vis, Visibility::Inherited) {
                        imports.push(path.clone());
                    }
                    match name {
                        Some(name) => drop(names.insert(name, Meaning::Imported(path))),
                        None => globs.push(path),
                    }
                }
            }
            // A macro may define whatever type it is given the name of.
            Item::Macro(call) if call.ident.is_none() => {
                for name in types_named_in(call.mac.tokens.clone()) {
                    names.entry(name).or_insert(Meaning::DefinedIn(file));
                }
            }
            _ => {
                if let Some(name) = defined(item) {
                    names.insert(name, Meaning::DefinedIn(file));
                }
            }
        }
    }
    (names, globs, imports)
}

fn defined(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::TraitAlias(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}

/// The name of a `#[macro_export]` macro, which lies in the root of the crate.
pub fn exported_macro(item: &Item) -> Option<String> {
    let Item::Macro(item) = item else { return None };
    let is_exported = item.attrs.iter().any(|attribute| attribute.path().is_ident("macro_export"));
    item.ident.as_ref().filter(|_| is_exported).map(ToString::to_string)
}

/// Words with a capital letter that stand in a macro call outside of brackets.
fn types_named_in(tokens: TokenStream) -> Vec<String> {
    let words = tokens.into_iter().filter_map(|token| match token {
        TokenTree::Ident(word) => Some(word.to_string()),
        TokenTree::Group(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => None,
    });
    words.filter(|word| word.starts_with(char::is_uppercase)).collect()
}

/// The leaves of an import: the name that it gets here, `None` for `*`, and its path.
fn collect(
    tree: &UseTree,
    above: &mut Vec<String>,
    leaves: &mut Vec<(Option<String>, Vec<String>)>,
) {
    match tree {
        UseTree::Path(step) => {
            above.push(step.ident.to_string());
            collect(&step.tree, above, leaves);
            above.pop();
        }
        UseTree::Name(leaf) => {
            let mut path = above.clone();
            if leaf.ident != "self" {
                path.push(leaf.ident.to_string());
            }
            leaves.push((path.last().cloned(), path));
        }
        UseTree::Rename(leaf) => {
            let mut path = above.clone();
            if leaf.ident != "self" {
                path.push(leaf.ident.to_string());
            }
            leaves.push((Some(leaf.rename.to_string()), path));
        }
        UseTree::Glob(_) => leaves.push((None, above.clone())),
        UseTree::Group(group) => {
            for tree in &group.items {
                collect(tree, above, leaves);
            }
        }
    }
}
