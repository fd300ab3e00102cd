//! The bytes of a connection.

use crate::{Address, Error, Result};
use std::{
    io::{self, Read, Write},
    net::{TcpStream, ToSocketAddrs},
    time::Duration,
};

/// How long connecting, and each read of an answer over HTTP, may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// A connection.
pub(crate) enum Stream {
    Plain(TcpStream),
    #[cfg(feature = "tls")]
    Tls(Box<tls::Connection>),
}

impl Stream {
    /// Connects, over TLS if the address says so.
    pub(crate) fn connect(address: &Address) -> Result<Self> {
        let fail = |why: String| Error::Unreachable { place: address.to_string(), why };
        if address.tls && cfg!(not(feature = "tls")) {
            let why = "this build has no TLS (its feature tls); forward the port with ssh -L";
            return Err(fail(why.into()));
        }
        let ips = (address.host.as_str(), address.port).to_socket_addrs();
        let ips = ips.map_err(|error| fail(error.to_string()))?;
        let mut why = "the host has no address".into();
        for ip in ips {
            match TcpStream::connect_timeout(&ip, PATIENCE) {
                Ok(tcp) => {
                    let set = tcp.set_nodelay(true).and_then(|()| {
                        tcp.set_read_timeout(Some(PATIENCE))?;
                        tcp.set_write_timeout(Some(PATIENCE))
                    });
                    set.map_err(|error| fail(error.to_string()))?;
                    return match address.tls {
                        #[cfg(feature = "tls")]
                        true => tls::connect(&address.host, tcp)
                            .map(Box::new)
                            .map(Stream::Tls)
                            .map_err(fail),
                        _ => Ok(Stream::Plain(tcp)),
                    };
                }
                Err(error) => why = error.to_string(),
            }
        }
        Err(fail(why))
    }

    /// How long a read may block.
    pub(crate) fn set_read_timeout(&self, time: Duration) -> io::Result<()> {
        match self {
            Stream::Plain(tcp) => tcp.set_read_timeout(Some(time)),
            #[cfg(feature = "tls")]
            Stream::Tls(tls) => tls.get_ref().set_read_timeout(Some(time)),
        }
    }
}

impl Read for Stream {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Plain(tcp) => tcp.read(buf),
            #[cfg(feature = "tls")]
            Stream::Tls(tls) => tls.read(buf),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        match self {
            Stream::Plain(tcp) => tcp.write(buf),
            #[cfg(feature = "tls")]
            Stream::Tls(tls) => tls.write(buf),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Stream::Plain(tcp) => tcp.flush(),
            #[cfg(feature = "tls")]
            Stream::Tls(tls) => tls.flush(),
        }
    }
}

#[cfg(feature = "tls")]
mod tls {
    use rustls::{
        ClientConfig, ClientConnection, StreamOwned, crypto::ring, pki_types::ServerName,
    };
    use rustls_platform_verifier::BuilderVerifierExt;
    use std::{net::TcpStream, sync::Arc};

    pub(super) type Connection = StreamOwned<ClientConnection, TcpStream>;

    /// Encrypts a connection. The handshake is part of the first write.
    pub(super) fn connect(host: &str, tcp: TcpStream) -> Result<Connection, String> {
        let name = ServerName::try_from(host.to_owned()).map_err(|error| error.to_string())?;
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|builder| builder.with_platform_verifier())
            .map_err(|error| error.to_string())?
            .with_no_client_auth();
        let client = ClientConnection::new(Arc::new(config), name).map_err(|e| e.to_string())?;
        Ok(StreamOwned::new(client, tcp))
    }
}
