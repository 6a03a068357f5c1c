//! What conditions found in objects, kept as long as the objects stay what they are: after each event all that is open
//! is judged, and most of what is looked at has not changed.

use podscope_api::Object;
use podscope_kubectl::Path;

use super::expect::value_at;

/// The last finding of each path in each object.
///
/// Invariant: what it gives is what [`value_at`] gives.
#[derive(Debug, Clone, Default)]
pub(crate) struct Findings(Vec<Finding>);

#[derive(Debug, Clone)]
struct Finding {
    object: Object,
    path: Path,
    found: Option<String>,
}

impl Findings {
    /// What stands at a path of an object.
    pub(crate) fn at(&mut self, path: &Path, object: &Object) -> Option<String> {
        let is_it = |one: &&Finding| one.object.is_same(object) && one.path == *path;
        if let Some(known) = self.0.iter().find(is_it) {
            return known.found.clone();
        }
        let found = value_at(path, object);
        // What an earlier state of the object said is not asked again.
        let is_earlier = |one: &Finding| one.object.kind() == object.kind() && one.object.key() == object.key();
        self.0.retain(|one| one.path != *path || !is_earlier(one));
        self.0.push(Finding {
            object: object.clone(),
            path: path.clone(),
            found: found.clone(),
        });
        found
    }
}
