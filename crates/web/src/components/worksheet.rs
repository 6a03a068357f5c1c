//! A lesson for printing: picture, texts, and questions with space for the answer; the right answers and the rule are
//! on a separate page (E-15). The page breaks below each question, because the next text reveals the answer.

use podscope_messages::t;
use podscope_protocol::{
    LessonInfo, MomentNode, MomentPicture, MomentPod, OpenedSession, PodView, Question, QuestionKind,
};
use yew::prelude::*;

use super::dialog::Modal;
use super::shown::shown;
use super::story;
use crate::browser::{self, Warn as _};
use crate::pure::qr;
use crate::state::{Model, Page, Shared};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) page: Shared<Page>,
}

#[component]
pub(crate) fn Worksheet(props: &Props) -> Html {
    let page = &*props.page;
    let Some(opened) = &page.session.opened else {
        return Html::default();
    };
    let info = opened
        .lesson
        .as_ref()
        .and_then(|name| page.shell.lessons.iter().find(|lesson| lesson.name == *name));
    let print = Callback::from(|_: MouseEvent| {
        if let Some(window) = browser::window() {
            window.print().warn();
        }
    });
    let has_answers = page.session.model.story.steps.iter().any(|step| step.truth.is_some());
    let n_questions = opened.story.iter().filter(|step| step.question.is_some()).count();
    html! {
        <Modal key="worksheet" title={opened.title.clone()} class="wide worksheet">
            <p class="not-printed"><button type="button" class="primary" autofocus=true onclick={print}>{ t!(worksheet::print) }</button>{ " " }{ t!(worksheet::about_pages) }</p>
            <div class="paper-head">
                if let Some(info) = info { <p>{ shown(&info.summary) }</p> }
                <p>{ t!(worksheet::name) }</p>
                { lesson_qr_code(opened) }
            </div>
            if has_answers {
                <p class="not-printed">{ t!(worksheet::start_over) }</p>
            } else {
                <figure class="moments now-picture">{ story::picture(&present_moment(&page.session.model)) }<figcaption>{ t!(worksheet::cluster) }</figcaption></figure>
            }
            <ol class="paper">
                { for opened.story.iter().map(|step| html! {
                    <li>
                        <div class="prose">{ story::markdown_blocks(&step.text) }</div>
                        if let Some(question) = &step.question { { question_section(question) } }
                        if let Some(command) = &step.try_command { <p>{ t!(worksheet::try_command) }{ " " }<code>{ shown(command) }</code></p> }
                    </li>
                }) }
            </ol>
            <section class="answers" aria-label={t!(worksheet::answers)}>
                <h3>{ t!(worksheet::answers) }</h3>
                if n_questions > 0 {
                    <ol>{ for opened.story.iter().filter_map(|step| step.question.as_ref()).map(reason_list) }</ol>
                }
                if let Some(info) = info.filter(|info| !info.rule.is_empty()) { { rule_section(info) } }
            </section>
        </Modal>
    }
}

fn rule_section(info: &LessonInfo) -> Html {
    html! { <p class="rule"><b>{ t!(worksheet::rule) }{ " " }</b>{ story::inline_markdown(&info.rule) }</p> }
}

/// A question with boxes to tick, or with a line to write on.
fn question_section(question: &Question) -> Html {
    let space = match question.kind {
        QuestionKind::Time => t!(worksheet::after),
        QuestionKind::Place | QuestionKind::Choice => "____________________________".to_owned(),
    };
    html! {
        <div class="paper-ask">
            <b>{ story::inline_markdown(&question.ask) }</b>
            if question.options.is_empty() {
                <p>{ space }</p>
            } else {
                <ul>{ for question.options.iter().map(|option| html! { <li>{ "☐ " }{ shown(option) }</li> }) }</ul>
            }
        </div>
    }
}

/// Lists the lesson's reply to each answer of a question.
fn reason_list(question: &Question) -> Html {
    html! {
        <li>
            <b>{ story::inline_markdown(&question.ask) }</b>
            <dl class="reasons">
                { for question.why.iter().map(|(answer, why)| {
                    let answer = if answer == "else" { t!(worksheet::other_answers) } else { answer.clone() };
                    html! { <div><dt>{ shown(&answer) }</dt><dd>{ story::inline_markdown(why) }</dd></div> }
                }) }
            </dl>
        </li>
    }
}

/// Draws the QR code of a built-in lesson's address.
fn lesson_qr_code(opened: &OpenedSession) -> Html {
    let Some(name) = &opened.lesson else {
        return Html::default();
    };
    let address = browser::address(&format!("lesson={name}"));
    let Some((width, path)) = qr::encode_qr_code(&address) else {
        return Html::default();
    };
    html! {
        <figure class="paper-code">
            <svg viewBox={format!("0 0 {width} {width}")} role="img" aria-label={t!(worksheet::qr_code, address = address)}><rect width="100%" height="100%" fill="#fff" /><path d={path} fill="#000" /></svg>
        </figure>
    }
}

/// A picture of the cluster at the present instant.
fn present_moment(model: &Model) -> MomentPicture {
    let pod = |pod: &PodView| MomentPod {
        short: pod.short.clone(),
        key: pod.key.clone(),
        hue: Some(model.hue(&pod.owner)),
        mark: pod.mark,
    };
    let nodes = model.nodes.values().map(|node| MomentNode {
        name: node.view.name.clone(),
        trouble: None,
        pods: node.pods.iter().map(|one| pod(one)).collect(),
    });
    MomentPicture {
        at: model.now,
        groups: vec![(String::new(), nodes.collect())],
        pending: model.pending.iter().map(|one| pod(one)).collect(),
    }
}
