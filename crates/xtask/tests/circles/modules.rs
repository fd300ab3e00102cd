//! Which modules of a crate refer to which, by their source text.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, fs,
    path::{Path, PathBuf},
};
use syn::{
    ItemMacro, ItemMod, ItemUse, Macro, UseTree, Visibility,
    visit::{self, Visit},
};

/// A file of a folder, or a folder of it as a whole.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    File(String),
    Folder(String),
}

impl Part {
    pub(crate) fn is_folder(&self) -> bool {
        matches!(self, Part::Folder(_))
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::File(name) => f.write_str(name),
            Part::Folder(name) => write!(f, "{name}/"),
        }
    }
}

/// Names from the crate's root on, or as they are written.
type Names = Vec<String>;

/// What a module has and refers to.
#[derive(Default)]
struct Module {
    /// The folders that its file is in.
    folder: Names,
    file: String,
    items: BTreeSet<String>,
    /// Imported names with their paths. A re-export makes no module depend on another.
    imports: Vec<Import>,
    /// Paths within its text.
    paths: Vec<Names>,
}

struct Import {
    name: String,
    path: Names,
    is_public: bool,
}

/// The modules of a crate by their paths.
pub(crate) struct Modules(BTreeMap<Names, Module>);

impl Modules {
    /// Those of a folder of sources. Modules of tests are left out.
    pub(crate) fn read(src: &Path) -> Self {
        let mut modules = BTreeMap::new();
        let mut open: Vec<(PathBuf, Names)> = vec![(src.into(), Vec::new())];
        while let Some((folder, names)) = open.pop() {
            for entry in fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
                if stem == "tests" {
                    continue;
                }
                let inner = [&names[..], std::slice::from_ref(&stem)].concat();
                if path.is_dir() {
                    open.push((path, inner));
                } else if path.extension().is_some_and(|extension| extension == "rs") {
                    let is_root = matches!(&stem[..], "mod" | "lib" | "main");
                    let mut module =
                        Module { folder: names.clone(), file: stem, ..Module::default() };
                    let text = fs::read_to_string(&path).unwrap();
                    let parsed = syn::parse_file(&text).unwrap_or_else(|e| panic!("{path:?}: {e}"));
                    module.visit_file(&parsed);
                    modules.insert(if is_root { names.clone() } else { inner }, module);
                }
            }
        }
        Modules(modules)
    }

    /// Which parts of each folder refer to which.
    pub(crate) fn graphs(&self) -> BTreeMap<Names, BTreeMap<Part, BTreeSet<Part>>> {
        let mut graphs: BTreeMap<Names, BTreeMap<Part, BTreeSet<Part>>> = BTreeMap::new();
        for (name, module) in &self.0 {
            let imported = module.imports.iter().filter(|i| !i.is_public).map(|i| &i.path);
            for path in imported.chain(&module.paths) {
                let Some((start, rest)) = self.absolute(name, path) else { continue };
                let Some(target) = self.resolve(start, rest, 0).map(|target| &self.0[&target])
                else {
                    continue;
                };
                let shared =
                    module.folder.iter().zip(&target.folder).take_while(|(a, b)| a == b).count();
                let part = |module: &Module| match module.folder.get(shared) {
                    Some(folder) => Part::Folder(folder.clone()),
                    None => Part::File(module.file.clone()),
                };
                let (from, to) = (part(module), part(target));
                if from != to {
                    let graph = graphs.entry(module.folder[..shared].to_vec()).or_default();
                    graph.entry(to.clone()).or_default();
                    graph.entry(from).or_default().insert(to);
                }
            }
        }
        graphs
    }

    /// The module that a path begins in, and what follows; `None` if it leads to another crate.
    fn absolute<'p>(&self, module: &Names, path: &'p [String]) -> Option<(Names, &'p [String])> {
        let (first, rest) = path.split_first()?;
        match &first[..] {
            "crate" => Some((Vec::new(), rest)),
            "self" => Some((module.clone(), rest)),
            "super" => {
                let ups = path.iter().take_while(|name| *name == "super").count();
                let kept = module.len().checked_sub(ups)?;
                Some((module[..kept].to_vec(), &path[ups..]))
            }
            _ => {
                let child = [&module[..], std::slice::from_ref(first)].concat();
                self.0.contains_key(&child).then_some((child, rest))
            }
        }
    }

    /// The module that has an item, through re-exports; `None` if that is another crate.
    fn resolve(&self, mut module: Names, mut path: &[String], depth: usize) -> Option<Names> {
        while let Some((first, rest)) = path.split_first() {
            let child = [&module[..], std::slice::from_ref(first)].concat();
            if !self.0.contains_key(&child) {
                break;
            }
            (module, path) = (child, rest);
        }
        let known = self.0.get(&module)?;
        let Some((first, rest)) = path.split_first() else { return Some(module) };
        if known.items.contains(first) || depth > 16 {
            return Some(module);
        }
        let follow = |import: &Import| {
            let (start, inner) = self.absolute(&module, &import.path)?;
            self.resolve(start, &[inner, rest].concat(), depth + 1)
        };
        match known.imports.iter().find(|import| import.name == *first) {
            Some(import) => follow(import),
            None => Some(module),
        }
    }
}

