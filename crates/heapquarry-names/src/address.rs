//! Addresses of scripts and maps: paths, `file:` and `data:` URLs, and the comment that names a map.

use base64::{Engine, alphabet, engine};
use percent_encoding::percent_decode_str;
use std::{
    borrow::Cow,
    path::{Path, PathBuf},
};

/// What is read of the end of a script for the comment that names its map, besides the comment itself.
const COMMENT: &str = "sourceMappingURL=";

/// With or without padding.
const BASE64: engine::GeneralPurpose = engine::GeneralPurpose::new(
    &alphabet::STANDARD,
    engine::GeneralPurposeConfig::new()
        .with_decode_padding_mode(engine::DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// The content of a `data:` URL; `None` if it is none, or is damaged.
pub(crate) fn data(url: &str) -> Option<Vec<u8>> {
    let (media, content) = url.strip_prefix("data:")?.split_once(',')?;
    if media.ends_with(";base64") {
        let text: Vec<u8> = percent_decode_str(content).collect();
        return BASE64.decode(text).ok();
    }
    Some(percent_decode_str(content).collect())
}

/// The address in the last comment `//# sourceMappingURL=…` of a script.
pub(crate) fn mapping_url(script: &str) -> Option<&str> {
    let (before, rest) = script.rsplit_once(COMMENT)?;
    let is_comment = ["//# ", "//@ ", "/*# ", "//#\t"].iter().any(|start| before.ends_with(start));
    let url = rest.lines().next()?.trim_end().trim_end_matches("*/").trim_end();
    (is_comment && !url.is_empty() && !url.contains(char::is_whitespace)).then_some(url)
}

/// The parts of a path or URL, without query, fragment, scheme and host's escapes, as a path: `/srv/a b/app.js`.
pub(crate) fn path(address: &str) -> Cow<'_, str> {
    let is_url = address.contains("://") || address.starts_with("file:");
    if !is_url {
        // Windows writes paths in two ways.
        let address = address.split_once('?').map_or(address, |(path, _)| path);
        return if address.contains('\\') {
            address.replace('\\', "/").into()
        } else {
            address.into()
        };
    }
    let end = address.find(['?', '#']).unwrap_or(address.len());
    percent_decode_str(&address[..end]).decode_utf8_lossy()
}

/// An address relative to another one: `app.js.map` of `/srv/dist/app.js` is `/srv/dist/app.js.map`.
pub(crate) fn resolve(base: &str, address: &str) -> String {
    if address.starts_with('/') || address.contains(':') {
        return path(address).into_owned();
    }
    let base = path(base);
    let folder = base.rsplit_once('/').map_or("", |(folder, _)| folder);
    normal(&format!("{folder}/{}", path(&percent_decode_str(address).decode_utf8_lossy())))
}

/// A path without `.` and `..`.
pub(crate) fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." if parts.last().is_some_and(|last| !matches!(*last, "" | "..")) => {
                parts.pop();
            }
            // The folder above the root is the root.
            ".." if parts == [""] => {}
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

/// What a script is called wherever it is told of: the path of a `file:` URL, as CommonJS names its scripts, any other
/// address as it is.
pub(crate) fn script(address: &str) -> Cow<'_, str> {
    if address.contains("://") && !address.starts_with("file:") {
        return address.into();
    }
    let plain = path(address);
    let Some(rest) = plain.strip_prefix("file://") else { return plain };
    // `file:///C:/srv/app.js`
    let is_drive = rest.get(2..4).is_some_and(|colon| colon == ":/");
    rest[usize::from(is_drive)..].to_owned().into()
}

/// Where the map of a script is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MapAddress {
    /// In its address, a `data:` URL; `None` if that is damaged.
    Data(Option<Vec<u8>>),
    /// In a file of the machine that the script runs on.
    File(PathBuf),
    /// Neither: on a network, or relative to a script that is in no file.
    Elsewhere,
}

