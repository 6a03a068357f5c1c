//! Evaluates CEL selectors for devices. Each expression is compiled once. It is evaluated once for each slice, and
//! again only after the slice changed.

use std::sync::Arc;

use podscope_api::Str;
use podscope_api::ordered::Map;
use podscope_cel::Selector;

use super::table::{DeviceSlice, DeviceTable};

/// Maximum number of cached expressions.
const MAX_CACHED_EXPRESSIONS: usize = 256;

/// The result of an expression for one device.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum SelectorResult {
    No,
    Yes,
    /// Run-time error of the expression.
    Error(Arc<str>),
}

/// The results of one expression for all devices.
#[derive(Debug)]
pub(crate) struct SelectorResults {
    /// The compile error, if the expression has one.
    pub(crate) malformed: Option<String>,
    /// The results by slice, then by device.
    by_slice: Vec<(Arc<DeviceSlice>, Arc<[SelectorResult]>)>,
}

impl SelectorResults {
    /// Returns the result for a device, given by the indices of its slice and of the device in the slice.
    pub(crate) fn get(&self, slice: usize, device: usize) -> &SelectorResult {
        self.by_slice
            .get(slice)
            .and_then(|(_, results)| results.get(device))
            .unwrap_or(&SelectorResult::No)
    }
}

#[derive(Debug, Clone, Default)]
pub(super) struct SelectorCache {
    cached: Map<Str, CachedSelector>,
}

#[derive(Debug, Clone)]
struct CachedSelector {
    selector: Arc<Result<Selector, String>>,
    table: Arc<DeviceTable>,
    results: Arc<SelectorResults>,
}

impl SelectorCache {
    pub(super) fn evaluate_selector(&mut self, expression: &Str, table: &Arc<DeviceTable>) -> Arc<SelectorResults> {
        let previous = self.cached.get(expression);
        if let Some(cached) = previous.filter(|cached| Arc::ptr_eq(&cached.table, table)) {
            return cached.results.clone();
        }
        let selector = match previous {
            Some(cached) => cached.selector.clone(),
            None => Arc::new(Selector::compile(expression)),
        };
        let results = Arc::new(match &*selector {
            Err(malformed) => SelectorResults {
                malformed: Some(malformed.clone()),
                by_slice: Vec::new(),
            },
            Ok(selector) => SelectorResults {
                malformed: None,
                by_slice: evaluate_slices(selector, table, previous.map(|cached| &*cached.results)),
            },
        });
        if previous.is_none() && self.cached.len() >= MAX_CACHED_EXPRESSIONS {
            self.cached = Map::new();
        }
        let cached = CachedSelector {
            selector,
            table: table.clone(),
            results: results.clone(),
        };
        self.cached.insert(expression.clone(), cached);
        results
    }
}

fn evaluate_slices(
    selector: &Selector,
    table: &DeviceTable,
    previous: Option<&SelectorResults>,
) -> Vec<(Arc<DeviceSlice>, Arc<[SelectorResult]>)> {
    let mut cached = previous.into_iter().flat_map(|previous| &previous.by_slice).peekable();
    let evaluate_slice = |slice: &DeviceSlice| -> Arc<[SelectorResult]> {
        let evaluate_device = |device| match selector.matches(device) {
            Ok(true) => SelectorResult::Yes,
            Ok(false) => SelectorResult::No,
            Err(error) => SelectorResult::Error(error.into()),
        };
        slice.values.iter().map(evaluate_device).collect()
    };
    let mut results = Vec::with_capacity(table.slices.len());
    for slice in &table.slices {
        let name = &slice.object.metadata.name;
        while cached.peek().is_some_and(|(one, _)| one.object.metadata.name < *name) {
            cached.next();
        }
        let kept = cached.peek().filter(|(one, _)| Arc::ptr_eq(one, slice));
        let own = kept.map_or_else(|| evaluate_slice(slice), |(_, results)| results.clone());
        results.push((slice.clone(), own));
    }
    results
}
