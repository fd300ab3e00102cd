//! The largest of many numbers, without sorting them.

use std::cmp::Reverse;

/// The number that at most `most` of these exceed: the one that comes next after them.
pub fn bound_of_largest(numbers: impl Iterator<Item = u64>, most: usize) -> u64 {
    let mut largest: Vec<u64> = Vec::new();
    let mut least = 0;
    for number in numbers {
        if number > least {
            largest.push(number);
            if largest.len() > 4 * (most + 1) {
                least = cut(&mut largest, most);
            }
        }
    }
    if largest.len() > most { cut(&mut largest, most) } else { 0 }
}

/// Keeps the `most` largest and the next one, which it returns.
fn cut(largest: &mut Vec<u64>, most: usize) -> u64 {
    let (_, &mut next, _) = largest.select_nth_unstable_by_key(most, |&number| Reverse(number));
    largest.truncate(most + 1);
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_those_of_a_sorted_list() {
        let numbers: Vec<u64> = (0..1000).map(|n| n * 7919 % 613).collect();
        let mut sorted = numbers.clone();
        sorted.sort_unstable_by_key(|&n| Reverse(n));
        for most in [0, 1, 7, 100, 612, 998, 999, 1000, 5000] {
            let expected = sorted.get(most).copied().unwrap_or(0);
            assert_eq!(bound_of_largest(numbers.iter().copied(), most), expected, "{most}");
        }
        assert_eq!(bound_of_largest([].into_iter(), 3), 0);
    }
}
