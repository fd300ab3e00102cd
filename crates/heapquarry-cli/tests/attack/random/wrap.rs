//! Puts files into containers: zip archives, pages as those of trace viewers, and compressed files.

use super::mutate::Random;
use std::io::{Cursor, Write};
use zip::{CompressionMethod, ZipWriter, result::ZipResult, write::SimpleFileOptions};

/// An archive of these files, under names that are in turn plain, hostile and long.
pub(super) fn archive(files: &[&[u8]], random: &mut Random) -> ZipResult<Vec<u8>> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (n, bytes) in files.iter().enumerate() {
        let method = random.pick(&[CompressionMethod::Stored, CompressionMethod::Deflated]);
        let long = "n".repeat(300);
        let stem = random.pick(&["a", "../a", "/a", "\u{1b}[31m\n::error::a", &long, ""]);
        let options = SimpleFileOptions::default().compression_method(method);
        zip.start_file(format!("{stem}{n}.heapsnapshot"), options)?;
        zip.write_all(bytes)?;
    }
    Ok(zip.finish()?.into_inner())
}

/// A page with these files in its scripts.
pub(super) fn page(files: &[&[u8]], random: &mut Random) -> Vec<u8> {
    let mut page = b"<!DOCTYPE html>\n".to_vec();
    for bytes in files {
        page.extend(random.pick(&[
            &b"<script class=\"trace-data\">"[..],
            b"<script id=\"viewer-data\">\n",
            b"<script>var linuxPerfData = \"\\\n",
            b"<script>",
        ]));
        page.extend(*bytes);
        page.extend(b"</script>\n");
    }
    page
}

/// These files, compressed one behind the other.
pub(super) fn gzip(files: &[&[u8]]) -> std::io::Result<Vec<u8>> {
    let mut out = Vec::new();
    for bytes in files {
        let mut encoder = flate2::write::GzEncoder::new(out, flate2::Compression::fast());
        encoder.write_all(bytes)?;
        out = encoder.finish()?;
    }
    Ok(out)
}

/// These files in frames of Zstandard, one behind the other.
pub(super) fn zstd(files: &[&[u8]]) -> std::io::Result<Vec<u8>> {
    let frames = files.iter().map(|bytes| zstd::encode_all(*bytes, 1));
    Ok(frames.collect::<Result<Vec<_>, _>>()?.concat())
}

mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn containers_hold_the_files() {
        let files = [&b"one"[..], b"two"];
        let mut random = Random::new(1, 2);
        let page = String::from_utf8(page(&files, &mut random)).unwrap();
        assert!(page.contains("one</script>") && page.contains("two</script>"), "{page}");
        let zip = archive(&files, &mut random).unwrap();
        assert_eq!(zip::ZipArchive::new(Cursor::new(zip)).unwrap().len(), 2);
        let mut text = String::new();
        let gzip = gzip(&files).unwrap();
        flate2::read::MultiGzDecoder::new(&gzip[..]).read_to_string(&mut text).unwrap();
        assert_eq!(text, "onetwo");
        assert_eq!(zstd::decode_all(&zstd(&files).unwrap()[..]).unwrap(), b"onetwo");
    }
}
