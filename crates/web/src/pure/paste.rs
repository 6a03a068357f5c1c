//! Lines that belong to one command, and several commands that were pasted at once.

/// The commands of a text, each with its here-document and its continued lines; comments and empty lines are none.
/// The last one may still be open.
pub(crate) fn commands(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut open: Option<String> = None;
    for line in text.lines() {
        let command = match open.take() {
            Some(begun) => format!("{begun}\n{line}"),
            None if line.trim().is_empty() || line.trim_start().starts_with('#') => continue,
            // Pages show a prompt before what is to be typed.
            None => line.trim().trim_start_matches("$ ").to_owned(),
        };
        if is_open(&command) {
            open = Some(command);
        } else {
            all.push(command);
        }
    }
    all.extend(open);
    all
}

/// Whether more lines belong to it: its here-document has not ended, or a backslash ends it.
pub(crate) fn is_open(command: &str) -> bool {
    let first = command.lines().next().unwrap_or_default();
    let Some((_, after)) = first.split_once("<<") else {
        return command.ends_with('\\');
    };
    let word = after.split_whitespace().next().unwrap_or_default();
    let mark = word.trim_matches(|c| c == '\'' || c == '"');
    !mark.is_empty() && !command.lines().skip(1).any(|line| line == mark)
}

/// `kubectl apply` with a text after it; the end mark does not occur in it.
pub(crate) fn here_document(text: &str) -> String {
    let mut mark = "EOF".to_string();
    while text.lines().any(|l| l == mark) {
        mark.push('_');
    }
    format!("kubectl apply -f - <<'{mark}'\n{}\n{mark}", text.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_cannot_end_its_own_document() {
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
    fn a_pasted_text_is_its_commands() {
        let text =
            "# a pod\n\n$ kubectl apply -f - <<'EOF'\nkind: Pod\n\n# kept\nEOF\nkubectl get \\\n  pods\nk get nodes";
        assert_eq!(
            commands(text),
            [
                "kubectl apply -f - <<'EOF'\nkind: Pod\n\n# kept\nEOF",
                "kubectl get \\\n  pods",
                "k get nodes"
            ]
        );
        assert!(is_open("kubectl apply -f - <<EOF"));
        assert!(is_open("kubectl apply -f - <<EOF\nkind: Pod"));
        assert!(is_open("kubectl get \\"));
        assert!(!is_open("kubectl get pods"));
        assert_eq!(commands("kubectl apply -f - <<EOF\nkind: Pod").len(), 1);
    }
}
