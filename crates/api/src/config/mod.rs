//! Component configuration documents. (`KubeSchedulerConfiguration` is the scheduler's own.)

mod kubelet;

pub use kubelet::{
    CrashLoopBackOffConfig, KubeletConfiguration, ShutdownGracePeriodByPodPriority, kubelet_configuration,
};
