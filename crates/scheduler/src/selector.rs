//! Selectors with interned strings: label selectors (pods, namespaces) and node selectors (SCH-046, SCH-047).

use podscope_api::ordered;
use podscope_api::ordered::StableSort as _;
use std::sync::Arc;

use podscope_api::{self as api, SelectorOperator, Str};

use crate::node_info::NodeInfo;
use crate::symbols::{Symbol, Symbols};

/// Interned labels, sorted by key.
pub(crate) type LabelSet = Arc<[(Symbol, Symbol)]>;

/// Returns the value of a label.
pub(crate) fn label(labels: &[(Symbol, Symbol)], key: Symbol) -> Option<Symbol> {
    if labels.len() <= 8 {
        return labels.iter().find(|(name, _)| *name == key).map(|(_, value)| *value);
    }
    labels
        .binary_search_by_key(&key, |(name, _)| *name)
        .ok()
        .map(|index| labels[index].1)
}

/// Interns a label map.
pub(crate) fn intern_labels(symbols: &mut Symbols, labels: &ordered::Map<Str, Str>) -> LabelSet {
    let mut set: Vec<(Symbol, Symbol)> = labels
        .iter()
        .map(|(key, value)| (symbols.intern(key), symbols.intern(value)))
        .collect();
    set.sort_unstable();
    set.into()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum LabelOperator {
    In,
    NotIn,
    Exists,
    DoesNotExist,
}

/// One requirement of a [`Selector`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Requirement {
    key: Symbol,
    operator: LabelOperator,
    values: Vec<Symbol>,
}

impl Requirement {
    fn matches(&self, labels: &[(Symbol, Symbol)]) -> bool {
        let value = label(labels, self.key);
        match self.operator {
            LabelOperator::In => value.is_some_and(|value| self.values.contains(&value)),
            LabelOperator::NotIn => value.is_none_or(|value| !self.values.contains(&value)),
            LabelOperator::Exists => value.is_some(),
            LabelOperator::DoesNotExist => value.is_none(),
        }
    }
}

/// A label selector. The type is `Ord` so that equal selectors share one counter.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Selector {
    /// A nil selector, which matches nothing.
    Nothing,
    /// All requirements must match; an empty list matches everything.
    All(Vec<Requirement>),
}

impl Selector {
    /// Compiles an optional `LabelSelector`; `None` matches nothing.
    ///
    /// # Errors
    /// Returns Kubernetes' text about a malformed requirement.
    pub fn compile(symbols: &mut Symbols, selector: Option<&api::LabelSelector>) -> Result<Self, String> {
        let Some(selector) = selector else {
            return Ok(Self::Nothing);
        };
        let mut all: Vec<Requirement> = selector
            .match_labels
            .iter()
            .map(|(key, value)| equality_requirement(symbols.intern(key), symbols.intern(value)))
            .collect();
        for requirement in &selector.match_expressions {
            let operator = match &requirement.operator {
                SelectorOperator::In => LabelOperator::In,
                SelectorOperator::NotIn => LabelOperator::NotIn,
                SelectorOperator::Exists => LabelOperator::Exists,
                SelectorOperator::DoesNotExist => LabelOperator::DoesNotExist,
                other => return Err(format!("\"{other}\" is not a valid label selector operator")),
            };
            let wants_values = matches!(operator, LabelOperator::In | LabelOperator::NotIn);
            if wants_values && requirement.values.is_empty() {
                return Err("values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty".into());
            }
            if !wants_values && !requirement.values.is_empty() {
                return Err("values: Invalid value: values set must be empty for exists and does not exist".into());
            }
            let mut values: Vec<Symbol> = requirement.values.iter().map(|value| symbols.intern(value)).collect();
            values.sort_unstable();
            values.dedup();
            all.push(Requirement {
                key: symbols.intern(&requirement.key),
                operator,
                values,
            });
        }
        all.stable_sort();
        all.dedup();
        Ok(Self::All(all))
    }

    /// Returns a selector that requires the given labels; with an empty map it matches everything.
    pub fn from_map(symbols: &mut Symbols, map: &ordered::Map<Str, Str>) -> Self {
        let mut all: Vec<Requirement> = map
            .iter()
            .map(|(key, value)| equality_requirement(symbols.intern(key), symbols.intern(value)))
            .collect();
        all.stable_sort();
        Self::All(all)
    }

