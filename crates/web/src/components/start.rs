//! What this is, and the ways in: a line under the living cluster of a first visit, and what the identity in the bar
//! opens again. A link, a lesson or a kept session never meets it.

use podscope_protocol::{Request, Source};
use yew::prelude::*;

use super::dialog::Modal;
use super::icon;
use crate::browser;
use crate::ctl::Ctl;
use crate::state::{Act, Dialog};

/// The lesson that the course begins with.
const FIRST_LESSON: &str = "first-pod";
/// What prints a cluster for the second way in.
const DUMP: &str = "kubectl get nodes,pods,namespaces,svc,endpointslices,rc,rs,deploy,sts,ds,jobs,cronjobs,hpa,pdb,priorityclasses,pv,pvc,storageclasses,csinodes,csidrivers,volumeattachments,resourceclaims,events -A -o yaml";

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    /// Somebody asked for it: free play is not what lies behind.
    pub(crate) asked: bool,
    /// The command that the story of what is open begins with.
    pub(crate) first: Option<String>,
}

/// The line.
#[component]
pub(crate) fn Start(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let shut = ctl.act.reform(|_: MouseEvent| Act::Start(false));
    let open = |source: Source| {
        let ctl = ctl.clone();
        Callback::from(move |_: MouseEvent| {
            ctl.act.emit(Act::Start(false));
            let source = source.clone();
            ctl.send.emit(Request::Open { source });
        })
    };
    let name = FIRST_LESSON.to_string();
    let course = open(Source::Lesson { name, seed: None });
    let free = open(Source::Free);
    let pending = ctl.act.reform(|_: MouseEvent| Act::Dialog(Dialog::Pending));
    let cut = props.first.clone().map(|line| {
        let ctl = ctl.clone();
        Callback::from(move |_: MouseEvent| {
            ctl.act.emit(Act::Start(false));
            ctl.run(&line);
        })
    });
    html! {
        <section class="start" aria-labelledby="start-title">
            <h2 id="start-title">{ "Six machines and one control plane, alive in this tab. " }<span>{ "See what Kubernetes believes, and what is true." }</span></h2>
            <ul>
                if let Some(cut) = cut.filter(|_| !props.asked) {
                    <li><button type="button" class="primary" onclick={cut}>{ "Cut a node off" }</button></li>
                } else {
                    <li><button type="button" onclick={free}>{ "Free play" }</button></li>
                }
                <li><button type="button" onclick={course}>{ "Start the course" }</button></li>
                <li><button type="button" onclick={pending}>{ "My pod is Pending" }</button></li>
            </ul>
            <button type="button" class="quiet shut" onclick={shut} aria-label="Close this">{ icon("cross") }</button>
        </section>
    }
}

/// The second way in: what to print, and a field that opens what is pasted into it.
#[component]
pub(crate) fn Pending() -> Html {
    let typed = use_state(String::new);
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let open = |ctl: &Ctl, text: String| {
        ctl.act.emit(Act::Start(false));
        ctl.act.emit(Act::Dialog(Dialog::None));
        ctl.open_pasted(text);
    };
    let pasted = {
        let ctl = ctl.clone();
        Callback::from(move |event: Event| {
            let text = event
                .dyn_ref_clipboard()
                .and_then(|data| data.get_data("text/plain").ok())
                .unwrap_or_default();
            if !text.trim().is_empty() {
                event.prevent_default();
                open(&ctl, text);
            }
        })
    };
    // What comes by another way than a paste: a keyboard's own clipboard, a dropped text.
    let oninput = {
        let typed = typed.clone();
        Callback::from(move |event: InputEvent| typed.set(browser::value_of(&event)))
    };
    let open_it = (!typed.trim().is_empty()).then(|| {
        let (ctl, text) = (ctl.clone(), (*typed).clone());
        let go = Callback::from(move |_: MouseEvent| open(&ctl, text.clone()));
        html! { <p><button type="button" class="primary" onclick={go}>{ "Open it" }</button></p> }
    });
    let chosen = {
        let ctl = ctl.clone();
        Callback::from(move |event: Event| {
            let field: web_sys::HtmlInputElement = event.target_unchecked_into();
            if let Some(list) = field.files() {
                ctl.act.emit(Act::Start(false));
                super::open_files(&ctl, list);
            }
        })
    };
    let copy = {
        let ctl = ctl.clone();
        Callback::from(move |_: MouseEvent| {
            let ctl = ctl.clone();
            wasm_bindgen_futures::spawn_local(async move {
                let said = if browser::copy(DUMP.into()).await {
                    "Copied"
                } else {
                    "The browser does not copy: mark the text"
                };
                ctl.act.emit(Act::Toast(said.into()));
            });
        })
    };
    html! {
        <Modal title="My pod is Pending" class="pending">
            <ol class="ways">
                <li><p>{ "In a terminal that reaches your cluster:" }</p>
                    <p class="row"><code class="mono command">{ DUMP }</code><button type="button" onclick={copy}>{ "Copy" }</button></p>
                    <p class="none">{ "Kinds that your cluster does not serve can be left out. It stays in this browser." }</p></li>
                <li><p>{ "Paste what it printed here, or drop the file anywhere:" }</p>
                    <textarea rows="3" autofocus=true aria-label="Paste your cluster here" placeholder="apiVersion: v1 …" onpaste={pasted} {oninput} spellcheck="false" />{ open_it }
                    <label class="drop">{ icon("files") }<span>{ "or choose a file" }</span><input type="file" multiple=true accept=".yaml,.yml,.json,.txt" onchange={chosen} /></label></li>
                <li><p>{ "Select the pod: the first words say why, and what would help." }</p></li>
            </ol>
        </Modal>
    }
}

/// What a paste brings.
trait Pasted {
    fn dyn_ref_clipboard(&self) -> Option<web_sys::DataTransfer>;
}

impl Pasted for Event {
    fn dyn_ref_clipboard(&self) -> Option<web_sys::DataTransfer> {
        use wasm_bindgen::JsCast;
        self.dyn_ref::<web_sys::ClipboardEvent>()?.clipboard_data()
    }
}