/// Where the map is whose address a script names. A script that is in no file names no file either.
pub fn locate(script_address: &str, map_url: &str) -> MapAddress {
    if map_url.starts_with("data:") {
        return MapAddress::Data(data(map_url));
    }
    let own = script(script_address);
    if own.contains("://") || !Path::new(&*own).is_absolute() {
        return MapAddress::Elsewhere;
    }
    let found = resolve(script_address, map_url);
    let found = script(&found);
    match Path::new(&*found) {
        path if !found.contains("://") && path.is_absolute() => MapAddress::File(path.into()),
        _ => MapAddress::Elsewhere,
    }
}

/// The number of parts at the end that two paths share.
pub(crate) fn shared_end(a: &str, b: &str) -> usize {
    a.rsplit('/').zip(b.rsplit('/')).take_while(|(a, b)| a == b && !a.is_empty()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_of_data_urls_is_decoded() {
        for (url, content) in [
            ("data:application/json;base64,e30=", Some(&b"{}"[..])),
            ("data:application/json;charset=utf-8;base64,e30", Some(b"{}")),
            ("data:application/json,%7B%22a%22%3A1}", Some(b"{\"a\":1}")),
            ("data:application/json;base64,e3", Some(b"{")),
            ("data:application/json;base64,*", None),
            ("data:", None),
            ("app.js.map", None),
        ] {
            assert_eq!(data(url).as_deref(), content, "{url}");
        }
    }

    #[test]
    fn the_last_comment_names_the_map() {
        for (script, url) in [
            ("a()\n//# sourceMappingURL=a.js.map\n", Some("a.js.map")),
            ("a()\n//# sourceMappingURL=a.map\n//# sourceMappingURL=b.map", Some("b.map")),
            ("//@ sourceMappingURL=a.map  \r\n", Some("a.map")),
            ("p{}/*# sourceMappingURL=a.css.map */", Some("a.css.map")),
            (
                "//# sourceMappingURL=data:application/json;base64,e30=\n// denoCacheMetadata=1",
                Some("data:application/json;base64,e30="),
            ),
            ("//# sourceMappingURL=a b", None),
            ("let a = 'sourceMappingURL=x'", None),
            ("//# sourceMappingURL=", None),
        ] {
            assert_eq!(mapping_url(script), url, "{script}");
        }
    }

    #[test]
    fn scripts_have_one_name_wherever_they_are_told_of() {
        for (address, name) in [
            ("/srv/a b/app.js", "/srv/a b/app.js"),
            ("file:///srv/a%20b/app.js", "/srv/a b/app.js"),
            ("file:///C:/srv/app.js", "C:/srv/app.js"),
            (r"C:\srv\app.js", "C:/srv/app.js"),
            ("https://example.org/app.js?v=1", "https://example.org/app.js?v=1"),
            ("file:", "file:"),
            ("file:///é", "/é"),
        ] {
            assert_eq!(script(address), name, "{address}");
        }
    }

    #[test]
    fn addresses_are_resolved_as_paths() {
        for (base, address, resolved) in [
            ("/srv/dist/app.js", "app.js.map", "/srv/dist/app.js.map"),
            ("file:///srv/a%20b/app.mjs", "../maps/a%20b.map", "file:///srv/maps/a b.map"),
            (
                "https://example.org/js/app.js?v=1",
                "app.js.map?v=1",
                "https://example.org/js/app.js.map",
            ),
            (r"C:\srv\app.js", "app.js.map", "C:/srv/app.js.map"),
            ("app.js", "./app.js.map", "/app.js.map"),
            ("/app.js", "../../app.js.map", "/app.js.map"),
            ("/srv/app.js", "/maps/app.js.map", "/maps/app.js.map"),
        ] {
            assert_eq!(resolve(base, address), resolved, "{base} {address}");
        }
        assert_eq!(shared_end("/srv/dist/app.js.map", "build/dist/app.js.map"), 2);
        assert_eq!(shared_end("/a", "/b"), 0);
    }
}
