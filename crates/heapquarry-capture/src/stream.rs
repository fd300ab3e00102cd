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
pub(crate) struct Stream {
    tcp: TcpStream,
}

impl Stream {
    /// Connects.
    pub(crate) fn connect(address: &Address) -> Result<Self> {
        let fail = |why: String| Error::Unreachable { place: address.to_string(), why };
        if address.tls {
            return Err(fail("this build has no TLS; forward the port with ssh -L".into()));
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
                    return Ok(Stream { tcp });
                }
                Err(error) => why = error.to_string(),
            }
        }
        Err(fail(why))
    }

    /// How long a read may block.
    pub(crate) fn set_read_timeout(&self, time: Duration) -> io::Result<()> {
        self.tcp.set_read_timeout(Some(time))
    }
}

impl Read for Stream {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.tcp.read(buf)
    }
}

impl Write for Stream {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.tcp.write(buf)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.tcp.flush()
    }
}
