//! From an address to a store and a key.

use super::{
    client::{Connector, OddKeys},
    fetch::told,
    profile,
};
use crate::url::masked;
use heapquarry_tables::sync::unpoisoned;
use object_store::{
    BackoffConfig, ClientOptions, ObjectStore, RetryConfig,
    aws::{AmazonS3Builder, AmazonS3ConfigKey},
    azure::MicrosoftAzureBuilder,
    gcp::GoogleCloudStorageBuilder,
    http::HttpBuilder,
    path::Path,
};
use std::{
    collections::HashMap,
    env, io,
    sync::{Arc, Mutex, OnceLock},
    time::Duration,
};

/// A store and a key in it.
#[derive(Clone)]
pub(super) struct Place {
    pub(super) store: Arc<dyn ObjectStore>,
    pub(super) key: Path,
}

/// What an address says. Credentials come from the environment, as the tools of each store name it.
pub(super) fn place(url: &str) -> io::Result<Place> {
    static STORES: OnceLock<Mutex<HashMap<String, Arc<dyn ObjectStore>>>> = OnceLock::new();
    let (base, key) = parts(url)?;
    // Those of one host share connections.
    let mut stores = unpoisoned(STORES.get_or_init(Mutex::default).lock());
    if let Some(store) = stores.get(&base) {
        return Ok(Place { store: store.clone(), key });
    }
    let store = open(&base, None).map_err(told)?;
    stores.insert(base, store.clone());
    Ok(Place { store, key })
}

/// What an address says, to list what is below it. The keys that no request can name go elsewhere.
pub(super) fn listing(url: &str) -> io::Result<(Place, OddKeys)> {
    let ((base, key), odd) = (parts(url)?, OddKeys::default());
    let store = open(&base, Some(odd.clone())).map_err(told)?;
    Ok((Place { store, key }, odd))
}

/// Scheme and host of an address, and its key.
fn parts(url: &str) -> io::Result<(String, Path)> {
    let refuse = |why: &str| io::Error::new(io::ErrorKind::InvalidInput, why.to_owned());
    let (scheme, rest) = url.split_once("://").ok_or_else(|| refuse("it is no address"))?;
    let scheme = scheme.to_ascii_lowercase();
    let (host, key) = rest.split_once('/').unwrap_or((rest, ""));
    let is_web = matches!(&*scheme, "http" | "https");
    if masked(url) != url || url.contains("://***") || is_web && key.contains('?') {
        // Tables and messages show it.
        return Err(refuse("an address must not hold credentials or a query"));
    }
    let key = match is_web {
        true => Path::from_url_path(key),
        false => Path::parse(key),
    };
    Ok((format!("{scheme}://{host}"), key.map_err(|e| refuse(&e.to_string()))?))
}

/// The store of an address; `odd` if it is for a listing.
fn open(base: &str, odd: Option<OddKeys>) -> object_store::Result<Arc<dyn ObjectStore>> {
    // TLS of the same library that signs requests.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let backoff = BackoffConfig {
        init_backoff: Duration::from_millis(100),
        max_backoff: Duration::from_secs(3),
        base: 2.,
    };
    let retry = RetryConfig { backoff, max_retries: 10, retry_timeout: Duration::from_secs(60) };
    let scheme = base.split(':').next().unwrap_or_default();
    let is_public = matches!(scheme, "http" | "https");
    let connector = Connector { is_public, odd };
    Ok(match scheme {
        "s3" | "s3a" => {
            Arc::new(s3(base)?.with_http_connector(connector).with_retry(retry).build()?)
        }
        "gs" => {
            let builder = GoogleCloudStorageBuilder::from_env().with_url(base);
            Arc::new(builder.with_http_connector(connector).with_retry(retry).build()?)
        }
        "az" | "azure" | "abfs" | "abfss" => {
            let builder = MicrosoftAzureBuilder::from_env().with_url(base);
            Arc::new(builder.with_http_connector(connector).with_retry(retry).build()?)
        }
        _ => {
            let client = ClientOptions::new().with_allow_http(scheme == "http");
            let builder = HttpBuilder::new().with_url(base).with_client_options(client);
            Arc::new(builder.with_http_connector(connector).with_retry(retry).build()?)
        }
    })
}

fn s3(base: &str) -> object_store::Result<AmazonS3Builder> {
    let mut builder = AmazonS3Builder::new();
    let mut endpoint = None;
    let settings = profile::settings().unwrap_or_default();
    let needs_none = ["AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_SKIP_SIGNATURE"];
    if let Some(why) = profile::unsupported(&settings)
        && !needs_none.into_iter().any(|name| env::var_os(name).is_some())
    {
        return Err(object_store::Error::Generic { store: "S3", source: why.into() });
    }
    for (name, value) in settings {
        match name.as_str() {
            "endpoint_url" => endpoint = Some(value),
            "region" => builder = builder.with_region(value),
            "aws_access_key_id" => builder = builder.with_access_key_id(value),
            "aws_secret_access_key" => builder = builder.with_secret_access_key(value),
            "aws_session_token" => builder = builder.with_token(value),
            _ => {}
        }
    }
    let is_selected = env::var_os("AWS_PROFILE").is_some_and(|name| !name.is_empty());
    for (name, value) in env::vars_os() {
        let (Some(name), Some(value)) = (name.to_str(), value.to_str()) else { continue };
        // A selected profile counts more than keys in the environment.
        let is_key =
            ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"].contains(&name);
        if !name.starts_with("AWS_") || value.is_empty() || is_selected && is_key {
            continue;
        }
        if let Ok(key) = name.to_lowercase().parse::<AmazonS3ConfigKey>() {
            builder = builder.with_config(key, value);
        }
    }
    let from_env = |name| env::var(name).ok().filter(|value: &String| !value.is_empty());
    let general = ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"];
    if let Some(endpoint) = general.into_iter().find_map(from_env).or(endpoint) {
        builder = builder.with_allow_http(endpoint.starts_with("http://")).with_endpoint(endpoint);
    }
    Ok(builder.with_url(base))
}
