//! Makes Rust of the messages in this folder: `cargo run --manifest-path proto/Cargo.toml`. What comes of it is
//! committed; the test compares.

use std::{error::Error, fs, path::Path};

/// Messages, and the file that holds them in Rust.
const FILES: [(&str, &str); 2] = [
    ("htrace", "../crates/heapquarry-input/src/htrace/proto.rs"),
    ("pprof", "../crates/heapquarry-export/src/pprof/proto.rs"),
];

const HERE: &str = env!("CARGO_MANIFEST_DIR");

fn main() -> Result<(), Box<dyn Error>> {
    for (package, target) in FILES {
        fs::write(Path::new(HERE).join(target), generate(package)?)?;
    }
    Ok(())
}

fn generate(package: &str) -> Result<String, Box<dyn Error>> {
    let messages = protox::compile([format!("{package}.proto")], [HERE])?;
    let out = tempfile::tempdir()?;
    prost_build::Config::new().out_dir(out.path()).compile_fds(messages)?;
    Ok(fs::read_to_string(out.path().join(format!("{package}.rs")))?)
}

#[test]
fn what_is_committed_is_up_to_date() {
    for (package, target) in FILES {
        let committed = fs::read_to_string(Path::new(HERE).join(target)).unwrap();
        let how = "`cargo run --manifest-path proto/Cargo.toml` renews it";
        assert!(generate(package).unwrap() == committed, "{target}: {how}");
    }
}
