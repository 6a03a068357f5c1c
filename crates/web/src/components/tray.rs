//! The list of pending pods, with what each is waiting for. Many pods are grouped by their cause.

use podscope_api::ordered::{self, Set, StableSort as _};

use podscope_messages::t;
use podscope_protocol::{Micros, OwnerView, PodView, QueuePlace};
use yew::prelude::*;

use super::emphasis::PodsEmphasis;
use super::pod::Pod;
use super::preview;
use super::shown::shown;
use crate::pure::names;
use crate::pure::preview::Arrival;
use crate::pure::waits::{self, PendingGroup};
use crate::state::{OWNER_HUE_COUNT, Shared};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) pending: Shared<Vec<Shared<PodView>>>,
    pub(crate) owners: Shared<ordered::Map<String, OwnerView>>,
    pub(crate) now: Micros,
    /// The list belongs to the second run of a comparison.
    pub(crate) beside: bool,
    /// Number of pod icons that fit beside the scheduler.
    pub(crate) marks: usize,
    /// Pods that would stay Pending, according to the shown answer to a what-if question.
    pub(crate) would_wait: Vec<Arrival>,
    /// The lesson asks a question, so texts that name the nominated node of a pod are hidden.
    pub(crate) asks: bool,
    pub(crate) emphasis: PodsEmphasis,
}

/// Maximum number of pods that have a row each; more pods are grouped by their cause.
const MAX_PODS_WITH_OWN_ROW: usize = 3;
/// Number of groups that the list shows at first; a button shows the others.
const INITIAL_GROUP_COUNT: usize = 4;
/// Number of pod icons that a group shows at first; a button shows the others.
const INITIAL_POD_ICON_COUNT: usize = 24;

/// The causes that are unfolded, so that all their pods are shown. The empty string means that the list of causes is
/// unfolded.
type UnfoldedCauses = UseStateHandle<Set<String>>;

/// The pending pods at the scheduler: a few pod icons with a short text; a click unfolds the list.
#[component]
pub(crate) fn PendingPodTray(props: &Props) -> Html {
    let opened = use_state(Set::<String>::new);
    let unfolded = use_state(|| false);
    let name = if props.beside {
        t!(tray::name_other_run)
    } else {
        t!(tray::name)
    };
    if props.pending.is_empty() && !props.would_wait.is_empty() {
        return html! { <section class="queue" aria-label={name} data-drop="">{ preview::pods_left_pending(&props.would_wait, props.marks) }</section> };
    }
    if props.pending.is_empty() {
        return html! { <section class="queue empty" aria-label={name} data-drop=""></section> };
    }
    let unfold = {
        let unfolded = unfolded.clone();
        Callback::from(move |event: MouseEvent| {
            event.stop_propagation();
            unfolded.set(!*unfolded);
        })
    };
    let body = if props.pending.len() <= MAX_PODS_WITH_OWN_ROW {
        html! { <>{ for props.pending.iter().map(|pod| pod_row(props, pod)) }</> }
    } else {
        group_rows(props, &opened)
    };
    // The selected pod is always among the few pods that are shown.
    let mut by_selection: Vec<&Shared<PodView>> = props.pending.iter().collect();
    by_selection.stable_sort_by_key(|pod| !props.emphasis.is_selected(pod));
    let count = props.pending.len();
    html! {
        <section class="queue" aria-label={name}>
            if !*unfolded {
                <span class="waiting">{ for by_selection.iter().take(props.marks).map(|pod| pending_pod(props, pod)) }</span>
            }
            <button type="button" class="waits-for" data-nav="rail" tabindex="-1" aria-expanded={(*unfolded).to_string()} onclick={unfold}>
                <span class="sr">{ t!(tray::pending, count = count) }{ " " }</span>
                if count > props.marks { <b aria-hidden="true">{ format!("+{}", count - props.marks) }</b> }
                <span>{ waiting_summary(props) }</span>
            </button>
            { preview::pods_left_pending(&props.would_wait, props.marks.saturating_sub(count).max(1)) }
            if *unfolded {
                <div class="tray">
                    <span class="eyebrow">{ t!(tray::pending_heading, count = count) }</span>
                    <ul>{ body }</ul>
                </div>
            }
        </section>
    }
}

/// Returns a short text: what the pod is waiting for if it is the only one, otherwise the most frequent cause.
fn waiting_summary(props: &Props) -> String {
    match props.pending.as_slice() {
        [only] if props.asks && !only.nominated.is_empty() => t!(tray::hidden),
        [only] => match &only.queue {
            Some(queue) if matches!(queue.place, QueuePlace::Unschedulable(_) | QueuePlace::Backoff) => {
                waits::cause_with_node_counts(only)
            }
            _ => waits::waiting_text(only, props.now),
        },
        all => {
            let groups = waits::groups_by_cause(all);
            groups.first().map_or_else(String::new, |group| match group.pods.len() {
                size if size == all.len() => t!(tray::pods_of_cause, count = size, cause = group.cause),
                size => t!(
                    tray::most_frequent_cause,
                    count = size,
                    all = all.len(),
                    cause = group.cause
                ),
            })
        }
    }
}

