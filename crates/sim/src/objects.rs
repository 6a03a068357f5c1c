//! The state of the API as one value: a persistent, ordered map per kind. Cloning is cheap (shared structure), so a
//! watch cache is the value at some revision, and a checkpoint is a pointer.

mod service_index;

use std::sync::Arc;

use crate::Assumed;
use podscope_api::ordered;
use podscope_api::{KeyParts, Kind, Node, NodeName, Object, ObjectKey, Pod, PodDisruptionBudget, Resource, Str, Uid};
use rpds::{RedBlackTreeMapSync, RedBlackTreeSetSync};

use service_index::ServiceIndex;

/// Objects of one kind by namespace and name.
///
/// Invariant: all objects are of the kind that the table stands for. All kinds share one type, because the code of a
/// persistent map is large and would be generated for every type of value.
type ObjectTable = RedBlackTreeMapSync<ObjectKey, Object>;

/// The objects of all kinds, one table per kind.
#[derive(Debug, Clone)]
struct ObjectTables {
    /// Tables of the built-in kinds, by [`Kind::index`].
    built_in: [ObjectTable; Kind::ALL.len()],
    /// Tables of the custom kinds, which CustomResourceDefinitions define. Invariant: none is empty.
    custom: ordered::Map<Kind, ObjectTable>,
    /// An empty list, for a custom kind without objects.
    empty: ObjectTable,
}

impl Default for ObjectTables {
    fn default() -> Self {
        Self {
            built_in: std::array::from_fn(|_| ObjectTable::default()),
            custom: ordered::Map::new(),
            empty: ObjectTable::default(),
        }
    }
}

impl ObjectTables {
    /// Returns the table of a kind, which may be empty.
    fn of(&self, kind: Kind) -> &ObjectTable {
        let built_in = self.built_in.get(kind.index());
        built_in.unwrap_or_else(|| self.custom.get(&kind).unwrap_or(&self.empty))
    }

    fn insert(&mut self, kind: Kind, key: ObjectKey, object: Object) {
        debug_assert_eq!(object.kind(), kind, "a table holds objects of its kind");
        match self.built_in.get_mut(kind.index()) {
            Some(table) => table.insert_mut(key, object),
            None => self.custom.entry(kind).or_default().insert_mut(key, object),
        }
    }

    fn remove(&mut self, kind: Kind, key: &ObjectKey) {
        if let Some(table) = self.built_in.get_mut(kind.index()) {
            table.remove_mut(key);
        } else if let Some(table) = self.custom.get_mut(&kind) {
            table.remove_mut(key);
            if table.is_empty() {
                self.custom.remove(&kind);
            }
        }
        debug_assert!(
            self.custom.values().all(|table| !table.is_empty()),
            "a defined kind without objects has no table"
        );
    }
}

/// All API objects at one revision, with the indexes that informers keep.
/// Invariant: the indexes hold exactly the pods of the pod table.
#[derive(Debug, Clone, Default)]
pub struct Objects {
    tables: ObjectTables,
    pods_by_node: RedBlackTreeMapSync<NodeName, RedBlackTreeSetSync<ObjectKey>>,
    pods_by_owner: RedBlackTreeMapSync<Uid, RedBlackTreeSetSync<ObjectKey>>,
    by_uid: RedBlackTreeMapSync<PrefixedUid, (Kind, ObjectKey)>,
    service_index: ServiceIndex,
    assumed: Arc<Assumed>,
}

impl Objects {
    fn table(&self, kind: Kind) -> &ObjectTable {
        self.tables.of(kind)
    }

    /// Returns one object by namespace and name.
    pub fn get<T: Resource>(&self, key: &ObjectKey) -> Option<&Arc<T>> {
        T::from_object(self.table(T::KIND).get(key)?)
    }

    /// Returns one cluster-scoped object by name.
    pub fn named<T: Resource>(&self, name: &str) -> Option<&Arc<T>> {
        let key: &dyn KeyParts = &("", name);
        T::from_object(self.table(T::KIND).get(key)?)
    }

    /// Returns all objects of a kind, in key order.
    pub fn list<T: Resource>(&self) -> impl Iterator<Item = &Arc<T>> {
        self.table(T::KIND).values().filter_map(T::from_object)
    }

    /// Returns all objects of a kind in a namespace, by name.
    pub fn list_in<T: Resource>(&self, namespace: &str) -> impl Iterator<Item = &Arc<T>> {
        self.in_namespace(T::KIND, namespace).filter_map(T::from_object)
    }

