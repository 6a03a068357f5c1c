//! The canvas of a big cluster: only nodes that are other ones now are painted again.

use std::rc::Rc;

use podscope_api::ordered::{self, Set};
use podscope_protocol::{OwnerView, PodMark, PodView};
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

use crate::browser;
use crate::pure::belief;
use crate::pure::find::Filter;
use crate::pure::overview::{Plan, Rect};
use crate::pure::route::Theme;
use crate::state::{HUES, NodeState, Shared, Truth};

/// Nodes by zone.
pub(crate) type Zones = Vec<(String, Vec<Shared<NodeState>>)>;

/// What is to be seen.
#[derive(Default)]
pub(crate) struct Scene {
    pub(crate) plan: Rc<Plan>,
    pub(crate) zones: Zones,
    /// Which node of which zone is framed.
    pub(crate) focus: (usize, usize),
    /// The theme, and whether the system's is dark.
    pub(crate) tint: (Theme, bool),
    /// What does not match is painted dimly.
    pub(crate) filter: Option<Shared<Filter>>,
    /// Whose picture it is.
    pub(crate) truth: Truth,
    /// Pods to be outlined.
    pub(crate) differing: Rc<Set<String>>,
    pub(crate) owners: Shared<ordered::Map<String, OwnerView>>,
}

/// What the canvas shows.
#[derive(Default)]
pub(crate) struct Painted {
    scene: Scene,
    /// In the light of the scene; none before the first.
    colours: Option<Colours>,
}

#[derive(Default)]
struct Colours {
    ink: String,
    hues: Vec<String>,
    panel: String,
    card: String,
    line: String,
    bad: String,
    ghost: String,
    accent: String,
}

impl Painted {
    /// Brings the canvas from what it shows to this.
    pub(crate) fn draw(&mut self, canvas: &HtmlCanvasElement, scene: Scene) {
        let Some(window) = browser::window() else { return };
        let ratio = window.device_pixel_ratio();
        let width = scene.plan.zones.iter().map(|z| z.x + z.w).fold(0.0, f64::max);
        let (w, h) = ((width * ratio) as u32, (scene.plan.height * ratio) as u32);
        let before = &self.scene;
        let recoloured = self.colours.is_none() || before.tint != scene.tint;
        let fresh = canvas.width() != w
            || canvas.height() != h
            || !Rc::ptr_eq(&before.plan, &scene.plan)
            || recoloured
            || before.filter != scene.filter
            || before.truth != scene.truth
            || is_recoloured(&before.owners, &scene.owners)
            || before.zones.len() != scene.zones.len();
        let others = (scene.zones.iter().zip(&before.zones)).any(|((_, now), (_, before))| now != before);
        let differs_anew = before.differing != scene.differing;
        if !fresh && !others && !differs_anew && scene.focus == before.focus {
            self.scene.owners = scene.owners;
            return;
        }
        let Some(context) = canvas
            .get_context("2d")
            .ok()
            .flatten()
            .and_then(|c| c.dyn_into::<CanvasRenderingContext2d>().ok())
        else {
            return;
        };
        if fresh {
            canvas.set_width(w);
            canvas.set_height(h);
            drop(web_sys::HtmlElement::style(canvas).set_property("width", &format!("{width}px")));
            drop(web_sys::HtmlElement::style(canvas).set_property("height", &format!("{}px", scene.plan.height)));
        }
        if recoloured {
            self.colours = None;
        }
        let colours = self.colours.get_or_insert_with(|| colours(canvas));
        drop(context.set_transform(ratio, 0.0, 0.0, ratio, 0.0, 0.0));
        let shapes = Shapes::of(&scene, (!fresh).then_some(before));
        shapes.paint(&Brush(context), colours, &scene, fresh);
        self.scene = scene;
    }
}

/// What is painted, by the colour that it has: setting a colour costs more than drawing with it.
#[derive(Default)]
struct Shapes {
    cards: Vec<Rect>,
    unwell: Vec<Rect>,
    /// Cards with pods that are looked for.
    holding: Vec<Rect>,
    filled: Vec<Vec<Rect>>,
    outlined: Vec<Vec<Rect>>,
    ghosts: Vec<Rect>,
    failing: Vec<Rect>,
    left_out: Vec<Rect>,
    /// Pods that another run does not have so.
    unlike: Vec<Rect>,
}

impl Shapes {
    /// Those of all nodes, or of the nodes that are other ones than before.
    fn of(scene: &Scene, before: Option<&Scene>) -> Self {
        let hues = usize::from(HUES) + 1;
        let mut shapes = Self {
            filled: vec![Vec::new(); hues],
            outlined: vec![Vec::new(); hues],
            ..Self::default()
        };
        for (z, ((_, nodes), rects)) in scene.zones.iter().zip(&scene.plan.nodes).enumerate() {
            for (n, (node, rect)) in nodes.iter().zip(rects).enumerate() {
                if before.is_none_or(|before| is_other(scene, before, (z, n), node)) {
                    shapes.node(scene, node, *rect);
                }
            }
        }
        shapes
    }

