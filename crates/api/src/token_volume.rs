//! The service account token volume of a pod (VA-284). Nearly every pod has this volume, and only the five random
//! letters of the volume's name differ. To save memory, a pod stores only these letters; the volume and its mounts are
//! restored when the pod is printed.

use std::borrow::Cow;
use std::sync::Arc;

use crate::{
    Container, ContainerStatus, DownwardFile, DownwardProjection, FilesProjection, KeyToPath, ObjectFieldSelector, Pod,
    PodSpec, ProjectedVolume, ROOT_CA_CONFIG_MAP, Str, TokenProjection, Volume, VolumeMount, VolumeMountStatus,
    VolumeProjection,
};

const TOKEN_VOLUME_PREFIX: &str = "kube-api-access-";
const TOKEN_MOUNT_PATH: &str = "/var/run/secrets/kubernetes.io/serviceaccount";
const TOKEN_EXPIRATION_SECONDS: i64 = 3607;
const TOKEN_FILE_MODE: i32 = 0o644;

/// The five random letters at the end of the name of a service account token volume (`kube-api-access-x7k2d`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenVolumeSuffix([u8; 5]);

impl TokenVolumeSuffix {
    /// Creates the value from the suffix of the volume's name; returns None unless it is five ASCII letters or digits.
    pub fn new(suffix: &str) -> Option<Self> {
        let is_plain = suffix.bytes().all(|byte| byte.is_ascii_alphanumeric());
        suffix.as_bytes().try_into().ok().filter(|_| is_plain).map(Self)
    }

    fn token_volume_name(self) -> Str {
        TOKEN_VOLUME_PREFIX
            .chars()
            .chain(self.0.map(char::from))
            .collect::<String>()
            .into()
    }

    fn build_token_volume(name: Str) -> Volume {
        let token = VolumeProjection {
            service_account_token: Some(TokenProjection {
                expiration_seconds: Some(TOKEN_EXPIRATION_SECONDS),
                path: "token".into(),
                ..TokenProjection::default()
            }),
            ..VolumeProjection::default()
        };
        let certificate = VolumeProjection {
            config_map: Some(FilesProjection {
                name: ROOT_CA_CONFIG_MAP.into(),
                items: vec![KeyToPath {
                    key: "ca.crt".into(),
                    path: "ca.crt".into(),
                    mode: None,
                }],
                optional: None,
            }),
            ..VolumeProjection::default()
        };
        let namespace = VolumeProjection {
            downward_api: Some(DownwardProjection {
                items: vec![DownwardFile {
                    path: "namespace".into(),
                    field_ref: Some(ObjectFieldSelector {
                        api_version: "v1".into(),
                        field_path: "metadata.namespace".into(),
                    }),
                    ..DownwardFile::default()
                }],
            }),
            ..VolumeProjection::default()
        };
        Volume {
            name,
            projected: Some(Box::new(ProjectedVolume {
                sources: vec![token, certificate, namespace],
                default_mode: Some(TOKEN_FILE_MODE),
            })),
            ..Volume::default()
        }
    }
}

fn build_token_mount(name: Str) -> VolumeMount {
    VolumeMount {
        name,
        mount_path: TOKEN_MOUNT_PATH.into(),
        read_only: Some(true),
        ..VolumeMount::default()
    }
}

fn build_token_mount_status(name: Str) -> VolumeMountStatus {
    VolumeMountStatus {
        name,
        mount_path: TOKEN_MOUNT_PATH.into(),
        read_only: Some(true),
        recursive_read_only: Some("Disabled".into()),
    }
}

/// Returns whether the container mounts any volume at the path where the service account token is mounted.
fn has_mount_at_token_path(container: &Container) -> bool {
    container
        .volume_mounts
        .iter()
        .any(|mount| &*mount.mount_path == TOKEN_MOUNT_PATH)
}

impl PodSpec {
    /// Returns whether the container's mount of the service account token is not stored, but restored when the pod is
    /// printed.
    pub fn mounts_token_implicitly(&self, container: &Container) -> bool {
        self.token_volume_suffix.is_some() && !has_mount_at_token_path(container)
    }

    /// Mounts the service account token in every container that mounts nothing at the token's path. Uses an existing
    /// token volume, or adds one whose name ends in `suffix`.
    pub fn mount_service_account_token(&mut self, suffix: impl FnOnce() -> Str) {
        if self.token_volume_suffix.is_some() || self.init_and_app_containers().all(has_mount_at_token_path) {
            return;
        }
        let existing_volume = self
            .volumes
            .iter()
            .find(|volume| volume.name.starts_with(TOKEN_VOLUME_PREFIX));
        let Some(name) = existing_volume.map(|volume| volume.name.clone()) else {
            self.token_volume_suffix = TokenVolumeSuffix::new(&suffix());
            return;
        };
        self.add_token_mounts(&name);
        self.compact_token_volume();
    }

