//! kube-controller-manager: every controller in one file of its own, over one
//! shared watch cache. A controller reads like its documentation: what it
//! watches, what it compares, what it requests. Nothing here writes the store.

mod runtime;
mod settings;

pub use runtime::{ControllerManager, ControllerTimer};
pub use settings::{ControllerManagerSettings, Millis, SettingError};
