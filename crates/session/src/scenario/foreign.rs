//! What people paste instead of manifests: a manifest inside of other text, and what kubectl prints for eyes.

/// The manifest in a text that stands in a Markdown fence or under the command that printed it; none if it stands alone.
pub(super) fn unwrapped(text: &str) -> Option<String> {
    let mut lines: Vec<&str> = text.lines().collect();
    let first = lines.iter().position(|line| !line.trim().is_empty())?;
    lines.drain(..first);
    let is_fence = |line: &str| line.trim_start().starts_with("```");
    let is_prompt = |line: &str| {
        let line = line.trim_start();
        let at = line.find("kubectl ").or_else(|| line.find("k get "));
        at.is_some_and(|at| line[..at].trim_end().ends_with(['$', '%', '>', '#']))
    };
    let is_wrapped = |line: &str| is_fence(line) || is_prompt(line);
    if !is_wrapped(lines.first()?) {
        return None;
    }
    let whole = lines.iter().skip_while(|line| is_wrapped(line));
    let within = whole.take_while(|line| !is_wrapped(line)).copied();
    // A prompt without a command may stand below.
    let mut within: Vec<&str> = within.collect();
    while within
        .last()
        .is_some_and(|line| line.trim_end().ends_with('$') || line.trim().is_empty())
    {
        within.pop();
    }
    within.push("");
    Some(within.join("\n"))
}

/// Why a text that kubectl printed for eyes cannot be opened.
pub(super) fn explained(text: &str) -> Option<String> {
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

    /// Shows: P-03, U-07
    #[test]
    fn a_manifest_is_found_in_a_fence_and_below_its_command() {
        for text in [
            format!("```yaml\n{POD}```\n"),
            format!("\n```\n{POD}\n```\nand so on"),
            format!("$ kubectl get pod x -o yaml\n{POD}$ "),
            format!("me@host:~$ kubectl get pod x -o yaml\n{POD}me@host:~$ kubectl get nodes\n"),
            format!("```console\n$ kubectl get pod x -o yaml\n{POD}```"),
        ] {
            assert_eq!(unwrapped(&text).as_deref(), Some(POD), "{text}");
        }
        for text in [POD, "# kind\nkind: Pod\n", "", "kubectl get pods"] {
            assert_eq!(unwrapped(text), None, "{text}");
        }
    }

    /// Shows: U-07
    #[test]
    fn what_kubectl_prints_for_eyes_is_told_from_other_texts() {
        for (text, told) in [
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
            assert!(explained(text).is_some_and(|why| why.contains(told)), "{text}");
        }
        for text in [POD, "", "hello", "Name: x\n", "kubectl get pods"] {
            assert_eq!(explained(text), None, "{text}");
        }
    }
}
