//! The modules of a crate and the names in each, as far as they are built outside of tests.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use proc_macro2::TokenStream;
use quote::ToTokens as _;
use syn::{Attribute, Item, ItemMod};

use super::names::{Meaning, exported_macro, names_of};

/// A crate.
#[derive(Default)]
pub struct CrateTree {
    /// The files below the folder of the crate's root.
    pub files: Vec<PathBuf>,
    /// The modules, the root first; one in braces has the file that it stands in.
    pub modules: Vec<Module>,
}

/// A module.
pub struct Module {
    /// Its place in [`CrateTree::files`].
    pub file: usize,
    /// The module that it is declared in.
    pub parent: Option<usize>,
    /// What can be called by one word in it.
    pub names: HashMap<String, Meaning>,
    /// The paths of `use path::*`.
    pub globs: Vec<Vec<String>>,
    /// Paths that it imports for itself.
    pub imports: Vec<Vec<String>>,
    /// Its items, without imports and modules.
    pub code: TokenStream,
}

/// Where the files of a module's children are looked for.
struct ModulePath<'a> {
    folder: PathBuf,
    root: &'a Path,
}

impl CrateTree {
    /// Reads the crate with this root.
    pub fn read(root: &Path) -> Result<Self> {
        let mut tree = Self::default();
        let folder = root.parent().unwrap_or(Path::new("/"));
        tree.read_file(root, &ModulePath { folder: folder.to_path_buf(), root: folder }, None)?;
        Ok(tree)
    }

    fn read_file(
        &mut self,
        path: &Path,
        place: &ModulePath<'_>,
        parent: Option<usize>,
    ) -> Result<usize> {
        let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
        let content = syn::parse_file(&text).with_context(|| path.display().to_string())?;
        self.files.push(path.strip_prefix(place.root).unwrap_or(path).to_path_buf());
        let file = self.files.len() - 1;
        self.add(&content.items, file, place, parent)
    }

    /// Adds a module with these items; returns its place in `modules`.
    fn add(
        &mut self,
        items: &[Item],
        file: usize,
        place: &ModulePath<'_>,
        parent: Option<usize>,
    ) -> Result<usize> {
        let module = self.modules.len();
        let (names, globs, imports) = names_of(items, file);
        let code = TokenStream::new();
        self.modules.push(Module { file, parent, names, globs, imports, code });
        let mut code = TokenStream::new();
        for item in items.iter().filter(|item| !is_for_tests(attributes(item))) {
            match item {
                Item::Use(_) => {}
                Item::Mod(declared) => {
                    let child = self.add_child(declared, file, place, module)?;
                    let name = declared.ident.to_string();
                    self.define(module, name, Meaning::Module(child));
                }
                item => {
                    if let Some(name) = exported_macro(item) {
                        self.define(0, name, Meaning::DefinedIn(file));
                    }
                    item.to_tokens(&mut code);
                }
            }
        }
        if let Some(added) = self.modules.get_mut(module) {
            added.code = code;
        }
        Ok(module)
    }

    fn define(&mut self, module: usize, name: String, meaning: Meaning) {
        if let Some(module) = self.modules.get_mut(module) {
            module.names.insert(name, meaning);
        }
    }

    fn add_child(
        &mut self,
        declared: &ItemMod,
        file: usize,
        place: &ModulePath<'_>,
        parent: usize,
    ) -> Result<usize> {
        let name = declared.ident.to_string();
        let inside = ModulePath { folder: place.folder.join(&name), root: place.root };
        if let Some((_, items)) = &declared.content {
            return self.add(items, file, &inside, Some(parent));
        }
        let beside = place.folder.join(format!("{name}.rs"));
        let path = if beside.exists() { beside } else { inside.folder.join("mod.rs") };
        self.read_file(&path, &inside, Some(parent))
    }
}

/// Whether an item is left out of all builds but those of tests.
pub fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.meta.to_token_stream().to_string().replace(' ', "") == "cfg(test)"
    })
}

/// The attributes of an item of any kind.
pub fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::TraitAlias(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}
