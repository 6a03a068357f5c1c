//! Texts that people paste instead of plain manifests: manifests inside other text, and tables that kubectl prints.

/// Extracts a manifest from a Markdown fence, or from the lines below the prompt with the kubectl command that printed
/// it. None if the text has neither.
pub(super) fn without_fence_and_prompt(text: &str) -> Option<String> {
    let mut lines = text.lines().skip_while(|line| line.trim().is_empty()).peekable();
    let is_fence = |line: &str| line.trim_start().starts_with("```");
    let is_prompt = |line: &str| {
        let line = line.trim_start();
        let at = line.find("kubectl ").or_else(|| line.find("k get "));
        at.is_some_and(|at| line[..at].trim_end().ends_with(['$', '%', '>', '#']))
    };
    let is_wrapped = |line: &str| is_fence(line) || is_prompt(line);
    if !is_wrapped(lines.peek()?) {
        return None;
    }
    let whole = lines.skip_while(|line| is_wrapped(line));
    // An empty prompt at the end of the text is removed.
    let mut within: Vec<&str> = whole.take_while(|line| !is_wrapped(line)).collect();
    while within
        .last()
        .is_some_and(|line| line.trim_end().ends_with('$') || line.trim().is_empty())
    {
        within.pop();
    }
    within.push("");
    Some(within.join("\n"))
}

