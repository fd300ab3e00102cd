//! How requests are sent: as `object_store` would, but credentials never follow a redirect, and a listing has only keys
//! that it can name.

use super::{
    fetch::content,
    list::{MOST, too_many},
};
use futures_util::TryStreamExt;
use heapquarry_tables::sync::unpoisoned;
use object_store::{
    ClientConfigKey, ClientOptions, Error,
    client::{
        HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpService,
    },
    path::Path,
};
use quick_xml::escape::unescape;
use reqwest::{Certificate, NoProxy, Proxy, redirect::Policy};
use std::{
    future::Future,
    io, mem,
    pin::Pin,
    sync::{Arc, Mutex},
    time::Duration,
};

/// Keys of objects that no request can name.
#[derive(Clone, Debug, Default)]
pub(super) struct OddKeys(Arc<Mutex<Vec<String>>>);

impl OddKeys {
    pub(super) fn take(&self) -> Vec<String> {
        mem::take(&mut *unpoisoned(self.0.lock()))
    }
}

/// Makes the client of a store.
#[derive(Debug)]
pub(super) struct Connector {
    /// Whether requests have no credentials, and may be sent elsewhere. The session token of AWS is in a header that
    /// no client takes out on the way to another host.
    pub(super) is_public: bool,
    /// If it is for a listing: where the keys go that no request can name. One of them would end it.
    pub(super) odd: Option<OddKeys>,
}

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let client = client(options, self.is_public);
        let client = client.map_err(|source| Error::Generic { store: "HTTP", source })?;
        let client = HttpClient::new(client);
        Ok(match self.odd.clone() {
            Some(odd) => HttpClient::new(Listing { client, odd }),
            None => client,
        })
    }
}

type AnyError = Box<dyn std::error::Error + Send + Sync>;

/// The client that the options describe.
fn client(options: &ClientOptions, is_public: bool) -> Result<reqwest::Client, AnyError> {
    use ClientConfigKey::{
        AllowHttp, AllowInvalidCertificates, ConnectTimeout, PoolIdleTimeout, PoolMaxIdlePerHost,
        ProxyCaCertificate, ProxyExcludes, ProxyUrl, ReadTimeout, Timeout, UserAgent,
    };
    let text = |key| options.get_config_value(&key);
    let is_set = |key| text(key).is_some_and(|value| value == "true");
    let time = |key| -> Result<Option<Duration>, AnyError> {
        Ok(text(key).map(|time| humantime::parse_duration(&time)).transpose()?)
    };
    let agent = concat!("heapquarry/", env!("CARGO_PKG_VERSION"));
    let mut builder = reqwest::Client::builder()
        .http1_only()
        .https_only(!is_set(AllowHttp))
        .danger_accept_invalid_certs(is_set(AllowInvalidCertificates))
        .redirect(if is_public { Policy::default() } else { Policy::none() })
        .user_agent(text(UserAgent).unwrap_or_else(|| agent.into()));
    if let Some(headers) = options.get_default_headers() {
        builder = builder.default_headers(headers.clone());
    }
    if let Some(address) = text(ProxyUrl) {
        let mut proxy = Proxy::all(address)?;
        if let Some(certificate) = text(ProxyCaCertificate) {
            let certificate = Certificate::from_pem(certificate.as_bytes())?;
            builder = builder.tls_certs_merge([certificate]);
        }
        if let Some(hosts) = text(ProxyExcludes) {
            proxy = proxy.no_proxy(NoProxy::from_string(&hosts));
        }
        builder = builder.proxy(proxy);
    }
    if let Some(time) = time(Timeout)? {
        builder = builder.timeout(time);
    }
    if let Some(time) = time(ConnectTimeout)? {
        builder = builder.connect_timeout(time);
    }
    if let Some(time) = time(ReadTimeout)? {
        builder = builder.read_timeout(time);
    }
    if let Some(time) = time(PoolIdleTimeout)? {
        builder = builder.pool_idle_timeout(time);
    }
    if let Some(most) = text(PoolMaxIdlePerHost) {
        builder = builder.pool_max_idle_per_host(most.parse()?);
    }
    Ok(builder.build()?)
}

/// Longest page of a listing in bytes: 1,000 keys of 1,024 bytes, each as a reference of XML.
const LONGEST_PAGE: usize = 16 << 20;

/// What a page of a listing is in: that of S3 and Google Cloud Storage, and that of Azure.
const ROOTS: [&str; 2] = ["<ListBucketResult", "<EnumerationResults"];

