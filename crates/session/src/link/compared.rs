//! The comparison in a link: the run with which the receiver of the link compares the link's own run.

use super::Link;
use crate::host::joined_text;
use crate::timeline::Session;

/// The run with which a session is compared. It has the same seed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Compared {
    /// Another branch of the session, by its index among all branches. A link with such a comparison contains all
    /// branches.
    Branch(usize),
    /// Another scenario, as text. An empty text means the link's own scenario without the user's commands.
    Scenario(String),
}

impl Compared {
    /// Returns the comparison as a link of the session stores it. `None` if the session is compared with its own
    /// current branch, because a link does not store such a comparison.
    pub(crate) fn as_stored_in_link(&self, session: &Session) -> Option<Compared> {
        Some(match self {
            Compared::Branch(branch) if *branch == session.current_branch_index() => return None,
            Compared::Scenario(text) if *text == joined_text(&session.loaded().files) => {
                Compared::Scenario(String::new())
            }
            other => other.clone(),
        })
    }

    /// Returns the text of the scenario that is compared. `None` for a branch.
    pub(crate) fn scenario_text(self, session: &Session) -> Option<String> {
        match self {
            Compared::Branch(_) => None,
            Compared::Scenario(text) if text.is_empty() => Some(joined_text(&session.loaded().files)),
            Compared::Scenario(text) => Some(text),
        }
    }
}

impl Link {
    /// Returns the comparison that the link contains.
    pub(crate) fn compared(&self) -> Option<Compared> {
        let scenario = || self.compared_scenario.clone().map(Compared::Scenario);
        self.compared_branch.map(Compared::Branch).or_else(scenario)
    }

    /// Adds a comparison to the link of a session.
    pub(crate) fn with_comparison(self, compared: Option<&Compared>, session: &Session) -> Link {
        let Some(compared) = compared.and_then(|compared| compared.as_stored_in_link(session)) else {
            return self;
        };
        match compared {
            Compared::Branch(branch) => Link {
                compared_branch: Some(branch),
                ..self.with_all_branches(session).unwrap_or(self)
            },
            Compared::Scenario(text) => Link {
                compared_scenario: Some(text),
                ..self
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::decode;

    /// A link without a comparison has the same document as links had before they could contain comparisons.
    /// Shows: T-03
    #[test]
    fn link_without_comparison_has_no_comparison_field() {
        let link = Link::of_files(vec![("a.yaml".into(), "kind: Pod".into())], 1);
        let document = |link: &Link| serde_json::to_string(link).expect("plain data");
        assert!(!document(&link).contains("\"v\"") && !document(&link).contains("\"w\""));
        let branch = Link {
            compared_branch: Some(2),
            ..link.clone()
        };
        let scenario = Link {
            compared_scenario: Some(String::new()),
            ..link
        };
        for (link, wanted) in [(branch, r#""v":2"#), (scenario, r#""w":"""#)] {
            assert!(document(&link).contains(wanted), "{}", document(&link));
            assert_eq!(decode(&link.encode()), Ok(link));
        }
    }

    /// An anonymised link with a comparison contains no private name, neither in the compared branch nor in the
    /// compared scenario.
    /// Shows: Q-06
    #[test]
    fn anonymised_comparison_contains_no_private_name() {
        let pod = |name: &str| {
            format!(
                "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec: {{containers: [{{name: c, image: a}}]}}\n"
            )
        };
        let link = Link {
            commands: vec![(1, "kubectl delete pod secretive-one".into())],
            others: vec![crate::link::OtherBranch {
                commands: vec![(1, "kubectl delete pod secretive-two".into())],
                ..crate::link::OtherBranch::default()
            }],
            ..Link::of_files(vec![("a.yaml".into(), pod("secretive-one"))], 1)
        };
        for (compared, lesson) in [
            (Compared::Branch(1), None),
            (Compared::Scenario(pod("secretive-three")), None),
            (Compared::Scenario(pod("secretive-three")), Some("first-pod".to_owned())),
        ] {
            let is_lesson = lesson.is_some();
            let mut link = Link { lesson, ..link.clone() };
            match compared.clone() {
                Compared::Branch(branch) => link.compared_branch = Some(branch),
                Compared::Scenario(text) => link.compared_scenario = Some(text),
            }
            let renamed = link.anonymised();
            assert_eq!(renamed.compared().is_some(), !is_lesson, "{compared:?}");
            let private = match is_lesson {
                true => "secretive-three",
                false => "secretive",
            };
            let document = serde_json::to_string(&renamed).expect("plain data");
            assert!(!document.contains(private), "{document}");
        }
    }
}
