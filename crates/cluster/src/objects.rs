//! The state of the API as one value: a persistent, ordered map per
//! kind. Cloning is cheap (shared structure), so a watch cache is simply the
//! value as of some revision, and a checkpoint is a pointer.

use std::sync::Arc;

use podscope_api::{Kind, NodeName, Object, ObjectKey, Pod, Resource, Str, Uid};
use rpds::{RedBlackTreeMapSync, RedBlackTreeSetSync};

/// Objects of one kind by namespace and name.
///
/// Invariant: all are of the kind the table stands for. One type for all kinds: the code of a
/// persistent map is large, and each type of values would have its own.
type Table = RedBlackTreeMapSync<ObjectKey, Object>;

/// All API objects at one revision, with the indexes that informers keep.
/// Invariant: the indexes hold exactly the pods of the pod table.
#[derive(Debug, Clone, Default)]
pub struct Objects {
    /// By [`Kind`] as a number.
    tables: [Table; Kind::ALL.len()],
    pods_by_node: RedBlackTreeMapSync<NodeName, RedBlackTreeSetSync<ObjectKey>>,
    pods_by_owner: RedBlackTreeMapSync<Uid, RedBlackTreeSetSync<ObjectKey>>,
    by_uid: RedBlackTreeMapSync<Uid, (Kind, ObjectKey)>,
}

impl Objects {
    fn table(&self, kind: Kind) -> &Table {
        &self.tables[kind as usize]
    }
    /// One object by namespace and name.
    pub fn get<T: Resource>(&self, key: &ObjectKey) -> Option<&Arc<T>> {
        T::from_object(self.table(T::KIND).get(key)?)
    }
    /// One cluster-scoped object by name.
    pub fn named<T: Resource>(&self, name: &str) -> Option<&Arc<T>> {
        self.get(&ObjectKey::cluster(name))
    }
    /// All objects of a kind, in key order.
    pub fn list<T: Resource>(&self) -> impl Iterator<Item = &Arc<T>> {
        self.table(T::KIND).values().filter_map(T::from_object)
    }
    /// All objects of a kind in a namespace, by name.
    pub fn list_in<T: Resource>(&self, namespace: &str) -> impl Iterator<Item = &Arc<T>> {
        self.in_namespace(T::KIND, namespace).filter_map(T::from_object)
    }
    /// Objects of a kind, in key order.
    pub fn list_kind(&self, kind: Kind) -> Vec<Object> {
        self.table(kind).values().cloned().collect()
    }
    /// Objects of a kind in a namespace, by name.
    pub fn list_kind_in(&self, kind: Kind, namespace: &str) -> Vec<Object> {
        self.in_namespace(kind, namespace).cloned().collect()
    }
    /// One object of a kind.
    pub fn get_kind(&self, kind: Kind, key: &ObjectKey) -> Option<Object> {
        self.table(kind).get(key).cloned()
    }
    /// How many objects of a kind there are.
    pub fn count_kind(&self, kind: Kind) -> usize {
        self.table(kind).size()
    }
    fn in_namespace(&self, kind: Kind, namespace: &str) -> impl Iterator<Item = &Object> {
        let namespace: Str = namespace.into();
        self.table(kind)
            .range(ObjectKey::new(namespace.clone(), "")..)
            .take_while(move |(key, _)| key.namespace == namespace)
            .map(|(_, object)| object)
    }
    /// The pods bound to a node, by key.
    pub fn pods_on<'a>(&'a self, node: &NodeName) -> impl Iterator<Item = &'a Arc<Pod>> + use<'a> {
        self.pods_by_node
            .get(node)
            .into_iter()
            .flat_map(|keys| keys.iter())
            .filter_map(|key| self.get::<Pod>(key))
    }
    /// The pods controlled by the owner of that UID, by key.
    pub fn pods_of<'a>(&'a self, owner: &Uid) -> impl Iterator<Item = &'a Arc<Pod>> + use<'a> {
        self.pods_by_owner
            .get(owner)
            .into_iter()
            .flat_map(|keys| keys.iter())
            .filter_map(|key| self.get::<Pod>(key))
    }
    /// The object of that UID.
    pub fn by_uid(&self, uid: &Uid) -> Option<Object> {
        self.by_uid.get(uid).and_then(|(kind, key)| self.get_kind(*kind, key))
    }
    /// Adds or replaces an object. Only the API server's store and tests call this.
    pub fn put(&mut self, object: Object) {
        if let Some(old) = self.get_kind(object.kind(), &object.key()) {
            self.unindex(&old);
        }
        let key = object.key();
        self.by_uid
            .insert_mut(object.metadata().uid.clone(), (object.kind(), key.clone()));
        if let Object::Pod(pod) = &object {
            if let Some(node) = &pod.spec.node_name {
                index(&mut self.pods_by_node, node, &key);
            }
            if let Some(owner) = pod.metadata.controller_ref() {
                index(&mut self.pods_by_owner, &owner.uid, &key);
            }
        }
        self.tables[object.kind() as usize].insert_mut(key, object);
    }
    /// Removes an object.
    pub fn remove(&mut self, kind: Kind, key: &ObjectKey) -> Option<Object> {
        let old = self.get_kind(kind, key)?;
        self.unindex(&old);
        self.tables[kind as usize].remove_mut(key);
        Some(old)
    }

    fn unindex(&mut self, old: &Object) {
        let key = old.key();
        self.by_uid.remove_mut(&old.metadata().uid);
        if let Object::Pod(pod) = old {
            if let Some(node) = &pod.spec.node_name {
                unindex(&mut self.pods_by_node, node, &key);
            }
            if let Some(owner) = pod.metadata.controller_ref() {
                unindex(&mut self.pods_by_owner, &owner.uid, &key);
            }
        }
    }
}

type Index<K> = RedBlackTreeMapSync<K, RedBlackTreeSetSync<ObjectKey>>;

fn index<K: Ord + Clone>(map: &mut Index<K>, at: &K, key: &ObjectKey) {
    let mut keys = map.get(at).cloned().unwrap_or_default();
    keys.insert_mut(key.clone());
    map.insert_mut(at.clone(), keys);
}

fn unindex<K: Ord + Clone>(map: &mut Index<K>, at: &K, key: &ObjectKey) {
    let Some(mut keys) = map.get(at).cloned() else { return };
    keys.remove_mut(key);
    if keys.is_empty() {
        map.remove_mut(at);
    } else {
        map.insert_mut(at.clone(), keys);
    }
}
