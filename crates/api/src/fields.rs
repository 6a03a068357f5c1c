//! Which fields the structs of a kind have, asked of the tables they are read by ([`crate::wire`]): there is no list of
//! them beside those. A value of a wrong type is refused in words that name the right one (VA-238).

use crate::decode::{Reader, failure_of};
use crate::ordered::StableSort as _;
use crate::tree::{Data, Entry, Tree};
use crate::wire::{Record, camel};
use crate::{Kind, Object};

/// A field that is read into something with behaviour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its type as `kubectl explain` has it: `string`, `[]Container`, `map[string]Quantity`.
    pub of: String,
}

/// The fields of what stands at a path of a kind, sorted; lists stand for their elements. None if a part of the path is
/// no field, empty if what stands there has no fields.
pub fn fields(kind: Kind, path: &[String]) -> Option<Vec<Field>> {
    let mut found = fields_below(kind, &[]);
    for end in 1..=path.len() {
        let known = &path[..end];
        let name = known.last()?;
        if !found.iter().any(|field| field.name == *name) {
            return None;
        }
        found = fields_below(kind, known);
    }
    Some(found)
}

/// As [`fields`], where every part of the path but the last is known to be there.
fn fields_below(kind: Kind, path: &[String]) -> Vec<Field> {
    let wrong = [Data::Bool(true), Data::Seq(Vec::new()), Data::String("1".into())].map(tree);
    // What has fields is no text; an element of a list is asked for inside one.
    let mut asked = vec![tree(Data::String("".into()))];
    asked.push(tree(Data::Seq(vec![asked[0].clone()])));
    for name in path.iter().rev() {
        let mut next = Vec::new();
        for value in asked {
            let entry = |value| Entry {
                key: name.as_str().into(),
                line: 0,
                column: 0,
                value,
            };
            let map = tree(Data::Map(vec![entry(value)]));
            next.push(tree(Data::Seq(vec![map.clone()])));
            next.push(map);
        }
        asked = next;
    }
    for question in &asked {
        let Ok((mut object, _)) = Object::from_tree(kind, &tree(Data::Null)) else {
            break;
        };
        let mut reader = Reader::asking(&wrong);
        let _ = object.as_wire_mut().read(question, &mut reader);
        let mut found = reader.answer();
        if !found.is_empty() {
            if path.is_empty() {
                found.extend(["apiVersion", "kind"].map(|name| Field {
                    name: name.to_owned(),
                    of: "string".to_owned(),
                }));
            }
            found.stable_sort_by(|a, b| a.name.cmp(&b.name));
            return found;
        }
    }
    Vec::new()
}

const fn tree(data: Data<'_>) -> Tree<'_> {
    Tree {
        line: 0,
        column: 0,
        data,
    }
}

/// The fields of a struct with their types.
pub(crate) fn of(record: &mut dyn Record, wrong: &[Tree<'_>]) -> Vec<Field> {
    let shape = record.shape();
    let named = shape.fields.iter().enumerate().filter(|(_, name)| !name.is_empty());
    let row = |(at, name): (usize, &&'static str)| {
        let field = record.field_mut(at);
        let told = wrong.iter().find_map(|value| failure_of(field, value));
        let mut of = told.map_or_else(|| "Object".to_owned(), |message| type_name(&message));
        // What takes numbers and texts.
        if of == "integer" && wrong.last().is_some_and(|text| failure_of(field, text).is_none()) {
            of = "IntOrString".into();
        }
        Field { name: camel(name), of }
    };
    named.map(row).collect()
}

/// `integer` for `json: cannot unmarshal bool into Go … of type int32`.
fn type_name(message: &str) -> String {
    if message.starts_with("quantities ") {
        return "Quantity".into();
    }
    let go = message.rsplit_once(" of type ").map_or(message, |(_, go)| go);
    let (list, of) = match go.rfind(']') {
        Some(at) => go.split_at(at + 1),
        None => ("", go),
    };
    let of = match of.rsplit_once('.').map_or(of, |(_, name)| name) {
        "int32" | "int64" => "integer",
        "bool" => "boolean",
        "float64" => "number",
        "Time" | "MicroTime" => "string",
        name => name,
    };
    format!("{list}{of}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(kind: Kind, path: &str) -> Option<String> {
        let path: Vec<String> = path
            .split('.')
            .filter(|part| !part.is_empty())
            .map(str::to_owned)
            .collect();
        let rows = fields(kind, &path)?;
        let rows = rows.iter().map(|field| format!("{}:{}", field.name, field.of));
        Some(rows.collect::<Vec<_>>().join(" "))
    }

    /// KC-114: names and types as kubectl explain prints them.
    #[test]
    fn fields_are_told_by_the_tables_that_read_them() {
        assert_eq!(
            told(Kind::Pod, "").as_deref(),
            Some("apiVersion:string kind:string metadata:ObjectMeta spec:PodSpec status:PodStatus")
        );
        let container = told(Kind::Pod, "spec.containers").unwrap_or_default();
        for field in [
            "image:string",
            "env:[]EnvVar",
            "livenessProbe:Probe",
            "resources:ResourceRequirements",
        ] {
            assert!(container.split(' ').any(|one| one == field), "{field}: {container}");
        }
        for kind in Kind::ALL {
            let all = told(*kind, "").unwrap_or_default();
            assert!(all.contains("metadata:ObjectMeta"), "{kind:?}: {all}");
        }
        for (kind, path, fields) in [
            (Kind::PriorityClass, "", "value:integer"),
            (Kind::PodDisruptionBudget, "spec", "maxUnavailable:IntOrString"),
            (Kind::CsiStorageCapacity, "", "capacity:Quantity"),
            (Kind::Node, "status", "capacity:map[string]Quantity"),
            (
                Kind::Deployment,
                "spec.template.spec.containers.ports",
                "containerPort:integer",
            ),
            (
                Kind::Pod,
                "status.containerStatuses.state.terminated",
                "finishedAt:string",
            ),
        ] {
            let all = told(kind, path).unwrap_or_default();
            assert!(all.split(' ').any(|one| one == fields), "{fields}: {all}");
        }
        assert_eq!(told(Kind::Pod, "spec.nope"), None);
        assert_eq!(told(Kind::Pod, "spec.nodeName").as_deref(), Some(""));
        assert_eq!(told(Kind::Pod, "spec.nodeName.x"), None);
    }
}
