//! The completion indexes of an Indexed Job: the indexes of its pods, and the text form in its status.

use podscope_api::{Job, Pod, ordered};

/// Annotation and label of a pod with its completion index.
pub(super) const INDEX_ANNOTATION: &str = "batch.kubernetes.io/job-completion-index";
/// Annotation of a pod with the number of earlier failures of its index that count towards the limit. Set only if the
/// Job has a backoff limit per index.
pub(super) const FAILURE_COUNT_ANNOTATION: &str = "batch.kubernetes.io/job-index-failure-count";
/// Annotation of a pod with the number of earlier failures of its index that were ignored. Set only if the Job has a
/// backoff limit per index.
pub(super) const IGNORED_FAILURE_COUNT_ANNOTATION: &str = "batch.kubernetes.io/job-index-ignored-failure-count";

pub(super) type Indexes = ordered::Set<i32>;

/// Returns whether the Job is Indexed.
pub(super) fn is_indexed(job: &Job) -> bool {
    job.spec.completion_mode.as_deref() == Some("Indexed")
}

/// Returns the completion index of a pod, if it is in the Job's range.
pub(super) fn index_of(job: &Job, pod: &Pod) -> Option<i32> {
    let index: i32 = pod.metadata.annotation(INDEX_ANNOTATION)?.parse().ok()?;
    (0..job.spec.completions.unwrap_or(0)).contains(&index).then_some(index)
}

/// Returns the numbers of earlier failures of the pod's index: those that count towards the limit, and all.
pub(super) fn counted_and_all_failures_before(pod: &Pod) -> (i32, i32) {
    let count = |key: &str| {
        let number = pod.metadata.annotation(key).and_then(|text| text.parse::<i32>().ok());
        number.unwrap_or(0).max(0)
    };
    let counted = count(FAILURE_COUNT_ANNOTATION);
    (counted, counted.saturating_add(count(IGNORED_FAILURE_COUNT_ANNOTATION)))
}

/// Prints indexes in the form of a Job's status, e.g. `0-2,4`.
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

/// Parses the output of [`print`]. Indexes beyond the number of completions are omitted.
pub(super) fn parse(text: &str, completions: i32) -> Indexes {
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
    fn indexes_print_as_ranges_and_parse_within_completions() {
        let rows = [
            ("", ""),
            ("0", "0"),
            ("0,1", "0,1"),
            ("0-2,4", "0-2,4"),
            ("3-9", "3-5"),
            ("x,2,7-8", "2"),
        ];
        for (text, printed) in rows {
            assert_eq!(print(&parse(text, 6)), printed, "{text}");
        }
    }
}
