//! Application groups (C-13): pods with the same annotation `podscope.dev/group` are members of one group. The
//! membership changes only if a quorum of the members runs and can reach each other. The etcd example (C-12) is built
//! on this. The API server does not know groups.

use podscope_api::ordered;

use podscope_api::{Kind, NodeName, ObjectKey, Pod, Str, Uid};

use crate::{Place, World};

/// Annotation with the name of a pod's group.
pub const GROUP_ANNOTATION: &str = "podscope.dev/group";

/// One member of an application group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    pub pod: ObjectKey,
    /// UID of the pod that joined; None for a member that was added before its pod exists.
    pub uid: Option<Uid>,
    /// The machine on which processes of the pod run, if any.
    pub runs_on: Option<NodeName>,
}

/// Members of an application group by pod name, with the UID of the pod that joined.
pub(crate) type Members = ordered::Map<ObjectKey, Option<Uid>>;

impl World {
    /// Returns all groups with their members. If the membership of a group was never changed, the group consists of the
    /// pods with its annotation.
    pub fn groups(&self) -> ordered::Map<Str, Vec<Member>> {
        let mut groups: ordered::Map<Str, Members> = ordered::Map::new();
        for pod in self.objects().list::<Pod>() {
            if let Some(group) = pod.metadata.annotation(GROUP_ANNOTATION) {
                groups
                    .entry(group.into())
                    .or_default()
                    .insert(pod.metadata.key(), Some(pod.metadata.uid.clone()));
            }
        }
        groups.extend(
            self.groups
                .iter()
                .map(|(name, members)| (name.clone(), members.clone())),
        );
        groups
            .into_iter()
            .map(|(name, members)| {
                let members = members
                    .into_iter()
                    .map(|(pod, uid)| Member {
                        runs_on: self.node_running_pod(&pod, uid.as_ref()),
                        pod,
                        uid,
                    })
                    .collect();
                (name, members)
            })
            .collect()
    }

    /// Returns the machine on which processes of a pod with this name run; with `uid`, only of the pod with this UID.
    fn node_running_pod(&self, key: &ObjectKey, uid: Option<&Uid>) -> Option<NodeName> {
        self.machines().find_map(|(node, machine)| {
            machine
                .pods()
                .any(|(other, pod)| {
                    pod.subject.kind == Kind::Pod
                        && pod.subject.key == *key
                        && uid.is_none_or(|uid| uid == other)
                        && pod.running().next().is_some()
                })
                .then(|| node.clone())
        })
    }

    /// Adds or removes a member, if the group has a quorum.
    pub(crate) fn change_member(&mut self, group: &str, member: &str, add: bool) -> Result<(), String> {
        let groups = self.groups();
        let Some(members) = groups.get(group) else {
            return Err(format!("there is no application group {group:?}"));
        };
        let existing = members.iter().find(|other| &*other.pod.name == member);
        match (add, existing) {
            (true, Some(_)) => return Err(format!("{member} is already a member of {group}")),
            (false, None) => return Err(format!("{member} is not a member of {group}")),
            _ => {}
        }
        let quorum = members.len() / 2 + 1;
        let running: Vec<&NodeName> = members.iter().filter_map(|member| member.runs_on.as_ref()).collect();
        let reached = running
            .iter()
            .map(|from| running.iter().filter(|to| self.can_reach_each_other(from, to)).count())
            .max()
            .unwrap_or(0);
        if reached < quorum {
            return Err(format!(
                "no quorum in {group}: {reached} of {} members run and reach each other, {quorum} are needed",
                members.len()
            ));
        }
        let mut changed: Members = members
            .iter()
            .map(|member| (member.pod.clone(), member.uid.clone()))
            .collect();
        match existing {
            Some(member) => {
                changed.remove(&member.pod);
                // The invariants no longer count the processes of a removed member, wherever they still run.
                self.monitors.ledger.expelled_members.extend(member.uid.clone());
            }
            None => {
                let namespace = members
                    .first()
                    .map_or_else(|| Str::from("default"), |member| member.pod.namespace.clone());
                let key = ObjectKey::new(namespace, member);
                let uid = self.objects().get::<Pod>(&key).map(|pod| pod.metadata.uid.clone());
                changed.insert(key, uid);
            }
        }
        self.groups.insert(group.into(), changed);
        Ok(())
    }

    fn can_reach_each_other(&self, one: &NodeName, other: &NodeName) -> bool {
        let (one, other) = (Place::Node(one.clone()), Place::Node(other.clone()));
        self.network.is_open(&one, &other) && self.network.is_open(&other, &one)
    }
}
