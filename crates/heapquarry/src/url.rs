//! Addresses of objects: `s3://bucket/key`.

use std::path::Path;

/// The schemes of object stores.
const SCHEMES: [&str; 9] =
    ["s3://", "s3a://", "gs://", "az://", "azure://", "abfs://", "abfss://", "https://", "http://"];

/// The address, if the path is one.
pub(crate) fn url(path: &Path) -> Option<&str> {
    let text = path.to_str()?;
    SCHEMES.iter().any(|scheme| text.starts_with(scheme)).then_some(text)
}

/// What is said without the feature.
#[cfg(not(feature = "cloud"))]
pub(crate) const WITHOUT: &str =
    "this heapquarry was built without object storage (the feature `cloud`)";
