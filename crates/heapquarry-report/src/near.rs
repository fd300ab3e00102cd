//! Names that resemble a name: what was probably meant.

/// Names that are suggested.
const SUGGESTED: usize = 3;
/// Longer names are not compared: the work grows with the product of both lengths.
const LONGEST: usize = 100;

/// The names that are nearest to one, the nearest first; none if nothing resembles it.
pub fn near<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted: Vec<char> = name.chars().take(LONGEST + 1).collect();
    if wanted.is_empty() || wanted.len() > LONGEST {
        return Vec::new();
    }
    let most = wanted.len().div_ceil(3);
    let mut found: Vec<(usize, &str)> = names
        .filter_map(|other| {
            let chars: Vec<char> = other.chars().take(LONGEST + 1).collect();
            if chars.len() > LONGEST || chars.len().abs_diff(wanted.len()) > most {
                return None;
            }
            let distance = distance(&wanted, &chars);
            (distance <= most && distance < wanted.len()).then_some((distance, other))
        })
        .collect();
    found.sort_unstable();
    // Several scopes may have a quantity of one name.
    found.dedup();
    // Where one is near, those that are much farther were not meant.
    let farthest = found.first().map_or(0, |(nearest, _)| nearest + 1);
    found.retain(|(distance, _)| *distance <= farthest);
    found.into_iter().take(SUGGESTED).map(|(_, name)| name).collect()
}

/// Letters that must be inserted, removed, replaced or swapped with their neighbour (optimal string alignment). Case
/// counts as nothing.
fn distance(a: &[char], b: &[char]) -> usize {
    let same = |x: char, y: char| x == y || x.to_lowercase().eq(y.to_lowercase());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, &x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, &y) in b.iter().enumerate() {
            let replaced = last[j] + usize::from(!same(x, y));
            let mut least = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && same(x, b[j - 1]) && same(a[i - 1], y) {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_probably_meant() {
        let names = ["Session", "Sessions", "SessionStore", "Array", "(string)", "A", "Über"];
        for (name, expected) in [
            ("Sesion", &["Session", "Sessions"][..]),
            ("session", &["Session", "Sessions"]),
            ("Sessoin", &["Session", "Sessions"]),
            ("array", &["Array"]),
            ("über", &["Über"]),
            ("string", &["(string)"]),
            ("x", &[]),
            ("", &[]),
            ("Unrelated", &[]),
        ] {
            assert_eq!(near(name, names.into_iter()), expected, "{name}");
        }
        let long = "x".repeat(5000);
        assert!(near(&long, [long.as_str()].into_iter()).is_empty());
    }
}
