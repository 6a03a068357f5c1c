//! Paints the picture of a big cluster on a canvas. Only nodes that have changed are painted again.

use std::rc::Rc;

use podscope_api::ordered::{self, Set};
use podscope_protocol::{OwnerView, PodMark, PodView};
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

use crate::browser::{self, Warn as _};
use crate::pure::belief;
use crate::pure::find::Filter;
use crate::pure::overview::{OverviewLayout, Rect};
use crate::pure::route::Theme;
use crate::state::{NodeState, OWNER_HUE_COUNT, Shared, StateView};

/// Nodes by zone: name of the zone and its nodes.
pub(crate) type Zones = Vec<(String, Vec<Shared<NodeState>>)>;

/// The inputs of the picture: if one of them changes, the picture is painted again.
#[derive(Default)]
pub(crate) struct Scene {
    pub(crate) plan: Rc<OverviewLayout>,
    pub(crate) zones: Zones,
    /// Zone and index of the node with the focus frame.
    pub(crate) focus: (usize, usize),
    /// The theme, and whether the system's theme is dark.
    pub(crate) tint: (Theme, bool),
    /// Nodes and pods that do not match the filter are dimmed.
    pub(crate) filter: Option<Shared<Filter>>,
    /// Whose view of the state is drawn: the API server's, the machines', or both.
    pub(crate) truth: StateView,
    /// Ids of the pods that differ between the two compared runs; they are outlined.
    pub(crate) differing: Rc<Set<String>>,
    pub(crate) owners: Shared<ordered::Map<String, OwnerView>>,
}

/// The scene that is painted on the canvas, and its colours.
#[derive(Default)]
pub(crate) struct PaintedCanvas {
    scene: Scene,
    /// Colours for the scene's tint; `None` before the first painting.
    colours: Option<ThemeColours>,
}

#[derive(Default)]
struct ThemeColours {
    ink: String,
    hues: Vec<String>,
    panel: String,
    card: String,
    line: String,
    bad: String,
    ghost: String,
    accent: String,
}

impl PaintedCanvas {
    /// Repaints the canvas where `scene` differs from the painted one.
    pub(crate) fn draw(&mut self, canvas: &HtmlCanvasElement, scene: Scene) {
        let Some(window) = browser::window() else { return };
        let ratio = window.device_pixel_ratio();
        let width = scene.plan.zones.iter().map(|zone| zone.x + zone.w).fold(0.0, f64::max);
        let (w, h) = ((width * ratio) as u32, (scene.plan.height * ratio) as u32);
        let before = &self.scene;
        let recoloured = self.colours.is_none() || before.tint != scene.tint;
        let repaints_all = canvas.width() != w
            || canvas.height() != h
            || !Rc::ptr_eq(&before.plan, &scene.plan)
            || recoloured
            || before.filter != scene.filter
            || before.truth != scene.truth
            || is_owner_recoloured(&before.owners, &scene.owners)
            || before.zones.len() != scene.zones.len();
        let has_changed_nodes = (scene.zones.iter().zip(&before.zones)).any(|((_, now), (_, before))| now != before);
        let has_changed_differences = before.differing != scene.differing;
        if !repaints_all && !has_changed_nodes && !has_changed_differences && scene.focus == before.focus {
            self.scene.owners = scene.owners;
            return;
        }
        let Some(context) = canvas
            .get_context("2d")
            .ok()
            .flatten()
            .and_then(|context| context.dyn_into::<CanvasRenderingContext2d>().ok())
        else {
            return;
        };
        if repaints_all {
            canvas.set_width(w);
            canvas.set_height(h);
            web_sys::HtmlElement::style(canvas)
                .set_property("width", &format!("{width}px"))
                .warn();
            web_sys::HtmlElement::style(canvas)
                .set_property("height", &format!("{}px", scene.plan.height))
                .warn();
        }
        if recoloured {
            self.colours = None;
        }
        let colours = self.colours.get_or_insert_with(|| theme_colours(canvas));
        context.set_transform(ratio, 0.0, 0.0, ratio, 0.0, 0.0).warn();
        let shapes = ShapesByColour::of(&scene, (!repaints_all).then_some(before));
        shapes.paint(&Brush(context), colours, &scene, repaints_all);
        self.scene = scene;
    }
}

