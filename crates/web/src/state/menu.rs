//! Menus of actions: the subject of a menu, and the actions that the subject has when the menu opens.

use podscope_messages::t;
use podscope_protocol::{Component, ComponentView};

use super::Session;
use crate::pure::actions::{self, Action};

/// The pod, node or other thing whose actions a menu lists.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum MenuSubject {
    /// A pod, by its id.
    Pod(String),
    /// A node, by its name.
    Node(String),
    /// A zone, or another group of nodes, by its name.
    Group(String),
    /// A process of the control plane.
    Component(Component),
    /// All processes of the control plane.
    ControlPlane,
}

/// An open menu.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Menu {
    pub(crate) subject: MenuSubject,
    pub(crate) title: String,
    /// The actions on the subject when the menu opened. They do not change while the menu is open.
    pub(crate) actions: Vec<Action>,
    /// Position on the page, in CSS pixels.
    pub(crate) at: (i32, i32),
}

impl Menu {
    /// Returns the menu about a subject; `None` if the session does not have the subject.
    pub(super) fn of(subject: MenuSubject, session: &Session, at: (i32, i32)) -> Option<Menu> {
        let model = &session.model;
        let components = &model.plane.components;
        let (title, actions) = match &subject {
            MenuSubject::Pod(id) => {
                let pod = model.pods.get(id)?;
                (pod.key.clone(), actions::pod(pod))
            }
            MenuSubject::Node(name) => {
                let node = &model.nodes.get(name)?.view;
                (t!(hands::node, name = name), actions::node(node))
            }
            MenuSubject::Group(name) => {
                let group = model.groups.iter().find(|group| group.name == *name)?;
                if session.group.is_empty() && !name.is_empty() {
                    let mut nodes = group.nodes.iter().filter_map(|name| model.nodes.get(name));
                    let is_cut = nodes.all(|node| !node.view.machine.cuts.is_empty());
                    (t!(hands::zone, name = name), actions::zone(name, is_cut))
                } else {
                    (name.clone(), Vec::new())
                }
            }
            MenuSubject::Component(component) => {
                let view = components.iter().find(|view| view.component == *component)?;
                (component.to_string(), actions::component(*view))
            }
            MenuSubject::ControlPlane => {
                let all = components.iter().flat_map(actions_with_name);
                (t!(plane::control_plane), all.collect())
            }
        };
        Some(Menu {
            subject,
            title,
            actions,
            at,
        })
    }
}

/// Returns the actions on a process, each with the name of the process.
fn actions_with_name(view: &ComponentView) -> impl Iterator<Item = Action> {
    let component = view.component;
    let named = move |action: Action| Action {
        label: t!(plane::action_on, component = component, action = action.label),
        ..action
    };
    actions::component(*view).into_iter().map(named)
}

#[cfg(test)]
mod tests {
    use podscope_protocol::GroupView;

    use super::*;
    use crate::state::Shared;

    #[test]
    fn group_menu_has_actions_only_if_group_is_a_named_zone() {
        let mut session = Session::default();
        session.model.change(|model| {
            let group = |name: &str| GroupView {
                name: name.into(),
                ..GroupView::default()
            };
            model.groups = Shared::new(vec![group("a"), group("")]);
        });
        let has_actions = |session: &Session, name: &str| {
            let menu = Menu::of(MenuSubject::Group(name.into()), session, (0, 0))?;
            Some(!menu.actions.is_empty())
        };
        assert_eq!(has_actions(&session, "a"), Some(true));
        assert_eq!(has_actions(&session, ""), Some(false), "nodes without a zone");
        assert_eq!(has_actions(&session, "z"), None, "no such zone");
        session.group = "rack".into();
        assert_eq!(
            has_actions(&session, "a"),
            Some(false),
            "a rack cannot be cut off as one"
        );
    }
}
