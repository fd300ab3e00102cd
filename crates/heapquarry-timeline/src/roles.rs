//! Names that stay the same from run to run: ids and addresses in them do not.

/// Replaces what differs between runs by `*`: numbers that are one of `ids`, numbers after `#`, numbers of five digits
/// or more on their own, and hexadecimal addresses.
pub fn without_ids(name: &str, ids: &[i64]) -> String {
    let mut text = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, from) = rest.split_at(at);
        let is_hex = from.starts_with("0x")
            && from[2..].starts_with(|c: char| c.is_ascii_hexdigit())
            && !before.ends_with(|c: char| c.is_alphanumeric());
        let len = match is_hex {
            true => 2 + digits(&from[2..], |c| c.is_ascii_hexdigit()),
            false => digits(from, |c| c.is_ascii_digit()),
        };
        let (number, after) = from.split_at(len);
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let stands_alone = !before.ends_with(is_word) && !after.starts_with(is_word);
        let is_id = is_hex
            || before.ends_with('#')
            || (stands_alone && len >= 5)
            || number.parse().is_ok_and(|number: i64| ids.contains(&number));
        text += before;
        text += if is_id { "*" } else { number };
        rest = after;
    }
    text + rest
}

fn digits(text: &str, is_digit: impl Fn(char) -> bool) -> usize {
    text.find(|c| !is_digit(c)).unwrap_or(text.len())
}

/// The name of a thread or process without its ids, and without the number that it has among others of its kind:
/// `worker-3` is `worker-*`. GPUs and their streams keep theirs, because each does another work.
pub fn role(name: &str, ids: &[i64]) -> String {
    let name = name.trim();
    let kind = name.split_once(' ').filter(|(_, number)| number.parse::<u32>().is_ok());
    if kind.is_some_and(|(kind, _)| ["stream", "GPU", "MTIA", "CPU"].contains(&kind)) {
        return name.into();
    }
    let name = without_ids(name, ids);
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_numbered = stem.len() < name.len() && stem.ends_with([' ', '-', '_', '/', '#', ':']);
    if is_numbered { format!("{stem}*") } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_left_out() {
        for (name, expected) in [
            ("", ""),
            ("ProfilerStep#12", "ProfilerStep#*"),
            ("thread 4242 (python3)", "thread * (python3)"),
            ("Choreographer#doFrame 1234567", "Choreographer#doFrame *"),
            ("at 0x7f00aB: call", "at *: call"),
            ("ampere_sgemm_128x64_tn", "ampere_sgemm_128x64_tn"),
            ("triton_poi_fused_add_1", "triton_poi_fused_add_1"),
            ("AddBackward0", "AddBackward0"),
            ("v1.12345.6", "v1.12345.6"),
            ("layer 3", "layer 3"),
            ("Größe 99999 €", "Größe * €"),
            ("0x", "0x"),
        ] {
            assert_eq!(without_ids(name, &[4242]), expected, "{name}");
        }
    }

    #[test]
    fn threads_of_a_pool_are_one() {
        for (name, expected) in [
            ("CrRendererMain", "CrRendererMain"),
            ("worker-3", "worker-*"),
            ("ThreadPoolForegroundWorker/12", "ThreadPoolForegroundWorker/*"),
            ("CompositorTileWorker1", "CompositorTileWorker1"),
            ("python3", "python3"),
            ("stream 77 ", "stream 77"),
            ("GPU 0", "GPU 0"),
            ("77", "*"),
            ("12", "12"),
        ] {
            assert_eq!(role(name, &[77]), expected, "{name}");
        }
    }
}
