//! Line diff of two texts in the format of `diff -u`.

/// Number of unchanged lines printed before and after a change.
const CONTEXT_LINES: usize = 3;
/// Maximum number of compared lines of each text, without equal lines at the beginning and at the end. The comparison
/// table grows with the product of both lengths, so beyond this limit the whole middle part is printed as replaced.
const MAX_DIFF_LINES: usize = 2_000;

/// One line of the result of a comparison.
#[derive(Clone, Copy)]
enum DiffLine<'t> {
    Same(&'t str),
    Old(&'t str),
    New(&'t str),
}

/// Returns the lines of a unified diff with three lines of context; empty if the texts are equal.
pub(super) fn unified_diff(before: &str, after: &str) -> Vec<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let compared = compare_lines(&old, &new);
    let mut out = Vec::new();
    let changed: Vec<usize> = compared
        .iter()
        .enumerate()
        .filter(|(_, line)| !matches!(line, DiffLine::Same(_)))
        .map(|(at, _)| at)
        .collect();
    let mut at = 0;
    while let Some(first) = changed.get(at) {
        let mut last = *first;
        while let Some(next) = changed
            .get(at + 1)
            .filter(|next| **next <= last + 2 * CONTEXT_LINES + 1)
        {
            last = *next;
            at += 1;
        }
        at += 1;
        let (from, to) = (
            first.saturating_sub(CONTEXT_LINES),
            (last + CONTEXT_LINES + 1).min(compared.len()),
        );
        let count = |lines: &[DiffLine<'_>], old: bool| {
            let is_in =
                |line: &&DiffLine<'_>| !matches!((line, old), (DiffLine::Old(_), false) | (DiffLine::New(_), true));
            lines.iter().filter(is_in).count()
        };
        let hunk = &compared[from..to];
        let line_range = |old: bool| {
            let (before, len) = (count(&compared[..from], old), count(hunk, old));
            let start = if len == 0 { before } else { before + 1 };
            if len == 1 {
                start.to_string()
            } else {
                format!("{start},{len}")
            }
        };
        out.push(format!("@@ -{} +{} @@", line_range(true), line_range(false)));
        out.extend(hunk.iter().map(|line| match line {
            DiffLine::Same(text) => format!(" {text}"),
            DiffLine::Old(text) => format!("-{text}"),
            DiffLine::New(text) => format!("+{text}"),
        }));
    }
    out
}

/// Compares two texts by their longest common subsequence. Equal lines at the beginning and at the end are split off
/// first.
fn compare_lines<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<DiffLine<'t>> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let tail = old[head..]
        .iter()
        .rev()
        .zip(new[head..].iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let (a, b) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    let mut out: Vec<DiffLine<'t>> = old[..head].iter().map(|line| DiffLine::Same(line)).collect();
    if a.len().max(b.len()) > MAX_DIFF_LINES {
        out.extend(a.iter().map(|line| DiffLine::Old(line)));
        out.extend(b.iter().map(|line| DiffLine::New(line)));
    } else {
        let width = b.len() + 1;
        let mut longest = vec![0_u32; (a.len() + 1) * width];
        for i in (0..a.len()).rev() {
            for j in (0..b.len()).rev() {
                longest[i * width + j] = match a[i] == b[j] {
                    true => longest[(i + 1) * width + j + 1] + 1,
                    false => longest[(i + 1) * width + j].max(longest[i * width + j + 1]),
                };
            }
        }
        let (mut i, mut j) = (0, 0);
        while i < a.len() || j < b.len() {
            if i < a.len() && j < b.len() && a[i] == b[j] {
                out.push(DiffLine::Same(a[i]));
                (i, j) = (i + 1, j + 1);
            } else if i < a.len() && (j == b.len() || longest[(i + 1) * width + j] >= longest[i * width + j + 1]) {
                out.push(DiffLine::Old(a[i]));
                i += 1;
            } else {
                out.push(DiffLine::New(b[j]));
                j += 1;
            }
        }
    }
    out.extend(old[old.len() - tail..].iter().map(|line| DiffLine::Same(line)));
    out
}

#[cfg(test)]
mod tests {
    use super::unified_diff;

    #[test]
    fn unified_diff_shows_three_lines_of_context() {
        let before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let after = "1\n2\n3\n4\nfive\n6\n7\n8\n9\nten\n";
        assert_eq!(
            unified_diff(before, after),
            [
                "@@ -2,8 +2,9 @@",
                " 2",
                " 3",
                " 4",
                "-5",
                "+five",
                " 6",
                " 7",
                " 8",
                " 9",
                "+ten"
            ]
        );
        assert!(unified_diff(before, before).is_empty());
        assert_eq!(unified_diff("", "a\n"), ["@@ -0,0 +1 @@", "+a"]);
    }
}
