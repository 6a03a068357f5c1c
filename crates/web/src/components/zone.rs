//! A group of nodes: by default a zone. Its header shows the counts of each spread group, so
//! that skew is seen without reading.

use podscope_api::ordered;
use podscope_api::ordered::StableSort as _;

use super::shown::shown;
use podscope_protocol::{GroupView, OwnerView, SpreadCount};
use yew::prelude::*;

use crate::pure::overview::Rect;
use crate::state::{HUES, Shared};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) group: GroupView,
    pub(crate) owners: Shared<ordered::Map<String, OwnerView>>,
    /// What the groups are called: `zone`, or the label key.
    pub(crate) key_name: String,
    pub(crate) rect: Rect,
    /// Every node of it is cut off.
    pub(crate) cut: bool,
    pub(crate) children: Children,
    /// Smallest count of each owner over all groups, for the limit.
    pub(crate) least: Shared<ordered::Map<String, u32>>,
    /// It is in the second of two runs.
    pub(crate) beside: bool,
}

/// Bars drawn for one count; more are said by the number.
const BARS: u32 = 8;
/// Spread groups shown in one header.
const COUNTS: usize = 3;

/// The panel.
#[component]
pub(crate) fn Zone(props: &Props) -> Html {
    let group = &props.group;
    let title = if group.name.is_empty() {
        format!("without {}", props.key_name)
    } else {
        format!("{} {}", props.key_name, group.name)
    };
    // Nodes without the key are in no domain: nothing is owed to them.
    let owed = |c: &&SpreadCount| !group.name.is_empty() || c.pods > 0 || c.ghosts > 0;
    let mut counts: Vec<&SpreadCount> = group.counts.iter().filter(owed).collect();
    counts.stable_sort_by_key(|c| (c.max_skew.is_none(), c.owner.clone()));
    // Other counts are another element: they stand at the right end, and what changes their width would move them.
    let said: String = (counts.iter())
        .map(|c| {
            format!(
                "{}+{}/{} ",
                c.pods,
                c.ghosts,
                props.least.get(&c.owner).copied().unwrap_or(0)
            )
        })
        .collect();
    html! {
        <section class={classes!("zone", group.name.is_empty().then_some("apart"), props.cut.then_some("cut"))}
            ~style={super::scene::at(props.rect)}
            data-zone={group.name.clone()} aria-label={if props.beside { format!("{title}, other run") } else { title.clone() }}>
            <header>
                <h2><button type="button" class="name" data-nav="zone" tabindex="-1" data-menu-zone={group.name.clone()} aria-haspopup="dialog">{ shown(&title) }</button></h2>
                <span class="skews mono" key={said}>{ for counts.iter().take(COUNTS).map(|c| skew(props, c)) }</span>
            </header>
            { props.children.clone() }
        </section>
    }
}

fn skew(props: &Props, count: &SpreadCount) -> Html {
    let (name, hue) = props
        .owners
        .get(&count.owner)
        .map_or((count.owner.as_str(), HUES), |o| (o.name.as_str(), o.hue % HUES));
    let least = props.least.get(&count.owner).copied().unwrap_or(0);
    let limit = count
        .max_skew
        .filter(|_| !props.group.name.is_empty())
        .map(|m| least + m);
    let over = limit.is_some_and(|l| count.pods > l);
    let free = limit
        .map_or(0, |l| l.saturating_sub(count.pods))
        .min(BARS.saturating_sub(count.pods));
    let ghosts = if count.ghosts > 0 {
        format!(" (+{} ghost{})", count.ghosts, if count.ghosts == 1 { "" } else { "s" })
    } else {
        String::new()
    };
    let title = match limit {
        Some(limit) => format!(
            "{name}: {} here; at most {limit} may be placed while the emptiest has {least} (maxSkew {})",
            count.pods,
            limit - least
        ),
        None => format!("{name}: {} here", count.pods),
    };
    html! {
        <span class={classes!("skew", format!("h{hue}"), over.then_some("over"))} {title}>
            { for (0..count.pods.min(BARS)).map(|_| html! { <u></u> }) }
            { for (0..free).map(|_| html! { <u class="o"></u> }) }
            <span>{ shown(name) }{ format!(" {}{ghosts}", count.pods) }</span>
        </span>
    }
}
