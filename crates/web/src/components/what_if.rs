//! The answer to *What if it goes?*: where the pods would go, which budgets block, what breaks. The run is not changed.

use podscope_protocol::{PodMove, Request, WhatIf, WhatIfAnswer};
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use super::dialog::Modal;
use super::shown::shown;
use crate::browser;
use crate::ctl::Ctl;
use crate::state::{Act, Dialog, Shared};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) change: WhatIf,
    /// The last answer; `None` while the engine works.
    pub(crate) answer: Option<Shared<WhatIfAnswer>>,
    /// Zone of the node in question, to ask for the whole zone next.
    pub(crate) zone: Option<String>,
}

#[component]
pub(crate) fn WhatIfView(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    {
        let send = ctl.send.clone();
        use_effect_with(props.change.clone(), move |change| {
            send.emit(Request::WhatIf(change.clone()));
        });
    }
    let title = match &props.change {
        WhatIf::Drain(nodes) => format!("What if {} is drained?", nodes.join(", ")),
        WhatIf::LoseZone(zone) => format!("What if zone {zone} loses its power?"),
    };
    let other = props.zone.clone().map(|zone| {
        let ask = ctl
            .act
            .reform(move |_: MouseEvent| Act::Dialog(Dialog::WhatIf(WhatIf::LoseZone(zone.clone()))));
        html! { <button type="button" class="quiet" onclick={ask}>{ "And the whole zone?" }</button> }
    });
    let answer = props.answer.as_ref().filter(|answer| answer.change == props.change);
    html! {
        <Modal key={title.clone()} title={title.clone()} class="wide what-if">
            if let Some(answer) = answer { { content(&ctl, answer, other.unwrap_or_default()) } }
            else { <p class="none" role="status">{ "A copy of the cluster runs…" }</p> }
        </Modal>
    }
}

fn content(ctl: &Ctl, answer: &WhatIfAnswer, other: Html) -> Html {
    let copy = {
        let (act, text) = (ctl.act.clone(), answer.markdown.clone());
        Callback::from(move |_: MouseEvent| {
            let (act, text) = (act.clone(), text.clone());
            spawn_local(async move {
                let words = match browser::copy(text).await {
                    true => "The answer is copied as Markdown.",
                    false => "The browser does not allow copying here.",
                };
                act.emit(Act::Toast(words.into()));
            });
        })
    };
    let drain = match &answer.change {
        WhatIf::Drain(nodes) => {
            let (ctl, line) = (
                ctl.clone(),
                format!(
                    "kubectl drain {} --ignore-daemonsets --delete-emptydir-data",
                    nodes.join(" ")
                ),
            );
            let run = Callback::from(move |_: MouseEvent| {
                ctl.act.emit(Act::Dialog(Dialog::None));
                ctl.run(&line);
            });
            html! { <button type="button" onclick={run}>{ "Drain it" }</button> }
        }
        WhatIf::LoseZone(_) => Html::default(),
    };
    html! {
        <>
            <p class="lead" role="status">{ shown(&answer.summary) }</p>
            if !answer.moves.is_empty() {
                <div class="scroll" tabindex="0" role="region" aria-label="Pods">
                    <table>
                        <thead><tr><th scope="col">{ "Pod" }</th><th scope="col">{ "From" }</th><th scope="col">{ "To" }</th></tr></thead>
                        <tbody>{ for answer.moves.iter().map(row) }</tbody>
                    </table>
                </div>
            }
            { for answer.sections.iter().map(|(title, lines)| html! {
                <section><h3 class="eyebrow">{ title }</h3><ul>{ for lines.iter().map(|line| html! { <li>{ shown(line) }</li> }) }</ul></section>
            }) }
            <div class="row">{ drain }<button type="button" onclick={copy}>{ "Copy as Markdown" }</button>{ other }</div>
            <p class="none">{ "Tried on a copy of the present cluster; your run has not changed." }</p>
        </>
    }
}

fn row(one: &PodMove) -> Html {
    let name = one.pod.strip_prefix("default/").unwrap_or(&one.pod);
    html! {
        <tr>
            <th scope="row" class="mono">{ shown(name) }</th>
            <td>{ shown(one.from.as_deref().unwrap_or("none")) }</td>
            <td>
                if let Some(to) = &one.to { { shown(to) } }
                else { <span class="bad">{ "nowhere" }</span>{ " " }{ shown(one.reason.as_deref().unwrap_or_default()) } }
            </td>
        </tr>
    }
}
