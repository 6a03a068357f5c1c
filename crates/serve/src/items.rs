//! Items of lists as JSON, encoded once for each version of an object.
//!
//! Encoding an object takes ten times as long as copying its text. Clients list the same objects again and again, and
//! few of them have changed in between.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use podscope_api::schema::ServedKind;
use podscope_api::{Kind, Object, ObjectKey, Str};

use crate::board::Snapshot;
use crate::object_json;

/// Maximum size of the cached texts in bytes. When it is exceeded, all are dropped.
const MAX_CACHED_BYTES: usize = 64 * 1024 * 1024;

/// API version and kind in which the object is served, and its namespace and name.
type CacheKey = (&'static str, &'static str, ObjectKey);

/// Cache of the JSON texts of objects, for one history of the session.
#[derive(Debug, Default)]
pub(crate) struct ItemTextCache(Mutex<Cache>);

#[derive(Debug, Default)]
struct Cache {
    /// The resourceVersion and the text of each object.
    texts: BTreeMap<CacheKey, (Str, Bytes)>,
    bytes: usize,
}

impl ItemTextCache {
    fn lock(&self) -> MutexGuard<'_, Cache> {
        // Ignores poisoning: a panic of another thread leaves no incomplete state.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the text of an object as a list item. The kind must be built in: items of custom kinds have another
    /// form.
    pub(crate) fn text(&self, object: &Object, served: ServedKind, snapshot: &Snapshot) -> Bytes {
        let encode = || Bytes::from(object_json::as_list_item(object_json::of(object, served, snapshot)).to_string());
        // Not cached: the renew time of a node's Lease changes without a new version.
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
        let mut cache = self.lock();
        if cache.bytes + text.len() > MAX_CACHED_BYTES {
            *cache = Cache::default();
        }
        cache.bytes += text.len();
        if let Some((_, old)) = cache.texts.insert(key, (version, text.clone())) {
            cache.bytes -= old.len();
        }
        text
    }
}