    fn node(&mut self, scene: &Scene, node: &NodeState, rect: Rect) {
        self.cards.push(rect);
        if belief::is_unwell(&node.view, scene.truth) {
            self.unwell.push(rect);
        }
        let per_row = scene.plan.per_row;
        for (k, pod) in node.pods.iter().enumerate().take(per_row * per_row) {
            let r = scene.plan.pod_rect(rect, k);
            if scene.differing.contains(&pod.id) {
                self.unlike.push(around(r, 1.0));
            }
            let inner = within(r);
            let found = (scene.filter.as_ref()).is_none_or(|f| f.finds_pod(pod) || f.finds_node(&node.view));
            if !found {
                self.left_out.push(Rect {
                    x: inner.x + inner.w / 3.0,
                    y: inner.y + inner.h / 3.0,
                    w: inner.w / 3.0,
                    h: inner.h / 3.0,
                });
                continue;
            }
            let Some(mark) = belief::mark(pod, &node.view, scene.truth) else {
                continue;
            };
            // What is looked for is seen from afar, as is the square that holds it.
            let is_sought = scene.filter.is_some();
            if is_sought && self.holding.last() != Some(&rect) {
                self.holding.push(rect);
            }
            let inner = if is_sought { around(inner, 0.75) } else { inner };
            self.pod(scene, pod, mark, inner);
        }
    }

    fn pod(&mut self, scene: &Scene, pod: &PodView, mark: PodMark, inner: Rect) {
        let hue = usize::from(scene.owners.get(&pod.owner).map_or(HUES, |o| o.hue % HUES));
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

    fn paint(&self, brush: &Brush, colours: &Colours, scene: &Scene, fresh: bool) {
        if fresh {
            brush.fill(&colours.panel, &scene.plan.zones);
        } else {
            // The focus' frame stands around its card.
            let wider: Vec<Rect> = self.cards.iter().map(|r| around(*r, 2.0)).collect();
            brush.fill(&colours.panel, &wider);
        }
        brush.fill(&colours.card, &self.cards);
        brush.frame(&colours.line, 1.0, &self.cards);
        brush.frame(&colours.ink, 1.0, &self.holding);
        brush.frame(&colours.bad, 2.0, &self.unwell);
        for (hue, colour) in colours.hues.iter().enumerate() {
            brush.fill(colour, &self.filled[hue]);
            brush.frame(colour, 1.0, &self.outlined[hue]);
        }
        brush.fill(&colours.line, &self.left_out);
        brush.fill(&colours.bad, &self.failing);
        brush.frame(&colours.ghost, 1.0, &self.ghosts);
        // In no owner's colour.
        brush.frame(&colours.ink, 2.0, &self.unlike);
        if let Some(r) = scene.plan.nodes.get(scene.focus.0).and_then(|n| n.get(scene.focus.1)) {
            brush.frame(&colours.accent, 2.0, &[around(*r, 1.5)]);
        }
    }
}

/// Whether a node is to be painted again.
fn is_other(scene: &Scene, before: &Scene, at: (usize, usize), node: &Shared<NodeState>) -> bool {
    let is_refocused = scene.focus != before.focus && (scene.focus == at || before.focus == at);
    let differs = |scene: &Scene, id: &String| scene.differing.contains(id);
    is_refocused
        || before.zones[at.0].1.get(at.1) != Some(node)
        || scene.differing != before.differing
            && (node.pods.iter()).any(|pod| differs(before, &pod.id) != differs(scene, &pod.id))
}

/// One path a colour.
struct Brush(CanvasRenderingContext2d);

impl Brush {
    fn fill(&self, colour: &str, rects: &[Rect]) {
        self.0.set_fill_style_str(colour);
        self.0.begin_path();
        rects.iter().for_each(|r| self.0.rect(r.x, r.y, r.w, r.h));
        self.0.fill();
    }

    fn frame(&self, colour: &str, width: f64, rects: &[Rect]) {
        self.0.set_stroke_style_str(colour);
        self.0.set_line_width(width);
        self.0.begin_path();
        rects
            .iter()
            .map(|r| within(*r))
            .for_each(|r| self.0.rect(r.x, r.y, r.w, r.h));
        self.0.stroke();
    }
}

/// Half a pixel within it, where a line of one is sharp.
fn within(r: Rect) -> Rect {
    Rect {
        x: r.x + 0.5,
        y: r.y + 0.5,
        w: (r.w - 1.0).max(1.0),
        h: (r.h - 1.0).max(1.0),
    }
}

/// A rectangle that much larger on each side.
fn around(r: Rect, by: f64) -> Rect {
    Rect {
        x: r.x - by,
        y: r.y - by,
        w: r.w + 2.0 * by,
        h: r.h + 2.0 * by,
    }
}

/// Whether an owner whose pods are painted has another colour now.
fn is_recoloured(
    before: &Shared<ordered::Map<String, OwnerView>>,
    now: &Shared<ordered::Map<String, OwnerView>>,
) -> bool {
    before != now && before.iter().any(|(id, o)| now.get(id).is_some_and(|n| n.hue != o.hue))
}

/// The value that the style sheet gives the canvas.
fn used(canvas: &HtmlCanvasElement, property: &str) -> String {
    browser::window()
        .and_then(|w| w.get_computed_style(canvas).ok().flatten())
        .and_then(|style| style.get_property_value(property).ok())
        .unwrap_or_default()
}

/// The tokens of the theme as a canvas understands them: read from an element that has each as its
/// colour, because `light-dark()` means nothing to it.
fn colours(canvas: &HtmlCanvasElement) -> Colours {
    let ink = used(canvas, "color");
    let style = web_sys::HtmlElement::style(canvas);
    let token = |name: &str| {
        drop(style.set_property("color", &format!("var(--{name})")));
        used(canvas, "color")
    };
    let colours = Colours {
        ink,
        hues: (0..=HUES).map(|i| token(&format!("h{i}"))).collect(),
        panel: token("zone"),
        card: token("raised"),
        line: token("line"),
        bad: token("bad"),
        ghost: token("ghost"),
        accent: token("accent"),
    };
    drop(style.remove_property("color"));
    colours
}
