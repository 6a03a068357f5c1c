//! What all controllers share: the watch cache, work queues, timers, calls.

use std::sync::Arc;

use crate::{Ctx, Input, Objects};

use super::ControllerManagerSettings;

/// A timer of a controller-manager.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum ControllerTimer {
    /// The earliest of its deadlines has come; it keeps them itself.
    Wake,
}

/// One kube-controller-manager process that leads. Everything here is memory: a crash or a lost lease loses it (CT-032, CT-133).
#[derive(Debug, Clone)]
pub struct ControllerManager {
    settings: Arc<ControllerManagerSettings>,
    objects: Arc<Objects>,
}

impl ControllerManager {
    /// A process that has just become leader; its first input is `Started`, then `Listed`.
    pub fn new(settings: ControllerManagerSettings) -> Self {
        Self {
            settings: Arc::new(settings),
            objects: Arc::default(),
        }
    }
    /// The settings it runs with.
    pub fn settings(&self) -> &ControllerManagerSettings {
        &self.settings
    }
    /// One step: takes the input into the cache, and works off what became due.
    pub fn handle(&mut self, input: Input, _ctx: &mut Ctx<'_>) {
        match input {
            Input::Listed { objects, .. } => self.objects = objects,
            Input::Changed(change) => self.objects = change.after.clone(),
            Input::Started | Input::Answered(..) | Input::Timer(_) => {}
        }
    }
}
