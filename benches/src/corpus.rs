//! Files of `corpus/`.

use std::io::Read;

/// The packed file of that name, unpacked.
///
/// # Panics
/// If there is no such file.
pub fn unpacked(name: &str) -> Vec<u8> {
    let path = format!("{}/../corpus/{name}.gz", env!("CARGO_MANIFEST_DIR"));
    let packed = std::fs::File::open(path).expect("the corpus is there");
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(packed).read_to_end(&mut bytes).expect("the corpus is sound");
    bytes
}
