//! Decodes the items of a long list on several threads.

use super::ObjectReader;
use super::list::ItemText;

/// Minimum size of the text that one thread decodes, in bytes: for a shorter text, no further thread is started.
const MIN_BYTES_PER_THREAD: usize = 1 << 20;

/// Returns the number of threads that can run at the same time.
pub(super) fn available_threads() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

impl ObjectReader {
    /// Decodes the items of a list like [`ObjectReader::decode_items`], on up to `n_threads` threads.
    ///
    /// The result does not depend on the number of threads: each thread decodes successive items, and the results are
    /// joined in the order of the text.
    pub(super) fn decode_items_in_parallel<T: ItemText>(&mut self, texts: &[T], n_threads: usize) -> Option<()> {
        let document = self.document;
        let mut runs = split_into_runs(texts, n_threads).into_iter();
        let own = runs.next()?;
        let (own, others) = std::thread::scope(|scope| {
            let others: Vec<_> = runs
                .map(|run| {
                    scope.spawn(move || {
                        let mut reader = ObjectReader {
                            document,
                            ..ObjectReader::default()
                        };
                        reader.decode_items(run).map(|()| reader)
                    })
                })
                .collect();
            let own = self.decode_items(own);
            let others = others.into_iter().map(|other| other.join().ok().flatten());
            (own, others.collect::<Option<Vec<ObjectReader>>>())
        });
        own?;
        for mut other in others? {
            self.objects += other.objects;
            self.n_unlisted += other.n_unlisted;
            self.parsed.objects.append(&mut other.parsed.objects);
            self.parsed.others.append(&mut other.parsed.others);
            self.parsed.configs.append(&mut other.parsed.configs);
            self.parsed.problems.append(&mut other.parsed.problems);
        }
        Some(())
    }
}

/// Divides items into at most `n_threads` runs of successive items with about the same number of bytes.
fn split_into_runs<T: ItemText>(items: &[T], n_threads: usize) -> Vec<&[T]> {
    let total: usize = items.iter().map(T::n_bytes).sum();
    let n_runs = n_threads.min(total / MIN_BYTES_PER_THREAD).max(1);
    let (mut runs, mut start, mut n_bytes) = (Vec::new(), 0, 0);
    for (index, item) in items.iter().enumerate() {
        n_bytes += item.n_bytes();
        if runs.len() + 1 < n_runs && n_bytes >= total / n_runs * (runs.len() + 1) {
            runs.push(&items[start..=index]);
            start = index + 1;
        }
    }
    runs.push(&items[start..]);
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml_block;

    /// Shows: P-03
    #[test]
    fn decoded_objects_do_not_depend_on_number_of_threads() {
        let data = "x".repeat(MIN_BYTES_PER_THREAD / 3);
        let texts: Vec<String> = (0..10)
            .map(|at| {
                let kind = if at % 3 == 0 { "Widget" } else { "ConfigMap" };
                let version = if at % 3 == 0 { "example.com/v1" } else { "v1" };
                format!(
                    "- apiVersion: {version}\n  kind: {kind}\n  metadata:\n    name: n-{at}\n  data:\n    a: {data}\n"
                )
            })
            .collect();
        let items: Vec<yaml_block::ItemText<'_>> = (0..).zip(&texts).map(|(at, text)| (at * 6, &**text)).collect();
        let read = |n_threads| {
            let mut reader = ObjectReader::default();
            reader.decode_items_in_parallel(&items, n_threads).expect("YAML");
            reader
        };
        let one = read(1);
        assert_eq!((one.parsed.objects.len(), one.parsed.others.len()), (6, 4));
        assert!(one.parsed.problems.is_empty(), "{:?}", one.parsed.problems);
        for n_threads in [2, 3, 64] {
            let several = read(n_threads);
            assert_eq!(several.parsed.objects, one.parsed.objects, "{n_threads} threads");
            assert_eq!(several.parsed.others, one.parsed.others, "{n_threads} threads");
            assert_eq!(several.objects, one.objects);
        }
    }

    /// Shows: P-03
    #[test]
    fn split_into_runs_keeps_all_items_in_order() {
        let text = "x".repeat(MIN_BYTES_PER_THREAD / 2);
        let items: Vec<yaml_block::ItemText<'_>> = (0..12).map(|at| (at, &*text)).collect();
        for (n_threads, n_runs) in [(1, 1), (2, 2), (3, 3), (64, 6)] {
            let runs = split_into_runs(&items, n_threads);
            assert_eq!((runs.len(), runs.concat()), (n_runs, items.clone()));
        }
        assert_eq!(split_into_runs(&items[..1], 4).len(), 1, "a short list is one run");
        assert_eq!(split_into_runs::<yaml_block::ItemText<'_>>(&[], 4).len(), 1);
    }
}
