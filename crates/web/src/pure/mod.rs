//! Pure functions of the page: texts, layouts, routes, actions. They need no browser and are tested natively.

pub(crate) mod actions;
pub(crate) mod attempts;
pub(crate) mod belief;
pub(crate) mod clock;
pub(crate) mod compare;
pub(crate) mod course;
pub(crate) mod director;
pub(crate) mod explain;
pub(crate) mod find;
pub(crate) mod hints;
pub(crate) mod just_now;
pub(crate) mod markdown;
pub(crate) mod names;
pub(crate) mod overview;
pub(crate) mod pairs;
pub(crate) mod paste;
pub(crate) mod pin;
pub(crate) mod qr;
pub(crate) mod quantity;
pub(crate) mod route;
pub(crate) mod scale;
pub(crate) mod spread;
pub(crate) mod stage;
pub(crate) mod symptoms;
pub(crate) mod waits;
pub(crate) mod watch;
