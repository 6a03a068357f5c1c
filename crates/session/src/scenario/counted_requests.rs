//! The client requests that a condition of a lesson counts, such as `svc/web --outcome=failed`.

use podscope_api::ObjectKey;
use podscope_cluster::{RequestOutcome, Totals};

/// Selects requests by their outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestFilter {
    All,
    /// All requests that got no usable answer.
    Failed,
    Of(RequestOutcome),
}

/// The client requests to a Service since t = 0 that a condition counts. Requests in progress are not counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountedRequests {
    pub service: ObjectKey,
    pub which: RequestFilter,
}

impl CountedRequests {
    /// Parses `svc/NAME [-n NAMESPACE] [--outcome=OUTCOME]`.
    ///
    /// # Errors
    /// A message that describes the error.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (mut service, mut namespace, mut which) = (None, None, None);
        let mut words = text.split_whitespace();
        while let Some(word) = words.next() {
            let (flag, value) = match word.split_once('=') {
                Some((flag, value)) if flag.starts_with('-') => (flag, Some(value)),
                _ => (word, None),
            };
            let slot = match flag {
                "-n" | "--namespace" => &mut namespace,
                "--outcome" => &mut which,
                _ if flag.starts_with('-') => {
                    return Err(format!("{flag:?} is neither -n nor --outcome"));
                }
                _ => {
                    if service.replace(word).is_some() {
                        return Err(format!("{text:?} names more than one Service"));
                    }
                    continue;
                }
            };
            let value = value.or_else(|| words.next());
            let value = value.ok_or_else(|| format!("{flag} needs a value"))?;
            if slot.replace(value).is_some() {
                return Err(format!("{flag} is given twice"));
            }
        }
        let wrong = || format!("{text:?} names no Service: write svc/NAME, e.g. svc/web --outcome=failed");
        let (kind, name) = service.ok_or_else(wrong)?.split_once('/').ok_or_else(wrong)?;
        if !matches!(kind, "svc" | "service" | "services") || name.is_empty() || name.contains('/') {
            return Err(wrong());
        }
        let which = match which {
            None => RequestFilter::All,
            Some("failed") => RequestFilter::Failed,
            Some(word) => RequestFilter::Of(RequestOutcome::from_name(word).ok_or_else(|| {
                let known = RequestOutcome::NAMES.join(", ");
                format!("there is no outcome {word:?}: the outcomes are {known}, and failed for all but ok and late")
            })?),
        };
        Ok(Self {
            service: ObjectKey::new(namespace.unwrap_or("default"), name),
            which,
        })
    }

    /// Returns the name of the selected outcome. None if all requests are counted.
    pub(super) fn outcome(&self) -> Option<&'static str> {
        match self.which {
            RequestFilter::All => None,
            RequestFilter::Failed => Some("failed"),
            RequestFilter::Of(outcome) => Some(outcome.as_str()),
        }
    }

    pub(crate) fn count(&self, totals: &Totals) -> u64 {
        let is_counted = |outcome: RequestOutcome| match self.which {
            RequestFilter::All => true,
            RequestFilter::Failed => outcome.is_failed(),
            RequestFilter::Of(wanted) => outcome == wanted,
        };
        let of_service = totals
            .iter()
            .filter(|((service, outcome), _)| *service == self.service && is_counted(*outcome));
        of_service.map(|(_, count)| count).sum()
    }
}