/// A client for a listing.
#[derive(Debug)]
struct Listing {
    client: HttpClient,
    odd: OddKeys,
}

/// Written as the macro `async_trait` would.
impl HttpService for Listing {
    fn call<'life0, 'async_trait>(
        &'life0 self,
        request: HttpRequest,
    ) -> Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send + 'async_trait>>
    where
        'life0: 'async_trait,
        Self: 'async_trait,
    {
        Box::pin(async move {
            let query = request.uri().query().unwrap_or_default();
            let is_page = query.split('&').any(|p| matches!(p, "list-type=2" | "comp=list"));
            let answer = self.client.execute(request).await?;
            if !is_page || !answer.status().is_success() {
                return Ok(answer);
            }
            let (mut head, body) = answer.into_parts();
            let (mut page, mut pieces) = (Vec::new(), body.bytes_stream());
            while let Some(piece) = pieces.try_next().await? {
                page.extend_from_slice(&piece);
                if page.len() > LONGEST_PAGE {
                    return Err(failed(io::Error::other("a page of the listing is too long")));
                }
            }
            let Ok(text) = str::from_utf8(&page) else {
                return Ok(HttpResponse::from_parts(head, page.into()));
            };
            // An empty page would be the end of a listing, and so is what has another root for the parser.
            if !ROOTS.iter().any(|root| text.contains(root)) {
                return Err(failed(io::Error::other("the answer is no listing")));
            }
            let (text, more) = without_odd_keys(text);
            head.headers.remove("content-length");
            let mut odd = unpoisoned(self.odd.0.lock());
            odd.extend(more);
            if odd.len() > MOST {
                return Err(failed(too_many()));
            }
            Ok(HttpResponse::from_parts(head, text.into()))
        })
    }
}

fn failed(error: io::Error) -> HttpError {
    HttpError::new(HttpErrorKind::Unknown, error)
}

/// A page of a listing without the keys that no request can name, and these. The page is in XML, as S3 and Google Cloud
/// Storage write it, or Azure.
fn without_odd_keys(page: &str) -> (String, Vec<String>) {
    let (mut kept, mut odd) = (String::with_capacity(page.len()), Vec::new());
    let (begin, end, key) = match page.contains("<Blobs>") {
        true => ("<Blob>", "</Blob>", "<Name>"),
        false => ("<Contents>", "</Contents>", "<Key>"),
    };
    let mut rest = page;
    while let Some(at) = rest.find(begin)
        && let Some(length) = rest[at..].find(end)
    {
        let (before, after) = rest.split_at(at);
        let (object, after) = after.split_at(length + end.len());
        kept.push_str(before);
        let written = content(object, key).unwrap_or_default();
        match unescape(written) {
            Ok(key) if Path::parse(&*key).is_ok() => kept.push_str(object),
            key => odd.push(key.map_or(written.to_owned(), |key| key.into_owned())),
        }
        rest = after;
    }
    kept.push_str(rest);
    (kept, odd)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_no_request_can_name_are_left_out() {
        let s3 = |key: &str| format!("<Contents><Key>{key}</Key><Size>1</Size></Contents>");
        let azure = |key: &str| format!("<Blob><Name>{key}</Name><Properties/></Blob>");
        for (key, odd) in [
            ("a/b.h", None),
            ("a &amp; b", None),
            ("a%2Fb#?*é", None),
            ("folder/", None),
            ("a//b", Some("a//b")),
            ("../a", Some("../a")),
            ("a/./b&lt;", Some("a/./b<")),
            ("&#x1b;[31m", Some("\u{1b}[31m")),
            ("&#9;&none;", Some("&#9;&none;")),
        ] {
            let odd: Vec<String> = odd.into_iter().map(str::to_owned).collect();
            for page in [
                |one: &str, all: &str| format!("<R>{one}<T>1</T>{all}</R>"),
                |one: &str, all: &str| format!("<R><Blobs>{one}{all}</Blobs></R>"),
            ] {
                let object =
                    if page("", "").contains("Blobs") { &azure as &dyn Fn(&str) -> _ } else { &s3 };
                let (good, this) = (object("good"), object(key));
                let without = if odd.is_empty() { &*this } else { "" };
                let expected = (page(&good, without), odd.clone());
                assert_eq!(without_odd_keys(&page(&good, &this)), expected, "{key}");
            }
        }
        for page in ["", "<Contents>", "<Contents><Key>a//b", "</Contents><Contents>"] {
            assert_eq!(without_odd_keys(page), (page.to_owned(), Vec::new()));
        }
    }
}