/// Removes the logs of containers from the output of `kubectl cluster-info dump`. The other lines keep their line
/// numbers. None if there are no logs.
pub(super) fn without_container_logs(text: &str) -> Option<String> {
    const LOG_START: &str = "==== START logs for container ";
    if !text.contains(LOG_START) {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut end: Option<String> = None;
    for line in text.lines() {
        match (&end, line.strip_prefix(LOG_START)) {
            (None, Some(container)) => end = Some(format!("==== END logs for container {}", container.trim_end())),
            (Some(last), _) if line.trim_end() == last => end = None,
            (None, None) => out.push_str(line),
            (Some(_), _) => {}
        }
        out.push('\n');
    }
    Some(out)
}

/// Separates Lists that `kubectl get -o yaml` printed one after another: inserts `---` above each `apiVersion` except
/// the first. None if there is nothing to separate.
pub(super) fn with_list_separators(text: &str) -> Option<String> {
    let is_list = |line: &str| {
        let kind = line.trim_end().strip_prefix("kind: ");
        kind.is_some_and(|kind| kind.ends_with("List"))
    };
    let mut begins = Vec::new();
    let (mut at, mut has_version, mut has_list) = (0, false, false);
    for line in text.split_inclusive('\n') {
        if line.starts_with(' ') {
            // Only unindented lines separate documents; most lines of a dump are indented.
        } else if line.starts_with("---") || line.trim_end() == "..." {
            has_version = false;
        } else if line.starts_with("apiVersion:") && std::mem::replace(&mut has_version, true) {
            begins.push(at);
        }
        has_list |= is_list(line);
        at += line.len();
    }
    if begins.is_empty() || !has_list {
        return None;
    }
    let mut out = String::with_capacity(text.len() + begins.len() * 4);
    let mut from = 0;
    for at in begins {
        out.push_str(&text[from..at]);
        out.push_str("---\n");
        from = at;
    }
    out.push_str(&text[from..]);
    Some(out)
}

/// Returns advice on how to shorten a text that is too long to be opened.
pub(super) fn advice_for_long_text(text: &str) -> Option<String> {
    let limit = podscope_api::limits::INPUT_BYTES;
    (text.len() > limit).then(|| {
        format!(
            "input of {} bytes: the limit is {limit}; images of nodes, managedFields and Events are most of a dump: \
             `kubectl get nodes,pods,pvc,pv -A -o json | jq -c 'del(.items[].metadata.managedFields, \
             .items[].status.images)' > dump.json` leaves them out",
            text.len()
        )
    })
}

/// Explains why the output of kubectl in a format for people cannot be opened.
pub(super) fn explain_unreadable_output(text: &str) -> Option<String> {
    let mut lines = text.lines().map(str::trim_end).filter(|line| !line.trim().is_empty());
    let first = lines.next()?;
    let wanted = "what opens is what `kubectl get nodes,pods -A -o yaml` prints";
    for begin in [
        "Error from server",
        "error: ",
        "No resources found",
        "The connection to the server",
        "Unable to connect",
    ] {
        if first.starts_with(begin) {
            return Some(format!("kubectl has answered: {first}; {wanted}"));
        }
    }
    if first.starts_with("Name:  ")
        && lines
            .clone()
            .any(|line| line.starts_with("Labels:") || line.starts_with("Namespace:"))
    {
        return Some(format!("this is what `kubectl describe` prints, for eyes; {wanted}"));
    }
    let words: Vec<&str> = first.split_whitespace().collect();
    let is_header = |word: &&str| word.chars().all(|c| c.is_ascii_uppercase() || "()-_/".contains(c));
    if words.len() > 1 && words.contains(&"NAME") && words.iter().all(is_header) {
        return Some(format!("this is a table of `kubectl get`, for eyes; {wanted}"));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const POD: &str = "apiVersion: v1\nkind: Pod\n";

    /// Several outputs of kubectl that were appended to one file are read as several documents.
    /// Shows: P-09
    #[test]
    fn lists_without_separator_are_documents() {
        let list = "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Node\nkind: List\n";
        let both = with_list_separators(&format!("{list}{list}")).expect("two lists");
        assert_eq!(both, format!("{list}---\n{list}"));
        for text in [list.to_owned(), format!("{list}---\n{list}"), format!("{POD}{POD}")] {
            assert_eq!(with_list_separators(&text), None, "{text}");
        }
    }

    /// The logs of containers in the output of `kubectl cluster-info dump` are removed before the output is parsed.
    /// Shows: P-09
    #[test]
    fn logs_in_cluster_info_dump_are_removed() {
        let text = "{\"a\": 1}\n==== START logs for container c of pod n/p ====\nkind: List\n{\n==== END logs for container c of pod n/p ====\n{\"b\": 2}\n";
        assert_eq!(
            without_container_logs(text).as_deref(),
            Some("{\"a\": 1}\n\n\n\n\n{\"b\": 2}\n")
        );
        assert_eq!(without_container_logs(POD), None);
    }

    /// Shows: P-03, U-07
    #[test]
    fn manifest_is_found_in_fence_and_below_prompt() {
        for text in [
            format!("```yaml\n{POD}```\n"),
            format!("\n```\n{POD}\n```\nand so on"),
            format!("$ kubectl get pod x -o yaml\n{POD}$ "),
            format!("me@host:~$ kubectl get pod x -o yaml\n{POD}me@host:~$ kubectl get nodes\n"),
            format!("```console\n$ kubectl get pod x -o yaml\n{POD}```"),
        ] {
            assert_eq!(without_fence_and_prompt(&text).as_deref(), Some(POD), "{text}");
        }
        for text in [POD, "# kind\nkind: Pod\n", "", "kubectl get pods"] {
            assert_eq!(without_fence_and_prompt(text), None, "{text}");
        }
    }

    /// Shows: U-07
    #[test]
    fn tables_and_errors_of_kubectl_are_recognised() {
        for (text, wanted) in [
            (
                "Name:             web-0\nNamespace:        default\n",
                "kubectl describe",
            ),
            (
                "NAME    READY   STATUS    RESTARTS      AGE\nweb-0   1/1     Running   0   5m\n",
                "a table",
            ),
            ("NAMESPACE   NAME   READY\n", "a table"),
            ("Error from server (NotFound): pods \"x\" not found\n", "has answered"),
            ("No resources found in default namespace.\n", "has answered"),
        ] {
            assert!(
                explain_unreadable_output(text).is_some_and(|why| why.contains(wanted)),
                "{text}"
            );
        }
        for text in [POD, "", "hello", "Name: x\n", "kubectl get pods"] {
            assert_eq!(explain_unreadable_output(text), None, "{text}");
        }
    }
}
