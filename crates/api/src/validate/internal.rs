//! Values as the API server prints them in its own spelling: the structs it works with inside, every field of them, in
//! their order (`internal.txt`); and the lines in which two of them differ.

use serde_json::{Map, Value};

/// A line is a struct and its fields, `GoName=wireName:type`. Types: `s`, `b`, `i`, `q` are text, truth, number and
/// amount with a zero; `*` is null where absent, `*X` the same of a struct, `[]X` a list, `X` a struct; `raw` as it is.
/// `^name` is a field of the struct around it.
const TABLE: &str = include_str!("internal.txt");

fn fields(name: &str) -> Option<&'static str> {
    TABLE
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))
}

/// A value on the wire as that struct.
pub(super) fn structured(name: &str, value: &Value) -> Value {
    of_struct(name, value, &Value::Null)
}

/// The same on one line.
pub(super) fn printed(name: &str, value: &Value) -> String {
    structured(name, value).to_string()
}

fn of_struct(name: &str, value: &Value, around: &Value) -> Value {
    let Some(fields) = fields(name) else {
        return value.clone();
    };
    let mut map = Map::new();
    for row in fields.split(' ') {
        let Some((go, of)) = row.split_once('=') else { continue };
        let Some((wire, of)) = of.split_once(':') else { continue };
        let given = match wire.strip_prefix('^') {
            Some(wire) => around.get(wire),
            None => value.get(wire),
        };
        let given = given.filter(|given| !given.is_null());
        map.insert(go.to_owned(), of_type(of, given, value));
    }
    Value::Object(map)
}

fn of_type(of: &str, given: Option<&Value>, around: &Value) -> Value {
    if let Some(of) = of.strip_prefix("[]") {
        return match given {
            Some(Value::Array(items)) => items.iter().map(|item| of_struct(of, item, around)).collect(),
            _ => Value::Null,
        };
    }
    if let Some(of) = of.strip_prefix('*') {
        return match given {
            Some(value) if of.is_empty() => value.clone(),
            Some(value) => of_struct(of, value, around),
            None => Value::Null,
        };
    }
    match (of, given) {
        ("s", given) => given.cloned().unwrap_or_else(|| "".into()),
        ("b", given) => given.cloned().unwrap_or_else(|| false.into()),
        ("i", given) => given.cloned().unwrap_or_else(|| 0.into()),
        ("q", given) => given.cloned().unwrap_or_else(|| "0".into()),
        (of, given) => of_struct(of, given.unwrap_or(&Value::Null), around),
    }
}

/// The lines in which two values of a struct differ, with three lines of context.
pub(super) fn difference(old: &Value, new: &Value) -> String {
    let lines = |value: &Value| {
        let mut text = Vec::new();
        indented(value, 0, "", "", &mut text);
        text
    };
    unified(&lines(old), &lines(new))
}

/// JSON with one blank for each level; `before` stands before the value, `after` behind it.
fn indented(value: &Value, level: usize, before: &str, after: &str, out: &mut Vec<String>) {
    let blanks = " ".repeat(level);
    let (open, close, entries): (_, _, Vec<(String, &Value)>) = match value {
        Value::Object(map) if !map.is_empty() => {
            let key = |key: &String| format!("{}: ", Value::from(key.as_str()));
            ('{', '}', map.iter().map(|(name, value)| (key(name), value)).collect())
        }
        Value::Array(items) if !items.is_empty() => {
            ('[', ']', items.iter().map(|item| (String::new(), item)).collect())
        }
        leaf => return out.push(format!("{blanks}{before}{leaf}{after}")),
    };
    out.push(format!("{blanks}{before}{open}"));
    let last = entries.len() - 1;
    for (at, (key, value)) in entries.into_iter().enumerate() {
        let comma = if at == last { "" } else { "," };
        indented(value, level + 1, &key, comma, out);
    }
    out.push(format!("{blanks}{close}{after}"));
}

/// Lines of context around a change.
const CONTEXT: usize = 3;
/// From this many lines on, those that come too often begin no match.
const MANY: usize = 200;

/// A run of lines that both have: where in the old, where in the new, how many.
#[derive(Clone, Copy)]
struct Block {
    old: usize,
    new: usize,
    len: usize,
}

/// The runs that two lists have in common: the longest, and then those before and behind it (Ratcliff and Obershelp, as
/// difflib has it; the server's diffs are made with a port of it).
fn matching(old: &[String], new: &[String]) -> Vec<Block> {
    let is_popular =
        |line: &String| new.len() >= MANY && new.iter().filter(|other| *other == line).count() > new.len() / 100 + 1;
    let begins: Vec<bool> = new.iter().map(|line| !is_popular(line)).collect();
    let mut found = Vec::new();
    let mut open = vec![(0, old.len(), 0, new.len())];
    while let Some((from, to, new_from, new_to)) = open.pop() {
        let block = longest(old, new, &begins, (from, to), (new_from, new_to));
        if block.len == 0 {
            continue;
        }
        open.push((from, block.old, new_from, block.new));
        open.push((block.old + block.len, to, block.new + block.len, new_to));
        found.push(block);
    }
    found.sort_unstable_by_key(|block| block.old);
    found
}

