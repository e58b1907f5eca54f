//! Tests that modules of a crate do not import each other in a circle. `module_circles.txt` lists the existing circles. The test fails for a circle
//! that is not listed, and for a listed one that has become smaller.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use cargo_metadata::{MetadataCommand, TargetKind};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, UseTree, Visibility};

/// The path of a module or item, starting at the root of a crate.
type Segments = Vec<String>;

/// The names that a module defines and uses.
#[derive(Default)]
struct Module {
    file: PathBuf,
    items: BTreeSet<String>,
    /// Names that a `use` imports, with their paths.
    aliases: BTreeMap<String, Segments>,
    /// Modules from which a `use` imports everything.
    globs: Vec<Segments>,
    /// Imported paths. A re-export of an item below the module is not an import, because the module does not use it.
    imports: Vec<Segments>,
    /// Paths in the code, as written.
    mentions: Vec<Segments>,
}

/// The modules of a crate by their paths.
#[derive(Default)]
struct Tree(BTreeMap<Segments, Module>);

impl Tree {
    fn of_crate(root: &Path) -> Self {
        let mut tree = Self::default();
        let folder = root.parent().expect("a folder").to_owned();
        tree.read(Vec::new(), root, &folder);
        tree
    }

    /// Parses a file and the files of its modules, which are in `folder`.
    fn read(&mut self, at: Segments, file: &Path, folder: &Path) {
        let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let parsed = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        self.enter(at, &parsed.items, file, folder);
    }

    fn enter(&mut self, at: Segments, items: &[Item], file: &Path, folder: &Path) {
        let mut module = Module { file: file.to_owned(), ..Module::default() };
        for item in items.iter().filter(|item| !is_for_tests(item)) {
            match item {
                Item::Mod(inner) => {
                    let name = inner.ident.to_string();
                    let path = joined(&at, &name);
                    let folder = folder.join(&name);
                    if let Some((_, items)) = &inner.content {
                        self.enter(path, items, file, &folder);
                    } else {
                        let flat = folder.with_extension("rs");
                        let file = if flat.exists() { flat } else { folder.join("mod.rs") };
                        self.read(path, &file, &folder);
                    }
                }
                Item::Use(one) => {
                    let is_shown = !matches!(one.vis, Visibility::Inherited);
                    let mut leaves = Vec::new();
                    flatten(&one.tree, &mut Vec::new(), &mut leaves);
                    for (written, name) in leaves {
                        module.add_use(&at, &written, name, is_shown, one.leading_colon.is_some(), items);
                    }
                }
                item => {
                    module.items.extend(name_of(item));
                    Mentions(&mut module.mentions).visit_item(item);
                }
            }
        }
        self.0.insert(at, module);
    }

    /// Returns the file that defines a path, starting at the root of the crate.
    fn file_of(&self, path: &[String], depth: u8) -> Option<&Path> {
        let mut at = Segments::new();
        for (index, name) in path.iter().enumerate() {
            let below = joined(&at, name);
            if self.0.contains_key(&below) {
                at = below;
                continue;
            }
            let module = &self.0[&at];
            let rest = &path[index..];
            if !module.items.contains(name) && depth > 0 {
                if let Some(target) = module.aliases.get(name) {
                    return self.file_of(&[target, &rest[1..]].concat(), depth - 1);
                }
                let through = module.globs.iter().filter_map(|glob| Some((glob, self.0.get(glob)?)));
                let mut found = through.filter(|(_, module)| module.items.contains(name) || module.aliases.contains_key(name));
                if let Some((glob, _)) = found.next() {
                    return self.file_of(&[glob.as_slice(), rest].concat(), depth - 1);
                }
            }
            return Some(&module.file);
        }
        self.0.get(&at).map(|module| module.file.as_path())
    }

    /// Returns the files that each file uses.
    fn arrows(&self) -> BTreeMap<&Path, BTreeSet<&Path>> {
        let mut arrows: BTreeMap<&Path, BTreeSet<&Path>> = BTreeMap::new();
        for (at, module) in &self.0 {
            let mentioned = module.mentions.iter().filter_map(|written| self.absolute(at, module, written));
            for path in module.imports.iter().cloned().chain(mentioned) {
                let to = self.file_of(&path, 16).filter(|to| *to != module.file);
                arrows.entry(&module.file).or_default().extend(to);
            }
        }
        arrows
    }

