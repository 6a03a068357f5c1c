//! Object kinds that only the whole build of the engine supports. The engine is built twice: with the feature `whole`
//! it supports every kind; without it (the first build), only what a first visit to the page needs. A run in which no
//! object of an unsupported kind exists is identical in both builds. The caller of the first build polls
//! [`World::needs_whole_engine`](crate::World::needs_whole_engine) and continues the same run in the whole engine.

use crate::Objects;
use podscope_api::Kind;

/// Kinds that this build does not support: it simulates their objects not at all or wrongly.
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

/// Returns whether an object of an unsupported kind is stored.
pub(crate) fn has_unsupported_kind(objects: &Objects) -> bool {
    LACKING.iter().any(|kind| objects.count_kind(*kind) > 0)
}