fn longest(old: &[String], new: &[String], begins: &[bool], of_old: (usize, usize), of_new: (usize, usize)) -> Block {
    let mut best = Block {
        old: of_old.0,
        new: of_new.0,
        len: 0,
    };
    for at in of_old.0..of_old.1 {
        for start in of_new.0..of_new.1 {
            let pairs = (at..of_old.1).zip(start..of_new.1);
            let same = |(one, other): &(usize, usize)| begins[*other] && old[*one] == new[*other];
            let len = pairs.take_while(same).count();
            if len > best.len {
                best = Block {
                    old: at,
                    new: start,
                    len,
                };
            }
        }
    }
    // Lines that begin no match lengthen one.
    while best.old > of_old.0 && best.new > of_new.0 && old[best.old - 1] == new[best.new - 1] {
        best = Block {
            old: best.old - 1,
            new: best.new - 1,
            len: best.len + 1,
        };
    }
    while best.old + best.len < of_old.1
        && best.new + best.len < of_new.1
        && old[best.old + best.len] == new[best.new + best.len]
    {
        best.len += 1;
    }
    best
}

fn unified(old: &[String], new: &[String]) -> String {
    // Each line with its sign, and how many of each list came before it.
    let mut lines: Vec<(char, &str, usize, usize)> = Vec::new();
    let (mut at, mut new_at) = (0, 0);
    let end = Block {
        old: old.len(),
        new: new.len(),
        len: 0,
    };
    for block in matching(old, new).into_iter().chain([end]) {
        while at < block.old {
            lines.push(('-', &old[at], at, new_at));
            at += 1;
        }
        while new_at < block.new {
            lines.push(('+', &new[new_at], at, new_at));
            new_at += 1;
        }
        for _ in 0..block.len {
            lines.push((' ', &old[at], at, new_at));
            at += 1;
            new_at += 1;
        }
    }
    let changed: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].0 != ' ').collect();
    let mut out = String::new();
    for group in changed.chunk_by(|one, next| next - one <= 2 * CONTEXT + 1) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else {
            continue;
        };
        let hunk = &lines[first.saturating_sub(CONTEXT)..(last + CONTEXT + 1).min(lines.len())];
        let Some((_, _, from, new_from)) = hunk.first() else {
            continue;
        };
        let count = |sign: char| hunk.iter().filter(|line| line.0 == ' ' || line.0 == sign).count();
        let range = |from: usize, count: usize| match count {
            0 => format!("{from},0"),
            1 => (from + 1).to_string(),
            count => format!("{},{count}", from + 1),
        };
        let (old_range, new_range) = (range(*from, count('-')), range(*new_from, count('+')));
        out.push_str(&format!("@@ -{old_range} +{new_range} @@\n"));
        for (sign, line, ..) in hunk {
            out.push_str(&format!("{sign}{line}\n"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The line numbers are those of the server: every field has a line.
    #[test]
    fn a_changed_claim_is_told_with_its_surroundings() {
        let claim = |class: &str| {
            structured(
                "PersistentVolumeClaimSpec",
                &json!({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}},
                    "storageClassName": class, "volumeMode": "Filesystem"}),
            )
        };
        let told = difference(&claim("fast"), &claim("other"));
        let wanted = "@@ -10,7 +10,7 @@\n   }\n  },\n  \"VolumeName\": \"\",\n- \"StorageClassName\": \"fast\",\n+ \"StorageClassName\": \"other\",\n  \"VolumeMode\": \"Filesystem\",\n  \"DataSource\": null,\n  \"DataSourceRef\": null,\n";
        assert_eq!(told, wanted);
        assert_eq!(difference(&claim("x"), &claim("x")), "");
    }

    #[test]
    fn what_belongs_to_the_pod_is_shown_with_its_security_context() {
        let spec = json!({"hostNetwork": true, "securityContext": {"runAsUser": 5}, "containers": []});
        let text = printed("PodSpec", &spec);
        assert!(
            text.contains("\"SecurityContext\":{\"HostNetwork\":true,\"HostPID\":false"),
            "{text}"
        );
        assert!(
            text.contains("\"RunAsUser\":5") && text.ends_with("\"SchedulingGroup\":null}"),
            "{text}"
        );
    }
}
