//! The cloud provider of the cluster autoscaler: its node groups, and trials of placements on a copy of the cluster
//! with the scheduler's filters.

use std::sync::Arc;

use podscope_api::{Node, Object, Pod, ResourceList, Str};
use podscope_controllers::{Cloud, ScalableGroup, TrialCluster};
use podscope_scheduler::{SchedulerConfiguration, TrialNodes};

use super::{NodeGroup, node_groups};
use crate::{Objects, scheduler_of};

/// The declared node groups, the default capacity of their machines, and the settings of the scheduler.
#[derive(Debug, Clone)]
pub(crate) struct SimulatedCloud {
    pub(crate) groups: Arc<Vec<NodeGroup>>,
    pub(crate) default_capacity: Arc<ResourceList>,
    pub(crate) scheduler: SchedulerConfiguration,
}

impl Cloud for SimulatedCloud {
    fn scalable_groups(&self, objects: &Objects) -> Vec<ScalableGroup> {
        let groups = node_groups(objects, &self.groups).into_iter();
        let scalable = groups.filter_map(|known| {
            Some(ScalableGroup {
                name: known.group.name.clone(),
                min: known.group.min as usize,
                max: known.group.max? as usize,
                delay: known.group.delay,
                nodes: known.nodes,
            })
        });
        scalable.collect()
    }

    fn new_node(&self, group: &str, objects: &Objects, name: &str) -> Option<(Arc<Node>, Vec<Object>)> {
        let groups = node_groups(objects, &self.groups);
        let group = groups.iter().find(|known| *known.group.name == *group)?;
        let new = group.new_node(objects, &self.default_capacity, name);
        Some((new.node, new.company))
    }

    fn trial_cluster(&self, objects: &Objects) -> Box<dyn TrialCluster> {
        Box::new(Trial(TrialNodes::new(&scheduler_of(
            objects,
            self.scheduler.clone(),
            0,
        ))))
    }
}

/// A copy of the cluster in which the cluster autoscaler tries changes with the scheduler's filters.
#[derive(Debug, Clone)]
struct Trial(TrialNodes);

impl TrialCluster for Trial {
    fn add(&mut self, object: &Object) {
        self.0.add(object);
    }

    fn remove_object(&mut self, object: &Object) {
        self.0.remove(object);
    }

    fn check_placement(&mut self, pod: &Arc<Pod>, node: &str) -> Result<(), Vec<String>> {
        self.0.check(pod, node)
    }

    fn nodes_accepting(&mut self, pod: &Arc<Pod>) -> Vec<Str> {
        self.0.nodes_accepting(pod)
    }

    fn fork(&self) -> Box<dyn TrialCluster> {
        Box::new(self.clone())
    }
}
