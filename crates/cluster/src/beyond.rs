//! Capabilities that the first build of the engine lacks. The engine is built twice: with the feature `whole` it has all;
//! without it, it has what a first visit to the page needs. Runs in which no object of a lacking kind exists are the same
//! in both. The caller of the first build polls [`World::needs_whole_engine`](crate::World::needs_whole_engine)
//! and continues the same run in the whole engine.

use crate::Objects;
use podscope_api::Kind;

/// Kinds whose objects have no effect in this build, or not the right one.
const LACKING: &[Kind] = if cfg!(feature = "whole") {
    &[]
} else {
    &[
        Kind::CronJob,
        Kind::CustomResourceDefinition,
        Kind::DeviceClass,
        Kind::HorizontalPodAutoscaler,
        Kind::ReplicationController,
        Kind::ResourceClaim,
        Kind::ResourceClaimTemplate,
        Kind::ResourceSlice,
    ]
};

/// Whether an object of a lacking kind is stored.
pub(crate) fn holds_lacking_kind(objects: &Objects) -> bool {
    LACKING.iter().any(|kind| objects.count_kind(*kind) > 0)
}
