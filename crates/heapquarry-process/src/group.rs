//! The control group of a process: cgroups(7).

use serde::{Deserialize, Serialize};

/// Memory of a control group, in bytes; `None` for what the system does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Group {
    /// What it takes, with the cache of files.
    pub used: Option<u64>,
    /// Most that it may take; the least limit of it and its parents. `None` for no limit, too.
    pub limit: Option<u64>,
    /// Cache of files.
    pub cache: Option<u64>,
    /// The part of the cache that gives way first: what is used without it is Kubernetes' working set.
    pub inactive_file: Option<u64>,
    /// How often processes of it were ended because the limit was reached.
    pub oom_kills: Option<u64>,
    /// Whether it is that of the whole machine, as far as can be told.
    pub is_root: bool,
}

/// Limits beyond this mean "none": version 1 has 2^63 - 4096.
const NO_LIMIT: u64 = 1 << 60;

/// The group of a process. `groups` is `/proc/PID/cgroup`, `read` gives the text of a file.
#[cfg_attr(not(target_os = "linux"), expect(dead_code))]
pub(crate) fn group(groups: &str, read: &impl Fn(&str) -> Option<String>) -> Option<Group> {
    // Of both versions at once, only one has the controller of memory.
    groups.lines().find_map(|line| of(line, read))
}

fn of(line: &str, read: &impl Fn(&str) -> Option<String>) -> Option<Group> {
    let mut parts = line.splitn(3, ':').skip(1);
    let (controllers, path) = (parts.next()?, parts.next()?);
    let is_v1 = controllers.split(',').any(|name| name == "memory");
    if !is_v1 && !controllers.is_empty() {
        return None;
    }
    let (root, used, limit, cache, inactive) = match is_v1 {
        false => ("/sys/fs/cgroup", "memory.current", "memory.max", "file", "inactive_file"),
        true => (
            "/sys/fs/cgroup/memory",
            "memory.usage_in_bytes",
            "memory.limit_in_bytes",
            "total_cache",
            "total_inactive_file",
        ),
    };
    let mut found: Option<Group> = None;
    // A container sees its own group as the root, whatever the path says.
    for parent in std::path::Path::new(path).ancestors() {
        let folder = format!("{root}{}", parent.to_string_lossy().trim_end_matches('/'));
        let file = |name: &str| read(&format!("{folder}/{name}"));
        let number = |name: &str| file(name)?.trim().parse::<u64>().ok();
        let Some(used) = number(used) else { continue };
        let limit = number(limit).filter(|limit| *limit < NO_LIMIT);
        match &mut found {
            Some(group) => group.limit = group.limit.into_iter().chain(limit).min(),
            None => {
                let stat = file("memory.stat").unwrap_or_default();
                let events = file("memory.events").unwrap_or_default();
                found = Some(Group {
                    used: Some(used),
                    limit,
                    cache: value(&stat, cache),
                    inactive_file: value(&stat, inactive),
                    oom_kills: value(&events, "oom_kill"),
                    is_root: path == "/" && limit.is_none(),
                });
            }
        }
    }
    found
}

fn value(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_versions_are_read() {
        let files = [
            ("/sys/fs/cgroup/a/b/memory.current", "500"),
            ("/sys/fs/cgroup/a/b/memory.max", "max"),
            ("/sys/fs/cgroup/a/b/memory.stat", "anon 1\nfile 200\ninactive_file 100\n"),
            ("/sys/fs/cgroup/a/b/memory.events", "oom 1\noom_kill 2\n"),
            ("/sys/fs/cgroup/a/memory.current", "700"),
            ("/sys/fs/cgroup/a/memory.max", "900"),
            ("/sys/fs/cgroup/memory/memory.usage_in_bytes", "60"),
            ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712"),
            ("/sys/fs/cgroup/memory/memory.stat", "cache 1\ntotal_cache 20\n"),
        ];
        let read = |path: &str| {
            let file = files.iter().find(|(name, _)| *name == path);
            file.map(|(_, text)| (*text).to_owned())
        };
        let v2 = Group {
            used: Some(500),
            limit: Some(900),
            cache: Some(200),
            inactive_file: Some(100),
            oom_kills: Some(2),
            is_root: false,
        };
        let v1 = Group { used: Some(60), cache: Some(20), ..Group::default() };
        for (groups, expected) in [
            ("1:name=systemd:/x\n0::/a/b\n", Some(v2)),
            ("4:cpu:/\n3:memory:/docker/1\n", Some(v1)),
            ("3:memory:/\n", Some(Group { is_root: true, ..v1 })),
            ("", None),
            ("nonsense", None),
        ] {
            assert_eq!(group(groups, &read), expected, "{groups}");
        }
    }
}
