//! The inspector of a process of this machine.

use crate::{Address, Error, Result, Session, choose};

/// An inspector that a process has open.
pub struct Inspector {
    /// Where it is.
    pub address: Address,
    /// Whether it was opened for us, and should be closed again: [`crate::Session::close_inspector`].
    pub is_ours: bool,
}

impl Inspector {
    /// One that is open already.
    pub fn at(address: Address) -> Self {
        Inspector { address, is_ours: false }
    }

    /// Does something with a connection to the target that its address means. An inspector that was opened for us is
    /// closed again, however that ends. `stop` is asked as in [`Session::open`].
    ///
    /// # Errors
    /// If there is no connection, or `work` fails.
    pub fn connected<T, E: From<Error>>(
        &self,
        stop: &dyn Fn() -> bool,
        work: impl FnOnce(&mut Session<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let opened = choose(&self.address, stop).and_then(|target| Session::open(&target, stop));
        let mut session = opened.inspect_err(|_| self.close())?;
        let done = work(&mut session);
        if self.is_ours {
            session.close_inspector();
        }
        done
    }

    /// Closes it again, if it was opened for us and can be reached; for when there is no session that does.
    pub fn close(&self) {
        let opened = || Session::open(&choose(&self.address, &|| false)?, &|| false);
        if self.is_ours
            && let Ok(session) = opened()
        {
            session.close_inspector();
        }
    }
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
        let why = "only on Linux is it told to; send SIGUSR1 yourself, and give the address".into();
        Err(Error::Process { pid, why })
    }
}

/// The process of a target, if it is of this machine and that can be told. Who listens on the port can also be a
/// forwarder or a browser, so it must be what the target says of itself: its id, and the program that it runs.
pub(crate) fn process_of(session: &mut Session<'_>) -> Result<Option<u32>> {
    if !cfg!(target_os = "linux") || !session.address.is_loopback() {
        return Ok(None);
    }
    let told = session.evaluate("({ pid: process.pid, program: process.execPath })")?;
    let pid = told["pid"].as_u64().and_then(|pid| u32::try_from(pid).ok());
    #[cfg(target_os = "linux")]
    let found = pid.zip(told["program"].as_str()).and_then(|(pid, program)| {
        let is_it = |found| linux::is(found, pid, program);
        linux::owner_of(session.address.port, is_it)
    });
    #[cfg(not(target_os = "linux"))]
    let found = pid.and(None);
    Ok(found)
}

