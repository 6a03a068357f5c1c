//! The page's state: the view model and the user's choices. Only actions change it.

mod act;
mod console;
mod model;
mod page;
mod parts;
mod screen;
mod shared;
mod study;

pub(crate) use act::Act;
pub(crate) use console::{Answer, Console};
pub(crate) use model::{HUES, Model, NodeState};
pub(crate) use page::{Page, SiteScenario};
pub(crate) use parts::{Checked, Dialog, HelpView, LinkView, Menu, Present, Sheet, Tab, TriageView, Truth, menu};
pub(crate) use screen::Screen;
pub(crate) use shared::Shared;
pub(crate) use study::{Study, StudyAct};
