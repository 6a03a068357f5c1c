//! Serializes the status of a condition as text instead of as an enum, because a status in a file may have any value.

use podscope_api::ConditionStatus;
use serde::{Deserialize, Deserializer, Serializer};

pub(crate) fn serialize<S: Serializer>(status: &ConditionStatus, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(status.as_str())
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ConditionStatus, D::Error> {
    String::deserialize(deserializer).map(|text| ConditionStatus::from(text.as_str()))
}
