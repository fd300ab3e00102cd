//! The messages of `proto/htrace.proto`, written in the form that prost-build gives them.

/// What a plugin of the profiler recorded.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ProfilerPluginData {
    /// Name of the plugin; with `_config` behind it for its configuration.
    #[prost(string, tag = "1")]
    pub name: ::prost::alloc::string::String,
    #[prost(uint32, tag = "2")]
    pub status: u32,
    /// The plugin's own message.
    #[prost(bytes = "vec", tag = "3")]
    pub data: ::prost::alloc::vec::Vec<u8>,
    /// The clock of the times.
    #[prost(enumeration = "profiler_plugin_data::ClockId", tag = "4")]
    pub clock_id: i32,
    #[prost(uint64, tag = "5")]
    pub tv_sec: u64,
    #[prost(uint64, tag = "6")]
    pub tv_nsec: u64,
    #[prost(string, tag = "7")]
    pub version: ::prost::alloc::string::String,
    /// In milliseconds.
    #[prost(uint32, tag = "8")]
    pub sample_interval: u32,
}
/// Nested message and enum types in `ProfilerPluginData`.
pub mod profiler_plugin_data {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, ::prost::Enumeration)]
    #[repr(i32)]
    pub enum ClockId {
        Realtime = 0,
        Monotonic = 1,
        ProcessCputimeId = 2,
        ThreadCputimeId = 3,
        MonotonicRaw = 4,
        RealtimeCoarse = 5,
        MonotonicCoarse = 6,
        Boottime = 7,
        RealtimeAlarm = 8,
        BoottimeAlarm = 9,
        SgiCycle = 10,
        Tai = 11,
    }
    impl ClockId {
        /// String value of the enum field names used in the ProtoBuf definition.
        ///
        /// The values are not transformed in any way and thus are considered stable
        /// (if the ProtoBuf definition does not change) and safe for programmatic use.
        pub fn as_str_name(&self) -> &'static str {
            match self {
                Self::Realtime => "REALTIME",
                Self::Monotonic => "MONOTONIC",
                Self::ProcessCputimeId => "PROCESS_CPUTIME_ID",
                Self::ThreadCputimeId => "THREAD_CPUTIME_ID",
                Self::MonotonicRaw => "MONOTONIC_RAW",
                Self::RealtimeCoarse => "REALTIME_COARSE",
                Self::MonotonicCoarse => "MONOTONIC_COARSE",
                Self::Boottime => "BOOTTIME",
                Self::RealtimeAlarm => "REALTIME_ALARM",
                Self::BoottimeAlarm => "BOOTTIME_ALARM",
                Self::SgiCycle => "SGI_CYCLE",
                Self::Tai => "TAI",
            }
        }
        /// Creates an enum from field names used in the ProtoBuf definition.
        pub fn from_str_name(value: &str) -> ::core::option::Option<Self> {
            match value {
                "REALTIME" => Some(Self::Realtime),
                "MONOTONIC" => Some(Self::Monotonic),
                "PROCESS_CPUTIME_ID" => Some(Self::ProcessCputimeId),
                "THREAD_CPUTIME_ID" => Some(Self::ThreadCputimeId),
                "MONOTONIC_RAW" => Some(Self::MonotonicRaw),
                "REALTIME_COARSE" => Some(Self::RealtimeCoarse),
                "MONOTONIC_COARSE" => Some(Self::MonotonicCoarse),
                "BOOTTIME" => Some(Self::Boottime),
                "REALTIME_ALARM" => Some(Self::RealtimeAlarm),
                "BOOTTIME_ALARM" => Some(Self::BoottimeAlarm),
                "SGI_CYCLE" => Some(Self::SgiCycle),
                "TAI" => Some(Self::Tai),
                _ => None,
            }
        }
    }
}
/// How the ArkTS engine was recorded.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ArkTsConfig {
    /// The process.
    #[prost(int32, tag = "1")]
    pub pid: i32,
    #[prost(enumeration = "ark_ts_config::HeapType", tag = "2")]
    pub r#type: i32,
    /// Seconds between snapshots.
    #[prost(uint32, tag = "3")]
    pub interval: u32,
    #[prost(bool, tag = "4")]
    pub capture_numeric_value: bool,
    /// Whether the stacks of allocations are recorded (timeline).
    #[prost(bool, tag = "5")]
    pub track_allocations: bool,
    /// Since 4.1.
    #[prost(bool, tag = "6")]
    pub enable_cpu_profiler: bool,
    /// In microseconds.
    #[prost(uint32, tag = "7")]
    pub cpu_profiler_interval: u32,
    /// Name of a file of its own.
    #[prost(string, tag = "8")]
    pub split_outfile_name: ::prost::alloc::string::String,
}
/// Nested message and enum types in `ArkTSConfig`.
pub mod ark_ts_config {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, ::prost::Enumeration)]
    #[repr(i32)]
    pub enum HeapType {
        /// Snapshots; also what a configuration without a type means.
        Snapshot = 0,
        /// One timeline.
        Timeline = 1,
        /// Nothing of the heap (since 4.1).
        Invalid = -1,
    }
    impl HeapType {
        /// String value of the enum field names used in the ProtoBuf definition.
        ///
        /// The values are not transformed in any way and thus are considered stable
        /// (if the ProtoBuf definition does not change) and safe for programmatic use.
        pub fn as_str_name(&self) -> &'static str {
            match self {
                Self::Snapshot => "SNAPSHOT",
                Self::Timeline => "TIMELINE",
                Self::Invalid => "INVALID",
            }
        }
        /// Creates an enum from field names used in the ProtoBuf definition.
        pub fn from_str_name(value: &str) -> ::core::option::Option<Self> {
            match value {
                "SNAPSHOT" => Some(Self::Snapshot),
                "TIMELINE" => Some(Self::Timeline),
                "INVALID" => Some(Self::Invalid),
                _ => None,
            }
        }
    }
}
/// A message of the DevTools protocol, as JSON.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ArkTsResult {
    #[prost(bytes = "vec", tag = "1")]
    pub result: ::prost::alloc::vec::Vec<u8>,
}