    /// Returns a selector that requires both selectors to match.
    #[must_use]
    pub fn and(self, other: &Selector) -> Self {
        match (self, other) {
            (Self::All(mut all), Self::All(more)) => {
                all.extend(more.iter().cloned());
                all.stable_sort();
                all.dedup();
                Self::All(all)
            }
            _ => Self::Nothing,
        }
    }

    /// Adds the requirement `key = value`; `Nothing` is unchanged (SCH-072).
    pub fn require(&mut self, key: Symbol, value: Symbol) {
        if let Self::All(all) = self {
            all.push(equality_requirement(key, value));
            all.stable_sort();
            all.dedup();
        }
    }

    /// Returns whether the selector is `{}`. `Nothing` is not empty.
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::All(all) if all.is_empty())
    }

    /// Returns whether the labels satisfy the selector (SCH-047).
    pub fn matches(&self, labels: &[(Symbol, Symbol)]) -> bool {
        match self {
            Self::Nothing => false,
            Self::All(all) => all.iter().all(|requirement| requirement.matches(labels)),
        }
    }
}

fn equality_requirement(key: Symbol, value: Symbol) -> Requirement {
    Requirement {
        key,
        operator: LabelOperator::In,
        values: vec![value],
    }
}

#[derive(Debug, Clone, PartialEq)]
enum NodeOperator {
    In(Vec<Symbol>),
    NotIn(Vec<Symbol>),
    Exists,
    DoesNotExist,
    Gt(i64),
    Lt(i64),
}

/// One expression on a node's labels.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NodeRequirement {
    key: Symbol,
    operator: NodeOperator,
}

/// One expression on `metadata.name`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FieldRequirement {
    is_in: bool,
    name: Symbol,
    is_name_field: bool,
}

/// A term of a node selector, all requirements of which must match. An empty or malformed term matches nothing
/// (SCH-046).
#[derive(Debug, Clone, PartialEq)]
pub struct NodeTerm {
    expressions: Vec<NodeRequirement>,
    fields: Vec<FieldRequirement>,
    /// Kubernetes' error text about a malformed term, which never matches.
    pub malformed: Option<String>,
    /// Whether the term has neither expressions nor fields.
    pub empty: bool,
}

/// A node selector: at least one term must match. A selector without terms matches nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeSelector {
    pub terms: Vec<NodeTerm>,
}

fn parse_integer(text: &str) -> Option<i64> {
    text.parse().ok()
}

