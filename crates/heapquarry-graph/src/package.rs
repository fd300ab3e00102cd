//! The package that a script belongs to, and its short name, by its path or URL.

use std::{borrow::Cow, fmt};

/// What a script belongs to. Its text is the name in lists and limits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Package<'a> {
    /// An installed package, by its npm name: `express`, `@scope/name`.
    Installed(Cow<'a, str>),
    /// A package of JSR, by its name: `@std/path`. Its text is `jsr:@std/path`.
    Jsr(Cow<'a, str>),
    /// A folder of a repository with several packages: `packages/ui`. Only its `package.json` has the name.
    Folder(&'a str),
    /// Scripts that a browser loads from one origin or extension: `https://example.org`.
    Origin(&'a str),
    /// The runtime's own scripts, by how their names begin: `node:`, `ext:`.
    Runtime(&'a str),
    /// Sources of none of these that the ignore list of a source map has: somebody else wrote them.
    Ignored,
    /// All other scripts: those of the program itself.
    Own,
}

/// Folders below which each folder is a package of the repository.
const FOLDERS: [&str; 2] = ["packages", "apps"];

/// How the names of a runtime's scripts begin: Node, Deno, Bun, and bindings of Chrome's extensions.
const RUNTIMES: [&str; 4] = ["node:", "ext:", "bun:", "extensions::"];

/// Where browsers load scripts from.
const WEB: [&str; 4] = ["http", "https", "chrome", "devtools"];

impl<'a> Package<'a> {
    /// The package of a source, by its path or URL; `is_ignored` if the ignore list of its source map has it.
    pub fn of_source(source: &'a str, is_ignored: bool) -> Self {
        match Package::of(source) {
            Package::Own if is_ignored => Package::Ignored,
            package => package,
        }
    }

    /// The package of a script, by its path or URL.
    pub fn of(script: &'a str) -> Self {
        let script = script.strip_prefix("blob:").unwrap_or(script);
        if let Some(runtime) = runtime(script) {
            return Package::Runtime(runtime);
        }
        // A query names no package.
        let address = match script.contains("://") {
            true => script.split('?').next().unwrap_or(script),
            false => script,
        };
        if let Some(path) = installed(address) {
            return Package::Installed(prebundled(path).unwrap_or_else(|| portable(name(path))));
        }
        if let Some(specifier) = script.strip_prefix("npm:") {
            return Package::Installed(unversioned(name(specifier.trim_start_matches('/'))).into());
        }
        if let Some(specifier) = script.strip_prefix("jsr:") {
            return Package::Jsr(unversioned(name(specifier.trim_start_matches('/'))).into());
        }
        if let Some((scheme, rest)) = script.split_once("://")
            && (WEB.contains(&scheme) || scheme.ends_with("-extension"))
        {
            let host = rest.split(['/', '?', '#']).next().unwrap_or(rest);
            let path = rest[host.len()..].trim_start_matches('/');
            if host.starts_with("jsr.") && path.starts_with('@') {
                return Package::Jsr(name(path).into());
            }
            return Package::Origin(&script[..scheme.len() + "://".len() + host.len()]);
        }
        folder(script).map_or(Package::Own, Package::Folder)
    }

    /// The name of an installed package or one of JSR.
    pub fn installed(self) -> Option<Cow<'a, str>> {
        match self {
            Package::Installed(name) | Package::Jsr(name) => Some(name),
            _ => None,
        }
    }
}

impl fmt::Display for Package<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Package::Jsr(name) => write!(f, "jsr:{name}"),
            Package::Installed(name) => f.write_str(name),
            Package::Folder(name) | Package::Origin(name) | Package::Runtime(name) => {
                f.write_str(name)
            }
            Package::Ignored => f.write_str("(ignored sources)"),
            Package::Own => f.write_str("(own scripts)"),
        }
    }
}

/// How the name of a script of a runtime begins. Node up to 15 has no `node:` there.
pub(crate) fn runtime(script: &str) -> Option<&'static str> {
    if script.starts_with("internal/") {
        return Some("node:");
    }
    RUNTIMES.into_iter().find(|start| script.starts_with(start))
}

/// The path of an installed script, from the package's name on. npm, pnpm and Yarn, which keeps packages in archives,
/// have a last `node_modules`. Deno has the name and version below its registry: `npm/HOST/NAME/1.2.3/`.
fn installed(script: &str) -> Option<&str> {
    let packages = ["/node_modules/", "\\node_modules\\"];
    let nested = packages.iter().find_map(|packages| Some(script.rsplit_once(packages)?.1));
    nested.or_else(|| script.strip_prefix("node_modules/")).or_else(|| of_deno(script))
}