/// The browser of this machine that listens on a port. Its pages are in other processes, which share its machine and
/// control group.
pub(crate) fn browser_of(address: &Address) -> Option<u32> {
    if !address.is_loopback() {
        return None;
    }
    #[cfg(target_os = "linux")]
    return linux::owner_of(address.port, linux::is_browser);
    #[cfg(not(target_os = "linux"))]
    None
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
    /// How often the tables of the system are read for the owner of a port.
    const LOOKS: usize = 4;
    /// How long it may still take to open it after an interrupt, to be closed again.
    const GOODBYE: Duration = Duration::from_secs(1);

    /// A listening socket of a process.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
            return Ok(Inspector::at(address));
        }
        if !catches_usr1(&status) {
            return Err(fail("SIGUSR1 would end it, so it is no Node that can open an inspector"));
        }
        let exe = fs::read_link(of(pid, "exe")).unwrap_or_default();
        let name = exe.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        if !is_node && !name.contains("node") && !name.contains("electron") {
            return Err(Error::NotNode { pid });
        }
        let process = i32::try_from(pid).map_err(|_| fail("there is none"))?;
        kill(Pid::from_raw(process), Signal::SIGUSR1).map_err(|error| fail(error.desc()))?;
        let mut end = Instant::now() + PATIENCE;
        let mut is_stopped = false;
        while Instant::now() < end {
            match find()? {
                // It is opened all the same, so it is closed again.
                Some(address) if is_stopped => {
                    Inspector { address, is_ours: true }.close();
                    return Err(Error::Interrupted);
                }
                Some(address) => return Ok(Inspector { address, is_ours: true }),
                None => {}
            }
            if stop() {
                if is_stopped {
                    return Err(Error::Interrupted);
                }
                is_stopped = true;
                end = Instant::now() + GOODBYE;
            }
            thread::sleep(POLL);
        }
        if is_stopped {
            return Err(Error::Interrupted);
        }
        Err(fail(
            "it opens no inspector; the port 9229 may be taken, or the program handles SIGUSR1",
        ))
    }

    /// The process that listens on a port, if it is such a one. The system may leave sockets out of its table while
    /// others are opened and closed, so it is asked more than once.
    pub(super) fn owner_of(port: u16, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        owner_in(|| listening("self"), port, is_it)
    }

    /// The process that listens on a port, by a table of listening sockets that is read for each look.
    fn owner_in(
        mut table: impl FnMut() -> Vec<(Port, u64)>,
        port: u16,
        is_it: impl Fn(u32) -> bool,
    ) -> Option<u32> {
        (0..LOOKS).find_map(|look| {
            if look > 0 {
                thread::sleep(POLL);
            }
            listener_on(port, table(), &is_it)
        })
    }

    fn listener_on(
        port: u16,
        sockets: Vec<(Port, u64)>,
        is_it: impl Fn(u32) -> bool,
    ) -> Option<u32> {
        let sockets = sockets.into_iter();
        let sockets: HashSet<u64> =
            sockets.filter(|(found, _)| found.port == port).map(|(_, inode)| inode).collect();
        let processes = fs::read_dir("/proc").ok()?.flatten();
        let mut processes =
            processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        processes.find(|pid| is_it(*pid) && !inodes(*pid).is_disjoint(&sockets))
    }

    /// Whether a process has this id where it runs, which can be a container, and runs this program.
    pub(super) fn is(process: u32, pid: u32, program: &str) -> bool {
        let status = fs::read_to_string(of(process, "status")).unwrap_or_default();
        let exe = fs::read_link(of(process, "exe")).unwrap_or_default();
        let exe = exe.to_string_lossy();
        // A program can be replaced while it runs.
        let exe = exe.strip_suffix(" (deleted)").unwrap_or(&exe);
        own_id(&status) == Some(pid) && Path::new(exe).file_name() == Path::new(program).file_name()
    }

    /// Whether a process is a browser whose pages can be inspected.
    pub(super) fn is_browser(process: u32) -> bool {
        let args = fs::read(of(process, "cmdline")).unwrap_or_default();
        args.split(|byte| *byte == 0).any(|arg| arg.starts_with(b"--remote-debugging-port"))
    }

    /// The id of a process in its own namespace, the last of all: proc_pid_status(5).
    fn own_id(status: &str) -> Option<u32> {
        let line = |name| status.lines().find_map(|line| line.strip_prefix(name));
        line("NSpid:").or_else(|| line("Pid:"))?.split_whitespace().next_back()?.parse().ok()
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
            let us = std::process::id();
            assert_eq!(owner_of(port, |pid| pid == us), Some(us));
            assert_eq!(owner_of(port, |pid| pid != us), None);
            assert!(ports(us).contains(&Port { is_v6: false, port }));
            drop(listener);
            assert_eq!(owner_of(port, |pid| pid == us), None);
        }

        #[test]
        fn a_socket_that_the_table_leaves_out_is_looked_for_again() {
            let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
            let port = listener.local_addr().unwrap().port();
            let us = std::process::id();
            // The real table may lack the socket, too.
            let has_it =
                |table: &Vec<(Port, u64)>| table.iter().any(|(found, _)| found.port == port);
            let whole = std::iter::repeat_with(|| listening("self")).find(has_it).unwrap();
            for (missing, expected) in [(0, Some(us)), (LOOKS - 1, Some(us)), (LOOKS, None)] {
                let mut looks = 0;
                let table = || {
                    looks += 1;
                    if looks > missing { whole.clone() } else { Vec::new() }
                };
                assert_eq!(owner_in(table, port, |pid| pid == us), expected, "{missing}");
                assert_eq!(looks, LOOKS.min(missing + 1));
            }
        }

        #[test]
        fn a_process_is_what_it_says_of_itself() {
            let us = std::process::id();
            let program = std::env::current_exe().unwrap();
            let program = program.to_str().unwrap();
            assert!(is(us, us, program));
            assert!(!is(us, us + 1, program) && !is(us, us, "/usr/bin/socat"));
            for (status, expected) in [
                ("Name:\tnode\nPid:\t7\nNSpid:\t7\n", Some(7)),
                ("Name:\tnode\nPid:\t4711\nNSpid:\t4711\t12\t1\n", Some(1)),
                ("Name:\tnode\nPid:\t7\n", Some(7)),
                ("", None),
            ] {
                assert_eq!(own_id(status), expected, "{status}");
            }
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