/// Returns whether a text is a valid label value: empty, or at most 63 of `[-A-Za-z0-9_.]` with alphanumeric ends.
fn is_valid_label_value(text: &str) -> bool {
    let edge = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    text.is_empty()
        || (text.len() <= 63
            && edge(text.as_bytes().first())
            && edge(text.as_bytes().last())
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')))
}

fn node_requirement(symbols: &mut Symbols, from: &api::NodeSelectorRequirement) -> Result<NodeRequirement, String> {
    let values = &from.values;
    if let Some(bad) = values.iter().find(|value| !is_valid_label_value(value)) {
        return Err(format!(
            "values: Invalid value: \"{bad}\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
        ));
    }
    let bound = || match values.as_slice() {
        [one] => parse_integer(one)
            .ok_or_else(|| "values: Invalid value: for 'Gt', 'Lt' operators, the value must be an integer".to_owned()),
        _ => Err("values: Invalid value: for 'Gt', 'Lt' operators, exactly one value is required".to_owned()),
    };
    let mut interned = || -> Result<Vec<Symbol>, String> {
        if values.is_empty() {
            return Err("values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty".to_owned());
        }
        Ok(values.iter().map(|value| symbols.intern(value)).collect())
    };
    let none = || {
        if values.is_empty() {
            Ok(())
        } else {
            Err("values: Invalid value: values set must be empty for exists and does not exist".to_owned())
        }
    };
    let operator = match &from.operator {
        SelectorOperator::In => NodeOperator::In(interned()?),
        SelectorOperator::NotIn => NodeOperator::NotIn(interned()?),
        SelectorOperator::Exists => none().map(|()| NodeOperator::Exists)?,
        SelectorOperator::DoesNotExist => none().map(|()| NodeOperator::DoesNotExist)?,
        SelectorOperator::Gt => NodeOperator::Gt(bound()?),
        SelectorOperator::Lt => NodeOperator::Lt(bound()?),
        SelectorOperator::Other(other) => return Err(format!("\"{other}\" is not a valid node selector operator")),
    };
    Ok(NodeRequirement {
        key: symbols.intern(&from.key),
        operator,
    })
}

fn field_requirement(symbols: &mut Symbols, from: &api::NodeSelectorRequirement) -> Result<FieldRequirement, String> {
    let is_in = match &from.operator {
        SelectorOperator::In => true,
        SelectorOperator::NotIn => false,
        other => return Err(format!("\"{other}\" is not a valid node selector operator")),
    };
    let [name] = from.values.as_slice() else {
        return Err(format!("must have one element: Invalid value: {}", from.values.len()));
    };
    Ok(FieldRequirement {
        is_in,
        name: symbols.intern(name),
        is_name_field: &*from.key == "metadata.name",
    })
}

impl NodeTerm {
    /// Compiles a term. Errors are stored in `malformed`.
    pub fn compile(symbols: &mut Symbols, term: &api::NodeSelectorTerm) -> Self {
        let mut malformed = Vec::new();
        let mut expressions = Vec::new();
        let mut fields = Vec::new();
        for expression in &term.match_expressions {
            match node_requirement(symbols, expression) {
                Ok(requirement) => expressions.push(requirement),
                Err(error) => malformed.push(error),
            }
        }
        for field in &term.match_fields {
            match field_requirement(symbols, field) {
                Ok(requirement) => fields.push(requirement),
                Err(error) => malformed.push(error),
            }
        }
        Self {
            expressions,
            fields,
            malformed: (!malformed.is_empty()).then(|| malformed.join(", ")),
            empty: term.match_expressions.is_empty() && term.match_fields.is_empty(),
        }
    }

    /// Returns whether the node satisfies all requirements.
    pub fn matches(&self, symbols: &Symbols, node: &NodeInfo) -> bool {
        self.matches_labels(symbols, &node.labels, node.name_symbol)
    }

    /// Returns whether a node with these labels and this name satisfies all requirements.
    pub fn matches_labels(&self, symbols: &Symbols, labels: &[(Symbol, Symbol)], name: Symbol) -> bool {
        if self.empty || self.malformed.is_some() {
            return false;
        }
        let number = |value: Option<Symbol>| value.and_then(|value| parse_integer(symbols.text(value)));
        self.expressions.iter().all(|requirement| {
            let value = label(labels, requirement.key);
            match &requirement.operator {
                NodeOperator::In(values) => value.is_some_and(|value| values.contains(&value)),
                NodeOperator::NotIn(values) => value.is_none_or(|value| !values.contains(&value)),
                NodeOperator::Exists => value.is_some(),
                NodeOperator::DoesNotExist => value.is_none(),
                NodeOperator::Gt(bound) => number(value).is_some_and(|have| have > *bound),
                NodeOperator::Lt(bound) => number(value).is_some_and(|have| have < *bound),
            }
        }) && self.fields.iter().all(|field| {
            // Unknown fields of nodes have an empty value.
            let have = if field.is_name_field { name } else { Symbol::EMPTY };
            (have == field.name) == field.is_in
        })
    }

    /// Returns the node names that the term's `metadata.name In` fields allow (their intersection); `None` without such
    /// a field (SCH-045).
    pub fn pinned_names(&self) -> Option<Vec<Symbol>> {
        let mut names: Option<Vec<Symbol>> = None;
        for field in self.fields.iter().filter(|field| field.is_in && field.is_name_field) {
            names = Some(match names {
                None => vec![field.name],
                Some(names) => names.into_iter().filter(|name| *name == field.name).collect(),
            });
        }
        names
    }
}

impl NodeSelector {
    /// Compiles a node selector.
    pub fn compile(symbols: &mut Symbols, selector: &api::NodeSelector) -> Self {
        Self {
            terms: selector
                .node_selector_terms
                .iter()
                .map(|term| NodeTerm::compile(symbols, term))
                .collect(),
        }
    }

    /// Returns whether any term matches.
    pub fn matches(&self, symbols: &Symbols, node: &NodeInfo) -> bool {
        self.terms.iter().any(|term| term.matches(symbols, node))
    }
}
