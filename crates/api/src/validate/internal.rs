//! Prints values as the API server's internal structs (with all fields in Go's order, from [`crate::schema`]), because
//! some error messages contain them; and prints the unified diff of two such structs.

use serde_json::{Map, Value};

use crate::schema::{self, GoType, Shape, Struct, StructField};

/// Fields of a PodSpec that the server keeps in its internal security context, in the order of that struct.
const SECURITY_CONTEXT_FIELDS: [&str; 5] = [
    "hostNetwork",
    "hostPID",
    "hostIPC",
    "shareProcessNamespace",
    "hostUsers",
];
/// Fields that the internal struct lacks or that no message prints: the struct and the field.
const OMITTED_FIELDS: [(&str, &str); 2] = [("PodSpec", "serviceAccount"), ("ResourceClaimTemplateSpec", "metadata")];
/// The only field that is a pointer in v1 but not in the internal struct.
const NON_POINTER_FIELD: (&str, &str) = ("ServiceAccountTokenProjection", "expirationSeconds");
/// A struct that v1 embeds in another struct, but that messages print alone: the embedded and the outer struct.
const EMBEDDED_STRUCT: (&str, &str) = ("PersistentVolumeSource", "PersistentVolumeSpec");
/// First words of JSON field names that are in upper case in Go's field names.
const INITIALISMS: [&str; 17] = [
    "api", "aws", "cel", "csi", "dns", "fc", "fs", "gce", "grpc", "http", "ip", "iscsi", "nfs", "os", "rbd", "tcp",
    "tty",
];

/// Converts a struct from its wire form to the API server's internal form; `name` is its Go name.
pub(super) fn to_internal_struct(name: &str, value: &Value) -> Value {
    let outer = if name == EMBEDDED_STRUCT.0 {
        EMBEDDED_STRUCT.1
    } else {
        name
    };
    match schema::struct_named(outer) {
        Some(of) if outer == name => struct_fields_to_internal(of, value, &Value::Null),
        Some(of) => {
            let fields = of.fields().filter(|field| field.embedded == Some(name));
            fields.map(|field| field_to_internal(of, field, value)).collect()
        }
        None => value.clone(),
    }
}

/// Converts a struct from its wire form to the API server's internal form, and prints it as one line of JSON.
pub(super) fn to_internal_struct_json(name: &str, value: &Value) -> String {
    to_internal_struct(name, value).to_string()
}

/// Converts the wire value of a struct to the internal struct; `parent` is the wire value of the struct that contains
/// it.
fn struct_fields_to_internal(of: Struct, value: &Value, parent: &Value) -> Value {
    let mut map = Map::new();
    if of.name() == "PodSecurityContext"
        && let Some(pod) = schema::struct_named("PodSpec")
    {
        let fields = SECURITY_CONTEXT_FIELDS.iter().filter_map(|name| pod.field(name));
        map.extend(fields.map(|field| field_to_internal(pod, field, parent)));
    }
    let is_printed = |field: &StructField| {
        let is_moved = of.name() == "PodSpec" && SECURITY_CONTEXT_FIELDS.contains(&field.name);
        !is_moved && !OMITTED_FIELDS.contains(&(of.name(), field.name))
    };
    map.extend(
        of.fields()
            .filter(is_printed)
            .map(|field| field_to_internal(of, field, value)),
    );
    Value::Object(map)
}

/// Returns Go's name of a field of `holder`, and its internal value.
fn field_to_internal(of: Struct, field: StructField, holder: &Value) -> (String, Value) {
    let given = holder.get(field.name).filter(|given| !given.is_null());
    let is_pointer = field.of.is_pointer() && (of.name(), field.name) != NON_POINTER_FIELD;
    let value = match (field.of.shape(), given) {
        (Shape::List(element), given) => list_to_internal(element, given, holder),
        (Shape::Struct(of), given) if !of.is_wire_form && (given.is_some() || !is_pointer) => {
            struct_fields_to_internal(of, given.unwrap_or(&Value::Null), holder)
        }
        (_, Some(given)) => given.clone(),
        (Shape::Leaf(leaf), None) if !is_pointer => go_zero_value(leaf),
        (Shape::Struct(_) | Shape::Map(_) | Shape::Leaf(_), None) => Value::Null,
    };
    (go_field_name(field.name), value)
}

