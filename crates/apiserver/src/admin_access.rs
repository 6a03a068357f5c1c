//! Checks requests for admin access to devices, which are allowed only in labelled namespaces (DRA-036).

use podscope_api::{ADMIN_ACCESS_LABEL, DeviceClaim, ErrorList, Namespace, Object, ObjectKey, ResourceClaim};

use super::ApiServer;

/// Error message for a request for admin access in a namespace without the required label.
const LABEL_REQUIRED: &str = "admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the \
                      containing namespace";

impl ApiServer {
    /// Returns an error for a new claim or template that requests admin access without permission.
    pub(super) fn admin_access_on_create(&self, object: &Object) -> ErrorList {
        let requested = match object {
            Object::ResourceClaim(claim) => first_request_with_admin_access(&claim.spec.devices),
            Object::ResourceClaimTemplate(template) => first_request_with_admin_access(&template.spec.spec.devices),
            _ => None,
        };
        // As in the real server, the path in the error is the same for claims and templates, and omits `exactly`.
        let path = requested.map(|index| format!("spec.devices.requests[{index}].adminAccess"));
        self.label_error_for_admin_access(object, path)
    }

    /// Returns an error for a claim's status that newly grants admin access without permission.
    pub(super) fn admin_access_on_status(&self, old: &Object, new: &Object) -> ErrorList {
        let granted = match (old, new) {
            (Object::ResourceClaim(old), Object::ResourceClaim(new))
                if first_device_with_admin_access(old).is_none() =>
            {
                first_device_with_admin_access(new)
            }
            _ => None,
        };
        let path = granted.map(|index| format!("status.allocation.devices.results[{index}].adminAccess"));
        self.label_error_for_admin_access(new, path)
    }

    /// Returns an error for the field at `path`, which grants or requests admin access, if the object's namespace does
    /// not have the required label. Without a path there is no error.
    fn label_error_for_admin_access(&self, object: &Object, path: Option<String>) -> ErrorList {
        let mut problems = ErrorList::default();
        if let Some(path) = path {
            let namespace = ObjectKey::cluster(object.metadata().namespace.clone());
            let namespace = self.objects().get::<Namespace>(&namespace);
            let label = namespace.and_then(|namespace| namespace.metadata.label(ADMIN_ACCESS_LABEL));
            if label != Some("true") {
                problems.add_forbidden(&path, LABEL_REQUIRED);
            }
        }
        problems
    }
}

/// Returns the index of the first request with admin access.
fn first_request_with_admin_access(claim: &DeviceClaim) -> Option<usize> {
    let mut requests = claim.requests.iter();
    requests.position(|request| (request.exactly.as_ref()).is_some_and(|exactly| exactly.admin_access == Some(true)))
}

/// Returns the index of the first allocated device with admin access.
fn first_device_with_admin_access(claim: &ResourceClaim) -> Option<usize> {
    let mut results = claim.status.allocation.iter().flat_map(|one| &one.devices.results);
    results.position(|result| result.admin_access == Some(true))
}
