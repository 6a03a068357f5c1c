//! What a cycle finds out while its Filters only look: kept behind a lock, so that a decision can be shared.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A value that is filled in through a shared reference.
#[derive(Debug, Default)]
pub(crate) struct Memo<T>(Mutex<T>);

impl<T> Memo<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    /// The value; nobody holds it for long, and a cycle runs on one thread.
    pub(crate) fn borrow(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Clone> Clone for Memo<T> {
    fn clone(&self) -> Self {
        Self::new(self.borrow().clone())
    }
}