    fn init_and_app_containers(&self) -> impl Iterator<Item = &Container> {
        self.init_containers.iter().chain(self.containers.iter())
    }

    fn add_token_mounts(&mut self, name: &Str) {
        for list in [&mut self.init_containers, &mut self.containers] {
            if !list.iter().all(has_mount_at_token_path) {
                for container in Arc::make_mut(list)
                    .iter_mut()
                    .filter(|container| !has_mount_at_token_path(container))
                {
                    container.volume_mounts.push(build_token_mount(name.clone()));
                }
            }
        }
    }

    /// Replaces the service account token volume by the suffix of its name, if the volume and its mounts are exactly as
    /// admission creates them. The printed form of the pod does not change.
    fn compact_token_volume(&mut self) {
        let Some(suffix) = self.volumes.last().and_then(|volume| {
            let suffix = TokenVolumeSuffix::new(volume.name.strip_prefix(TOKEN_VOLUME_PREFIX)?)?;
            (*volume == TokenVolumeSuffix::build_token_volume(volume.name.clone())).then_some(suffix)
        }) else {
            return;
        };
        let name = suffix.token_volume_name();
        let token_mount = build_token_mount(name.clone());
        let has_token_mount = |container: &Container| container.volume_mounts.last() == Some(&token_mount);
        let mounts_volume_elsewhere = |container: &Container| {
            let mut others = container
                .volume_mounts
                .iter()
                .rev()
                .skip(usize::from(has_token_mount(container)));
            others.any(|mount| mount.name == name)
        };
        let is_covered = |container: &Container| has_token_mount(container) || has_mount_at_token_path(container);
        let is_as_admission_makes_it = self.init_and_app_containers().any(has_token_mount)
            && self
                .init_and_app_containers()
                .all(|container| is_covered(container) && !mounts_volume_elsewhere(container))
            && self.volumes.iter().filter(|volume| volume.name == name).count() == 1;
        if !is_as_admission_makes_it {
            return;
        }
        let volumes = Arc::make_mut(&mut self.volumes);
        volumes.pop();
        volumes.shrink_to_fit();
        for list in [&mut self.init_containers, &mut self.containers] {
            if list.iter().any(has_token_mount) {
                for container in Arc::make_mut(list)
                    .iter_mut()
                    .filter(|container| has_token_mount(container))
                {
                    container.volume_mounts.pop();
                    container.volume_mounts.shrink_to_fit();
                }
            }
        }
        self.token_volume_suffix = Some(suffix);
    }
}

impl Pod {
    /// Replaces the service account token volume and its mounts by the suffix of the volume's name, in spec and status.
    pub(crate) fn compact_token_volume(&mut self) {
        if self.spec.token_volume_suffix.is_none() {
            self.spec.compact_token_volume();
        }
        let Some(suffix) = self.spec.token_volume_suffix else {
            return;
        };
        let known = build_token_mount_status(suffix.token_volume_name());
        for status in all_container_statuses(self) {
            if status.volume_mounts.last() == Some(&known) {
                status.volume_mounts.pop();
                status.volume_mounts.shrink_to_fit();
                status.mounts_token_volume = true;
            }
        }
    }

    /// Returns the pod as clients see it: with the service account token volume and its mounts.
    pub fn with_token_volume(&self) -> Cow<'_, Pod> {
        let Some(suffix) = self.spec.token_volume_suffix else {
            return Cow::Borrowed(self);
        };
        let name = suffix.token_volume_name();
        let mut pod = self.clone();
        pod.spec.token_volume_suffix = None;
        pod.spec.add_token_mounts(&name);
        Arc::make_mut(&mut pod.spec.volumes).push(TokenVolumeSuffix::build_token_volume(name.clone()));
        for status in all_container_statuses(&mut pod) {
            if std::mem::take(&mut status.mounts_token_volume) {
                status.volume_mounts.push(build_token_mount_status(name.clone()));
            }
        }
        Cow::Owned(pod)
    }
}

fn all_container_statuses(pod: &mut Pod) -> impl Iterator<Item = &mut ContainerStatus> {
    let status = &mut pod.status;
    status
        .init_container_statuses
        .iter_mut()
        .chain(status.container_statuses.iter_mut())
}