    /// Returns all objects of a kind, in key order.
    pub fn list_kind(&self, kind: Kind) -> Vec<Object> {
        self.table(kind).values().cloned().collect()
    }

    /// Returns all objects of a kind in a namespace, by name.
    pub fn list_kind_in(&self, kind: Kind, namespace: &str) -> Vec<Object> {
        self.in_namespace(kind, namespace).cloned().collect()
    }

    /// Returns one object of a kind.
    pub fn get_kind(&self, kind: Kind, key: &ObjectKey) -> Option<Object> {
        self.table(kind).get(key).cloned()
    }

    /// Returns the built-in kinds, and the custom kinds of which there are objects.
    pub fn kinds(&self) -> impl Iterator<Item = Kind> {
        let built_in = Kind::ALL.iter().copied();
        built_in.chain(self.tables.custom.keys().copied())
    }

    /// Returns the number of objects of a kind.
    pub fn count_kind(&self, kind: Kind) -> usize {
        self.table(kind).size()
    }

    /// Returns what is assumed to exist although the store does not have it (P-09).
    pub fn assumed(&self) -> &Assumed {
        &self.assumed
    }

    /// Sets which objects are assumed to exist although the store does not have them. Called only when the world is
    /// created.
    pub fn set_assumed_objects(&mut self, assumed: Arc<Assumed>) {
        self.assumed = assumed;
    }

    fn in_namespace(&self, kind: Kind, namespace: &str) -> impl Iterator<Item = &Object> {
        let namespace: Str = namespace.into();
        self.table(kind)
            .range(ObjectKey::new(namespace.clone(), "")..)
            .take_while(move |(key, _)| key.namespace == namespace)
            .map(|(_, object)| object)
    }

    /// Returns the pods bound to a node, by key.
    pub fn pods_on<'a>(&'a self, node: &NodeName) -> impl Iterator<Item = &'a Arc<Pod>> + use<'a> {
        self.pods_by_node
            .get(node)
            .into_iter()
            .flat_map(|keys| keys.iter())
            .filter_map(|key| self.get::<Pod>(key))
    }

    /// Returns the pods controlled by the owner with this UID, by key.
    pub fn pods_of<'a>(&'a self, owner: &Uid) -> impl Iterator<Item = &'a Arc<Pod>> + use<'a> {
        self.pods_by_owner
            .get(owner)
            .into_iter()
            .flat_map(|keys| keys.iter())
            .filter_map(|key| self.get::<Pod>(key))
    }

    /// Returns the names of Nodes that do not exist although pods are bound to them.
    pub fn missing_nodes(&self) -> ordered::Set<NodeName> {
        // Both iterators are sorted by name.
        let mut nodes = self.list::<Node>().map(|node| &*node.metadata.name).peekable();
        let mut missing = ordered::Set::new();
        for name in self.pods_by_node.keys() {
            while nodes.next_if(|node| *node < name.as_str()).is_some() {}
            if nodes.peek() != Some(&name.as_str()) {
                missing.insert(name.clone());
            }
        }
        missing
    }

    /// Returns all PodDisruptionBudgets that select a pod (CT-101), by name.
    pub fn budgets_of<'a>(&'a self, pod: &'a Pod) -> impl Iterator<Item = &'a Arc<PodDisruptionBudget>> {
        let budgets = self.list_in::<PodDisruptionBudget>(&pod.metadata.namespace);
        budgets.filter(|budget| {
            let selector = budget.spec.selector.as_ref();
            selector.is_some_and(|selector| selector.matches(&pod.metadata.labels))
        })
    }

    /// Returns the object with this UID. Events are not indexed by UID, so they are never found.
    pub fn by_uid(&self, uid: &Uid) -> Option<Object> {
        let (kind, key) = self.by_uid.get(&PrefixedUid::new(uid))?;
        self.get_kind(*kind, key)
    }

    /// Adds or replaces an object; returns the previous one. Called only by the API server's store and by tests.
    pub fn put(&mut self, object: Object) -> Option<Object> {
        let key = object.key();
        let old = self.get_kind(object.kind(), &key);
        // The indexes are updated only if an indexed value changed, which is rare.
        if old.as_ref().map(indexed_values) != Some(indexed_values(&object)) {
            if let Some(old) = &old {
                self.remove_from_indexes(old);
            }
            if object.kind() != Kind::Event {
                let uid = PrefixedUid::new(&object.metadata().uid);
                self.by_uid.insert_mut(uid, (object.kind(), key.clone()));
            }
            let (_, node, owner) = indexed_values(&object);
            if let Some(node) = node {
                insert_index_key(&mut self.pods_by_node, node, &key);
            }
            if let Some(owner) = owner {
                insert_index_key(&mut self.pods_by_owner, owner, &key);
            }
        }
        debug_assert!(
            self.is_indexed(&object, &key),
            "{:?} {key:?} is missing from an index",
            object.kind()
        );
        let pods = self.tables.of(Kind::Pod);
        self.service_index.update(old.as_ref(), Some(&object), pods);
        self.tables.insert(object.kind(), key, object);
        old
    }

    /// Returns whether the indexes contain the object. In the index by UID, an object with the same UID is enough,
    /// because two objects of an imported dump may share a UID.
    fn is_indexed(&self, object: &Object, key: &ObjectKey) -> bool {
        let (uid, node, owner) = indexed_values(object);
        let by_uid = object.kind() == Kind::Event || self.by_uid.contains_key(&PrefixedUid::new(uid));
        let on_node = node.is_none_or(|node| self.pods_by_node.get(node).is_some_and(|keys| keys.contains(key)));
        let of_owner = owner.is_none_or(|owner| self.pods_by_owner.get(owner).is_some_and(|keys| keys.contains(key)));
        by_uid && on_node && of_owner
    }

    /// Removes an object and returns it.
    pub fn remove(&mut self, kind: Kind, key: &ObjectKey) -> Option<Object> {
        let old = self.get_kind(kind, key)?;
        self.remove_from_indexes(&old);
        self.service_index.update(Some(&old), None, self.tables.of(Kind::Pod));
        self.tables.remove(kind, key);
        Some(old)
    }

    fn remove_from_indexes(&mut self, old: &Object) {
        let key = old.key();
        let (uid, node, owner) = indexed_values(old);
        if old.kind() != Kind::Event {
            self.by_uid.remove_mut(&PrefixedUid::new(uid));
        }
        if let Some(node) = node {
            remove_index_key(&mut self.pods_by_node, node, &key);
        }
        if let Some(owner) = owner {
            remove_index_key(&mut self.pods_by_owner, owner, &key);
        }
    }
}

