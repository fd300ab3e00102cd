//! The inspector of a process of this machine.

use crate::{Address, Error, Result};

/// An inspector that a process has open.
pub struct Inspector {
    /// Where it is.
    pub address: Address,
    /// Whether it was opened for us, and should be closed again: [`crate::Session::close_inspector`].
    pub is_ours: bool,
}

/// The inspector of a process. If it has none, a Node is told to open one, with the signal SIGUSR1. The signal ends
/// processes that do not expect it: with `is_node`, the caller vouches for one that is not called `node`. `stop` is
/// asked often, and ends it.
///
/// # Errors
/// If there is no such process, it does not expect the signal, or opens no inspector.
pub fn inspector_of(pid: u32, is_node: bool, stop: &dyn Fn() -> bool) -> Result<Inspector> {
    #[cfg(target_os = "linux")]
    return linux::inspector_of(pid, is_node, stop);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (is_node, stop);
        let why = "--pid needs Linux; send SIGUSR1 yourself, and give the address".into();
        Err(Error::Process { pid, why })
    }
}

/// The process of this machine that listens on a port of it, if it can be told.
#[cfg(target_os = "linux")]
pub(crate) fn owner_of(address: &Address) -> Option<u32> {
    address.is_loopback().then(|| linux::owner_of(address.port)).flatten()
}

#[cfg(target_os = "linux")]
mod linux {
    use super::{Address, Error, Inspector, Result};
    use crate::list;
    use nix::{
        sys::signal::{Signal, kill},
        unistd::Pid,
    };
    use std::{
        collections::HashSet,
        fs,
        path::{Path, PathBuf},
        thread,
        time::{Duration, Instant},
    };

    /// How long a process may take to open its inspector.
    const PATIENCE: Duration = Duration::from_secs(10);
    const POLL: Duration = Duration::from_millis(50);

    /// A listening socket of a process.
    #[derive(Debug, PartialEq, Eq)]
    struct Port {
        is_v6: bool,
        port: u16,
    }

    impl Port {
        fn address(&self) -> Address {
            let host = if self.is_v6 { "::1" } else { "127.0.0.1" };
            Address { host: host.into(), ..Address::local(self.port) }
        }
    }

