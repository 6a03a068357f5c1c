//! A guarantee in the inspector: its statement, the component that keeps it, and, after a violation, buttons that undo
//! or end it.

use podscope_api::ordered::StableSort as _;
use podscope_messages::t;
use podscope_protocol::{BrokenInvariant, Guarantee, Micros, Request, SubjectRef, ViolationCause};
use yew::prelude::*;

use super::shown::shown;
use crate::ctl::Ctl;
use crate::pure::actions::HEAL_ALL_COMMAND;
use crate::pure::clock;
use crate::state::{Model, Shared};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) name: String,
    /// The present state of the guarantee, as a sentence.
    pub(crate) sentence: String,
    pub(crate) model: Shared<Model>,
    pub(crate) guarantees: Shared<Vec<Guarantee>>,
}

/// Maximum number of buttons that heal a node, and maximum number of buttons that power a node off.
const MAX_NODES_WITH_BUTTON: usize = 3;
/// How far the button "back" seeks before the blamed command, or before the violation if no command is blamed.
const SEEK_LEAD_TIME: Micros = 100_000;

/// The details of a guarantee: its statement, whether it holds, and the command or fault that broke it.
#[component]
pub(crate) fn GuaranteeDetails(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let guarantee = props.guarantees.iter().find(|guarantee| guarantee.name == props.name);
    let broken = props.model.plane.broken.iter().find(|broken| broken.name == props.name);
    let others = props
        .model
        .plane
        .broken
        .iter()
        .filter(|other| other.name != props.name)
        .map(|other| {
            let select = ctl.select(SubjectRef::Invariant {
                name: other.name.clone(),
            });
            html! { <button type="button" class="chip bad" onclick={select}>{ &other.name }</button> }
        });
    html! {
        <section class="promise">
            if let Some(guarantee) = guarantee {
                <h3>{ &guarantee.statement }</h3>
            }
            <p class="sentence">{ shown(&props.sentence) }
                if let Some(broken) = broken { { restored_text(broken, &props.model) } }
            </p>
            if let Some(guarantee) = guarantee {
                <dl>
                    <div><dt>{ t!(guarantees::kept_by) }</dt><dd>{ &guarantee.keeper }</dd></div>
                    <div><dt>{ t!(guarantees::broken_by) }</dt><dd>{ &guarantee.breaker }</dd></div>
                </dl>
            }
            if broken.is_some() && props.model.plane.broken.len() > 1 {
                <h3 class="eyebrow">{ t!(promise::broken_as_well) }</h3>
                <p class="chips">{ for others }</p>
            }
            if let Some(broken) = broken { { recovery_buttons(&ctl, broken, &props.model) } }
        </section>
    }
}

/// Says that the guarantee holds again, and how long it was violated.
fn restored_text(broken: &BrokenInvariant, model: &Model) -> Html {
    let restored = model
        .restored_guarantees()
        .into_iter()
        .find(|(name, _)| *name == broken.name);
    restored.map_or_else(Html::default, |(_, at)| {
        let duration = clock::rounded_duration(at - broken.at);
        html! { <>{ " " }{ t!(promise::restored, at = clock::instant(at), duration = duration) }</> }
    })
}

fn recovery_buttons(ctl: &Ctl, broken: &BrokenInvariant, model: &Model) -> Html {
    let before = (broken.since.unwrap_or(broken.at) - SEEK_LEAD_TIME).max(0);
    let back = {
        let ctl = ctl.clone();
        Callback::from(move |_: MouseEvent| ctl.seek(before))
    };
    let command = |line: String| {
        let ctl = ctl.clone();
        Callback::from(move |_: MouseEvent| ctl.run(&line))
    };
    let nodes_with_ghosts: Vec<&str> = {
        let ghosts = model
            .pods
            .values()
            .filter(|pod| pod.mark == podscope_protocol::PodMark::Ghost);
        let mut all: Vec<&str> = ghosts.map(|pod| pod.node.as_str()).collect();
        all.stable_sort();
        all.dedup();
        all
    };
    let powered = |name: &str| (model.nodes.get(name)).is_some_and(|node| node.view.machine.powered);
    html! {
        <>
            <h3 class="eyebrow">{ t!(promise::ways_back) }</h3>
            <ul class="ways-back">
                <li><button type="button" onclick={back}>{ t!(promise::back_to, at = clock::instant(before)) }</button><span>if broken.since.is_some() { { t!(promise::before_command) }{ " " }<code>{ shown(&broken.by.to_string()) }</code>{ t!(promise::before_command_end) } } else { { t!(promise::before_violation) } }</span></li>
                if broken.cause == ViolationCause::Command && broken.is_last {
                    <li><button type="button" onclick={ctl.on(Request::Undo)}>{ t!(promise::undo) }</button><span>{ t!(promise::undo_hint) }</span></li>
                }
                if model.cut_nodes().nth(1).is_some() {
                    <li><button type="button" onclick={command(HEAL_ALL_COMMAND.to_owned())}>{ t!(promise::heal_all) }</button><span>{ t!(promise::heal_all_hint) }</span></li>
                }
                { for model.cut_nodes().take(MAX_NODES_WITH_BUTTON).map(|node| html! {
                    <li key={node.name.clone()}><button type="button" onclick={command(format!("fault heal {}", node.name))}>{ t!(promise::heal, node = node.name) }</button><span>{ t!(promise::heal_hint) }</span></li>
                }) }
                { for nodes_with_ghosts.iter().filter(|name| powered(name)).take(MAX_NODES_WITH_BUTTON).map(|name| html! {
                    <li key={format!("off {name}")}><button type="button" onclick={command(format!("fault poweroff {name}"))}>{ t!(promise::power_off, node = name) }</button><span>{ t!(promise::power_off_hint) }</span></li>
                }) }
            </ul>
        </>
    }
}
