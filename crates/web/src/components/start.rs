//! The introduction: a line of entry points, which a first visit shows below the cluster. The logo in the bar opens it
//! again. A visit that begins with a link, a lesson or a stored session does not show it.

use podscope_messages::t;
use podscope_protocol::{FIRST_VISIT_COMMAND, FIRST_VISIT_LESSON, Request, SessionSource};
use yew::prelude::*;

use super::dialog::Modal;
use super::icon;
use crate::browser;
use crate::ctl::Ctl;
use crate::state::{Act, Dialog};

/// The first lesson of the course.
pub(super) const FIRST_COURSE_LESSON: &str = "first-pod";
/// The command that dumps a cluster, for users whose own cluster has a pending pod.
const CLUSTER_DUMP_COMMAND: &str = "kubectl get nodes,pods,namespaces,svc,endpointslices,rc,rs,deploy,sts,ds,jobs,cronjobs,hpa,pdb,priorityclasses,pv,pvc,storageclasses,csinodes,csidrivers,volumeattachments,resourceclaims,events -A -o yaml";

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    /// The user opened the introduction with the logo, so a session of any kind may be open.
    pub(crate) opened_by_logo: bool,
}

/// The introduction: a line of buttons that open a lesson, free play or the dialog for a pending pod.
#[component]
pub(crate) fn Introduction(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let close = ctl.act.reform(|_: MouseEvent| Act::Start(false));
    let open = |source: SessionSource| {
        let ctl = ctl.clone();
        Callback::from(move |_: MouseEvent| {
            ctl.act.emit(Act::Start(false));
            let source = source.clone();
            ctl.send.emit(Request::Open { source });
        })
    };
    let lesson = |name: &str| SessionSource::Lesson {
        name: name.to_owned(),
        seed: None,
    };
    let course = open(lesson(FIRST_COURSE_LESSON));
    let free = open(SessionSource::Free);
    let pending = ctl.act.reform(|_: MouseEvent| Act::Dialog(Dialog::Pending));
    let cut = {
        // Opens the lesson about the cluster that is on the page already, and runs its first command at once.
        let (ctl, guided) = (ctl.clone(), open(lesson(FIRST_VISIT_LESSON)));
        Callback::from(move |event: MouseEvent| {
            guided.emit(event);
            // The engine opens the lesson paused. Unless time runs, the console would report that time is paused.
            ctl.send.emit(Request::Play);
            ctl.run_without_confirmation(FIRST_VISIT_COMMAND);
        })
    };
    html! {
        <section class="start" aria-labelledby="start-title">
            <h2 id="start-title">{ t!(start::title) }{ " " }<span>{ t!(start::subtitle) }</span></h2>
            <ul>
                if props.opened_by_logo {
                    <li><button type="button" onclick={free}>{ t!(start::free_play) }</button></li>
                } else {
                    <li><button type="button" class="primary" onclick={cut}>{ t!(start::cut_node) }</button></li>
                }
                <li><button type="button" onclick={course}>{ t!(start::start_course) }</button></li>
                <li><button type="button" onclick={pending}>{ t!(start::my_pod_is_pending) }</button></li>
            </ul>
            <button type="button" class="quiet shut" onclick={close} aria-label={t!(start::close)}>{ icon("cross") }</button>
        </section>
    }
}

/// The dialog for users whose own cluster has a pending pod: the command to run, and a field that opens the pasted
/// output.
#[component]
pub(crate) fn PendingPodDialog() -> Html {
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
                .clipboard_data()
                .and_then(|data| data.get_data("text/plain").ok())
                .unwrap_or_default();
            if !text.trim().is_empty() {
                event.prevent_default();
                open(&ctl, text);
            }
        })
    };
    // Text can arrive without a paste event: from a keyboard's own clipboard, or by drag and drop.
    let oninput = {
        let typed = typed.clone();
        Callback::from(move |event: InputEvent| typed.set(browser::field_value_of(&event)))
    };
    let open_it = (!typed.trim().is_empty()).then(|| {
        let (ctl, text) = (ctl.clone(), (*typed).clone());
        let go = Callback::from(move |_: MouseEvent| open(&ctl, text.clone()));
        html! { <p><button type="button" class="primary" onclick={go}>{ t!(start::open_it) }</button></p> }
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
                let message = if browser::copy_to_clipboard(CLUSTER_DUMP_COMMAND.into()).await {
                    t!(start::copied)
                } else {
                    t!(start::cannot_copy)
                };
                ctl.act.emit(Act::Toast(message));
            });
        })
    };
    html! {
        <Modal title={t!(start::my_pod_is_pending)} class="pending">
            <ol class="ways">
                <li><p>{ t!(start::in_terminal) }</p>
                    <p class="row"><code class="mono command">{ CLUSTER_DUMP_COMMAND }</code><button type="button" onclick={copy}>{ t!(start::copy) }</button></p>
                    <p class="none">{ t!(start::kinds_hint) }</p></li>
                <li><p>{ t!(start::paste_hint) }</p>
                    <textarea rows="3" autofocus=true aria-label={t!(start::paste)} placeholder="apiVersion: v1 …" onpaste={pasted} {oninput} spellcheck="false" />{ open_it }
                    <label class="drop">{ icon("files") }<span>{ t!(start::choose_file) }</span><input type="file" multiple=true accept=".yaml,.yml,.json,.txt" onchange={chosen} /></label></li>
                <li><p>{ t!(start::select_hint) }</p></li>
            </ol>
        </Modal>
    }
}

/// Gives access to the data of a paste event.
trait ClipboardEventExt {
    fn clipboard_data(&self) -> Option<web_sys::DataTransfer>;
}

impl ClipboardEventExt for Event {
    fn clipboard_data(&self) -> Option<web_sys::DataTransfer> {
        use wasm_bindgen::JsCast;
        self.dyn_ref::<web_sys::ClipboardEvent>()?.clipboard_data()
    }
}