    pub(super) fn inspector_of(
        pid: u32,
        is_node: bool,
        stop: &dyn Fn() -> bool,
    ) -> Result<Inspector> {
        let fail = |why: &str| Error::Process { pid, why: why.into() };
        let status = fs::read_to_string(of(pid, "status")).map_err(|_| fail("there is none"))?;
        let net = |name: &str| fs::read_link(Path::new("/proc").join(name).join("ns/net")).ok();
        if net(&pid.to_string()) != net("self") {
            return Err(fail(
                "it is in another network, or belongs to another user; run heapquarry where it is",
            ));
        }
        let find = || {
            for address in ports(pid).into_iter().map(|port| port.address()) {
                match list(&address, stop) {
                    Ok(_) => return Ok(Some(address)),
                    Err(Error::Interrupted) => return Err(Error::Interrupted),
                    Err(_) => {}
                }
            }
            Ok(None)
        };
        if let Some(address) = find()? {
            return Ok(Inspector { address, is_ours: false });
        }
        if !catches_usr1(&status) {
            return Err(fail("SIGUSR1 would end it, so it is no Node that can open an inspector"));
        }
        let exe = fs::read_link(of(pid, "exe")).unwrap_or_default();
        let name = exe.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        if !is_node && !name.contains("node") && !name.contains("electron") {
            return Err(fail("its program is not called node; --force sends SIGUSR1 all the same"));
        }
        let process = i32::try_from(pid).map_err(|_| fail("there is none"))?;
        kill(Pid::from_raw(process), Signal::SIGUSR1).map_err(|error| fail(error.desc()))?;
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            if let Some(address) = find()? {
                return Ok(Inspector { address, is_ours: true });
            }
            if stop() {
                return Err(Error::Interrupted);
            }
            thread::sleep(POLL);
        }
        Err(fail(
            "it opens no inspector; the port 9229 may be taken, or the program handles SIGUSR1",
        ))
    }

    pub(super) fn owner_of(port: u16) -> Option<u32> {
        let sockets = listening("self").into_iter();
        let sockets: HashSet<u64> =
            sockets.filter(|(found, _)| found.port == port).map(|(_, inode)| inode).collect();
        let processes = fs::read_dir("/proc").ok()?.flatten();
        let mut processes =
            processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        processes.find(|pid| !inodes(*pid).is_disjoint(&sockets))
    }

    /// Whether a process handles SIGUSR1: proc_pid_status(5).
    fn catches_usr1(status: &str) -> bool {
        let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        mask.is_some_and(|mask| mask >> (Signal::SIGUSR1 as u32 - 1) & 1 == 1)
    }

    fn ports(pid: u32) -> Vec<Port> {
        let own = inodes(pid);
        let listening = listening(&pid.to_string()).into_iter();
        listening.filter(|(_, inode)| own.contains(inode)).map(|(port, _)| port).collect()
    }

    /// Numbers of the sockets that a process has open.
    fn inodes(pid: u32) -> HashSet<u64> {
        let entries = fs::read_dir(of(pid, "fd")).into_iter().flatten().flatten();
        let links = entries.filter_map(|entry| fs::read_link(entry.path()).ok());
        let inode = |link: PathBuf| {
            link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok()
        };
        links.filter_map(inode).collect()
    }

    /// The listening sockets of a process' network, and their numbers.
    fn listening(process: &str) -> Vec<(Port, u64)> {
        let table = |name: &str| fs::read_to_string(format!("/proc/{process}/net/{name}"));
        let tables = [(false, table("tcp")), (true, table("tcp6"))];
        let of = |(is_v6, table): (bool, std::io::Result<String>)| {
            let table = table.unwrap_or_default();
            table.lines().filter_map(|line| socket(line, is_v6)).collect::<Vec<_>>()
        };
        tables.into_iter().flat_map(of).collect()
    }

    /// A line of `/proc/net/tcp`, if the socket listens: proc_net(5).
    fn socket(line: &str, is_v6: bool) -> Option<(Port, u64)> {
        const LISTEN: &str = "0A";
        let fields: Vec<&str> = line.split_whitespace().collect();
        let port = fields.get(1)?.rsplit_once(':')?.1;
        let port = u16::from_str_radix(port, 16).ok()?;
        let inode = fields.get(9)?.parse().ok()?;
        (*fields.get(3)? == LISTEN).then_some((Port { is_v6, port }, inode))
    }

    fn of(pid: u32, name: &str) -> PathBuf {
        Path::new("/proc").join(pid.to_string()).join(name)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn listening_sockets_are_found() {
            let line = "   1: 0100007F:240D 00000000:0000 0A 00000000:00000000 00:00000000 \
                        00000000  1000        0 12345 1 0000000000000000 100 0 0 10 0";
            let expected = Some((Port { is_v6: false, port: 9229 }, 12345));
            assert_eq!(socket(line, false), expected);
            assert_eq!(socket(&line.replace(" 0A ", " 01 "), false), None);
            assert_eq!(socket("  sl  local_address rem_address   st", false), None);
        }

        #[test]
        fn the_owner_of_a_port_is_this_process() {
            let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
            let port = listener.local_addr().unwrap().port();
            assert_eq!(owner_of(port), Some(std::process::id()));
            assert!(ports(std::process::id()).contains(&Port { is_v6: false, port }));
            drop(listener);
            assert_eq!(owner_of(port), None);
        }

        #[test]
        fn only_processes_that_expect_the_signal_get_it() {
            assert!(catches_usr1("Name:\tnode\nSigCgt:\t0000000188004602\n"));
            assert!(!catches_usr1("Name:\tsleep\nSigCgt:\t0000000000000000\n"));
            assert!(!catches_usr1(""));
            // This process does not.
            assert!(inspector_of(std::process::id(), true, &|| false).is_err());
        }
    }
}
