//! `/proc/PID/status`: proc_pid_status(5).

use serde::{Deserialize, Serialize};

/// Resident memory by its kind, in bytes; `None` for what the system does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Status {
    /// All of it.
    pub rss: Option<u64>,
    /// Anonymous memory.
    pub anon: Option<u64>,
    /// Pages of files.
    pub file: Option<u64>,
    /// Shared memory.
    pub shmem: Option<u64>,
    /// What was swapped out.
    pub swap: Option<u64>,
    /// Number of threads.
    pub threads: Option<u64>,
}

impl Status {
    #[cfg_attr(not(target_os = "linux"), expect(dead_code))]
    pub(crate) fn parse(text: &str) -> Self {
        let number = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
            line.split_whitespace().next()?.parse::<u64>().ok()
        };
        let bytes = |name: &str| number(name)?.checked_mul(1024);
        Status {
            rss: bytes("VmRSS"),
            anon: bytes("RssAnon"),
            file: bytes("RssFile"),
            shmem: bytes("RssShmem"),
            swap: bytes("VmSwap"),
            threads: number("Threads"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_bytes_and_absent_ones_are_none() {
        let text = "Name:\tnode\nVmRSS:\t  4 kB\nRssAnon:\t 3 kB\nRssFile:\t1 kB\nThreads:\t11\n";
        let expected = Status {
            rss: Some(4096),
            anon: Some(3072),
            file: Some(1024),
            threads: Some(11),
            ..Status::default()
        };
        assert_eq!(Status::parse(text), expected);
        assert_eq!(Status::parse(""), Status::default());
    }
}
