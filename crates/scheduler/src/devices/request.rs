//! Claims prepared for the search: each request has its class, its selectors, and the selectors' results for all
//! devices.

use std::sync::Arc;

use podscope_api::{
    CapacityRequirements, DeviceClass, DeviceRequest, DeviceSelector, DeviceToleration, ResourceClaim, Str,
};

use super::selectors::SelectorResults;

/// How many devices a request, or one alternative of its prioritized list, asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AllocationMode {
    Exact(usize),
    All,
    /// An unknown `allocationMode`.
    Unknown,
}

/// A CEL expression that a device must satisfy.
#[derive(Debug, Clone)]
pub(crate) struct DeviceCondition {
    pub(crate) results: Arc<SelectorResults>,
    pub(crate) expression: Str,
    /// Prefix of error messages: `class <name>: selector #<i>`.
    pub(crate) error_prefix: String,
    /// Whether the selector belongs to the class, not to the request.
    pub(crate) is_of_class: bool,
    /// Index in the list of selectors of the class or request.
    pub(crate) index: usize,
}

/// A request, or one alternative of a request with a prioritized list.
#[derive(Debug, Clone)]
pub(crate) struct Alternative {
    /// Name of the request; for an alternative of a list, the name of the subrequest.
    pub(crate) name: Str,
    pub(crate) class_name: Str,
    pub(crate) class: Option<Arc<DeviceClass>>,
    /// Selectors of the class, followed by those of the request.
    pub(crate) conditions: Vec<DeviceCondition>,
    /// Index of the first selector of an unknown type.
    pub(crate) unknown_selector: Option<usize>,
    pub(crate) mode: AllocationMode,
    pub(crate) mode_text: Str,
    pub(crate) admin_access: bool,
    pub(crate) tolerations: Vec<DeviceToleration>,
    pub(crate) capacity: Option<CapacityRequirements>,
}

/// A request with one alternative, or with the alternatives of its prioritized list in order.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) name: Str,
    pub(crate) is_list: bool,
    pub(crate) alternatives: Vec<Alternative>,
}

impl Request {
    /// Returns the name used in allocation results: `request`, or `request/subrequest`.
    pub(crate) fn result_name(&self, alternative: usize) -> Str {
        match self.alternatives.get(alternative).filter(|_| self.is_list) {
            Some(sub) => format!("{}/{}", self.name, sub.name).into(),
            None => self.name.clone(),
        }
    }
}

/// A claim to allocate, with its prepared requests.
#[derive(Debug, Clone)]
pub(crate) struct ClaimToAllocate {
    pub(crate) claim: Arc<ResourceClaim>,
    pub(crate) requests: Vec<Request>,
}

/// Looks up device classes and evaluates expressions.
pub(crate) trait ClassesAndSelectors {
    fn class(&self, name: &Str) -> Option<Arc<DeviceClass>>;
    fn evaluate_selector(&mut self, expression: &Str) -> Arc<SelectorResults>;
}

impl ClaimToAllocate {
    /// Prepares a claim's requests.
    pub(crate) fn new(claim: &Arc<ResourceClaim>, source: &mut dyn ClassesAndSelectors) -> Self {
        let requests = claim.spec.devices.requests.iter();
        Self {
            requests: requests
                .map(|request| prepare_request(claim, request, source))
                .collect(),
            claim: claim.clone(),
        }
    }

    /// Returns `namespace/name`, as used in error messages.
    pub(crate) fn key(&self) -> String {
        self.claim.metadata.key().to_string()
    }
}

fn prepare_request(claim: &ResourceClaim, request: &DeviceRequest, source: &mut dyn ClassesAndSelectors) -> Request {
    let exact = request.exactly.iter().map(|exactly| AlternativeFields {
        name: &request.name,
        class: &exactly.device_class_name,
        selectors: &exactly.selectors,
        mode: &exactly.allocation_mode,
        count: exactly.count,
        admin_access: exactly.admin_access == Some(true),
        tolerations: &exactly.tolerations,
        capacity: exactly.capacity.as_ref(),
    });
    let listed = request.first_available.iter().map(|sub| AlternativeFields {
        name: &sub.name,
        class: &sub.device_class_name,
        selectors: &sub.selectors,
        mode: &sub.allocation_mode,
        count: sub.count,
        admin_access: false,
        tolerations: &sub.tolerations,
        capacity: sub.capacity.as_ref(),
    });
    let is_list = !request.first_available.is_empty();
    let fields: Vec<AlternativeFields<'_>> = if is_list { listed.collect() } else { exact.collect() };
    Request {
        name: request.name.clone(),
        is_list,
        alternatives: fields.into_iter().map(|fields| fields.prepare(claim, source)).collect(),
    }
}

struct AlternativeFields<'a> {
    name: &'a Str,
    class: &'a Str,
    selectors: &'a [DeviceSelector],
    mode: &'a Str,
    count: Option<i64>,
    admin_access: bool,
    tolerations: &'a [DeviceToleration],
    capacity: Option<&'a CapacityRequirements>,
}

impl AlternativeFields<'_> {
    fn prepare(self, claim: &ResourceClaim, source: &mut dyn ClassesAndSelectors) -> Alternative {
        let class = source.class(self.class);
        let class_selectors = class.iter().flat_map(|class| {
            let error_prefix = format!("class {}", class.metadata.name);
            class
                .spec
                .selectors
                .iter()
                .enumerate()
                .map(move |one| (error_prefix.clone(), true, one))
        });
        let error_prefix = format!("claim {}", claim.metadata.key());
        let own_selectors = self
            .selectors
            .iter()
            .enumerate()
            .map(|one| (error_prefix.clone(), false, one));
        let conditions =
            class_selectors
                .chain(own_selectors)
                .filter_map(|(error_prefix, is_of_class, (index, selector))| {
                    let expression = &selector.cel.as_ref()?.expression;
                    Some(DeviceCondition {
                        results: source.evaluate_selector(expression),
                        expression: expression.clone(),
                        error_prefix: format!("{error_prefix}: selector #{index}"),
                        is_of_class,
                        index,
                    })
                });
        Alternative {
            conditions: conditions.collect(),
            name: self.name.clone(),
            class_name: self.class.clone(),
            unknown_selector: self.selectors.iter().position(|selector| selector.cel.is_none()),
            mode: match &**self.mode {
                // An object without the API server's defaults gets the same defaults here.
                "ExactCount" | "" => {
                    AllocationMode::Exact(usize::try_from(self.count.filter(|n| *n != 0).unwrap_or(1)).unwrap_or(0))
                }
                "All" => AllocationMode::All,
                _ => AllocationMode::Unknown,
            },
            mode_text: self.mode.clone(),
            admin_access: self.admin_access,
            tolerations: self.tolerations.to_vec(),
            capacity: self.capacity.cloned(),
            class,
        }
    }
}
