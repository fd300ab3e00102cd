//! Headers of sections: 1024 bytes, packed, little-endian.

/// Bytes of a header.
pub const HEADER: usize = 1024;

/// What a section begins with.
pub const MAGIC: &[u8; 8] = b"OHOSPROF";

/// What a section holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataType {
    /// Records: messages `ProfilerPluginData`.
    Records,
    /// What hiperf writes.
    Hiperf,
    /// What a plugin with an output of its own writes.
    Standalone,
    /// Not known.
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
    /// Since the device was started.
    pub boottime: u64,
    /// Since 1970.
    pub realtime: u64,
    /// Since 1970, in coarse steps.
    pub realtime_coarse: u64,
    /// Since the device was started, without the time in which it slept.
    pub monotonic: u64,
    /// The same in coarse steps.
    pub monotonic_coarse: u64,
    /// The same as the hardware has it.
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
    /// What is to be added to a time of that clock to have boot time; nothing if one of the two is not known.
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

    /// What is to be added to a time of the monotonic clock, by which the engine reckons.
    pub fn monotonic_to_boottime(&self) -> Option<i64> {
        self.to_boottime(MONOTONIC)
    }
}

/// The header of a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Length of the section with this header, as the writer says: 1024 if it did not come to its end.
    pub length: u64,
    /// Major version in the high 16 bits.
    pub version: u32,
    /// Two for each record, or one, by writer.
    pub segments: u32,
    /// Of all that follows the header, as the writer says.
    pub sha256: [u8; 32],
    /// What the section holds.
    pub data_type: DataType,
    /// All 0 if the writer did not take them.
    pub clocks: Clocks,
    /// Of the plugin with an output of its own; empty for records.
    pub plugin_name: String,
    /// Its version.
    pub plugin_version: String,
    /// Duration of the recording in nanoseconds (4.1 and later; 0 before).
    pub duration_ns: u64,
}

impl Header {
    /// Takes a header, if it is one. One that is cut is taken as if zeros followed.
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