/// Shapes to paint, grouped by colour, because setting a colour costs more than drawing with it.
#[derive(Default)]
struct ShapesByColour {
    cards: Vec<Rect>,
    unwell: Vec<Rect>,
    /// Cards of nodes with pods that match the filter.
    with_matches: Vec<Rect>,
    filled: Vec<Vec<Rect>>,
    outlined: Vec<Vec<Rect>>,
    ghosts: Vec<Rect>,
    failing: Vec<Rect>,
    not_matching: Vec<Rect>,
    /// Rectangles of the pods that differ between the two compared runs; they are outlined.
    differing: Vec<Rect>,
}

impl ShapesByColour {
    /// The shapes of all nodes, or only of nodes that changed since `before`.
    fn of(scene: &Scene, before: Option<&Scene>) -> Self {
        let hues = usize::from(OWNER_HUE_COUNT) + 1;
        let mut shapes = Self {
            filled: vec![Vec::new(); hues],
            outlined: vec![Vec::new(); hues],
            ..Self::default()
        };
        for (zone_index, ((_, nodes), rects)) in scene.zones.iter().zip(&scene.plan.nodes).enumerate() {
            for (node_index, (node, rect)) in nodes.iter().zip(rects).enumerate() {
                if before.is_none_or(|before| has_to_be_painted(scene, before, (zone_index, node_index), node)) {
                    shapes.add_node(scene, node, *rect);
                }
            }
        }
        shapes
    }

    fn add_node(&mut self, scene: &Scene, node: &NodeState, rect: Rect) {
        self.cards.push(rect);
        if belief::is_unhealthy(&node.view, scene.truth) {
            self.unwell.push(rect);
        }
        let per_row = scene.plan.per_row;
        for (pod_index, pod) in node.pods.iter().enumerate().take(per_row * per_row) {
            let pod_rect = scene.plan.pod_rect(rect, pod_index);
            if scene.differing.contains(&pod.id) {
                self.differing.push(enlarged(pod_rect, 1.0));
            }
            let inner = inset(pod_rect);
            let found =
                (scene.filter.as_ref()).is_none_or(|filter| filter.finds_pod(pod) || filter.finds_node(&node.view));
            if !found {
                self.not_matching.push(Rect {
                    x: inner.x + inner.w / 3.0,
                    y: inner.y + inner.h / 3.0,
                    w: inner.w / 3.0,
                    h: inner.h / 3.0,
                });
                continue;
            }
            let Some(mark) = belief::pod_mark_in_view(pod, &node.view, scene.truth) else {
                continue;
            };
            // Nodes and pods that match the filter, and the cards of their nodes, are emphasised, so that they are
            // visible even in a small picture.
            let has_filter = scene.filter.is_some();
            if has_filter && self.with_matches.last() != Some(&rect) {
                self.with_matches.push(rect);
            }
            let inner = if has_filter { enlarged(inner, 0.75) } else { inner };
            self.add_pod(scene, pod, mark, inner);
        }
    }

    fn add_pod(&mut self, scene: &Scene, pod: &PodView, mark: PodMark, inner: Rect) {
        let hue = usize::from(
            scene
                .owners
                .get(&pod.owner)
                .map_or(OWNER_HUE_COUNT, |owner| owner.hue % OWNER_HUE_COUNT),
        );
        match mark {
            PodMark::Ghost => self.ghosts.push(inner),
            PodMark::Starting | PodMark::Pending => self.outlined[hue].push(inner),
            PodMark::NotReady | PodMark::Terminating | PodMark::Unconfirmed => self.filled[hue].push(Rect {
                h: inner.h / 2.0,
                ..inner
            }),
            PodMark::CrashLoop | PodMark::Failed => {
                self.filled[hue].push(inner);
                self.failing.push(Rect {
                    x: inner.x + inner.w / 2.0,
                    w: inner.w / 2.0,
                    h: inner.h / 2.0,
                    ..inner
                });
            }
            PodMark::Ready | PodMark::Succeeded => self.filled[hue].push(inner),
        }
    }