/// All paths of a `use`, with the names that they get.
fn imports(tree: &UseTree, before: &[String], is_public: bool, out: &mut Vec<Import>) {
    let with = |name: String| [before, &[name]].concat();
    match tree {
        UseTree::Path(path) => imports(&path.tree, &with(path.ident.to_string()), is_public, out),
        UseTree::Group(group) => {
            group.items.iter().for_each(|tree| imports(tree, before, is_public, out));
        }
        UseTree::Glob(_) => out.push(Import { name: "*".into(), path: before.to_vec(), is_public }),
        UseTree::Name(name) if name.ident == "self" => {
            let name = before.last().cloned().unwrap_or_default();
            out.push(Import { name, path: before.to_vec(), is_public });
        }
        UseTree::Name(name) => {
            let name = name.ident.to_string();
            out.push(Import { path: with(name.clone()), name, is_public });
        }
        UseTree::Rename(rename) => {
            let (name, path) = (rename.rename.to_string(), with(rename.ident.to_string()));
            out.push(Import { name, path, is_public });
        }
    }
}

/// Whether something is only there for tests.
fn is_of_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let text = |list: &syn::MetaList| list.tokens.to_string();
        attribute.path().is_ident("cfg")
            && attribute.meta.require_list().is_ok_and(|l| text(l) == "test")
    })
}

impl<'ast> Visit<'ast> for Module {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        use syn::Item::{Const, Enum, Fn, Macro, Static, Struct, Trait, Type, Union};
        let named = match item {
            Const(item) => Some((&item.attrs, &item.ident)),
            Enum(item) => Some((&item.attrs, &item.ident)),
            Fn(item) => Some((&item.attrs, &item.sig.ident)),
            Static(item) => Some((&item.attrs, &item.ident)),
            Struct(item) => Some((&item.attrs, &item.ident)),
            Trait(item) => Some((&item.attrs, &item.ident)),
            Type(item) => Some((&item.attrs, &item.ident)),
            Union(item) => Some((&item.attrs, &item.ident)),
            Macro(ItemMacro { attrs, ident: Some(ident), .. }) => Some((attrs, ident)),
            _ => None,
        };
        if let Some((attributes, ident)) = named {
            if is_of_tests(attributes) {
                return;
            }
            self.items.insert(ident.to_string());
        }
        visit::visit_item(self, item);
    }

    fn visit_item_mod(&mut self, _: &'ast ItemMod) {
        // Inner modules are those of tests.
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        if !is_of_tests(&item.attrs) && item.leading_colon.is_none() {
            let is_public = !matches!(item.vis, Visibility::Inherited);
            imports(&item.tree, &[], is_public, &mut self.imports);
        }
    }

    fn visit_vis_restricted(&mut self, _: &'ast syn::VisRestricted) {
        // `pub(super)` needs nothing of the parent.
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.paths.push(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, item: &'ast Macro) {
        visit::visit_macro(self, item);
        let text = item.tokens.to_string();
        let words: Vec<&str> = text.split_whitespace().collect();
        for (at, _) in
            words.iter().enumerate().filter(|(_, word)| ["crate", "super"].contains(word))
        {
            let mut path = vec![words[at].to_string()];
            for pair in words[at + 1..].chunks(2) {
                let ["::", name] = pair else { break };
                path.push((*name).into());
            }
            self.paths.push(path);
        }
    }
}
