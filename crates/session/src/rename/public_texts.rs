//! Allow-list of public texts, which are not anonymised. All other texts are renamed.

use std::sync::OnceLock;

use podscope_api::well_known::provisioner;
use podscope_api::{Kind, ordered, parse_rfc3339};

fn lines_as_set(text: &'static str) -> ordered::Set<&'static str> {
    text.lines().collect()
}

/// Returns whether the text is a word that Kubernetes' components define, such as a reason, type or phase.
pub(super) fn is_kubernetes_word(text: &str) -> bool {
    static KUBERNETES_WORDS: OnceLock<ordered::Set<&'static str>> = OnceLock::new();
    KUBERNETES_WORDS
        .get_or_init(|| lines_as_set(include_str!("words.txt")))
        .contains(text)
}

/// Returns whether the word occurs in messages of Kubernetes' components, ignoring case.
pub(super) fn is_message_word(word: &str) -> bool {
    static MESSAGE_WORDS: OnceLock<ordered::Set<&'static str>> = OnceLock::new();
    let words = MESSAGE_WORDS.get_or_init(|| lines_as_set(include_str!("message_words.txt")));
    word.len() < 2 || words.contains(&*word.to_ascii_lowercase())
}

/// Domains of label and annotation keys that Kubernetes or a cloud provider documents.
const PUBLIC_DOMAINS: &[&str] = &[
    "kubernetes.io",
    "k8s.io",
    "x-k8s.io",
    "k8s.aws",
    "eks.amazonaws.com",
    "vpc.amazonaws.com",
    "karpenter.sh",
    "cloud.google.com",
    "gke.io",
    "kubernetes.azure.com",
    "disk.csi.azure.com",
    "csi.azure.com",
    "azure.com",
    "azure.microsoft.com",
    "oraclecloud.com",
    "digitalocean.com",
    "hetzner.cloud",
    "openshift.io",
    "nvidia.com",
    "amd.com",
    "intel.com",
    "habana.ai",
    "xilinx.com",
    "projectcalico.org",
    "cilium.io",
    "podscope.dev",
];

/// Prefixes of label and annotation keys whose last part users choose.
const USER_NAMED_PREFIXES: &[&str] = &[
    "node-role.kubernetes.io",
    "node-restriction.kubernetes.io",
    "behavior.podscope.dev",
    "container.apparmor.security.beta.kubernetes.io",
    "container.seccomp.security.alpha.kubernetes.io",
];

/// Names of public CSI drivers and volume provisioners.
const PUBLIC_DRIVERS: &[&str] = &[
    "ebs.csi.aws.com",
    "efs.csi.aws.com",
    "fsx.csi.aws.com",
    "s3.csi.aws.com",
    "pd.csi.storage.gke.io",
    "filestore.csi.storage.gke.io",
    "gcsfuse.csi.storage.gke.io",
    "disk.csi.azure.com",
    "file.csi.azure.com",
    "blob.csi.azure.com",
    "cinder.csi.openstack.org",
    "manila.csi.openstack.org",
    "csi.vsphere.vmware.com",
    "rbd.csi.ceph.com",
    "cephfs.csi.ceph.com",
    "rook-ceph.rbd.csi.ceph.com",
    "rook-ceph.cephfs.csi.ceph.com",
    "nfs.csi.k8s.io",
    "smb.csi.k8s.io",
    "iscsi.csi.k8s.io",
    "hostpath.csi.k8s.io",
    "secrets-store.csi.k8s.io",
    "driver.longhorn.io",
    "dobs.csi.digitalocean.com",
    "csi.hetzner.cloud",
    "linodebs.csi.linode.com",
    "pxd.portworx.com",
    "csi.trident.netapp.io",
    "csi.tigera.io",
    "inline.storage.kubernetes.io",
    "local.csi.openebs.io",
    "topolvm.io",
    "rancher.io/local-path",
    provisioner::NONE,
    "kubernetes.io/aws-ebs",
    "kubernetes.io/gce-pd",
    "kubernetes.io/azure-disk",
    "kubernetes.io/azure-file",
    "kubernetes.io/cinder",
    "kubernetes.io/vsphere-volume",
];

/// Names that exist in every cluster, and values with a general meaning.
const PUBLIC_NAMES: &[&str] = &[
    "default",
    "kube-system",
    "kube-public",
    "kube-node-lease",
    "kubernetes",
    "kube-root-ca.crt",
    "kube-scheduler",
    "kube-controller-manager",
    "default-scheduler",
    "system-cluster-critical",
    "system-node-critical",
    "foregroundDeletion",
    "orphan",
    "true",
    "false",
    "yes",
    "no",
    "linux",
    "windows",
    "amd64",
    "arm64",
    "control-plane",
    "master",
    "infra",
    "external-attacher",
    "linux/amd64",
    "cpu",
    "memory",
    "pods",
    "ephemeral-storage",
    "storage",
    "requests.cpu",
    "requests.memory",
    "requests.storage",
    "limits.cpu",
    "limits.memory",
    "services",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    "resourcequotas",
    "replicationcontrollers",
    "services.nodeports",
    "services.loadbalancers",
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.podIP",
    "ext4",
    "xfs",
    "kubelet",
    "default-token",
    "Kubelet",
];

/// Parts of names that reveal nothing private and are kept.
const HARMLESS_NAME_PARTS: &[&str] = &[
    "sha256",
    "csi",
    "pvc",
    "pv",
    "docker",
    "io",
    "library",
    "localhost",
    "latest",
    "http",
    "https",
    "grpc",
];

/// Returns whether a part of a name reveals nothing private.
pub(super) fn is_harmless_name_part(part: &str) -> bool {
    HARMLESS_NAME_PARTS.contains(&part)
}

/// Returns whether Kubernetes or a cloud provider documents the label and annotation keys of a domain.
fn is_documented_domain(domain: &str) -> bool {
    let is_within = |known: &str| domain.strip_suffix(known).is_some_and(|before| before.ends_with('.'));
    PUBLIC_DOMAINS.iter().any(|known| domain == *known || is_within(known))
}

/// Returns whether a text is public in every field.
pub(super) fn is_public(text: &str) -> bool {
    text.len() < 2
        || PUBLIC_NAMES.contains(&text)
        || PUBLIC_DRIVERS.contains(&text)
        || is_amount(text)
        || parse_rfc3339(text).is_some()
        || Kind::ALL.iter().any(|kind| kind.name() == text)
        || is_public_key(text)
        || text.starts_with("hugepages-")
        || text.starts_with("attachable-volumes-")
}

/// Returns whether a label or annotation key is public: its domain is documented, and users do not choose its last
/// part.
pub(super) fn is_public_key(text: &str) -> bool {
    let Some((domain, name)) = text.split_once('/') else {
        return false;
    };
    let is_plain = !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    is_plain && is_documented_domain(domain) && user_named_prefix(text).is_none()
}

/// Returns the public prefix of a label or annotation key, including the slash, if users choose the key's last part.
pub(super) fn user_named_prefix(text: &str) -> Option<&str> {
    let (domain, name) = text.split_once('/')?;
    let is_user_named = USER_NAMED_PREFIXES.contains(&domain) && !PUBLIC_NAMES.contains(&name);
    is_user_named.then(|| &text[..=domain.len()])
}

/// Returns whether a text is a number, quantity, duration or percentage.
fn is_amount(text: &str) -> bool {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || ".+-eE".contains(c));
    let starts_like_number = text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
    let is_unit = [
        "", "m", "k", "M", "G", "T", "P", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "n", "u", "%", "s", "h", "ms", "us",
    ]
    .contains(&unit);
    if starts_like_number && is_unit && text.parse::<std::net::IpAddr>().is_err() && text.matches('.').count() < 2 {
        return true;
    }
    let is_duration = |c: char| c.is_ascii_digit() || "hms.".contains(c);
    starts_like_number && text.ends_with(['h', 'm', 's']) && text.chars().all(is_duration)
}

/// Returns the public prefix of a volume's unique name, for example `kubernetes.io/aws-ebs/`.
pub(super) fn plugin_prefix(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("kubernetes.io/")?;
    let (plugin_prefix, _) = rest.split_once('/')?;
    let known = [
        "csi",
        "aws-ebs",
        "gce-pd",
        "azure-disk",
        "azure-file",
        "cinder",
        "vsphere-volume",
        "iscsi",
        "fc",
        "nfs",
        "rbd",
        "cephfs",
        "glusterfs",
        "host-path",
        "local-volume",
        "empty-dir",
    ];
    known
        .contains(&plugin_prefix)
        .then(|| &text[..text.len() - rest.len() + plugin_prefix.len() + 1])
}

/// Returns whether a text is the name of a public driver in the form in which finalizers contain it, with hyphens.
pub(super) fn is_driver_in_finalizer(text: &str) -> bool {
    PUBLIC_DRIVERS
        .iter()
        .any(|driver| driver.replace(['.', '/'], "-") == text)
}
