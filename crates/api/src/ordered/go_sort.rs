//! Go's `sort.Slice`. It is unstable, and its order of equal elements is visible in the order of preemption victims
//! (SCH-098).
//!
//! It uses insertion sort for up to twelve elements, else pattern-defeating quicksort. The comparison may be
//! inconsistent, as several of Kubernetes' comparisons are: pods without start time are each "earlier" than the other
//! (SCH-098), pods that became ready at the same time are compared by other rules than other pods (CT-058), and YAML
//! keys with digits are compared inconsistently. `std`'s sort panics on such comparisons.

/// Sorts like Go's `sort.Slice`.
pub fn go_sort<T>(items: &mut [T], less: impl Fn(&T, &T) -> bool) {
    let mut order: Vec<usize> = (0..items.len()).collect();
    let limit = usize::BITS - items.len().leading_zeros();
    let n = items.len();
    Sorter {
        items: &mut order,
        less: &|one, other| less(&items[one], &items[other]),
    }
    .quick_sort(0, n, limit as usize);
    super::sort::put_in_order(items, order);
}

/// Sorts through indices, so that the compiler generates the code only once for all element types. Names follow Go's
/// source: `a..b` is the range to sort.
struct Sorter<'a> {
    items: &'a mut [usize],
    less: &'a dyn Fn(usize, usize) -> bool,
}

#[derive(PartialEq, Clone, Copy)]
enum SortedHint {
    Unknown,
    Increasing,
    Decreasing,
}

