//! A group of nodes, by default a zone. Its header shows the pods of each spread constraint as bars, so that skew is
//! visible.

use podscope_api::ordered;
use podscope_api::ordered::StableSort as _;

use super::shown::shown;
use podscope_messages::t;
use podscope_protocol::{GroupView, OwnerView, SpreadCount};
use yew::prelude::*;

use crate::pure::overview::Rect;
use crate::state::{OWNER_HUE_COUNT, Shared};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) group: GroupView,
    pub(crate) owners: Shared<ordered::Map<String, OwnerView>>,
    /// Name of the label key by which nodes are grouped, such as `zone`.
    pub(crate) key_name: String,
    pub(crate) rect: Rect,
    /// Every node in the group is cut off from the API server.
    pub(crate) cut: bool,
    pub(crate) children: Children,
    /// For each owner, the lowest number of its pods in any group; maxSkew limits the difference from it.
    pub(crate) least: Shared<ordered::Map<String, u32>>,
    /// The group belongs to the second run of a comparison.
    pub(crate) beside: bool,
}

/// Maximum number of bars drawn for one count.
const MAX_BARS_PER_COUNT: u32 = 8;
/// Maximum number of spread constraints in one header.
const MAX_SPREAD_COUNTS: usize = 3;

#[component]
pub(crate) fn Zone(props: &Props) -> Html {
    let group = &props.group;
    let title = if group.name.is_empty() {
        t!(zone::without, key = props.key_name)
    } else {
        t!(zone::name, key = props.key_name, value = group.name)
    };
    // Nodes without the label key are in no topology domain, so a count of zero has no meaning for them.
    let is_relevant = |count: &&SpreadCount| !group.name.is_empty() || count.pods > 0 || count.ghosts > 0;
    let mut counts: Vec<&SpreadCount> = group.counts.iter().filter(is_relevant).collect();
    counts.stable_sort_by_key(|count| (count.max_skew.is_none(), count.owner.clone()));
    // Changed counts get another key and so a new element: they are right-aligned, and a changed width would count as a
    // layout shift.
    let counts_key: String = (counts.iter())
        .map(|count| {
            format!(
                "{}+{}/{} ",
                count.pods,
                count.ghosts,
                props.least.get(&count.owner).copied().unwrap_or(0)
            )
        })
        .collect();
    html! {
        <section class={classes!("zone", group.name.is_empty().then_some("apart"), props.cut.then_some("cut"))}
            ~style={super::scene::position_style(props.rect)}
            data-zone={group.name.clone()} aria-label={if props.beside { t!(zone::other_run, group = title) } else { title.clone() }}>
            <header>
                <h2><button type="button" class="name" data-nav="zone" tabindex="-1" data-menu-zone={group.name.clone()} aria-haspopup="dialog">{ shown(&title) }</button></h2>
                <span class="skews mono" key={counts_key}>{ for counts.iter().take(MAX_SPREAD_COUNTS).map(|count| skew_chip(props, count)) }</span>
            </header>
            { props.children.clone() }
        </section>
    }
}

fn skew_chip(props: &Props, count: &SpreadCount) -> Html {
    let (name, hue) = props
        .owners
        .get(&count.owner)
        .map_or((count.owner.as_str(), OWNER_HUE_COUNT), |owner| {
            (owner.name.as_str(), owner.hue % OWNER_HUE_COUNT)
        });
    let least = props.least.get(&count.owner).copied().unwrap_or(0);
    let limit = count
        .max_skew
        .filter(|_| !props.group.name.is_empty())
        .map(|max_skew| least + max_skew);
    let is_over_limit = limit.is_some_and(|limit| count.pods > limit);
    let free = limit
        .map_or(0, |limit| limit.saturating_sub(count.pods))
        .min(MAX_BARS_PER_COUNT.saturating_sub(count.pods));
    let pods = if count.ghosts > 0 {
        t!(zone::pods_and_ghosts, pods = count.pods, ghosts = count.ghosts)
    } else {
        count.pods.to_string()
    };
    let title = match limit {
        Some(limit) => t!(
            zone::here_with_limit,
            owner = name,
            pods = count.pods,
            limit = limit,
            least = least,
            skew = limit - least
        ),
        None => t!(zone::here, owner = name, pods = count.pods),
    };
    html! {
        <span class={classes!("skew", format!("h{hue}"), is_over_limit.then_some("over"))} {title}>
            { for (0..count.pods.min(MAX_BARS_PER_COUNT)).map(|_| html! { <u></u> }) }
            { for (0..free).map(|_| html! { <u class="o"></u> }) }
            <span>{ shown(name) }{ format!(" {pods}") }</span>
        </span>
    }
}
