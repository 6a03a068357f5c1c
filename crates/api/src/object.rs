//! All kinds: the [`Kind`] table, the [`Object`] enum, and the [`Resource`] trait of typed objects.

use std::sync::Arc;

use serde_json::Value;

use crate::custom::CustomKind;
use crate::decode::{FieldError, decode_into, first_error_message};
use crate::residual::Residual;
use crate::untyped_object::UntypedObject;
use crate::wire::Wire;
use crate::{Extra, ObjectKey, ObjectMeta, PodTemplateSpec, Tree};

/// A typed object: its kind, metadata and conversions to and from [`Object`].
pub trait Resource: Clone + Send + Sync + 'static {
    const KIND: Kind;
    fn metadata(&self) -> &ObjectMeta;
    /// Mutable access to the metadata.
    fn metadata_mut(&mut self) -> &mut ObjectMeta;
    /// Returns the fields that are not simulated.
    fn extra(&self) -> &Extra;
    /// Returns mutable access to the fields that are not simulated.
    fn extra_mut(&mut self) -> &mut Extra;
    /// Wraps this value in the [`Object`] enum.
    fn into_object(self: Arc<Self>) -> Object;
    /// Unwraps an [`Object`] of this kind; None for other kinds.
    fn from_object(object: &Object) -> Option<&Arc<Self>>;
}