    fn paint(&self, brush: &Brush, colours: &ThemeColours, scene: &Scene, repaints_all: bool) {
        if repaints_all {
            brush.fill_rects(&colours.panel, &scene.plan.zones);
        } else {
            // The focus frame extends beyond its card and has to be erased.
            let wider: Vec<Rect> = self.cards.iter().map(|rect| enlarged(*rect, 2.0)).collect();
            brush.fill_rects(&colours.panel, &wider);
        }
        brush.fill_rects(&colours.card, &self.cards);
        brush.outline_rects(&colours.line, 1.0, &self.cards);
        brush.outline_rects(&colours.ink, 1.0, &self.with_matches);
        brush.outline_rects(&colours.bad, 2.0, &self.unwell);
        for (hue, colour) in colours.hues.iter().enumerate() {
            brush.fill_rects(colour, &self.filled[hue]);
            brush.outline_rects(colour, 1.0, &self.outlined[hue]);
        }
        brush.fill_rects(&colours.line, &self.not_matching);
        brush.fill_rects(&colours.bad, &self.failing);
        brush.outline_rects(&colours.ghost, 1.0, &self.ghosts);
        // Pods that differ are outlined in a neutral colour, which is not the colour of any owner.
        brush.outline_rects(&colours.ink, 2.0, &self.differing);
        if let Some(rect) = scene
            .plan
            .nodes
            .get(scene.focus.0)
            .and_then(|nodes| nodes.get(scene.focus.1))
        {
            brush.outline_rects(&colours.accent, 2.0, &[enlarged(*rect, 1.5)]);
        }
    }
}

/// Returns whether a node has to be painted again.
fn has_to_be_painted(scene: &Scene, before: &Scene, at: (usize, usize), node: &Shared<NodeState>) -> bool {
    let is_refocused = scene.focus != before.focus && (scene.focus == at || before.focus == at);
    let differs = |scene: &Scene, id: &String| scene.differing.contains(id);
    is_refocused
        || before.zones[at.0].1.get(at.1) != Some(node)
        || scene.differing != before.differing
            && (node.pods.iter()).any(|pod| differs(before, &pod.id) != differs(scene, &pod.id))
}

/// Draws all shapes of one colour as a single path.
struct Brush(CanvasRenderingContext2d);

impl Brush {
    fn fill_rects(&self, colour: &str, rects: &[Rect]) {
        self.0.set_fill_style_str(colour);
        self.0.begin_path();
        rects
            .iter()
            .for_each(|rect| self.0.rect(rect.x, rect.y, rect.w, rect.h));
        self.0.fill();
    }

    fn outline_rects(&self, colour: &str, width: f64, rects: &[Rect]) {
        self.0.set_stroke_style_str(colour);
        self.0.set_line_width(width);
        self.0.begin_path();
        rects
            .iter()
            .map(|rect| inset(*rect))
            .for_each(|rect| self.0.rect(rect.x, rect.y, rect.w, rect.h));
        self.0.stroke();
    }
}

/// The rectangle shrunk by half a pixel, where a line of one pixel is sharp.
fn inset(rect: Rect) -> Rect {
    Rect {
        x: rect.x + 0.5,
        y: rect.y + 0.5,
        w: (rect.w - 1.0).max(1.0),
        h: (rect.h - 1.0).max(1.0),
    }
}

/// The rectangle enlarged by `by` on each side.
fn enlarged(rect: Rect, by: f64) -> Rect {
    Rect {
        x: rect.x - by,
        y: rect.y - by,
        w: rect.w + 2.0 * by,
        h: rect.h + 2.0 * by,
    }
}

/// Returns whether the colour of an owner has changed since the last painting.
fn is_owner_recoloured(
    before: &Shared<ordered::Map<String, OwnerView>>,
    now: &Shared<ordered::Map<String, OwnerView>>,
) -> bool {
    before != now
        && before
            .iter()
            .any(|(id, before)| now.get(id).is_some_and(|owner| owner.hue != before.hue))
}

/// The computed value of a style property of the canvas.
fn computed_style(canvas: &HtmlCanvasElement, property: &str) -> String {
    browser::window()
        .and_then(|window| window.get_computed_style(canvas).warn().flatten())
        .and_then(|style| style.get_property_value(property).warn())
        .unwrap_or_default()
}

/// The theme's colours in a form that a canvas understands. They are computed on an element that uses each token as its
/// `color`, because a canvas cannot resolve `light-dark()`.
fn theme_colours(canvas: &HtmlCanvasElement) -> ThemeColours {
    let ink = computed_style(canvas, "color");
    let style = web_sys::HtmlElement::style(canvas);
    let token = |name: &str| {
        style.set_property("color", &format!("var(--{name})")).warn();
        computed_style(canvas, "color")
    };
    let colours = ThemeColours {
        ink,
        hues: (0..=OWNER_HUE_COUNT).map(|index| token(&format!("h{index}"))).collect(),
        panel: token("zone"),
        card: token("raised"),
        line: token("line"),
        bad: token("bad"),
        ghost: token("ghost"),
        accent: token("accent"),
    };
    style.remove_property("color").warn();
    colours
}
