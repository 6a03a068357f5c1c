//! What expressions answer for devices: each is compiled once, and asked once of a slice while that stays as it is.

use std::sync::Arc;

use podscope_api::Str;
use podscope_api::ordered::Map;
use podscope_cel::Selector;

use super::table::{Slice, Table};

/// How many expressions are kept.
const KEPT: usize = 256;

/// What an expression answers for one device.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    No,
    Yes,
    /// The error at run time.
    Error(Arc<str>),
}

/// The answers of one expression.
#[derive(Debug)]
pub(crate) struct Answers {
    /// Why it could not be compiled.
    pub(crate) malformed: Option<String>,
    /// By slice, then by device.
    by_slice: Vec<(Arc<Slice>, Arc<[Answer]>)>,
}

impl Answers {
    /// The answer for a device of a slice, both by index.
    pub(crate) fn get(&self, slice: usize, device: usize) -> &Answer {
        self.by_slice
            .get(slice)
            .and_then(|(_, answers)| answers.get(device))
            .unwrap_or(&Answer::No)
    }
}

#[derive(Debug, Clone, Default)]
pub(super) struct Selectors {
    known: Map<Str, Known>,
}

#[derive(Debug, Clone)]
struct Known {
    selector: Arc<Result<Selector, String>>,
    table: Arc<Table>,
    answers: Arc<Answers>,
}

impl Selectors {
    pub(super) fn ask(&mut self, expression: &Str, table: &Arc<Table>) -> Arc<Answers> {
        let before = self.known.get(expression);
        if let Some(known) = before.filter(|known| Arc::ptr_eq(&known.table, table)) {
            return known.answers.clone();
        }
        let selector = match before {
            Some(known) => known.selector.clone(),
            None => Arc::new(Selector::compile(expression)),
        };
        let answers = Arc::new(match &*selector {
            Err(malformed) => Answers {
                malformed: Some(malformed.clone()),
                by_slice: Vec::new(),
            },
            Ok(selector) => Answers {
                malformed: None,
                by_slice: evaluate(selector, table, before.map(|known| &*known.answers)),
            },
        });
        if before.is_none() && self.known.len() >= KEPT {
            self.known = Map::new();
        }
        let known = Known {
            selector,
            table: table.clone(),
            answers: answers.clone(),
        };
        self.known.insert(expression.clone(), known);
        answers
    }
}

fn evaluate(selector: &Selector, table: &Table, before: Option<&Answers>) -> Vec<(Arc<Slice>, Arc<[Answer]>)> {
    let mut known = before.into_iter().flat_map(|before| &before.by_slice).peekable();
    let answer_all = |slice: &Slice| -> Arc<[Answer]> {
        let answer = |device| match selector.matches(device) {
            Ok(true) => Answer::Yes,
            Ok(false) => Answer::No,
            Err(error) => Answer::Error(error.into()),
        };
        slice.values.iter().map(answer).collect()
    };
    let mut answers = Vec::with_capacity(table.slices.len());
    for slice in &table.slices {
        let name = &slice.object.metadata.name;
        while known.peek().is_some_and(|(one, _)| one.object.metadata.name < *name) {
            known.next();
        }
        let kept = known.peek().filter(|(one, _)| Arc::ptr_eq(one, slice));
        let own = kept.map_or_else(|| answer_all(slice), |(_, answers)| answers.clone());
        answers.push((slice.clone(), own));
    }
    answers
}
