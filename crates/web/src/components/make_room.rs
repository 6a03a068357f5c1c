//! A form that asks which change of the cluster makes room for a number of copies of a pod, and lists the changes that
//! the engine has found, each with its commands.

use podscope_messages::t;
use podscope_protocol::{RoomChange, WhatIf};
use yew::prelude::*;

use crate::browser;
use crate::ctl::Ctl;
use crate::state::{Act, Dialog};

/// Maximum number of copies that the user can request; the engine stops counting at the same number.
const MAX_COPIES: u32 = 100_000;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    /// `NAMESPACE/NAME` of the pod.
    pub(crate) pod: String,
    /// Number of requested copies; 0 if the user requested none.
    pub(crate) need: u32,
    /// Number of copies that fit now. `None` while the engine works.
    pub(crate) fits: Option<usize>,
    pub(crate) changes: Vec<RoomChange>,
}

#[component]
pub(crate) fn MakeRoom(props: &Props) -> Html {
    let typed = use_state(|| None::<String>);
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let value = (*typed).clone().unwrap_or_else(|| match props.need {
        0 => (props.fits.unwrap_or_default() + 1).to_string(),
        need => need.to_string(),
    });
    let onsubmit = {
        let (act, value, pod) = (ctl.act.clone(), value.clone(), props.pod.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            if let Ok(need) = value.parse() {
                let pod = pod.clone();
                act.emit(Act::Dialog(Dialog::WhatIf(WhatIf::Fit { pod, need })));
            }
        })
    };
    let oninput = {
        let typed = typed.setter();
        Callback::from(move |event: InputEvent| typed.set(Some(browser::field_value_of(&event))))
    };
    let is_lacking = props.need > 0 && props.fits.is_some_and(|fits| fits < props.need as usize);
    html! {
        <section class="make-room">
            if is_lacking {
                <h3 class="eyebrow">{ t!(make_room::title, count = props.need) }</h3>
                if props.changes.is_empty() { <p class="none">{ t!(make_room::none) }</p> }
                else { <ul>{ for props.changes.iter().map(|change| change_row(&ctl, change)) }</ul> }
            }
            <form class="row" {onsubmit}>
                <label>{ t!(make_room::ask) }{ " " }<input class="mono" type="number" min="1" max={MAX_COPIES.to_string()} required=true {value} {oninput} disabled={props.fits.is_none()} />{ " " }{ t!(make_room::ask_end) }</label>
                <button type="submit" disabled={props.fits.is_none()}>{ t!(make_room::find) }</button>
            </form>
        </section>
    }
}

fn change_row(ctl: &Ctl, change: &RoomChange) -> Html {
    let lines = change.commands.join("\n");
    let run = {
        let (ctl, lines) = (ctl.clone(), lines.clone());
        Callback::from(move |_: MouseEvent| {
            ctl.act.emit(Act::Dialog(Dialog::None));
            ctl.run(&lines);
        })
    };
    html! {
        <li>
            <pre class="mono">{ lines }</pre>
            <span>{ t!(make_room::fits_then, count = change.fits) }</span>
            <button type="button" class="quiet" onclick={run}>{ t!(make_room::do_it) }</button>
        </li>
    }
}
