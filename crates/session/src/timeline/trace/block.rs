//! Packs records into blocks: rows in postcard format, compressed with deflate.

use std::borrow::Cow;
use std::sync::Arc;

use podscope_api::{CausedBy, Kind, NodeName, ObjectKey, Uid};
use podscope_cluster::{Actor, Happening, Record, SimTime, Subject};
use serde::{Deserialize, Serialize};

/// Compression level of deflate: the fastest level that still finds repetitions.
const COMPRESSION_LEVEL: u8 = 1;

#[derive(Serialize, Deserialize)]
struct RecordRow<'a> {
    at: i64,
    /// Sequence number of the record minus that of its cause. 0 if nothing in the run caused the record.
    back: u64,
    actor: (u8, u32, &'a str),
    #[serde(borrow)]
    object: Option<(u16, &'a str, &'a str, &'a str)>,
    container: Option<&'a str>,
    happening: Cow<'a, Happening>,
}

/// The names of a custom kind: version, kind, plural, singular, and whether it is namespaced.
type CustomKindNames<'a> = (&'a str, &'a str, &'a str, &'a str, bool);

/// Packs consecutive records into a block.
pub(super) fn pack(records: &[Arc<Record>]) -> Arc<[u8]> {
    let first = records.first().map_or(0, |record| record.seq);
    let mut custom: Vec<Kind> = Vec::new();
    let rows: Vec<RecordRow<'_>> = records.iter().map(|record| row(record, &mut custom)).collect();
    let names: Vec<CustomKindNames<'_>> = custom
        .into_iter()
        .map(|kind| {
            (
                kind.api_version(),
                kind.name(),
                kind.plural(),
                kind.singular(),
                kind.is_namespaced(),
            )
        })
        .collect();
    let bytes = postcard::to_allocvec(&(first, names, rows)).expect("rows contain no sequence of unknown length");
    miniz_oxide::deflate::compress_to_vec(&bytes, COMPRESSION_LEVEL).into()
}

pub(super) fn unpack(packed: &[u8]) -> Vec<Arc<Record>> {
    let bytes = miniz_oxide::inflate::decompress_to_vec(packed).expect("`pack` deflated it");
    let (first, names, rows): (u64, Vec<CustomKindNames<'_>>, Vec<RecordRow<'_>>) =
        postcard::from_bytes(&bytes).expect("`pack` wrote it");
    let defined = |(version, kind, plural, singular, is_namespaced): CustomKindNames<'_>| {
        podscope_api::custom::custom_kind(version, kind, plural, singular, is_namespaced)
    };
    let kinds: Vec<Kind> = (Kind::ALL.iter().copied())
        .chain(names.into_iter().map(defined))
        .collect();
    (first..)
        .zip(rows)
        .map(|(seq, row)| Arc::new(record(seq, row, &kinds)))
        .collect()
}

/// Returns the index of a kind in a block: the built-in kinds come first, then the custom kinds of the block.
fn kind_index(kind: Kind, custom: &mut Vec<Kind>) -> u16 {
    let mut kind_index = kind.index();
    if let Kind::Custom(_) = kind {
        let known = custom.iter().position(|known| *known == kind);
        kind_index += known.unwrap_or(custom.len());
        if known.is_none() {
            custom.push(kind);
        }
    }
    u16::try_from(kind_index).unwrap_or(u16::MAX)
}

fn row<'a>(record: &'a Record, custom: &mut Vec<Kind>) -> RecordRow<'a> {
    RecordRow {
        at: record.at.0,
        back: record
            .caused_by
            .seq()
            .map_or(0, |cause| record.seq.saturating_sub(cause)),
        actor: actor_row(&record.actor),
        object: record.object.as_ref().map(|it| {
            (
                kind_index(it.kind, custom),
                &*it.key.namespace,
                &*it.key.name,
                &*it.uid.0,
            )
        }),
        container: record.container.as_deref(),
        happening: Cow::Borrowed(&record.happening),
    }
}

fn record(seq: u64, row: RecordRow<'_>, kinds: &[Kind]) -> Record {
    let object = row.object.map(|(kind, namespace, name, uid)| {
        Arc::new(Subject {
            kind: kinds[usize::from(kind)],
            key: ObjectKey::new(namespace, name),
            uid: Uid(uid.into()),
        })
    });
    Record {
        at: SimTime(row.at),
        seq,
        caused_by: match row.back {
            0 => CausedBy::NOTHING,
            back => CausedBy::record(seq.saturating_sub(back)),
        },
        actor: actor(row.actor),
        happening: row.happening.into_owned(),
        object,
        container: row.container.map(Into::into),
    }
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
        Actor::Driver(node) => (9, 0, &node.0),
        Actor::ClusterAutoscaler => (10, 0, ""),
    }
}

fn actor((tag, number, node): (u8, u32, &str)) -> Actor {
    match tag {
        0 => Actor::ApiServer,
        1 => Actor::Scheduler(number as u8),
        2 => Actor::ControllerManager(number as u8),
        3 => Actor::Kubelet(NodeName(node.into())),
        4 => Actor::Attacher,
        5 => Actor::Fencing,
        6 => Actor::Client(number),
        7 => Actor::Machine(NodeName(node.into())),
        8 => Actor::World,
        9 => Actor::Driver(NodeName(node.into())),
        10 => Actor::ClusterAutoscaler,
        _ => unreachable!("`actor_row` wrote it"),
    }
}
