//! Headers of sections: 1024 bytes, packed, little-endian.

/// Bytes of a header.
pub const HEADER: usize = 1024;

/// The first bytes of a section.
pub const MAGIC: &[u8; 8] = b"OHOSPROF";

/// Content of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataType {
    /// Records: messages `ProfilerPluginData`.
    Records,
    /// Output of hiperf.
    Hiperf,
    /// Output of a plugin with a section of its own.
    Standalone,
    /// Unknown content.
    Other(u32),
}

impl DataType {
    /// The number in the header.
    pub fn number(self) -> u32 {
        match self {
            DataType::Records => 0,
            DataType::Hiperf => 1,
            DataType::Standalone => 1000,
            DataType::Other(number) => number,
        }
    }
}

/// The clocks of the device at one moment, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clocks {
    /// Boot time, sleep included.
    pub boottime: u64,
    /// Since 1970.
    pub realtime: u64,
    /// Since 1970, with coarse resolution.
    pub realtime_coarse: u64,
    /// Since boot, without sleep.
    pub monotonic: u64,
    /// Since boot, without sleep, with coarse resolution.
    pub monotonic_coarse: u64,
    /// Since boot, without adjustments (raw hardware clock).
    pub monotonic_raw: u64,
}

/// Clocks by their numbers in `ProfilerPluginData.clock_id`.
const REALTIME: i32 = 0;
const MONOTONIC: i32 = 1;
const MONOTONIC_RAW: i32 = 4;
const REALTIME_COARSE: i32 = 5;
const MONOTONIC_COARSE: i32 = 6;
const BOOTTIME: i32 = 7;

impl Clocks {
    /// The offset from that clock to boot time; `None` if one of the two is unknown.
    pub fn to_boottime(&self, clock: i32) -> Option<i64> {
        let clock = match clock {
            BOOTTIME => return Some(0),
            REALTIME => self.realtime,
            MONOTONIC => self.monotonic,
            MONOTONIC_RAW => self.monotonic_raw,
            REALTIME_COARSE => self.realtime_coarse,
            MONOTONIC_COARSE => self.monotonic_coarse,
            _ => 0,
        };
        if clock == 0 || self.boottime == 0 {
            return None;
        }
        let offset = i128::from(self.boottime) - i128::from(clock);
        i64::try_from(offset).ok()
    }

    /// The offset from the monotonic clock, which the engine uses, to boot time.
    pub fn monotonic_to_boottime(&self) -> Option<i64> {
        self.to_boottime(MONOTONIC)
    }
}

/// The header of a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Declared length of the section, header included: 1024 if the writer did not finish.
    pub length: u64,
    /// Major version in the high 16 bits.
    pub version: u32,
    /// Number of segments: two for each record, or one, depending on the writer.
    pub segments: u32,
    /// Declared SHA-256 of everything after the header.
    pub sha256: [u8; 32],
    /// Content of the section.
    pub data_type: DataType,
    /// Clocks at the start of the recording; all 0 if the writer did not record them.
    pub clocks: Clocks,
    /// Name of the plugin with a section of its own; empty for records.
    pub plugin_name: String,
    /// Version of that plugin.
    pub plugin_version: String,
    /// Duration of the recording in nanoseconds (4.1 and later; 0 before).
    pub duration_ns: u64,
}

impl Header {
    /// Parses a header, if `bytes` begin with one. A cut header is padded with zeros.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let mut whole = [0; HEADER];
        let length = bytes.len().min(HEADER);
        whole[..length].copy_from_slice(&bytes[..length]);
        if !whole.starts_with(MAGIC) {
            return None;
        }
        let u32_at = |at: usize| u32::from_le_bytes(*whole[at..].first_chunk().expect("4 bytes"));
        let u64_at = |at: usize| u64::from_le_bytes(*whole[at..].first_chunk().expect("8 bytes"));
        let text = |at: usize, length: usize| {
            let field = &whole[at..at + length];
            let end = memchr::memchr(0, field).unwrap_or(length);
            String::from_utf8_lossy(&field[..end]).into_owned()
        };
        Some(Header {
            length: u64_at(8),
            version: u32_at(16),
            segments: u32_at(20),
            sha256: *whole[24..].first_chunk().expect("32 bytes"),
            data_type: match u32_at(56) {
                0 => DataType::Records,
                1 => DataType::Hiperf,
                1000 => DataType::Standalone,
                other => DataType::Other(other),
            },
            clocks: Clocks {
                boottime: u64_at(60),
                realtime: u64_at(68),
                realtime_coarse: u64_at(76),
                monotonic: u64_at(84),
                monotonic_coarse: u64_at(92),
                monotonic_raw: u64_at(100),
            },
            plugin_name: text(108, 128),
            plugin_version: text(236, 8),
            duration_ns: u64_at(244),
        })
    }
}
