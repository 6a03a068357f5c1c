//! The state of the API as one value: a persistent, ordered, typed map per
//! kind. Cloning is cheap (shared structure), so a watch cache is simply the
//! value as of some revision, and a checkpoint is a pointer.

use std::sync::Arc;

use podscope_api::{NodeName, Object, ObjectKey, Pod, Resource, Str, Uid};
use rpds::{RedBlackTreeMapSync, RedBlackTreeSetSync};

/// Objects of one kind by namespace and name.
pub type Table<T> = RedBlackTreeMapSync<ObjectKey, Arc<T>>;

/// A kind that has a table in [`Objects`].
pub trait Stored: Resource {
    /// Its table.
    fn table(objects: &Objects) -> &Table<Self>;
    /// Its table, to change.
    fn table_mut(objects: &mut Objects) -> &mut Table<Self>;
}

macro_rules! tables {
    ($($kind:ident),*) => {
        #[allow(non_snake_case)]
        #[derive(Debug, Clone, Default)]
        struct Tables { $($kind: Table<podscope_api::$kind>),* }

        $(impl Stored for podscope_api::$kind {
            fn table(objects: &Objects) -> &Table<Self> { &objects.tables.$kind }
            fn table_mut(objects: &mut Objects) -> &mut Table<Self> { &mut objects.tables.$kind }
        })*

        impl Objects {
            /// Objects of a kind, in key order.
            pub fn list_kind(&self, kind: podscope_api::Kind) -> Vec<Object> {
                match kind { $(podscope_api::Kind::$kind => self.tables.$kind.values().map(|object| Object::$kind(object.clone())).collect()),* }
            }
            /// Objects of a kind in a namespace, by name.
            pub fn list_kind_in(&self, kind: podscope_api::Kind, namespace: &str) -> Vec<Object> {
                match kind { $(podscope_api::Kind::$kind => self.list_in::<podscope_api::$kind>(namespace).map(|object| Object::$kind(object.clone())).collect()),* }
            }
            /// One object of a kind.
            pub fn get_kind(&self, kind: podscope_api::Kind, key: &ObjectKey) -> Option<Object> {
                match kind { $(podscope_api::Kind::$kind => self.tables.$kind.get(key).map(|object| Object::$kind(object.clone()))),* }
            }
            /// How many objects of a kind there are.
            pub fn count_kind(&self, kind: podscope_api::Kind) -> usize {
                match kind { $(podscope_api::Kind::$kind => self.tables.$kind.size()),* }
            }
            fn insert(&mut self, object: Object) {
                match object { $(Object::$kind(object) => { let key = object.metadata.key(); self.tables.$kind.insert_mut(key, object); }),* }
            }
            fn take(&mut self, kind: podscope_api::Kind, key: &ObjectKey) {
                match kind { $(podscope_api::Kind::$kind => { self.tables.$kind.remove_mut(key); }),* }
            }
        }
    };
}
podscope_api::for_each_kind!(tables);

/// All API objects at one revision, with the indexes that informers keep.
/// Invariant: the indexes hold exactly the pods of the pod table.
#[derive(Debug, Clone, Default)]
pub struct Objects {
    tables: Tables,
    pods_by_node: RedBlackTreeMapSync<NodeName, RedBlackTreeSetSync<ObjectKey>>,
    pods_by_owner: RedBlackTreeMapSync<Uid, RedBlackTreeSetSync<ObjectKey>>,
    by_uid: RedBlackTreeMapSync<Uid, (podscope_api::Kind, ObjectKey)>,
}

impl Objects {
    /// One object by namespace and name.
    pub fn get<T: Stored>(&self, key: &ObjectKey) -> Option<&Arc<T>> {
        T::table(self).get(key)
    }
    /// One cluster-scoped object by name.
    pub fn named<T: Stored>(&self, name: &str) -> Option<&Arc<T>> {
        T::table(self).get(&ObjectKey::cluster(name))
    }
    /// All objects of a kind, in key order.
    pub fn list<T: Stored>(&self) -> impl Iterator<Item = &Arc<T>> {
        T::table(self).values()
    }
    /// All objects of a kind in a namespace, by name.
    pub fn list_in<T: Stored>(&self, namespace: &str) -> impl Iterator<Item = &Arc<T>> {
        let namespace: Str = namespace.into();
        let from = ObjectKey {
            namespace: namespace.clone(),
            name: Str::from(""),
        };
        T::table(self)
            .range(from..)
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
        self.insert(object);
    }
    /// Removes an object.
    pub fn remove(&mut self, kind: podscope_api::Kind, key: &ObjectKey) -> Option<Object> {
        let old = self.get_kind(kind, key)?;
        self.unindex(&old);
        self.take(kind, key);
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
