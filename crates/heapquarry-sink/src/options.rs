//! Output options. Their names are those of the command line.

use std::{fmt, str::FromStr};

/// Codec of the pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compression {
    /// Zstandard at a level of 1 to 22. Level 3 is about 7 % smaller than level 1 for 11 % more time.
    Zstd(i32),
    /// Snappy.
    Snappy,
    /// LZ4 blocks, `LZ4_RAW` in Parquet's terms.
    Lz4,
    /// No compression.
    None,
}

impl Default for Compression {
    fn default() -> Self {
        Compression::Zstd(1)
    }
}

impl fmt::Display for Compression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Compression::Zstd(level) => write!(f, "zstd:{level}"),
            Compression::Snappy => f.write_str("snappy"),
            Compression::Lz4 => f.write_str("lz4"),
            Compression::None => f.write_str("none"),
        }
    }
}

impl FromStr for Compression {
    type Err = String;

    /// `zstd`, `zstd:LEVEL`, `snappy`, `lz4` or `none`.
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "zstd" => Ok(Compression::default()),
            "snappy" => Ok(Compression::Snappy),
            "lz4" => Ok(Compression::Lz4),
            "none" => Ok(Compression::None),
            _ => {
                let Some(level) = text.strip_prefix("zstd:") else {
                    return Err(format!(
                        "unknown compression `{text}`: expected zstd, zstd:LEVEL, snappy, lz4 or none"
                    ));
                };
                match level.parse() {
                    Ok(level @ 1..=22) => Ok(Compression::Zstd(level)),
                    _ => Err(format!("zstd level `{level}` is not a number from 1 to 22")),
                }
            }
        }
    }
}

/// Which Parquet encodings may be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Encodings {
    /// Encodings that DuckDB 1.0, pyarrow 15, Polars 1.0 and Spark 3.5 read: plain, dictionary, RLE and
    /// `DELTA_BINARY_PACKED`.
    #[default]
    Universal,
    /// Also `BYTE_STREAM_SPLIT` on integers and `DELTA_LENGTH_BYTE_ARRAY` on text: smaller and faster, but DuckDB
    /// before 2.0 and pyarrow 15 refuse such files, and Spark 3.5 misreads the text.
    Modern,
}

impl fmt::Display for Encodings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Encodings::Universal => "universal",
            Encodings::Modern => "modern",
        })
    }
}

impl FromStr for Encodings {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "universal" => Ok(Encodings::Universal),
            "modern" => Ok(Encodings::Modern),
            _ => Err(format!("unknown encodings `{text}`: expected universal or modern")),
        }
    }
}

/// Where the rows of a table are in the directory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Layout {
    /// `<table>.parquet`, one file for the rows of all inputs.
    #[default]
    Flat,
    /// `<table>/source=<part>/part-0.parquet`, one file for each input.
    Hive,
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Layout::Flat => "flat",
            Layout::Hive => "hive",
        })
    }
}

impl FromStr for Layout {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "flat" => Ok(Layout::Flat),
            "hive" => Ok(Layout::Hive),
            _ => Err(format!("unknown layout `{text}`: expected flat or hive")),
        }
    }
}

/// How tables are written as column chunks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct WriteOptions {
    /// Codec of the pages.
    pub compression: Compression,
    /// The permitted encodings.
    pub encodings: Encodings,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_as_they_are_shown() {
        for text in ["zstd:1", "zstd:22", "snappy", "lz4", "none"] {
            assert_eq!(text.parse::<Compression>().unwrap().to_string(), text);
        }
        assert_eq!("zstd".parse(), Ok(Compression::Zstd(1)));
        for bad in ["zstd:0", "zstd:23", "zstd:", "zstd:x", "ZSTD", "gzip", ""] {
            assert!(bad.parse::<Compression>().is_err(), "{bad}");
        }
        for text in ["universal", "modern"] {
            assert_eq!(text.parse::<Encodings>().unwrap().to_string(), text);
        }
        for text in ["flat", "hive"] {
            assert_eq!(text.parse::<Layout>().unwrap().to_string(), text);
        }
        assert!("".parse::<Encodings>().is_err() && "x".parse::<Layout>().is_err());
    }
}
