//! Servers on this machine, for as long as a step needs them.

use crate::workspace::Error;
use std::{
    net::{Ipv4Addr, TcpListener, TcpStream},
    process::{Child, Command},
    thread::sleep,
    time::{Duration, Instant},
};

/// Longest time until a server answers.
const START: Duration = Duration::from_secs(60);

/// A server that ends with this value.
pub(super) struct Server {
    process: Child,
    pub(super) port: u16,
}

impl Server {
    /// Starts a command that listens at the port that it is told, and waits until it does.
    pub(super) fn start(command: impl FnOnce(u16) -> Command) -> Result<Self, Error> {
        let free =
            TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|socket| socket.local_addr());
        let port = free.map_err(|e| Error(format!("no free port: {e}")))?.port();
        let mut command = command(port);
        let spawned = command.spawn();
        let name = command.get_program().display();
        let mut process = spawned.map_err(|e| Error(format!("cannot run {name}: {e}")))?;
        let began = Instant::now();
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
            let ended = process.try_wait().ok().flatten();
            if ended.is_some() || began.elapsed() > START {
                let _ = process.kill();
                let _ = process.wait();
                return Err(Error(format!("{name} does not answer")));
            }
            sleep(Duration::from_millis(50));
        }
        Ok(Self { process, port })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
