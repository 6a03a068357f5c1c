//! The page's state: the view model and what a person looks at, changed by actions only.

mod console;
mod model;
mod page;
mod screen;
mod shared;

pub(crate) use console::Console;
pub(crate) use model::{HUES, Model, NodeState};
pub(crate) use page::{Act, Checked, Dialog, HelpView, Menu, Page, Present, Sheet, Tab, Truth, menu};
pub(crate) use screen::Screen;
pub(crate) use shared::Shared;