impl Sorter<'_> {
    fn less(&self, a: usize, b: usize) -> bool {
        (self.less)(self.items[a], self.items[b])
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.items.swap(a, b);
    }

    fn insertion_sort(&mut self, a: usize, b: usize) {
        for i in a + 1..b {
            let mut j = i;
            while j > a && self.less(j, j - 1) {
                self.swap(j, j - 1);
                j -= 1;
            }
        }
    }

    fn sift_down(&mut self, lo: usize, hi: usize, first: usize) {
        let mut root = lo;
        loop {
            let mut child = 2 * root + 1;
            if child >= hi {
                return;
            }
            if child + 1 < hi && self.less(first + child, first + child + 1) {
                child += 1;
            }
            if !self.less(first + root, first + child) {
                return;
            }
            self.swap(first + root, first + child);
            root = child;
        }
    }

    fn heap_sort(&mut self, a: usize, b: usize) {
        let n = b - a;
        for i in (0..n).rev().filter(|i| *i <= (n - 1) / 2) {
            self.sift_down(i, n, a);
        }
        for i in (0..n).rev() {
            self.swap(a, a + i);
            self.sift_down(0, i, a);
        }
    }

    fn quick_sort(&mut self, mut a: usize, mut b: usize, mut limit: usize) {
        let mut was_balanced = true;
        let mut was_partitioned = true;
        loop {
            let n = b - a;
            if n <= 12 {
                self.insertion_sort(a, b);
                return;
            }
            if limit == 0 {
                self.heap_sort(a, b);
                return;
            }
            if !was_balanced {
                self.break_patterns(a, b);
                limit -= 1;
            }
            let (mut pivot, mut hint) = self.choose_pivot(a, b);
            if hint == SortedHint::Decreasing {
                self.items[a..b].reverse();
                pivot = (b - 1) - (pivot - a);
                hint = SortedHint::Increasing;
            }
            if was_balanced && was_partitioned && hint == SortedHint::Increasing && self.partial_insertion_sort(a, b) {
                return;
            }
            if a > 0 && !self.less(a - 1, pivot) {
                a = self.partition_equal(a, b, pivot);
                continue;
            }
            let (mid, already) = self.partition(a, b, pivot);
            was_partitioned = already;
            let (left, right) = (mid - a, b - mid);
            let balance = n / 8;
            if left < right {
                was_balanced = left >= balance;
                self.quick_sort(a, mid, limit);
                a = mid + 1;
            } else {
                was_balanced = right >= balance;
                self.quick_sort(mid + 1, b, limit);
                b = mid;
            }
        }
    }

    fn partition(&mut self, a: usize, b: usize, pivot: usize) -> (usize, bool) {
        self.swap(a, pivot);
        let (mut i, mut j) = (a + 1, b - 1);
        while i <= j && self.less(i, a) {
            i += 1;
        }
        while i <= j && !self.less(j, a) {
            j -= 1;
        }
        if i > j {
            self.swap(j, a);
            return (j, true);
        }
        self.swap(i, j);
        i += 1;
        j -= 1;
        loop {
            while i <= j && self.less(i, a) {
                i += 1;
            }
            while i <= j && !self.less(j, a) {
                j -= 1;
            }
            if i > j {
                break;
            }
            self.swap(i, j);
            i += 1;
            j -= 1;
        }
        self.swap(j, a);
        (j, false)
    }

    fn partition_equal(&mut self, a: usize, b: usize, pivot: usize) -> usize {
        self.swap(a, pivot);
        let (mut i, mut j) = (a + 1, b - 1);
        loop {
            while i <= j && !self.less(a, i) {
                i += 1;
            }
            while i <= j && self.less(a, j) {
                j -= 1;
            }
            if i > j {
                return i;
            }
            self.swap(i, j);
            i += 1;
            j -= 1;
        }
    }

    fn partial_insertion_sort(&mut self, a: usize, b: usize) -> bool {
        let mut i = a + 1;
        for _ in 0..5 {
            while i < b && !self.less(i, i - 1) {
                i += 1;
            }
            if i == b {
                return true;
            }
            if b - a < 50 {
                return false;
            }
            self.swap(i, i - 1);
            if i - a >= 2 {
                for j in (1..i).rev() {
                    if !self.less(j, j - 1) {
                        break;
                    }
                    self.swap(j, j - 1);
                }
            }
            if b - i >= 2 {
                for j in i + 1..b {
                    if !self.less(j, j - 1) {
                        break;
                    }
                    self.swap(j, j - 1);
                }
            }
        }
        false
    }

    fn break_patterns(&mut self, a: usize, b: usize) {
        let n = b - a;
        if n < 8 {
            return;
        }
        let mut random = n as u64;
        let modulus = 1_u64 << (usize::BITS - n.leading_zeros());
        let index = a + (n / 4) * 2 - 1;
        for i in 0..3 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let mut other = (random & (modulus - 1)) as usize;
            if other >= n {
                other -= n;
            }
            self.swap(index + i, a + other);
        }
    }

    fn choose_pivot(&mut self, a: usize, b: usize) -> (usize, SortedHint) {
        let n = b - a;
        let mut swaps = 0;
        let (mut i, mut j, mut k) = (a + n / 4, a + n / 4 * 2, a + n / 4 * 3);
        if n >= 8 {
            if n >= 50 {
                i = self.median(i - 1, i, i + 1, &mut swaps);
                j = self.median(j - 1, j, j + 1, &mut swaps);
                k = self.median(k - 1, k, k + 1, &mut swaps);
            }
            j = self.median(i, j, k, &mut swaps);
        }
        match swaps {
            0 => (j, SortedHint::Increasing),
            12 => (j, SortedHint::Decreasing),
            _ => (j, SortedHint::Unknown),
        }
    }

    fn median(&self, mut a: usize, mut b: usize, mut c: usize, swaps: &mut usize) -> usize {
        let mut order = |a: &mut usize, b: &mut usize| {
            if self.less(*b, *a) {
                *swaps += 1;
                std::mem::swap(a, b);
            }
        };
        order(&mut a, &mut b);
        order(&mut b, &mut c);
        order(&mut a, &mut b);
        b
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::go_sort;

    #[derive(serde::Deserialize)]
    struct RecordedSort {
        keys: Vec<i64>,
        /// Indices into `keys`, in the order in which Go sorted them.
        order: Vec<usize>,
    }

    /// `go_sort` orders lists with many equal keys as Go 1.25 did in recorded runs.
    #[test]
    fn go_sort_matches_recorded_orders() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../tests/conformance/go-sort-slice.jsonl.gz"
        );
        let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let mut text = String::new();
        flate2::read::GzDecoder::new(bytes.as_slice())
            .read_to_string(&mut text)
            .unwrap_or_else(|error| panic!("{path}: {error}"));
        let mut n = 0;
        for line in text.lines() {
            let list: RecordedSort = serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
            let mut order: Vec<usize> = (0..list.keys.len()).collect();
            go_sort(&mut order, |a, b| list.keys[*a] < list.keys[*b]);
            assert_eq!(order, list.order, "{:?}", list.keys);
            n += 1;
        }
        assert_eq!(n, 1220);
    }

    /// An inconsistent comparison, with enough elements for `std`'s sort to panic, loses no element.
    #[test]
    fn go_sort_with_inconsistent_comparison_loses_no_element() {
        for len in 0..200_u32 {
            let mut items: Vec<u32> = (0..len).collect();
            go_sort(&mut items, |a, b| (a * 7 + b * 13) % 5 < 2);
            items.sort_unstable();
            assert_eq!(items, (0..len).collect::<Vec<_>>());
        }
    }

    /// Shows: SCH-098
    #[test]
    fn go_sort_with_always_true_comparison_reverses_the_list() {
        let mut items: Vec<usize> = (0..12).collect();
        go_sort(&mut items, |_, _| true);
        assert_eq!(items, (0..12).rev().collect::<Vec<_>>());
    }
}
