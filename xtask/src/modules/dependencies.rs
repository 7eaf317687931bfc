//! Which file depends on which, by the file that defines a name.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};

use super::crate_tree::CrateTree;
use super::names::Meaning;

/// How many imports of imports are followed; more are a mistake, or a circle of globs.
const DEPTH: usize = 32;

/// What a path leads to.
enum Target {
    /// A definition in this file.
    File(usize),
    Module(usize),
}

/// Pairs of files of which the first uses names that the second defines, and those names as the first
/// writes them.
pub type Dependencies = BTreeMap<(usize, usize), BTreeSet<String>>;

/// The dependencies between the files of a crate.
pub fn of(tree: &CrateTree) -> Dependencies {
    let mut pairs = Dependencies::new();
    for (index, module) in tree.modules.iter().enumerate() {
        let mut paths = module.imports.clone();
        collect(module.code.clone(), &mut paths);
        for path in paths {
            if let Some(Target::File(file)) = resolve(tree, index, &path, DEPTH)
                && file != module.file
            {
                pairs.entry((module.file, file)).or_default().insert(path.join("::"));
            }
        }
    }
    pairs
}

/// Follows a path as it is written in a module to what it names, as far as that lies in the crate. What
/// comes after a definition, as the function of a type does, is left out.
fn resolve(tree: &CrateTree, module: usize, path: &[String], depth: usize) -> Option<Target> {
    let (first, mut rest) = path.split_first()?;
    let depth = depth.checked_sub(1)?;
    let mut target = match first.as_str() {
        "crate" => Target::Module(0),
        "self" => Target::Module(module),
        "super" => Target::Module(tree.modules.get(module)?.parent?),
        name => in_module(tree, module, name, depth)?,
    };
    while let (Target::Module(module), Some((name, after))) = (&target, rest.split_first()) {
        target = match name.as_str() {
            "super" => Target::Module(tree.modules.get(*module)?.parent?),
            name => in_module(tree, *module, name, depth)?,
        };
        rest = after;
    }
    Some(target)
}

/// What a word means in a module.
fn in_module(tree: &CrateTree, index: usize, name: &str, depth: usize) -> Option<Target> {
    let module = tree.modules.get(index)?;
    match module.names.get(name) {
        Some(Meaning::DefinedIn(file)) => Some(Target::File(*file)),
        Some(Meaning::Module(module)) => Some(Target::Module(*module)),
        Some(Meaning::Imported(path)) => {
            // `use name::…;` and `use …::name;` may both say the name of a library.
            if path.first().is_some_and(|first| first == name) {
                return None;
            }
            resolve(tree, index, path, depth)
        }
        None => {
            let depth = depth.checked_sub(1)?;
            module.globs.iter().find_map(|glob| {
                let Target::Module(from) = resolve(tree, index, glob, depth)? else { return None };
                if from == index { None } else { in_module(tree, from, name, depth) }
            })
        }
    }
}

/// The paths in a piece of code, words without `::` among them.
fn collect(code: TokenStream, paths: &mut Vec<Vec<String>>) {
    let mut path: Vec<String> = Vec::new();
    let mut colons = 0;
    for token in code {
        match token {
            TokenTree::Ident(word) => {
                if colons != 2 {
                    paths.extend((!path.is_empty()).then(|| std::mem::take(&mut path)));
                }
                path.push(word.to_string());
                colons = 0;
            }
            TokenTree::Punct(mark) if mark.as_char() == ':' => colons += 1,
            TokenTree::Group(group) => {
                paths.extend((!path.is_empty()).then(|| std::mem::take(&mut path)));
                colons = 0;
                collect(group.stream(), paths);
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => {
                paths.extend((!path.is_empty()).then(|| std::mem::take(&mut path)));
                colons = 0;
            }
        }
    }
    paths.extend((!path.is_empty()).then_some(path));
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// The dependencies in a crate of these files.
    fn found(files: &[(&str, &str)]) -> Vec<(String, String)> {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        let tree = CrateTree::read(&folder.path().join("lib.rs")).unwrap();
        let name = |index: usize| tree.files[index].display().to_string();
        let mut found: Vec<_> =
            of(&tree).keys().map(|(from, to)| (name(*from), name(*to))).collect();
        found.sort();
        found
    }

    fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        expected.iter().map(|(from, to)| ((*from).to_owned(), (*to).to_owned())).collect()
    }

    #[test]
    fn a_name_is_followed_to_the_file_that_defines_it() {
        let files = [
            ("lib.rs", "pub mod a; pub mod b; pub use b::deep::Deep;"),
            ("a.rs", "use crate::b::{Deep as D, self}; fn f(_: D) -> b::Own { todo!() }"),
            ("b/mod.rs", "pub mod deep; pub use deep::*; pub struct Own;"),
            ("b/deep.rs", "pub struct Deep; fn up(_: super::Own, _: crate::Deep) {}"),
        ];
        let expected = [("a.rs", "b/deep.rs"), ("a.rs", "b/mod.rs"), ("b/deep.rs", "b/mod.rs")];
        assert_eq!(found(&files), pairs(&expected));
    }

    #[test]
    fn paths_in_code_and_in_macros_count() {
        let files = [
            ("lib.rs", "mod a; mod b; mod c;"),
            ("a.rs", "fn f() { let x = crate::b::f(); println!(\"{}\", crate::c::C) }"),
            ("b.rs", "pub fn f() {} #[macro_export] macro_rules! m { () => { $crate::c::C } }"),
            ("c.rs", "pub const C: u8 = 0; make! { Made } fn g() { crate::m!(); }"),
        ];
        let expected = [("a.rs", "b.rs"), ("a.rs", "c.rs"), ("b.rs", "c.rs"), ("c.rs", "b.rs")];
        assert_eq!(found(&files), pairs(&expected));
    }

    #[test]
    fn what_a_macro_makes_is_defined_where_it_is_called() {
        let files = [
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "make! { Made { x } }"),
            ("b.rs", "use crate::a::Made;"),
        ];
        assert_eq!(found(&files), pairs(&[("b.rs", "a.rs")]));
    }

    #[test]
    fn tests_and_other_crates_do_not_count() {
        let files = [
            ("lib.rs", "mod a; mod b; #[cfg(test)] mod c;"),
            ("a.rs", "use std::fmt; use b::x; #[cfg(test)] mod tests { use crate::b::x; }"),
            ("b.rs", "pub fn x() {} #[cfg(test)] use crate::a;"),
        ];
        assert_eq!(found(&files), pairs(&[]));
    }
}
