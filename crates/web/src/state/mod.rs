//! The page's state: the view model and the user's choices. Only actions ([`Act`]) change it.

mod act;
mod console;
mod menu;
mod model;
mod page;
mod parts;
mod screen;
mod session;
mod shared;
mod shell;
mod study;

pub(crate) use act::Act;
pub(crate) use console::{ApplyAnswer, Console};
pub(crate) use menu::{Menu, MenuSubject};
pub(crate) use model::{Model, NodeState, OWNER_HUE_COUNT};
pub(crate) use page::Page;
pub(crate) use parts::{
    CheckedText, Dialog, LinkView, Present, RemediesView, Sheet, SiteScenario, StateView, Tab, TriageView,
};
pub(crate) use screen::Screen;
pub(crate) use session::Session;
pub(crate) use shared::Shared;
pub(crate) use shell::Shell;
pub(crate) use study::{Study, StudyAct};