/// A UID with its first eight bytes as a number, which decides most comparisons. UIDs are random, so a search in a
/// large tree reads memory that is in no cache; the number saves reading the text at each level.
///
/// Invariant: `prefix` is a function of `uid`, and the order is that of the texts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct PrefixedUid {
    prefix: u64,
    uid: Uid,
}

impl PrefixedUid {
    fn new(uid: &Uid) -> Self {
        let mut first = [0; 8];
        first
            .iter_mut()
            .zip(uid.as_str().bytes())
            .for_each(|(to, byte)| *to = byte);
        Self {
            prefix: u64::from_be_bytes(first),
            uid: uid.clone(),
        }
    }
}

/// Returns the values by which an object is indexed: its UID, and for a pod its node and its controller's UID.
fn indexed_values(object: &Object) -> (&Uid, Option<&NodeName>, Option<&Uid>) {
    let uid = &object.metadata().uid;
    match object {
        Object::Pod(pod) => {
            let owner = pod.metadata.controller_ref().map(|owner| &owner.uid);
            (uid, pod.spec.node_name.as_ref(), owner)
        }
        _ => (uid, None, None),
    }
}

/// Keys of objects by an indexed value, such as a node name. Invariant: no set is empty.
type KeyIndex<K> = RedBlackTreeMapSync<K, RedBlackTreeSetSync<ObjectKey>>;

fn insert_index_key<K: Ord + Clone>(map: &mut KeyIndex<K>, at: &K, key: &ObjectKey) {
    match map.get_mut(at) {
        Some(keys) => keys.insert_mut(key.clone()),
        None => {
            let mut keys = RedBlackTreeSetSync::new_sync();
            keys.insert_mut(key.clone());
            map.insert_mut(at.clone(), keys);
        }
    }
}

fn remove_index_key<K: Ord + Clone>(map: &mut KeyIndex<K>, at: &K, key: &ObjectKey) {
    let mut keys = map.get(at).cloned().expect("every stored object is in the index");
    let was_present = keys.remove_mut(key);
    assert!(was_present, "the index lacks {key:?}");
    if keys.is_empty() {
        map.remove_mut(at);
    } else {
        map.insert_mut(at.clone(), keys);
    }
}
