//! Items of lists as JSON, encoded once for each version of an object.
//!
//! To encode an object takes ten times as long as to copy its text. Clients list the same objects again and again, and few
//! of them have changed in between.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use podscope_api::schema::ServedKind;
use podscope_api::{Kind, Object, ObjectKey, Str};

use crate::board::Snapshot;
use crate::value;

/// Maximum number of bytes that are kept. When they are exceeded, all are dropped.
const MAX_BYTES: usize = 64 * 1024 * 1024;

type Served = (&'static str, &'static str, ObjectKey);

/// Texts of the objects of one history.
#[derive(Debug, Default)]
pub(crate) struct Items(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    /// The version of each object, and its text.
    texts: BTreeMap<Served, (Str, Bytes)>,
    bytes: usize,
}

impl Items {
    fn lock(&self) -> MutexGuard<'_, Kept> {
        // A panic of another thread leaves nothing half written.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The text of an object as an item of a list of its kind, which has a Go type.
    pub(crate) fn text(&self, object: &Object, served: ServedKind, snapshot: &Snapshot) -> Bytes {
        let encode = || Bytes::from(value::as_item(value::of(object, served, snapshot)).to_string());
        // The times of a node's Lease pass without a new version.
        if object.kind() == Kind::Lease {
            return encode();
        }
        let version = object.metadata().resource_version.clone();
        let key = (served.api_version, served.kind, object.key());
        if let Some((known, text)) = self.lock().texts.get(&key)
            && *known == version
        {
            return text.clone();
        }
        let text = encode();
        let mut kept = self.lock();
        if kept.bytes + text.len() > MAX_BYTES {
            *kept = Kept::default();
        }
        kept.bytes += text.len();
        if let Some((_, old)) = kept.texts.insert(key, (version, text.clone())) {
            kept.bytes -= old.len();
        }
        text
    }
}