fn of_deno(script: &str) -> Option<&str> {
    let (separator, folder) =
        if script.contains("/npm/") { ('/', "/npm/") } else { ('\\', "\\npm\\") };
    let (host, path) = script.rsplit_once(folder)?.1.split_once(separator)?;
    let version = path[name(path).len()..].trim_start_matches(separator);
    let is_local = !script.contains("://") || script.starts_with("file:");
    let is_version = version.starts_with(|c: char| c.is_ascii_digit());
    (is_local && host.contains('.') && is_version).then_some(path)
}

/// The name at the beginning of a path within packages, with its scope.
fn name(path: &str) -> &str {
    let mut ends = path.match_indices(['/', '\\']).map(|(at, _)| at);
    let end = if path.starts_with('@') { ends.nth(1) } else { ends.next() };
    &path[..end.unwrap_or(path.len())]
}

/// A name as npm has it: Windows writes its scope as a folder, `@scope\name`.
fn portable(name: &str) -> Cow<'_, str> {
    if name.contains('\\') { name.replace('\\', "/").into() } else { name.into() }
}

/// The package of a file that Vite made of it, if its name tells: `.vite/deps/vue.js`, `.vite/deps/@scope_name.js`.
/// Vite writes `_` for `/`, which a name can have itself: `eslint_d.js` is of `eslint_d` or of a file in `eslint`. Such
/// a file is told by its path, as no package may be named that is perhaps another one. `None` for any other file, also
/// for a chunk, which has parts of several packages.
fn prebundled(path: &str) -> Option<Cow<'_, str>> {
    let rest = path.strip_prefix(".vite").filter(|rest| rest.starts_with(['/', '\\']))?;
    let (folder, file) = rest[1..].split_once(['/', '\\'])?;
    let file = file.split(['?', '#']).next()?;
    let stem = file.strip_suffix(".js").filter(|stem| !stem.is_empty())?;
    if !folder.starts_with("deps") || stem.starts_with("chunk-") || file.contains(['/', '\\']) {
        return None;
    }
    let mut parts = stem.split('_');
    Some(match [parts.next(), parts.next(), parts.next()] {
        [Some(name), None, _] => name.into(),
        [Some(scope), Some(name), None] if scope.starts_with('@') => {
            format!("{scope}/{name}").into()
        }
        _ => format!(".vite/{folder}/{file}").into(),
    })
}

/// A name without the version after it: `chalk@5`.
fn unversioned(name: &str) -> &str {
    match name.rfind('@') {
        Some(at) if at > 0 => &name[..at],
        _ => name,
    }
}

/// The first folder of a package of the repository: `packages/ui` of `/srv/packages/ui/src/index.js`.
fn folder(script: &str) -> Option<&str> {
    let mut start = 0;
    for part in script.split_inclusive(['/', '\\']) {
        let rest = &script[start + part.len()..];
        if FOLDERS.contains(&part.trim_end_matches(['/', '\\']))
            && let Some(end) = rest.find(['/', '\\']).filter(|&end| end > 0)
        {
            return Some(&script[start..start + part.len() + end]);
        }
        start += part.len();
    }
    None
}

/// Short name of a script. For `…/node_modules/express/lib/router/index.js` it is the path from `express` on, since
/// many files have the same name; otherwise the last part of the path. A script inside a URL has no name: it is called
/// `data:`.
pub fn script_file(script: &str) -> &str {
    if script.starts_with("node:") {
        return script;
    }
    if script.starts_with("data:") {
        return "data:";
    }
    installed(script).unwrap_or_else(|| {
        script.trim_end_matches('/').rsplit(['/', '\\']).next().unwrap_or(script)
    })
}

/// Characters of a `data:` URL that are shown.
const LONGEST_DATA: usize = 60;

