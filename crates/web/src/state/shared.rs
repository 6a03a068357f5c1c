//! A value that is compared by identity: for properties of memoised components.

use std::ops::Deref;
use std::rc::Rc;

/// An immutable shared value. Two shared values are equal only if they are the same allocation.
#[derive(Debug)]
pub(crate) struct Shared<T>(Rc<T>);

impl<T> Shared<T> {
    pub(crate) fn new(value: T) -> Shared<T> {
        Shared(Rc::new(value))
    }
}

impl<T: Clone> Shared<T> {
    /// Replaces the value with a changed copy. If nothing else holds the value, changes it in place.
    pub(crate) fn change(&mut self, with: impl FnOnce(&mut T)) {
        with(Rc::make_mut(&mut self.0));
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Shared(Rc::clone(&self.0))
    }
}

impl<T> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Default> Default for Shared<T> {
    fn default() -> Self {
        Shared::new(T::default())
    }
}