fn list_to_internal(element: GoType, given: Option<&Value>, holder: &Value) -> Value {
    match (element.shape(), given) {
        (_, None) => Value::Null,
        (Shape::Struct(of), Some(given)) if !of.is_wire_form => match given {
            Value::Array(items) => items
                .iter()
                .map(|item| struct_fields_to_internal(of, item, holder))
                .collect(),
            _ => Value::Null,
        },
        (_, Some(given)) => given.clone(),
    }
}

/// Returns Go's zero value of a scalar type.
fn go_zero_value(leaf: &str) -> Value {
    match crate::schema::plain_type_name(leaf) {
        "string" => "".into(),
        "bool" => false.into(),
        "int32" | "int64" | "IntOrString" => 0.into(),
        "Quantity" => "0".into(),
        _ => Value::Null,
    }
}

/// Returns Go's name of a field: `DNSPolicy` for `dnsPolicy`.
fn go_field_name(wire: &str) -> String {
    match wire {
        "cephfs" => return "CephFS".to_owned(),
        "storageos" => return "StorageOS".to_owned(),
        _ => {}
    }
    let begins_with = |word: &&&str| {
        let rest = wire.strip_prefix(**word);
        rest.is_some_and(|rest| !rest.starts_with(|next: char| next.is_ascii_lowercase()))
    };
    let initialism = INITIALISMS.iter().find(begins_with);
    let upper = match initialism {
        Some(word) => word.len(),
        None if wire.starts_with("seLinux") => 2,
        None => 1,
    };
    let mut name = wire.to_owned();
    if let Some(first) = name.get_mut(..upper) {
        first.make_ascii_uppercase();
    }
    name
}

/// Returns the unified diff of two internal structs.
pub(super) fn unified_diff(old: &Value, new: &Value) -> String {
    let lines = |value: &Value| {
        let mut text = Vec::new();
        push_indented_lines(value, 0, "", "", &mut text);
        text
    };
    format_diff_hunks(&lines(old), &lines(new))
}

/// Prints JSON with one space of indentation per level. `prefix` precedes the value on its first line, `suffix`
/// follows it on its last line.
fn push_indented_lines(value: &Value, level: usize, prefix: &str, suffix: &str, out: &mut Vec<String>) {
    let blanks = " ".repeat(level);
    let (pending, close, entries): (_, _, Vec<(String, &Value)>) = match value {
        Value::Object(map) if !map.is_empty() => {
            let key = |key: &String| format!("{}: ", Value::from(key.as_str()));
            ('{', '}', map.iter().map(|(name, value)| (key(name), value)).collect())
        }
        Value::Array(items) if !items.is_empty() => {
            ('[', ']', items.iter().map(|item| (String::new(), item)).collect())
        }
        leaf => return out.push(format!("{blanks}{prefix}{leaf}{suffix}")),
    };
    out.push(format!("{blanks}{prefix}{pending}"));
    let last = entries.len() - 1;
    for (at, (key, value)) in entries.into_iter().enumerate() {
        let comma = if at == last { "" } else { "," };
        push_indented_lines(value, level + 1, &key, comma, out);
    }
    out.push(format!("{blanks}{close}{suffix}"));
}

/// Number of unchanged lines that a diff shows around a change.
const CONTEXT_LINES: usize = 3;
/// In a text of at least this many lines, a very frequent line does not start a matching block.
const POPULAR_MIN_LINES: usize = 200;

/// A block of lines that are equal in the old and the new text.
#[derive(Clone, Copy)]
struct MatchingBlock {
    old: usize,
    new: usize,
    len: usize,
}

