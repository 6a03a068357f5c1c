//! The completion indexes of an Indexed Job: on its pods, and as its status prints them.

use podscope_api::{Job, Pod, ordered};

/// On a pod: which part of the work it does.
pub(super) const INDEX: &str = "batch.kubernetes.io/job-completion-index";
/// On a pod of a Job with a limit per index: how often its index has failed before, counted and not.
pub(super) const FAILURES: &str = "batch.kubernetes.io/job-index-failure-count";
pub(super) const IGNORED_FAILURES: &str = "batch.kubernetes.io/job-index-ignored-failure-count";

pub(super) type Indexes = ordered::Set<i32>;

/// Whether each completion has an index of its own.
pub(super) fn is_indexed(job: &Job) -> bool {
    job.spec.completion_mode.as_deref() == Some("Indexed")
}

/// The index a pod has, if it is one of the Job's.
pub(super) fn index_of(job: &Job, pod: &Pod) -> Option<i32> {
    let index: i32 = pod.metadata.annotation(INDEX)?.parse().ok()?;
    (0..job.spec.completions.unwrap_or(0)).contains(&index).then_some(index)
}

/// How often the pod's index failed before it: counted, and of any kind.
pub(super) fn failures_before(pod: &Pod) -> (i32, i32) {
    let count = |key: &str| {
        let number = pod.metadata.annotation(key).and_then(|text| text.parse::<i32>().ok());
        number.unwrap_or(0).max(0)
    };
    let counted = count(FAILURES);
    (counted, counted.saturating_add(count(IGNORED_FAILURES)))
}

/// `0-2,4`: indexes as a Job's status prints them.
pub(super) fn print(indexes: &Indexes) -> String {
    let mut ranges: Vec<(i32, i32)> = Vec::new();
    for index in indexes {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == *index => *last = *index,
            _ => ranges.push((*index, *index)),
        }
    }
    let print = |(first, last): (i32, i32)| match last - first {
        0 => first.to_string(),
        1 => format!("{first},{last}"),
        _ => format!("{first}-{last}"),
    };
    ranges.into_iter().map(print).collect::<Vec<_>>().join(",")
}

/// Reads what [`print`] wrote, as far as it is below the number of completions.
pub(super) fn read(text: &str, completions: i32) -> Indexes {
    let mut indexes = Indexes::new();
    for part in text.split(',').filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        if let (Ok(first), Ok(last)) = (first.parse::<i32>(), last.parse::<i32>()) {
            indexes.extend(first.max(0)..last.saturating_add(1).min(completions));
        }
    }
    indexes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows: CT-091
    #[test]
    fn indexes_are_printed_as_ranges_and_read_back_within_the_completions() {
        let rows = [
            ("", ""),
            ("0", "0"),
            ("0,1", "0,1"),
            ("0-2,4", "0-2,4"),
            ("3-9", "3-5"),
            ("x,2,7-8", "2"),
        ];
        for (text, printed) in rows {
            assert_eq!(print(&read(text, 6)), printed, "{text}");
        }
    }
}
