//! The timeline's lane for topology spread: number of pods per domain over time, and the range that maxSkew allows.

use podscope_messages::t;
use podscope_protocol::{Micros, Request, SpreadLane};
use yew::prelude::*;

use super::dialog::Modal;
use crate::ctl::Ctl;
use crate::pure::scale::Span;
use crate::pure::{clock, spread};
use crate::state::{Act, Dialog, Page, Shared};

#[derive(Properties)]
pub(crate) struct Props {
    pub(crate) page: Shared<Page>,
    pub(crate) span: Span,
}

impl Props {
    /// Returns the values that the drawing of the lane depends on. While time runs they change a few times a second,
    /// not with every frame.
    fn render_key(&self) -> (&Shared<SpreadLane>, u64, Micros, bool, Span) {
        let model = &self.page.session.model;
        let (frames, now) = if model.playing {
            (self.page.shell.frames / 8, 0)
        } else {
            (0, model.now)
        };
        (&model.spread, frames, now, model.story.question.is_some(), self.span)
    }
}

impl PartialEq for Props {
    fn eq(&self, other: &Self) -> bool {
        self.render_key() == other.render_key()
    }
}

#[component]
pub(crate) fn SpreadView(props: &Props) -> Html {
    let (model, span) = (&props.page.session.model, props.span);
    let lane = &*model.spread;
    // Before the answer to a question the lane must not show a future that an earlier run has computed.
    let until = if model.story.question.is_some() {
        model.now
    } else {
        model.horizon.max(model.now)
    };
    let drawn = spread::draw(lane, span, until);
    let now = spread::point_at(lane, model.now);
    html! {
        <div class="lane" data-lane="spread" aria-hidden="true">
            <svg viewBox={format!("0 0 {} {}", spread::VIEW_WIDTH, spread::VIEW_HEIGHT)} preserveAspectRatio="none">
                <path class="band" d={drawn.band} />
                { for drawn.lines.into_iter().enumerate().map(|(index, path)| html! { <path class={format!("h{}", index % 8)} d={path} /> }) }
                <path class="over" d={drawn.over} />
            </svg>
            if let Some(now) = now {
                <span class="is">
                    if now.pods.is_empty() {
                        { spread::pods_text(lane, now) }
                    } else {
                        { for lane.domains.iter().zip(&now.pods).enumerate().filter_map(|(index, (name, pods))| {
                            let pods = (*pods)?;
                            Some(html! { <b class={format!("h{}", index % 8)}>{ format!("{name} {pods}") }</b> })
                        }) }
                    }
                    <span class={classes!(spread::is_over_max_skew(lane, now).then_some("bad"))}>{ spread::skew_text(lane, now) }</span>
                </span>
            }
        </div>
    }
}

/// The dialog that lists the changes of the pod counts in the spread lane, latest change first.
pub(crate) fn spread_list_dialog(ctl: &Ctl, page: &Page) -> Html {
    let (model, lane) = (&page.session.model, &*page.session.model.spread);
    let is_open = |at: Micros| model.story.question.is_none() || at <= model.now;
    let rule = match (lane.max_skew, lane.hard) {
        (None, _) => t!(spread::no_constraint),
        (Some(max), true) => t!(spread::hard, limit = max),
        (Some(max), false) => t!(spread::soft, limit = max),
    };
    html! {
        <Modal key="lane" title={t!(spread::title, owner = lane.of, key = spread::short_topology_key(lane))} class="lane-list">
            { super::timeline::lane_list_buttons(ctl, page) }
            <p>{ rule }</p>
            <ol>
                { for lane.points.iter().rev().filter(|point| is_open(point.at)).take(400).map(|point| {
                    let (ctl, at) = (ctl.clone(), point.at);
                    let go = Callback::from(move |_: MouseEvent| {
                        ctl.act.emit(Act::Dialog(Dialog::None));
                        ctl.send.emit(Request::Seek { at });
                    });
                    let key = if spread::is_over_max_skew(lane, point) { "key k-unexpected" } else { "key k-bound" };
                    html! { <li><button type="button" class="quiet" onclick={go}><i class={key}></i><span class="mono">{ clock::instant(at) }</span><span>{ spread::pods_text(lane, point) }{ ": " }{ spread::skew_text(lane, point) }</span></button></li> }
                }) }
            </ol>
        </Modal>
    }
}