/// A short form of a long `data:` URL: its start, its length in bytes, and a hash that tells it from others. `None` for
/// other addresses and for short ones, which are shown whole.
pub fn shown_data(address: &str) -> Option<String> {
    if !address.starts_with("data:") {
        return None;
    }
    let (end, _) = address.char_indices().nth(LONGEST_DATA)?;
    // FNV-1a
    let number = address.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |number, byte| {
        (number ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    let number = (number >> 32) ^ (number & 0xffff_ffff);
    Some(format!("{}… ({} bytes, {number:08x})", &address[..end], address.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_data_addresses_are_cut_and_told_apart() {
        let of = |last: char| format!("data:text/javascript,{}{last}", "é".repeat(500_000));
        let [one, other] = [of('a'), of('b')].map(|address| shown_data(&address).unwrap());
        assert!(one.starts_with("data:text/javascript,éé") && one.contains("é… (1000022 bytes, "));
        assert!(one != other && one.chars().count() < 100, "{one}");
        assert_eq!(Package::of(&one), Package::of(&of('a')));
        for short in ["data:text/javascript,1", "/srv/app.js", "", &"x".repeat(1000)] {
            assert_eq!(shown_data(short), None);
        }
    }

    #[test]
    fn files_are_told_apart_by_their_packages() {
        for (script, name) in [
            ("/home/me/app.js", "app.js"),
            ("file:///srv/app.mjs", "app.mjs"),
            ("https://example.org/", "example.org"),
            ("data:text/html;base64,PCFk/b2N0", "data:"),
            ("app.js", "app.js"),
            ("node:events", "node:events"),
            ("node:internal/timers", "node:internal/timers"),
            ("/srv/node_modules/a/node_modules/express/lib/index.js", "express/lib/index.js"),
            (r"C:\app\src\main.js", "main.js"),
            ("", ""),
        ] {
            assert_eq!(script_file(script), name);
        }
    }

    #[test]
    fn each_script_belongs_to_one_package() {
        for (script, text) in [
            // npm, pnpm, Yarn, Vite, webpack, esbuild.
            ("/srv/node_modules/express/lib/router/index.js", "express"),
            ("file:///srv/node_modules/@scope/name/main.js", "@scope/name"),
            ("/srv/node_modules/.pnpm/a@1.2.3/node_modules/a/index.js", "a"),
            ("/srv/.yarn/cache/ms-npm-2.1.3-81ff3cfac1-aa92de6080.zip/node_modules/ms/x.js", "ms"),
            ("/srv/.yarn/__virtual__/b-virtual-1f/0/cache/b.zip/node_modules/b/x.js", "b"),
            ("/srv/.yarn/unplugged/c-npm-1.0.0-ab/node_modules/c/x.js", "c"),
            // Files that pnpm 9, Yarn 4 (Plug'n'Play), Deno 2, Bun and npm (workspaces) installed.
            (
                "/srv/pn/node_modules/.pnpm/@babel+helper-string-parser@8.1.3/node_modules/@babel/\
                 helper-string-parser/lib/index.js",
                "@babel/helper-string-parser",
            ),
            (
                "/srv/pn/node_modules/.pnpm/chalk@4.1.2/node_modules/ansi-styles/index.js",
                "ansi-styles",
            ),
            (
                "file:///srv/ya/.yarn/cache/@babel-helper-string-parser-npm-8.1.3-230bc6e231-65f76583e8\
                 .zip/node_modules/@babel/helper-string-parser/lib/index.js",
                "@babel/helper-string-parser",
            ),
            (
                "/srv/ya/.yarn/cache/chalk-npm-4.1.2-ba8b67ab80-4a3fef5cc3.zip/node_modules/chalk/\
                 source/util.js",
                "chalk",
            ),
            (
                "file:///srv/denodir/npm/host.example/@babel/helper-string-parser/7.25.9/lib/index.js",
                "@babel/helper-string-parser",
            ),
            ("/srv/bu/node_modules/color-convert/conversions.js", "color-convert"),
            ("/srv/ws/node_modules/@acme/ui/index.js", "@acme/ui"),
            ("/srv/ws/packages/ui/index.js", "packages/ui"),
            (r"C:\app\node_modules\ws\lib\sender.js", "ws"),
            (r"C:\app\node_modules\@a\b\index.js", "@a/b"),
            (r"C:\app\node_modules\.vite\deps\@a_b.js", "@a/b"),
            ("http://localhost:5173/node_modules/.vite/deps/vue.js?v=1f2e", "vue"),
            ("/srv/node_modules/.vite/deps/@scope_name.js?v=1f2e", "@scope/name"),
            // `_` stands for `/`, or for itself.
            ("/srv/node_modules/.vite/deps/eslint_d.js?v=1", ".vite/deps/eslint_d.js"),
            ("/srv/node_modules/.vite/deps/@a_b_c.js", ".vite/deps/@a_b_c.js"),
            (
                "/srv/node_modules/.vite/deps_ssr/react_jsx-runtime.js",
                ".vite/deps_ssr/react_jsx-runtime.js",
            ),
            (
                "/srv/node_modules/.vite/deps/socket__io-client.js",
                ".vite/deps/socket__io-client.js",
            ),
            (r"C:\app\node_modules\.vite\deps\a___b.js", ".vite/deps/a___b.js"),
            ("/srv/node_modules/.vite/deps/chunk-YJ7X2ABC.js", ".vite"),
            ("/srv/node_modules/.vite/vitest/results.json", ".vite"),
            ("/srv/node_modules/.vite/deps/.js", ".vite"),
            ("webpack://shop/./node_modules/react/cjs/react.js", "react"),
            ("node_modules/lodash/lodash.js", "lodash"),
            ("http://localhost:5173/node_modules/vue/dist/vue.js?v=1", "vue"),
            ("/srv/node_modules/single.js", "single.js"),
            ("http://localhost/node_modules/single.js?v=1", "single.js"),
            ("https://a.example/app.js?from=/node_modules/x/y.js", "https://a.example"),
            // Deno.
            ("file:///home/me/.cache/deno/npm/host.example/chalk/5.3.0/source/index.js", "chalk"),
            ("file:///d/npm/registry.example/@scope/name/1.0.0/a.js", "@scope/name"),
            ("/srv/npm/registry/chalk/index.js", "(own scripts)"),
            ("npm:chalk@5/index.js", "chalk"),
            ("npm:/@scope/name@1.2.3/index.js", "@scope/name"),
            ("jsr:@std/path@1", "jsr:@std/path"),
            ("https://jsr.example/@std/path/1.0.8/mod.ts", "jsr:@std/path"),
            ("ext:core/01_core.js", "ext:"),
            // Node.
            ("node:internal/timers", "node:"),
            ("internal/timers.js", "node:"),
            ("bun:sqlite", "bun:"),
            // Repositories with several packages.
            ("/srv/packages/ui/src/index.js", "packages/ui"),
            ("file:///srv/apps/shop/server.mjs", "apps/shop"),
            ("/srv/.yarn/__virtual__/ui-virtual-1f/1/packages/ui/index.js", "packages/ui"),
            ("webpack://shop/./packages/ui/src/x.ts", "packages/ui"),
            ("packages/ui/x.js", "packages/ui"),
            ("/srv/packages/index.js", "(own scripts)"),
            ("/srv/packages//x.js", "(own scripts)"),
            ("/srv/packages/ui/node_modules/ms/index.js", "ms"),
            // Browsers.
            ("https://cdn.example.org/a/b.js?x=/y", "https://cdn.example.org"),
            ("https://cdn.example.org/packages/ui/x.js", "https://cdn.example.org"),
            ("http://localhost:3000", "http://localhost:3000"),
            ("blob:https://example.org/8a5e", "https://example.org"),
            ("chrome-extension://abcdef/content.js", "chrome-extension://abcdef"),
            ("moz-extension://1-2/x.js", "moz-extension://1-2"),
            ("extensions::utils", "extensions::"),
            // All others.
            ("/srv/app.js", "(own scripts)"),
            (r"C:\app\src\main.js", "(own scripts)"),
            ("webpack://shop/./src/index.js", "(own scripts)"),
            ("evalmachine.<anonymous>", "(own scripts)"),
            ("[eval]", "(own scripts)"),
            ("", "(own scripts)"),
        ] {
            assert_eq!(Package::of(script).to_string(), text, "{script}");
        }
    }

    #[test]
    fn only_installed_packages_are_installed() {
        for (script, expected) in [
            ("/srv/node_modules/a/x.js", Some("a")),
            ("jsr:@std/path@1", Some("@std/path")),
            ("/srv/packages/ui/x.js", None),
            ("https://example.org/x.js", None),
            ("node:events", None),
            ("/srv/app.js", None),
        ] {
            assert_eq!(Package::of(script).installed().as_deref(), expected, "{script}");
        }
    }

    #[test]
    fn ignored_sources_are_not_the_programs_own() {
        for (source, text) in [
            ("/srv/src/vendor.js", "(ignored sources)"),
            ("/srv/node_modules/a/x.js", "a"),
            ("/srv/packages/ui/x.js", "packages/ui"),
        ] {
            assert_eq!(Package::of_source(source, true).to_string(), text, "{source}");
            assert_eq!(Package::of_source(source, false), Package::of(source), "{source}");
        }
    }
}