    /// Returns a path of the code as a path from the root of the crate; `None` for paths outside of the crate, and for plain names.
    fn absolute(&self, at: &[String], module: &Module, written: &[String]) -> Option<Segments> {
        let first = written.first()?;
        if let Some(path) = rooted(at, written) {
            return Some(path);
        }
        if written.len() < 2 {
            return None;
        }
        if self.0.contains_key(&joined(at, first)) {
            return Some([at, written].concat());
        }
        Some([module.aliases.get(first)?, &written[1..]].concat())
    }
}

impl Module {
    fn add_use(&mut self, at: &[String], written: &[String], name: Option<String>, is_shown: bool, is_foreign: bool, items: &[Item]) {
        let is_child = || items.iter().any(|item| matches!(item, Item::Mod(inner) if inner.ident == written[0]));
        let target = match rooted(at, written) {
            Some(path) => path,
            None if !is_foreign && is_child() => [at, written].concat(),
            None => return,
        };
        if !(is_shown && target.starts_with(at) && target.len() > at.len()) {
            self.imports.push(target.clone());
        }
        match name {
            Some(name) => drop(self.aliases.insert(name, target)),
            None => self.globs.push(target),
        }
    }
}

/// Returns a path that begins with `crate`, `self` or `super` as a path from the root of the crate.
fn rooted(at: &[String], written: &[String]) -> Option<Segments> {
    let ups = written.iter().take_while(|name| *name == "super").count();
    match written.first()?.as_str() {
        "crate" => Some(written[1..].to_vec()),
        "self" => Some([at, &written[1..]].concat()),
        "super" => Some([&at[..at.len().checked_sub(ups)?], &written[ups..]].concat()),
        _ => None,
    }
}

fn joined(at: &[String], name: &str) -> Segments {
    [at, &[name.to_owned()]].concat()
}

/// Collects the leaves of a `use`: the path as written, and its name in the module; `None` for `*`.
fn flatten(tree: &UseTree, before: &mut Segments, leaves: &mut Vec<(Segments, Option<String>)>) {
    match tree {
        UseTree::Path(path) => {
            before.push(path.ident.to_string());
            flatten(&path.tree, before, leaves);
            before.pop();
        }
        UseTree::Name(name) if name.ident == "self" => leaves.push((before.clone(), before.last().cloned())),
        UseTree::Name(name) => leaves.push((joined(before, &name.ident.to_string()), Some(name.ident.to_string()))),
        UseTree::Rename(rename) if rename.ident == "self" => leaves.push((before.clone(), Some(rename.rename.to_string()))),
        UseTree::Rename(rename) => leaves.push((joined(before, &rename.ident.to_string()), Some(rename.rename.to_string()))),
        UseTree::Glob(_) => leaves.push((before.clone(), None)),
        UseTree::Group(group) => group.items.iter().for_each(|tree| flatten(tree, before, leaves)),
    }
}

/// Collects the paths in code, as written. Macros are searched as text.
struct Mentions<'a>(&'a mut Vec<Segments>);

impl<'ast> Visit<'ast> for Mentions<'_> {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none() {
            self.0.push(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        let text = call.tokens.to_string().replace("::", " :: ");
        let mut words = text.split_whitespace().peekable();
        while let Some(word) = words.next() {
            let mut path = vec![word.trim_start_matches(|letter: char| !letter.is_alphanumeric() && letter != '_').to_owned()];
            while words.next_if_eq(&"::").is_some() {
                path.extend(
                    words.next().map(|name| name.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect()),
                );
            }
            if path.len() > 1 {
                self.0.push(path);
            }
        }
        visit::visit_macro(self, call);
    }

    fn visit_item_use(&mut self, one: &'ast syn::ItemUse) {
        let mut leaves = Vec::new();
        flatten(&one.tree, &mut Vec::new(), &mut leaves);
        self.0.extend(leaves.into_iter().map(|(path, _)| path));
    }

    fn visit_visibility(&mut self, _: &'ast Visibility) {}

    fn visit_attribute(&mut self, _: &'ast Attribute) {}
}

fn is_for_tests(item: &Item) -> bool {
    let attributes: &[Attribute] = match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        _ => &[],
    };
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg") && attribute.parse_args::<syn::Path>().is_ok_and(|condition| condition.is_ident("test"))
    })
}

fn name_of(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}

