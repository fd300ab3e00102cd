//! How much more memory a process may take.

/// A limit of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Room {
    /// Whose limit it is, to follow "the room of".
    pub of: &'static str,
    /// What is left in bytes.
    pub left: u64,
}

/// The limits of a process of this machine. `read` gives the text of a file.
pub(crate) fn rooms(pid: u32, read: impl Fn(&str) -> Option<String>) -> Vec<Room> {
    let own = |name: &str| read(&format!("/proc/{pid}/{name}")).unwrap_or_default();
    let mut rooms = shared_rooms(pid, &read);
    let (status, limits) = (own("status"), own("limits"));
    for (limit, used, of) in [
        ("Max address space", "VmSize:", "its address space (ulimit -v)"),
        ("Max data size", "VmData:", "its data segment (ulimit -d)"),
    ] {
        let limit = limits.lines().find_map(|line| line.strip_prefix(limit));
        let limit = limit.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        if let (Some(limit), Some(used)) = (limit, kilobytes(&status, used)) {
            rooms.push(Room { of, left: limit.saturating_sub(used) });
        }
    }
    rooms
}

/// The limits that a process of this machine shares with its children.
pub(crate) fn shared_rooms(pid: u32, read: impl Fn(&str) -> Option<String>) -> Vec<Room> {
    let groups = read(&format!("/proc/{pid}/cgroup")).unwrap_or_default();
    let mut rooms = self::groups(&groups, &read);
    let memory = read("/proc/meminfo").unwrap_or_default();
    if let Some(available) = kilobytes(&memory, "MemAvailable:") {
        let swap = kilobytes(&memory, "SwapFree:").unwrap_or(0);
        rooms.push(Room { of: "this machine", left: available.saturating_add(swap) });
    }
    rooms
}

/// The number after a name, in bytes.
fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

/// The limits of the groups of a process and of their parents: cgroups(7). The cache of files gives way.
fn groups(groups: &str, read: &impl Fn(&str) -> Option<String>) -> Vec<Room> {
    let mut rooms = Vec::new();
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, group) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
        let (root, limit, used, cache) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file "),
            list if list.split(',').any(|name| name == "memory") => {
                let (limit, used) = ("memory.limit_in_bytes", "memory.usage_in_bytes");
                ("/sys/fs/cgroup/memory", limit, used, "total_inactive_file ")
            }
            _ => continue,
        };
        for group in std::path::Path::new(group).ancestors() {
            let group = group.to_string_lossy();
            let place = format!("{root}{}", group.trim_end_matches('/'));
            let file = |name: &str| read(&format!("{place}/{name}"));
            let number = |name: &str| file(name)?.trim().parse::<u64>().ok();
            let (Some(limit), Some(used)) = (number(limit), number(used)) else { continue };
            let stat = file("memory.stat").unwrap_or_default();
            let cache = stat.lines().find_map(|line| line.strip_prefix(cache)?.parse().ok());
            let used = used.saturating_sub(cache.unwrap_or(0));
            rooms.push(Room { of: "its control group", left: limit.saturating_sub(used) });
        }
    }
    rooms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_limits_of_a_process_count() {
        let files = [
            ("/proc/7/cgroup", "1:name=systemd:/x\n0::/a/b\n"),
            ("/sys/fs/cgroup/a/b/memory.max", "max\n"),
            ("/sys/fs/cgroup/a/b/memory.current", "5000\n"),
            ("/sys/fs/cgroup/a/memory.max", "9000\n"),
            ("/sys/fs/cgroup/a/memory.current", "6000\n"),
            ("/sys/fs/cgroup/a/memory.stat", "anon 1\ninactive_file 1000\nactive_file 3\n"),
            ("/proc/7/status", "VmSize:\t   10 kB\nVmData:\t 4 kB\n"),
            (
                "/proc/7/limits",
                "Max data size      unlimited   unlimited  bytes\nMax address space  20480  unlimited  bytes\n",
            ),
            ("/proc/meminfo", "MemTotal: 9 kB\nMemAvailable:  3 kB\nSwapFree:  1 kB\n"),
        ];
        let read = |path: &str| {
            let file = files.iter().find(|(name, _)| *name == path);
            file.map(|(_, text)| (*text).to_owned())
        };
        let expected = [
            ("its control group", 4000),
            ("this machine", 4 << 10),
            ("its address space (ulimit -v)", 10 << 10),
        ];
        let expected = expected.map(|(of, left)| Room { of, left });
        assert_eq!(rooms(7, read), expected);
        assert_eq!(shared_rooms(7, read), expected[..2]);
        assert_eq!(rooms(8, |_| None), []);
        let v1 = |path: &str| match path {
            "/proc/7/cgroup" => Some("5:cpu,memory:/c\n".into()),
            "/sys/fs/cgroup/memory/c/memory.limit_in_bytes" => Some("100".into()),
            "/sys/fs/cgroup/memory/c/memory.usage_in_bytes" => Some("160".into()),
            "/sys/fs/cgroup/memory/c/memory.stat" => Some("total_inactive_file 90".into()),
            _ => None,
        };
        assert_eq!(rooms(7, v1), [Room { of: "its control group", left: 30 }]);
    }
}
