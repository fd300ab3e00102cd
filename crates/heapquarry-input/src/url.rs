//! Addresses of objects: `s3://bucket/key`.

use std::{
    borrow::Cow,
    path::{Path, PathBuf},
};

/// The schemes of object stores.
const SCHEMES: [&str; 9] =
    ["s3://", "s3a://", "gs://", "az://", "azure://", "abfs://", "abfss://", "https://", "http://"];

/// The address, if the path is one.
pub fn url(path: &Path) -> Option<&str> {
    let text = path.to_str()?;
    let begins = |scheme: &str| {
        text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    SCHEMES.iter().any(|scheme| begins(scheme)).then_some(text)
}

/// Whether a path is an address in object storage or of a web server: `s3://bucket/key`.
pub fn is_address(path: &Path) -> bool {
    url(path).is_some()
}

/// What stands for something that may be secret.
const MASK: &str = "***";

/// An address in a text, with a mask in place of user and password. Whoever reads messages, tables and logs must not
/// see them, even if the address is refused for them.
pub fn masked(text: &str) -> Cow<'_, str> {
    let Some(at) = text.find("://").map(|at| at + "://".len()) else { return text.into() };
    let (scheme, rest) = text.split_at(at);
    let place = &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())];
    // The container of Azure's file systems stands where others have a user.
    let is_container = scheme.len() >= 7 && scheme[..4].eq_ignore_ascii_case("abfs");
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    let end = match (place.rfind('@'), place.split_once(':')) {
        (Some(_), None) if is_container => return text.into(),
        (Some(at), _) => at,
        // A password with a slash ends the place too early.
        (None, Some((_, port))) if !is_port(port) && !place.starts_with('[') => {
            rest.rfind('@').unwrap_or(place.len())
        }
        (None, _) => return text.into(),
    };
    format!("{scheme}{MASK}{}", &rest[end..]).into()
}

/// A path that can be shown: without credentials and, on the web, without a query if it is an address.
pub fn shown(path: &Path) -> PathBuf {
    let Some(url) = url(path) else { return path.into() };
    let masked = masked(url);
    let is_web = url.get(..4).is_some_and(|scheme| scheme.eq_ignore_ascii_case("http"));
    match masked.split_once('?').filter(|_| is_web) {
        Some((place, _)) => format!("{place}?{MASK}").into(),
        None => masked.into_owned().into(),
    }
}

/// What is said without the feature.
pub const WITHOUT: &str = "this heapquarry was built without object storage (the feature `cloud`)";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_secret_is_masked() {
        for (text, expected) in [
            ("s3://bucket/a@b:c/d", "s3://bucket/a@b:c/d"),
            ("s3://AKIA:SECRET@bucket/a", "s3://***@bucket/a"),
            ("s3://AKIA:SEC/RET@bucket/a", "s3://***@bucket/a"),
            ("s3://AKIA:SECRET", "s3://***"),
            ("S3A://SECRET@bucket/a", "S3A://***@bucket/a"),
            ("http://u:p@127.0.0.1:9/a", "http://***@127.0.0.1:9/a"),
            ("http://127.0.0.1:9/a@b", "http://127.0.0.1:9/a@b"),
            ("http://[::1]:9/a@b", "http://[::1]:9/a@b"),
            ("https://h/a?sig=SECRET", "https://h/a?***"),
            ("s3://bucket/a?b", "s3://bucket/a?b"),
            (
                "abfss://box@account.dfs.core.windows.net/a",
                "abfss://box@account.dfs.core.windows.net/a",
            ),
            ("abfss://box:SECRET@account/a", "abfss://***@account/a"),
            ("a/b://c:d@e", "a/b://c:d@e"),
            ("a", "a"),
        ] {
            assert_eq!(shown(Path::new(text)), Path::new(expected), "{text}");
        }
        assert_eq!(masked("(http://u:SECRET@h:1/x)"), "(http://***@h:1/x)");
    }
}
