//! The page's components, one file each.

mod bar;
mod cluster;
mod console;
mod dialog;
mod dialogs;
mod director;
mod editor;
mod guarantees;
mod icon;
mod inspector;
mod legend;
mod lessons;
mod life;
mod node;
mod overview;
mod plane;
mod pod;
mod story;
mod timeline;
mod toasts;
mod tray;
mod why;
mod yaml;
mod zone;

pub(crate) use bar::{Bar, next_theme};
pub(crate) use cluster::Cluster;
pub(crate) use console::ConsoleLineView;
pub(crate) use dialogs::{Dialogs, open_files};
pub(crate) use guarantees::Guarantees;
pub(crate) use icon::icon;
pub(crate) use inspector::Inspector;
pub(crate) use story::Story;
pub(crate) use timeline::Timeline;
pub(crate) use toasts::Toasts;
