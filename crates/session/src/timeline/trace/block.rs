//! Records as bytes and back: rows as postcard writes them, deflated.

use std::sync::Arc;

use podscope_api::{Kind, NodeName, ObjectKey, Uid};
use podscope_cluster::{Actor, Record, SimTime, Subject, What};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Fields' names by number.
pub(super) type Names = Vec<&'static str>;

/// The fastest that still finds what repeats itself.
const LEVEL: u8 = 1;

#[derive(Serialize, Deserialize)]
struct Row<'a> {
    at: i64,
    seq: u64,
    actor: (u8, u32, &'a str),
    what: u8,
    #[serde(borrow)]
    object: Option<(u8, &'a str, &'a str, &'a str)>,
    container: Option<&'a str>,
    fields: Vec<(u8, Said<'a>)>,
}

/// The value of a field. Fractions, which JSON does not give back to the last bit, are in no record.
#[derive(Serialize, Deserialize)]
enum Said<'a> {
    Text(&'a str),
    Json(String),
}

pub(super) fn pack(records: &[Arc<Record>], names: &mut Names) -> Arc<[u8]> {
    let rows: Vec<Row<'_>> = records.iter().map(|record| row(record, names)).collect();
    // Invariant: rows hold nothing that postcard refuses (values of unknown length).
    let bytes = postcard::to_allocvec(&rows).unwrap_or_default();
    miniz_oxide::deflate::compress_to_vec(&bytes, LEVEL).into()
}

pub(super) fn unpack(packed: &[u8], names: &Names) -> Vec<Arc<Record>> {
    // Invariant: it is what `pack` made.
    let bytes = miniz_oxide::inflate::decompress_to_vec(packed).unwrap_or_default();
    let rows: Vec<Row<'_>> = postcard::from_bytes(&bytes).unwrap_or_default();
    rows.into_iter()
        .filter_map(|row| record(row, names).map(Arc::new))
        .collect()
}

fn row<'a>(record: &'a Record, names: &mut Names) -> Row<'a> {
    Row {
        at: record.at.0,
        seq: record.seq,
        actor: actor_row(&record.actor),
        what: record.what as u8,
        object: record
            .object
            .as_ref()
            .map(|it| (it.kind as u8, &*it.key.namespace, &*it.key.name, &*it.uid.0)),
        container: record.container.as_deref(),
        fields: record
            .fields
            .iter()
            .map(|(name, value)| (number_of(name, names), said(value)))
            .collect(),
    }
}

fn record(row: Row<'_>, names: &Names) -> Option<Record> {
    let object = match row.object {
        Some((kind, namespace, name, uid)) => Some(Arc::new(Subject {
            kind: *Kind::ALL.get(usize::from(kind))?,
            key: ObjectKey::new(namespace, name),
            uid: Uid(uid.into()),
        })),
        None => None,
    };
    let fields = row.fields.into_iter().map(|(name, said)| {
        let value = match said {
            Said::Text(text) => Value::from(text),
            Said::Json(json) => serde_json::from_str(&json).ok()?,
        };
        Some((*names.get(usize::from(name))?, value))
    });
    Some(Record {
        at: SimTime(row.at),
        seq: row.seq,
        actor: actor(row.actor)?,
        what: *What::ALL.get(usize::from(row.what))?,
        object,
        container: row.container.map(Into::into),
        fields: fields.collect::<Option<_>>()?,
    })
}

fn said(value: &Value) -> Said<'_> {
    match value {
        Value::String(text) => Said::Text(text),
        other => Said::Json(other.to_string()),
    }
}

/// Invariant: the fields of all records have fewer than 256 names; they are words of the contract.
fn number_of(name: &'static str, names: &mut Names) -> u8 {
    let known = names.iter().position(|known| *known == name);
    known.unwrap_or_else(|| {
        names.push(name);
        names.len() - 1
    }) as u8
}

fn actor_row(actor: &Actor) -> (u8, u32, &str) {
    match actor {
        Actor::ApiServer => (0, 0, ""),
        Actor::Scheduler(instance) => (1, u32::from(*instance), ""),
        Actor::ControllerManager(instance) => (2, u32::from(*instance), ""),
        Actor::Kubelet(node) => (3, 0, &node.0),
        Actor::Attacher => (4, 0, ""),
        Actor::Fencing => (5, 0, ""),
        Actor::Client(command) => (6, *command, ""),
        Actor::Machine(node) => (7, 0, &node.0),
        Actor::World => (8, 0, ""),
    }
}

fn actor((tag, number, node): (u8, u32, &str)) -> Option<Actor> {
    Some(match tag {
        0 => Actor::ApiServer,
        1 => Actor::Scheduler(number as u8),
        2 => Actor::ControllerManager(number as u8),
        3 => Actor::Kubelet(NodeName(node.into())),
        4 => Actor::Attacher,
        5 => Actor::Fencing,
        6 => Actor::Client(number),
        7 => Actor::Machine(NodeName(node.into())),
        8 => Actor::World,
        _ => return None,
    })
}
