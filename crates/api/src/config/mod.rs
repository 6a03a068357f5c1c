//! Component configuration documents. `KubeSchedulerConfiguration` is defined in the scheduler's crate.

mod kubelet;

pub use kubelet::{
    CrashLoopBackOffConfig, KubeletConfiguration, ShutdownGracePeriodByPodPriority, kubelet_configuration,
};