macro_rules! kinds {
    (
        typed: $($(#[$m:meta])* $kind:ident { api: $api:literal, kind: $wire:literal, plural: $plural:literal, singular: $singular:literal, short: [$($short:literal),*], namespaced: $ns:literal }),* ;
        kept: $($kept:ident { api: $kept_api:literal, kind: $kept_wire:literal, plural: $kept_plural:literal, singular: $kept_singular:literal, short: [$($kept_short:literal),*], namespaced: $kept_ns:literal }),* $(,)?
    ) => {
        /// A kind whose objects are stored: kinds with a Rust type come first, then the kinds stored as
        /// [`UntypedObject`].
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Kind {
            $($(#[$m])* #[doc = concat!("`", $wire, "`.")] $kind,)*
            $(#[doc = concat!("`", $kept_wire, "`.")] $kept,)*
            /// A custom kind, defined by a CustomResourceDefinition.
            Custom(&'static CustomKind),
        }

        /// The positions of the built-in kinds in [`Kind::ALL`].
        enum KindIndex { $($kind,)* $($kept),* }

        impl Kind {
            /// All built-in kinds, in the order of the table.
            pub const ALL: &'static [Kind] = &[$(Kind::$kind,)* $(Kind::$kept),*];
            /// Returns the `apiVersion` of objects of this kind.
            pub const fn api_version(self) -> &'static str { match self { $(Kind::$kind => $api),*, $(Kind::$kept => $kept_api),*, Kind::Custom(custom) => custom.api_version } }
            /// Returns the `kind` of objects of this kind, as it is on the wire.
            pub const fn name(self) -> &'static str { match self { $(Kind::$kind => $wire),*, $(Kind::$kept => $kept_wire),*, Kind::Custom(custom) => custom.kind } }
            /// Returns the plural resource name (`pods`).
            pub const fn plural(self) -> &'static str { match self { $(Kind::$kind => $plural),*, $(Kind::$kept => $kept_plural),*, Kind::Custom(custom) => custom.plural } }
            /// Returns the singular resource name (`pod`).
            pub const fn singular(self) -> &'static str { match self { $(Kind::$kind => $singular),*, $(Kind::$kept => $kept_singular),*, Kind::Custom(custom) => custom.singular } }
            /// Returns the short names that kubectl accepts (`po`).
            pub const fn short_names(self) -> &'static [&'static str] { match self { $(Kind::$kind => &[$($short),*],)* $(Kind::$kept => &[$($kept_short),*]),*, Kind::Custom(_) => &[] } }
            /// Returns whether objects of this kind live in a namespace.
            pub const fn is_namespaced(self) -> bool { match self { $(Kind::$kind => $ns),*, $(Kind::$kept => $kept_ns),*, Kind::Custom(custom) => custom.is_namespaced } }
            /// Returns the kind's position in [`Kind::ALL`]; for a custom kind, the length of that list.
            pub const fn index(self) -> usize { match self { $(Kind::$kind => KindIndex::$kind as usize,)* $(Kind::$kept => KindIndex::$kept as usize,)* Kind::Custom(_) => Kind::ALL.len() } }
            /// Returns whether objects of this kind are only stored and printed: no simulated component reads or
            /// changes them.
            pub const fn is_only_stored(self) -> bool { matches!(self, $(Kind::$kept)|* | Kind::Custom(_)) }
            /// Returns the built-in kind with this `kind` and `apiVersion`.
            pub fn from_wire(api_version: &str, kind: &str) -> Option<Kind> {
                match (api_version, kind) { $(($api, $wire) => Some(Kind::$kind),)* $(($kept_api, $kept_wire) => Some(Kind::$kept),)* _ => None }
            }
        }

        /// An object of any kind.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Object {
            $($(#[$m])* #[doc = concat!("A `", $wire, "`.")] $kind(Arc<crate::$kind>),)*
            /// An object of a kind without a Rust type.
            Untyped(Arc<UntypedObject>),
        }

        impl Object {
            pub fn kind(&self) -> Kind { match self { $(Object::$kind(_) => Kind::$kind,)* Object::Untyped(object) => object.kind } }
            pub fn metadata(&self) -> &ObjectMeta { match self { $(Object::$kind(object) => &object.metadata,)* Object::Untyped(object) => &object.metadata } }
            /// Mutable access to the metadata; copies the object if it is shared.
            pub fn metadata_mut(&mut self) -> &mut ObjectMeta { match self { $(Object::$kind(object) => &mut Arc::make_mut(object).metadata,)* Object::Untyped(object) => &mut Arc::make_mut(object).metadata } }
            /// Returns the fields that are not simulated.
            pub fn extra(&self) -> &Extra { match self { $(Object::$kind(object) => &object.extra,)* Object::Untyped(object) => &object.extra } }
            pub fn key(&self) -> ObjectKey { self.metadata().key() }
            /// Returns the typed part as a JSON tree, `apiVersion` and `kind` first, without [`Object::extra`].
            pub fn typed_value(&self) -> Value {
                let mut map = serde_json::Map::new();
                map.insert("apiVersion".into(), self.kind().api_version().into());
                map.insert("kind".into(), self.kind().name().into());
                let fields = match self {
                    Object::Pod(pod) => pod.with_token_volume().to_json_value(),
                    _ => self.as_wire().to_json_value(),
                };
                if let Value::Object(fields) = fields { map.extend(fields); }
                Value::Object(map)
            }

            /// Returns whether both values share the same object in memory, and therefore are equal.
            pub fn is_same(&self, other: &Object) -> bool { std::ptr::addr_eq(self.as_wire(), other.as_wire()) }
            fn as_wire(&self) -> &dyn Wire { match self { $(Object::$kind(object) => &**object,)* Object::Untyped(object) => &**object } }
            pub(crate) fn set_extra(&mut self, extra: Extra) {
                match self { $(Object::$kind(object) => Arc::make_mut(object).extra = extra,)* Object::Untyped(object) => Arc::make_mut(object).extra = extra }
            }

            /// Decodes the typed part of a tree; also returns the part of the tree that has no Rust type.
            pub(crate) fn from_tree<'n>(kind: Kind, tree: &'n Tree<'n>) -> Result<(Object, Option<Residual<'n>>), Vec<FieldError>> {
                Ok(match kind { $(Kind::$kind => {
                    let mut object = crate::$kind::default();
                    let residual = decode_into(&mut object, tree)?;
                    (Object::$kind(Arc::new(object)), residual)
                },)* $(Kind::$kept)|* | Kind::Custom(_) => {
                    let mut object = UntypedObject::of(kind);
                    let residual = decode_into(&mut object, tree)?;
                    (Object::Untyped(Arc::new(object)), residual)
                } })
            }

            /// Decodes the typed part of a JSON value.
            ///
            /// # Errors
            /// The error of the first field with a wrong type.
            pub fn from_typed_value(kind: Kind, value: &Value) -> Result<Object, String> {
                Object::from_tree(kind, &Tree::from_value(value)).map(|(object, _)| object).map_err(first_error_message)
            }
        }

        $(impl Resource for crate::$kind {
            const KIND: Kind = Kind::$kind;
            fn metadata(&self) -> &ObjectMeta { &self.metadata }
            fn metadata_mut(&mut self) -> &mut ObjectMeta { &mut self.metadata }
            fn extra(&self) -> &Extra { &self.extra }
            fn extra_mut(&mut self) -> &mut Extra { &mut self.extra }
            fn into_object(self: Arc<Self>) -> Object { Object::$kind(self) }
            fn from_object(object: &Object) -> Option<&Arc<Self>> {
                match object { Object::$kind(object) => Some(object), _ => None }
            }
        })*
    };
}

kinds! {
    typed:
    Namespace { api: "v1", kind: "Namespace", plural: "namespaces", singular: "namespace", short: ["ns"], namespaced: false },
    Node { api: "v1", kind: "Node", plural: "nodes", singular: "node", short: ["no"], namespaced: false },
    Pod { api: "v1", kind: "Pod", plural: "pods", singular: "pod", short: ["po"], namespaced: true },
    Lease { api: "coordination.k8s.io/v1", kind: "Lease", plural: "leases", singular: "lease", short: [], namespaced: true },
    ReplicationController { api: "v1", kind: "ReplicationController", plural: "replicationcontrollers", singular: "replicationcontroller", short: ["rc"], namespaced: true },
    ReplicaSet { api: "apps/v1", kind: "ReplicaSet", plural: "replicasets", singular: "replicaset", short: ["rs"], namespaced: true },
    Deployment { api: "apps/v1", kind: "Deployment", plural: "deployments", singular: "deployment", short: ["deploy"], namespaced: true },
    StatefulSet { api: "apps/v1", kind: "StatefulSet", plural: "statefulsets", singular: "statefulset", short: ["sts"], namespaced: true },
    DaemonSet { api: "apps/v1", kind: "DaemonSet", plural: "daemonsets", singular: "daemonset", short: ["ds"], namespaced: true },
    ControllerRevision { api: "apps/v1", kind: "ControllerRevision", plural: "controllerrevisions", singular: "controllerrevision", short: [], namespaced: true },
    Job { api: "batch/v1", kind: "Job", plural: "jobs", singular: "job", short: [], namespaced: true },
    PodDisruptionBudget { api: "policy/v1", kind: "PodDisruptionBudget", plural: "poddisruptionbudgets", singular: "poddisruptionbudget", short: ["pdb"], namespaced: true },
    PriorityClass { api: "scheduling.k8s.io/v1", kind: "PriorityClass", plural: "priorityclasses", singular: "priorityclass", short: ["pc"], namespaced: false },
    Service { api: "v1", kind: "Service", plural: "services", singular: "service", short: ["svc"], namespaced: true },
    EndpointSlice { api: "discovery.k8s.io/v1", kind: "EndpointSlice", plural: "endpointslices", singular: "endpointslice", short: [], namespaced: true },
    PersistentVolume { api: "v1", kind: "PersistentVolume", plural: "persistentvolumes", singular: "persistentvolume", short: ["pv"], namespaced: false },
    PersistentVolumeClaim { api: "v1", kind: "PersistentVolumeClaim", plural: "persistentvolumeclaims", singular: "persistentvolumeclaim", short: ["pvc"], namespaced: true },
    StorageClass { api: "storage.k8s.io/v1", kind: "StorageClass", plural: "storageclasses", singular: "storageclass", short: ["sc"], namespaced: false },
    VolumeAttachment { api: "storage.k8s.io/v1", kind: "VolumeAttachment", plural: "volumeattachments", singular: "volumeattachment", short: [], namespaced: false },
    CsiNode { api: "storage.k8s.io/v1", kind: "CSINode", plural: "csinodes", singular: "csinode", short: [], namespaced: false },
    CsiDriver { api: "storage.k8s.io/v1", kind: "CSIDriver", plural: "csidrivers", singular: "csidriver", short: [], namespaced: false },
    CsiStorageCapacity { api: "storage.k8s.io/v1", kind: "CSIStorageCapacity", plural: "csistoragecapacities", singular: "csistoragecapacity", short: [], namespaced: true },
    ConfigMap { api: "v1", kind: "ConfigMap", plural: "configmaps", singular: "configmap", short: ["cm"], namespaced: true },
    Secret { api: "v1", kind: "Secret", plural: "secrets", singular: "secret", short: [], namespaced: true },
    Event { api: "v1", kind: "Event", plural: "events", singular: "event", short: ["ev"], namespaced: true },
    ServiceAccount { api: "v1", kind: "ServiceAccount", plural: "serviceaccounts", singular: "serviceaccount", short: ["sa"], namespaced: true },
    CronJob { api: "batch/v1", kind: "CronJob", plural: "cronjobs", singular: "cronjob", short: ["cj"], namespaced: true },
    ResourceQuota { api: "v1", kind: "ResourceQuota", plural: "resourcequotas", singular: "resourcequota", short: ["quota"], namespaced: true },
    LimitRange { api: "v1", kind: "LimitRange", plural: "limitranges", singular: "limitrange", short: ["limits"], namespaced: true },
    HorizontalPodAutoscaler { api: "autoscaling/v2", kind: "HorizontalPodAutoscaler", plural: "horizontalpodautoscalers", singular: "horizontalpodautoscaler", short: ["hpa"], namespaced: true },
    RuntimeClass { api: "node.k8s.io/v1", kind: "RuntimeClass", plural: "runtimeclasses", singular: "runtimeclass", short: [], namespaced: false },
    Endpoints { api: "v1", kind: "Endpoints", plural: "endpoints", singular: "endpoints", short: ["ep"], namespaced: true },
    DeviceClass { api: "resource.k8s.io/v1", kind: "DeviceClass", plural: "deviceclasses", singular: "deviceclass", short: [], namespaced: false },
    ResourceClaim { api: "resource.k8s.io/v1", kind: "ResourceClaim", plural: "resourceclaims", singular: "resourceclaim", short: [], namespaced: true },
    ResourceClaimTemplate { api: "resource.k8s.io/v1", kind: "ResourceClaimTemplate", plural: "resourceclaimtemplates", singular: "resourceclaimtemplate", short: [], namespaced: true },
    ResourceSlice { api: "resource.k8s.io/v1", kind: "ResourceSlice", plural: "resourceslices", singular: "resourceslice", short: [], namespaced: false };
    kept:
    PodTemplate { api: "v1", kind: "PodTemplate", plural: "podtemplates", singular: "podtemplate", short: [], namespaced: true },
    Ingress { api: "networking.k8s.io/v1", kind: "Ingress", plural: "ingresses", singular: "ingress", short: ["ing"], namespaced: true },
    IngressClass { api: "networking.k8s.io/v1", kind: "IngressClass", plural: "ingressclasses", singular: "ingressclass", short: [], namespaced: false },
    NetworkPolicy { api: "networking.k8s.io/v1", kind: "NetworkPolicy", plural: "networkpolicies", singular: "networkpolicy", short: ["netpol"], namespaced: true },
    IpAddress { api: "networking.k8s.io/v1", kind: "IPAddress", plural: "ipaddresses", singular: "ipaddress", short: ["ip"], namespaced: false },
    ServiceCidr { api: "networking.k8s.io/v1", kind: "ServiceCIDR", plural: "servicecidrs", singular: "servicecidr", short: [], namespaced: false },
    Role { api: "rbac.authorization.k8s.io/v1", kind: "Role", plural: "roles", singular: "role", short: [], namespaced: true },
    RoleBinding { api: "rbac.authorization.k8s.io/v1", kind: "RoleBinding", plural: "rolebindings", singular: "rolebinding", short: [], namespaced: true },
    ClusterRole { api: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", plural: "clusterroles", singular: "clusterrole", short: [], namespaced: false },
    ClusterRoleBinding { api: "rbac.authorization.k8s.io/v1", kind: "ClusterRoleBinding", plural: "clusterrolebindings", singular: "clusterrolebinding", short: [], namespaced: false },
    VolumeAttributesClass { api: "storage.k8s.io/v1", kind: "VolumeAttributesClass", plural: "volumeattributesclasses", singular: "volumeattributesclass", short: ["vac"], namespaced: false },
    ApiService { api: "apiregistration.k8s.io/v1", kind: "APIService", plural: "apiservices", singular: "apiservice", short: [], namespaced: false },
    CustomResourceDefinition { api: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", plural: "customresourcedefinitions", singular: "customresourcedefinition", short: ["crd", "crds"], namespaced: false },
    MutatingWebhookConfiguration { api: "admissionregistration.k8s.io/v1", kind: "MutatingWebhookConfiguration", plural: "mutatingwebhookconfigurations", singular: "mutatingwebhookconfiguration", short: [], namespaced: false },
    ValidatingWebhookConfiguration { api: "admissionregistration.k8s.io/v1", kind: "ValidatingWebhookConfiguration", plural: "validatingwebhookconfigurations", singular: "validatingwebhookconfiguration", short: [], namespaced: false },
    ValidatingAdmissionPolicy { api: "admissionregistration.k8s.io/v1", kind: "ValidatingAdmissionPolicy", plural: "validatingadmissionpolicies", singular: "validatingadmissionpolicy", short: [], namespaced: false },
    ValidatingAdmissionPolicyBinding { api: "admissionregistration.k8s.io/v1", kind: "ValidatingAdmissionPolicyBinding", plural: "validatingadmissionpolicybindings", singular: "validatingadmissionpolicybinding", short: [], namespaced: false },
    CertificateSigningRequest { api: "certificates.k8s.io/v1", kind: "CertificateSigningRequest", plural: "certificatesigningrequests", singular: "certificatesigningrequest", short: ["csr"], namespaced: false },
    FlowSchema { api: "flowcontrol.apiserver.k8s.io/v1", kind: "FlowSchema", plural: "flowschemas", singular: "flowschema", short: [], namespaced: false },
    PriorityLevelConfiguration { api: "flowcontrol.apiserver.k8s.io/v1", kind: "PriorityLevelConfiguration", plural: "prioritylevelconfigurations", singular: "prioritylevelconfiguration", short: [], namespaced: false },
}

impl Object {
    /// Returns whether the statuses of two versions of an object differ in fields without a Rust type.
    pub fn differs_in_untyped_status(&self, other: &Object) -> bool {
        let (own, other) = (self.extra(), other.extra());
        own != other && own.value_at_path(&["status"]) != other.value_at_path(&["status"])
    }

    /// Returns the pod template, for kinds that create pods.
    pub fn template(&self) -> Option<&Arc<PodTemplateSpec>> {
        Some(match self {
            Object::ReplicationController(object) => &object.spec.template,
            Object::ReplicaSet(object) => &object.spec.template,
            Object::Deployment(object) => &object.spec.template,
            Object::StatefulSet(object) => &object.spec.template,
            Object::DaemonSet(object) => &object.spec.template,
            Object::Job(object) => &object.spec.template,
            _ => return None,
        })
    }

    /// Mutable access to the pod template; copies object and template if they are shared.
    pub fn template_mut(&mut self) -> Option<&mut PodTemplateSpec> {
        Some(Arc::make_mut(match self {
            Object::ReplicationController(object) => &mut Arc::make_mut(object).spec.template,
            Object::ReplicaSet(object) => &mut Arc::make_mut(object).spec.template,
            Object::Deployment(object) => &mut Arc::make_mut(object).spec.template,
            Object::StatefulSet(object) => &mut Arc::make_mut(object).spec.template,
            Object::DaemonSet(object) => &mut Arc::make_mut(object).spec.template,
            Object::Job(object) => &mut Arc::make_mut(object).spec.template,
            _ => return None,
        }))
    }

    /// Returns the object if its kind has no Rust type.
    pub fn as_untyped(&self) -> Option<&Arc<UntypedObject>> {
        match self {
            Object::Untyped(object) => Some(object),
            _ => None,
        }
    }

    /// Returns the whole object as a JSON tree: the typed fields and all other fields that were read (P-03).
    pub fn to_value(&self) -> Value {
        let mut value = self.typed_value();
        self.extra().merge_into(&mut value);
        if let Some(template) = self.template()
            && let Some(slot) = value.pointer_mut("/spec/template")
        {
            template.extra.merge_into(slot);
        }
        value
    }
}

impl Kind {
    /// Returns the API group; empty for the core group.
    pub fn group(self) -> &'static str {
        self.group_and_version().0
    }

    /// Returns the API group (empty for the core group) and the version.
    pub fn group_and_version(self) -> (&'static str, &'static str) {
        let text = self.api_version();
        text.split_once('/').unwrap_or(("", text))
    }

    /// Returns the kind as error messages print it: `Pod`, `Deployment.apps`.
    pub fn qualified_name(self) -> String {
        self.with_group(self.name())
    }

    /// Returns the resource as the server's messages print it: `pods`, `deployments.apps` (KC-117).
    pub fn qualified_plural(self) -> String {
        self.with_group(self.plural())
    }

    /// Returns the kind as kubectl prints it before a slash: `pod`, `deployment.apps` (KC-052).
    pub fn qualified_singular(self) -> String {
        self.with_group(self.singular())
    }

    fn with_group(self, name: &str) -> String {
        match self.group() {
            "" => name.to_owned(),
            group => format!("{name}.{group}"),
        }
    }

    /// Returns other groups, or versions of the kind's own group, in which the API server also serves this kind.
    const fn other_groups(self) -> &'static [&'static str] {
        match self {
            Kind::Event => &["events.k8s.io", "v1.events.k8s.io"],
            Kind::HorizontalPodAutoscaler => &["v1.autoscaling"],
            _ => &[],
        }
    }

    /// Returns the kind with this name (`Pod`).
    pub fn named(name: &str) -> Option<Kind> {
        Kind::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    /// Returns the kind for a resource name that a user typed: plural, singular, short or kind name, optionally with
    /// `.group` or `.version.group`. Case is ignored except for short names.
    pub fn from_resource_name(name: &str) -> Option<Kind> {
        let (bare, group) = name
            .split_once('.')
            .map_or((name, None), |(bare, group)| (bare, Some(group)));
        let lower = bare.to_ascii_lowercase();
        Kind::ALL.iter().copied().find(|kind| {
            // Case counts only in short names, because kubectl expands these before it ignores case.
            let matches_name = kind.plural() == lower || kind.singular() == lower || kind.short_names().contains(&bare);
            let of_group = group.is_none_or(|group| {
                let (own, version) = kind.group_and_version();
                own == group || format!("{version}.{own}") == group || kind.other_groups().contains(&group)
            });
            matches_name && of_group
        })
    }
}
