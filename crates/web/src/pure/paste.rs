//! Splits pasted text into commands, and wraps manifests into a command.

/// Returns the commands of a text, each with its here-document and continuation lines; comments and empty lines are
/// skipped. The last command may be incomplete.
pub(crate) fn split_commands(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut open: Option<String> = None;
    for line in text.lines() {
        let command = match open.take() {
            Some(first_lines) => format!("{first_lines}\n{line}"),
            None if line.trim().is_empty() || line.trim_start().starts_with('#') => continue,
            // Web pages show a prompt before a command.
            None => line.trim().trim_start_matches("$ ").to_owned(),
        };
        if is_incomplete(&command) {
            open = Some(command);
        } else {
            all.push(command);
        }
    }
    all.extend(open);
    all
}

/// Returns whether a command is incomplete: its here-document has not ended, or its last line ends in a backslash.
pub(crate) fn is_incomplete(command: &str) -> bool {
    let first = command.lines().next().unwrap_or_default();
    let Some((_, after)) = first.split_once("<<") else {
        return command.ends_with('\\');
    };
    let word = after.split_whitespace().next().unwrap_or_default();
    let end_marker = word.trim_matches(|c| c == '\'' || c == '"');
    !end_marker.is_empty() && !command.lines().skip(1).any(|line| line == end_marker)
}

/// Returns a `kubectl apply` command with the text as a here-document, whose end marker does not occur in the text.
pub(crate) fn here_document(text: &str) -> String {
    let mut end_marker = "EOF".to_string();
    while text.lines().any(|line| line == end_marker) {
        end_marker.push('_');
    }
    format!("kubectl apply -f - <<'{end_marker}'\n{}\n{end_marker}", text.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn end_marker_does_not_occur_in_the_document() {
        assert_eq!(
            here_document("kind: Pod\n"),
            "kubectl apply -f - <<'EOF'\nkind: Pod\nEOF"
        );
        assert_eq!(
            here_document("a\nEOF\nb"),
            "kubectl apply -f - <<'EOF_'\na\nEOF\nb\nEOF_"
        );
    }

    #[test]
    fn pasted_text_is_split_into_commands() {
        let text =
            "# a pod\n\n$ kubectl apply -f - <<'EOF'\nkind: Pod\n\n# kept\nEOF\nkubectl get \\\n  pods\nk get nodes";
        assert_eq!(
            split_commands(text),
            [
                "kubectl apply -f - <<'EOF'\nkind: Pod\n\n# kept\nEOF",
                "kubectl get \\\n  pods",
                "k get nodes"
            ]
        );
        assert!(is_incomplete("kubectl apply -f - <<EOF"));
        assert!(is_incomplete("kubectl apply -f - <<EOF\nkind: Pod"));
        assert!(is_incomplete("kubectl get \\"));
        assert!(!is_incomplete("kubectl get pods"));
        assert_eq!(split_commands("kubectl apply -f - <<EOF\nkind: Pod").len(), 1);
    }
}