/// Returns the circles of files, each as the set of its files.
fn circles<'a>(arrows: &BTreeMap<&'a Path, BTreeSet<&'a Path>>) -> BTreeSet<BTreeSet<&'a Path>> {
    let reached = |from: &'a Path| {
        let mut seen = BTreeSet::new();
        let mut open = vec![from];
        while let Some(file) = open.pop() {
            open.extend(arrows.get(file).into_iter().flatten().filter(|to| seen.insert(**to)));
        }
        seen
    };
    let reach: BTreeMap<&Path, BTreeSet<&Path>> = arrows.keys().map(|file| (*file, reached(file))).collect();
    let back = |from: &'a Path| {
        let there = reach[from].iter().copied();
        there.filter(|to| reach.get(to).is_some_and(|reached| reached.contains(from))).collect::<BTreeSet<_>>()
    };
    reach.keys().map(|file| back(file)).filter(|circle| circle.len() > 1).collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace")
}

#[test]
fn modules_import_each_other_in_no_circle_but_the_listed_ones() {
    let root = root();
    let metadata = MetadataCommand::new().manifest_path(root.join("Cargo.toml")).no_deps().exec().expect("cargo metadata");
    let targets = metadata.workspace_packages().into_iter().flat_map(|package| package.targets.clone());
    let roots = targets.filter(|target| target.kind.iter().any(|kind| matches!(kind, TargetKind::Lib | TargetKind::Bin)));
    let name = |path: &Path| path.strip_prefix(&root).expect("inside").to_string_lossy().replace('\\', "/");
    let mut found = BTreeSet::new();
    let mut ties = BTreeMap::new();
    for target in roots {
        let tree = Tree::of_crate(target.src_path.as_std_path());
        let arrows = tree.arrows();
        for circle in circles(&arrows) {
            let inside = |from: &Path| arrows[from].iter().filter(|to| circle.contains(**to)).map(|to| name(to)).collect::<Vec<_>>();
            let tie: Vec<String> = circle.iter().map(|from| format!("  {} -> {}", name(from), inside(from).join(", "))).collect();
            let circle: BTreeSet<String> = circle.iter().map(|file| name(file)).collect();
            ties.insert(circle.clone(), tie.join("\n"));
            found.insert(circle);
        }
    }
    let listed = include_str!("module_circles.txt");
    let listed: BTreeSet<BTreeSet<String>> = listed
        .split("\n\n")
        .map(|block| block.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect::<BTreeSet<_>>())
        .filter(|block| !block.is_empty())
        .collect();
    let fresh: Vec<String> = found.difference(&listed).map(|circle| ties[circle].clone()).collect();
    let gone: Vec<String> = listed.difference(&found).map(|circle| circle.iter().cloned().collect::<Vec<_>>().join("\n")).collect();
    assert!(
        fresh.is_empty() && gone.is_empty(),
        "circles that crates/switchyard/tests/module_circles.txt does not list:\n{}\n\ncircles that it lists and that are not there any more, or smaller:\n{}",
        fresh.join("\n\n"),
        gone.join("\n\n")
    );
}

#[test]
fn circles_are_found_through_imports_paths_and_reexports() {
    let module = |file: &str, text: &str| (file.to_owned(), syn::parse_file(text).expect("Rust").items);
    let cases = [
        ("by imports", "use crate::b::B; pub struct A;", "use super::a::A; pub struct B;", true),
        ("by a path in code", "fn a() { crate::b::b() }", "use crate::a; fn c() { a::a() } fn b() {}", true),
        ("through a re-export", "use crate::B; pub struct A;", "use crate::a::A; pub struct B;", true),
        ("in a macro", "fn a() -> String { format!(\"{}\", crate::b::B) }", "use crate::a::a; pub const B: u8 = 1;", true),
        ("one way", "use crate::b::B; pub struct A;", "pub struct B;", false),
        ("in tests only", "use crate::b::B; pub struct A;", "pub struct B; #[cfg(test)] mod tests { use crate::a::A; }", false),
        ("what has the same name outside", "use ::b::B; pub struct A;", "use crate::a::A; pub struct B;", false),
    ];
    for (name, a, b, expected) in cases {
        let mut tree = Tree::default();
        let (_, face) = module("lib.rs", "pub use b::B; mod a {} mod b {}");
        tree.enter(Vec::new(), &face, Path::new("lib.rs"), Path::new(""));
        for (file, text) in [("a", a), ("b", b)] {
            let (file, items) = module(file, text);
            tree.enter(vec![file.clone()], &items, Path::new(&file), Path::new(""));
        }
        assert_eq!(!circles(&tree.arrows()).is_empty(), expected, "{name}");
    }
}
