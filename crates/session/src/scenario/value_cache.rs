//! Cache of the values that conditions find in objects. All undecided conditions are checked after every event, and
//! most objects have not changed since the previous check.

use podscope_api::Object;
use podscope_kubectl::Path;

use super::expect::value_at;

/// The values that conditions have found: the last one for each path and object.
///
/// Invariant: a cached value equals the result of [`value_at`].
#[derive(Debug, Clone, Default)]
pub(crate) struct ValueCache(Vec<CachedValue>);

#[derive(Debug, Clone)]
struct CachedValue {
    object: Object,
    path: Path,
    found: Option<String>,
}

impl ValueCache {
    /// Returns the value at a path of an object, from the cache if the object has not changed.
    pub(crate) fn value_at(&mut self, path: &Path, object: &Object) -> Option<String> {
        let is_cached = |one: &&CachedValue| one.object.is_same(object) && one.path == *path;
        if let Some(known) = self.0.iter().find(is_cached) {
            return known.found.clone();
        }
        let found = value_at(path, object);
        // The cached value for the previous state of the object is no longer needed.
        let is_earlier = |one: &CachedValue| one.object.kind() == object.kind() && one.object.key() == object.key();
        self.0.retain(|one| one.path != *path || !is_earlier(one));
        self.0.push(CachedValue {
            object: object.clone(),
            path: path.clone(),
            found: found.clone(),
        });
        found
    }
}