fn pending_pod(props: &Props, pod: &Shared<PodView>) -> Html {
    let hue = props
        .owners
        .get(&pod.owner)
        .map_or(OWNER_HUE_COUNT, |owner| owner.hue % OWNER_HUE_COUNT);
    html! { <Pod key={pod.id.clone()} pod={pod.clone()} now={props.now} {hue} emphasis={props.emphasis.of(pod, None)} /> }
}

fn what_would_help_button(pod: &PodView) -> Html {
    if !waits::can_search_remedies(pod) {
        return Html::default();
    }
    html! { <button type="button" class="quiet" data-help={pod.key.clone()} data-id={pod.id.clone()}>{ t!(tray::what_would_help) }</button> }
}

/// Renders a row of the list for one pending pod.
fn pod_row(props: &Props, pod: &Shared<PodView>) -> Html {
    let name = names::without_default_namespace(&pod.key).to_string();
    let refused =
        pod.queue.as_ref().is_some_and(|queue| queue.refusal.is_some()) || waits::missing_dump_objects(pod).is_some();
    // If the pod's scheduler does not run, the pod waits for the scheduler, whatever its last failed attempt says.
    let is_halted = matches!(&pod.queue, Some(queue) if matches!(queue.place, QueuePlace::Halted(_)));
    html! {
        <li key={pod.id.clone()} class={(!pod.nominated.is_empty()).then_some("promised")}>
            { pending_pod(props, pod) }
            <span class="what">
                <b>{ shown(&name) }</b>
                if refused && !is_halted { <span class="cause">{ waits::cause_with_node_counts(pod) }</span> }
                <span class="pool">{ if props.asks && !pod.nominated.is_empty() { t!(tray::hidden) } else { waits::waiting_text(pod, props.now) } }</span>
            </span>
            { what_would_help_button(pod) }
        </li>
    }
}

/// Rows for groups of pods with a common cause; groups that match the filter come first.
fn group_rows(props: &Props, opened: &UnfoldedCauses) -> Html {
    let mut groups = waits::groups_by_cause(&props.pending);
    if let Some(filter) = &props.emphasis.filter {
        for group in &mut groups {
            group.pods.stable_sort_by_key(|pod| !filter.finds_pod(pod));
        }
        groups.stable_sort_by_key(|group| !group.pods.first().is_some_and(|pod| filter.finds_pod(pod)));
    }
    let is_open = opened.contains("");
    let shown = |(index, group): (usize, PendingGroup)| {
        (is_open || index < INITIAL_GROUP_COUNT || group.pods.iter().any(|pod| props.emphasis.is_selected(pod)))
            .then_some(group)
    };
    let all = groups.iter().map(|group| group.pods.len()).sum::<usize>();
    let more = groups.len() > INITIAL_GROUP_COUNT;
    let groups: Vec<PendingGroup> = groups.into_iter().enumerate().filter_map(shown).collect();
    let rest = all - groups.iter().map(|group| group.pods.len()).sum::<usize>();
    html! {
        <>
            { for groups.iter().map(|group| group_row(props, group, opened)) }
            if more && (is_open || rest > 0) {
                <li>{ toggle_button(opened, "", if is_open { t!(tray::show_fewer_causes) } else { t!(tray::more_pods, count = rest) }) }</li>
            }
        </>
    }
}

/// A button that unfolds a cause, or folds it again.
fn toggle_button(opened: &UnfoldedCauses, cause: &str, words: String) -> Html {
    let (opened, cause) = (opened.clone(), cause.to_owned());
    let is_open = opened.contains(&cause);
    let press = Callback::from(move |event: MouseEvent| {
        event.stop_propagation();
        let mut next = (*opened).clone();
        if !next.remove(&cause) {
            next.insert(cause.clone());
        }
        opened.set(next);
    });
    html! { <button type="button" class="chip" aria-expanded={is_open.to_string()} onclick={press}>{ words }</button> }
}

fn group_row(props: &Props, group: &PendingGroup, opened: &UnfoldedCauses) -> Html {
    if let [only] = group.pods.as_slice() {
        return pod_row(props, only);
    }
    let count = group.pods.len();
    let is_open = opened.contains(&group.cause);
    let found =
        (props.emphasis.filter.as_ref()).map(|filter| group.pods.iter().filter(|pod| filter.finds_pod(pod)).count());
    let summary = match found.filter(|n_found| *n_found < count) {
        Some(found) => t!(
            tray::found_pods_of_cause,
            found = found,
            count = count,
            cause = group.cause
        ),
        None => t!(tray::pods_of_cause, count = count, cause = group.cause),
    };
    html! {
        <li key={group.cause.clone()} class={classes!("many", (found == Some(0)).then_some("out"))} data-cause={group.cause.clone()}>
            <span class="what"><b>{ shown(&summary) }</b></span>
            <span class="more" role="group" aria-label={summary.clone()}>
                { for group.pods.iter().enumerate().filter(|(index, pod)| is_open || *index < INITIAL_POD_ICON_COUNT || props.emphasis.is_selected(pod)).map(|(_, pod)| pending_pod(props, pod)) }
                if count > INITIAL_POD_ICON_COUNT { { toggle_button(opened, &group.cause, if is_open { t!(tray::show_fewer) } else { format!("+{}", count - INITIAL_POD_ICON_COUNT) }) } }
            </span>
            { group.pods.first().map_or_else(Html::default, |pod| what_would_help_button(pod)) }
        </li>
    }
}