/// Returns the matching blocks of two lists of lines: the longest block, then recursively the blocks before and after
/// it (Ratcliff/Obershelp, as in Python's difflib; the server uses a port of it).
fn matching_blocks(old: &[String], new: &[String]) -> Vec<MatchingBlock> {
    let is_popular = |line: &String| {
        new.len() >= POPULAR_MIN_LINES && new.iter().filter(|other| *other == line).count() > new.len() / 100 + 1
    };
    let can_start: Vec<bool> = new.iter().map(|line| !is_popular(line)).collect();
    let mut found = Vec::new();
    let mut pending = vec![(0, old.len(), 0, new.len())];
    while let Some((from, to, new_from, new_to)) = pending.pop() {
        let block = longest_matching_block(old, new, &can_start, (from, to), (new_from, new_to));
        if block.len == 0 {
            continue;
        }
        pending.push((from, block.old, new_from, block.new));
        pending.push((block.old + block.len, to, block.new + block.len, new_to));
        found.push(block);
    }
    found.sort_unstable_by_key(|block| block.old);
    found
}

fn longest_matching_block(
    old: &[String],
    new: &[String],
    can_start: &[bool],
    old_range: (usize, usize),
    new_range: (usize, usize),
) -> MatchingBlock {
    let mut best = MatchingBlock {
        old: old_range.0,
        new: new_range.0,
        len: 0,
    };
    for at in old_range.0..old_range.1 {
        for start in new_range.0..new_range.1 {
            let pairs = (at..old_range.1).zip(start..new_range.1);
            let same = |(one, other): &(usize, usize)| can_start[*other] && old[*one] == new[*other];
            let len = pairs.take_while(same).count();
            if len > best.len {
                best = MatchingBlock {
                    old: at,
                    new: start,
                    len,
                };
            }
        }
    }
    // A frequent line does not start a match, but can extend one.
    while best.old > old_range.0 && best.new > new_range.0 && old[best.old - 1] == new[best.new - 1] {
        best = MatchingBlock {
            old: best.old - 1,
            new: best.new - 1,
            len: best.len + 1,
        };
    }
    while best.old + best.len < old_range.1
        && best.new + best.len < new_range.1
        && old[best.old + best.len] == new[best.new + best.len]
    {
        best.len += 1;
    }
    best
}

fn format_diff_hunks(old: &[String], new: &[String]) -> String {
    // Each line with its sign (`+`, `-` or space), and its indices in the old and the new lines.
    let mut lines: Vec<(char, &str, usize, usize)> = Vec::new();
    let (mut at, mut new_at) = (0, 0);
    let end = MatchingBlock {
        old: old.len(),
        new: new.len(),
        len: 0,
    };
    for block in matching_blocks(old, new).into_iter().chain([end]) {
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
    for group in changed.chunk_by(|one, next| next - one <= 2 * CONTEXT_LINES + 1) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else {
            continue;
        };
        let hunk = &lines[first.saturating_sub(CONTEXT_LINES)..(last + CONTEXT_LINES + 1).min(lines.len())];
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

    /// The hunk has the same line numbers as in the API server's message, because every field is on its own line.
    #[test]
    fn unified_diff_of_claims_has_three_context_lines() {
        let claim = |class: &str| {
            to_internal_struct(
                "PersistentVolumeClaimSpec",
                &json!({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}},
                    "storageClassName": class, "volumeMode": "Filesystem"}),
            )
        };
        let text = unified_diff(&claim("fast"), &claim("other"));
        let expected = "@@ -10,7 +10,7 @@\n   }\n  },\n  \"VolumeName\": \"\",\n- \"StorageClassName\": \"fast\",\n+ \"StorageClassName\": \"other\",\n  \"VolumeMode\": \"Filesystem\",\n  \"DataSource\": null,\n  \"DataSourceRef\": null,\n";
        assert_eq!(text, expected);
        assert_eq!(unified_diff(&claim("x"), &claim("x")), "");
    }

    #[test]
    fn internal_security_context_includes_host_namespaces() {
        let spec = json!({"hostNetwork": true, "securityContext": {"runAsUser": 5}, "containers": []});
        let text = to_internal_struct_json("PodSpec", &spec);
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
