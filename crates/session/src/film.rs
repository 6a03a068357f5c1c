//! Renders a short film of a span of simulated time: an animated SVG image whose elements are shown and hidden at their
//! times. To draw the frames, a copy of the session is replayed in small pieces of work.

use std::fmt::Write as _;

use podscope_api::ordered::{Map, StableSort as _};
use podscope_cluster::SimTime;
use podscope_protocol::{FilmRefusal, Lane, Mark};

use crate::export::{ClusterDrawing, DRAWING_WIDTH, LAYER_COUNT, draw_cluster, svg_document};
use crate::timeline::{Session, Slice};
use crate::view::{Marks, new_marks};

/// Frames per second of the film.
const FRAMES_PER_SECOND: u32 = 8;
/// Maximum length of a film, in seconds.
const MAX_SECONDS: u32 = 60;
/// Maximum size of a film in MiB, because the browser must load and play it.
const MAX_MIB: usize = 8;
/// Number of simulation events per piece of work while a film is rendered.
const EVENTS_PER_PIECE: u64 = 500;
/// Number of frames at the end of a film that show the final state, before the film repeats.
const FINAL_FRAMES: u32 = 12;
/// Time for which a caption is shown, in seconds of the film.
const CAPTION_SECONDS: u32 = 2;

/// For each SVG element (its layer and text): the numbers of the frames that show it.
type FramesByElement = Map<(usize, String), Vec<u32>>;

/// SVG elements of one group, each with its rank in the order of first appearance.
type RankedElements<'a> = Vec<(usize, &'a str)>;

/// A film that is being rendered.
#[derive(Debug)]
pub(crate) struct Film {
    session: Session,
    from: SimTime,
    to: SimTime,
    seconds: u32,
    /// Number of the next frame to draw.
    at: u32,
    shown: FramesByElement,
    /// Rank of each SVG element (layer and text) in the order of first appearance.
    order: Map<(usize, String), usize>,
    height: usize,
    bytes: usize,
    /// Labelled marks on the page's timeline within the span. Their labels are the captions of the film.
    marks: Vec<Mark>,
}

impl Film {
    /// Starts a film that lasts `seconds` seconds and shows the simulated time span from `from` to `to`. If the session
    /// has been computed only up to a time before `to`, the span ends at that time.
    ///
    /// # Errors
    /// The span is empty.
    pub(crate) fn start(session: &Session, from: SimTime, to: SimTime, seconds: u32) -> Result<Film, FilmRefusal> {
        let (from, to) = (from.max(SimTime::ZERO), to.min(session.horizon()));
        if from >= to {
            return Err(FilmRefusal::EmptySpan);
        }
        let mut session = session.clone();
        let is_captioned = |mark: &Mark| {
            let has_caption_lane = matches!(mark.lane, Lane::Faults | Lane::Commands | Lane::Invariants);
            has_caption_lane && mark.from >= from.0 && mark.from <= to.0
        };
        let (mut marks, _) = new_marks(&mut Marks::default(), &session);
        marks.retain(is_captioned);
        session.seek(from);
        Ok(Film {
            session,
            from,
            to,
            seconds: seconds.clamp(1, MAX_SECONDS),
            at: 0,
            shown: Map::new(),
            order: Map::new(),
            height: 0,
            bytes: 0,
            marks,
        })
    }

    fn frame_count(&self) -> u32 {
        self.seconds * FRAMES_PER_SECOND
    }

    /// Returns the progress of rendering the film, in thousandths.
    pub(crate) fn progress_per_mille(&self) -> u32 {
        self.at * 1000 / self.frame_count()
    }

    /// Returns the first frame that shows the end of the span.
    fn first_final_frame(&self) -> u32 {
        self.frame_count().saturating_sub(FINAL_FRAMES).max(1)
    }

    /// Returns the simulated time that a frame shows.
    fn simulated_time(&self, frame: u32) -> SimTime {
        let last = i64::from(self.first_final_frame());
        SimTime(self.from.0 + (self.to.0 - self.from.0) / last * i64::from(frame)).min(self.to)
    }

    /// Does a small piece of work. Returns the film's SVG when it is finished.
    ///
    /// # Errors
    /// The film is too large.
    pub(crate) fn work(&mut self) -> Result<Option<String>, FilmRefusal> {
        let target = self.simulated_time(self.at);
        if self.session.advance(target, EVENTS_PER_PIECE) == Slice::More {
            return Ok(None);
        }
        let drawing = draw_cluster(&self.session, &self.caption(target));
        self.add_frame(drawing);
        if self.bytes > MAX_MIB << 20 {
            return Err(FilmRefusal::TooLarge { mib: MAX_MIB });
        }
        self.at += 1;
        Ok((self.at == self.frame_count()).then(|| self.to_svg()))
    }

    /// Returns the caption at a time: the label of the latest mark for `CAPTION_SECONDS` after it, otherwise an empty
    /// text.
    fn caption(&self, at: SimTime) -> String {
        let stands = (self.to.0 - self.from.0) / i64::from(self.seconds) * i64::from(CAPTION_SECONDS);
        let near = |mark: &&Mark| mark.from <= at.0 && at.0 - mark.from < stands;
        let last = self.marks.iter().filter(near).max_by_key(|mark| (mark.from, mark.id));
        last.map_or_else(String::new, |mark| mark.label.to_string())
    }

    fn add_frame(&mut self, drawing: ClusterDrawing) {
        self.height = self.height.max(drawing.height);
        for (layer, elements) in drawing.layers.into_iter().enumerate() {
            for element in elements {
                let key = (layer, element);
                let next = self.order.len();
                if !self.order.contains_key(&key) {
                    self.bytes += key.1.len() + 100;
                    self.order.insert(key.clone(), next);
                }
                let shown = self.shown.entry(key).or_default();
                // If a frame contains two equal elements, the frame is counted only once.
                if shown.last() != Some(&self.at) {
                    shown.push(self.at);
                }
            }
        }
    }

    /// Formats the film as SVG. Elements of one layer that are shown in the same frames form one group.
    fn to_svg(&self) -> String {
        let mut body = String::new();
        for layer in 0..LAYER_COUNT {
            let mut groups = Map::<(usize, &[u32]), RankedElements<'_>>::new();
            let mut first: Map<&[u32], usize> = Map::new();
            for (key, shown) in self.shown.iter().filter(|(key, _)| key.0 == layer) {
                let order = self.order.get(key).copied().unwrap_or_default();
                let first_order = first.entry(shown).or_insert(order);
                *first_order = (*first_order).min(order);
            }
            for (key, shown) in self.shown.iter().filter(|(key, _)| key.0 == layer) {
                let order = self.order.get(key).copied().unwrap_or_default();
                let first_order = first.get(shown.as_slice()).copied().unwrap_or_default();
                groups.entry((first_order, shown)).or_default().push((order, &key.1));
            }
            for ((_, shown), elements) in &mut groups {
                elements.stable_sort_by_key(|(order, _)| *order);
                let drawn: Vec<&str> = elements.iter().map(|(_, element)| *element).collect();
                let drawn = drawn.join("\n");
                if shown.len() == self.frame_count() as usize {
                    body.push_str(&drawn);
                } else {
                    let _ = write!(body, "{}\n{drawn}\n</g>", self.svg_group_tag(shown));
                }
                body.push('\n');
            }
        }
        let line = self.height + 8;
        let _ = write!(
            body,
            "<rect y=\"{line}\" width=\"{DRAWING_WIDTH}\" height=\"4\" fill=\"#026fd7\"><animate attributeName=\"width\" values=\"0;{DRAWING_WIDTH};{DRAWING_WIDTH}\" keyTimes=\"0;{:.4};1\" dur=\"{}s\" repeatCount=\"indefinite\"/></rect>",
            f64::from(self.first_final_frame()) / f64::from(self.frame_count()),
            self.seconds
        );
        svg_document(line + 4, &body)
    }

    /// Returns the opening tag of a group that is visible in the given frames.
    fn svg_group_tag(&self, shown: &[u32]) -> String {
        let is_first = shown.first() == Some(&0);
        let visibility = |is: bool| if is { "visible" } else { "hidden" };
        let (mut values, mut times) = (visibility(is_first).to_owned(), "0".to_owned());
        let mut change = |at: u32, is: bool| {
            if at > 0 && at < self.frame_count() {
                let _ = write!(values, ";{}", visibility(is));
                let _ = write!(times, ";{:.4}", f64::from(at) / f64::from(self.frame_count()));
            }
        };
        let mut before = None;
        for at in shown.iter().copied() {
            if before != Some(at) {
                if let Some(end) = before {
                    change(end, false);
                }
                change(at, true);
            }
            before = Some(at + 1);
        }
        if let Some(end) = before {
            change(end, false);
        }
        format!(
            "<g visibility=\"{}\"><animate attributeName=\"visibility\" calcMode=\"discrete\" dur=\"{}s\" repeatCount=\"indefinite\" values=\"{values}\" keyTimes=\"{times}\"/>",
            visibility(is_first),
            self.seconds
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use podscope_kubectl::command;

    const SCENARIO: &str = "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {name: film}\nspec:\n  title: Film\n  seed: 3\n  cluster: {zones: [a], nodesPerZone: 2}\n";

    fn render_film(session: &Session, from: i64, to: i64) -> Result<String, FilmRefusal> {
        let mut film = Film::start(session, SimTime(from), SimTime(to), 4)?;
        loop {
            if let Some(text) = film.work()? {
                return Ok(text);
            }
        }
    }

    #[test]
    fn film_shows_events_of_the_span() {
        let loaded =
            crate::scenario::load(&[("film.yaml".to_owned(), SCENARIO.to_owned())]).expect("the scenario loads");
        let mut session = Session::new(loaded).expect("the session starts");
        while session.advance(SimTime(5_000_000), EVENTS_PER_PIECE) == Slice::More {}
        let run = command::parse("kubectl run web --image=app").expect("a command");
        session.command(run).expect("the command is accepted");
        while session.advance(SimTime(20_000_000), EVENTS_PER_PIECE) == Slice::More {}
        let before = session.now();
        let text = render_film(&session, 0, 20_000_000).expect("the span was played");
        assert_eq!(session.now(), before, "the session's cursor does not move");
        assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"));
        assert!(text.contains("default/web Running"), "the running pod is drawn");
        assert!(text.contains("kubectl run web"), "the command is a caption");
        assert_eq!(
            text.matches("at 0:0").count() + text.matches("at 0:1").count() + text.matches("at 0:2").count(),
            21,
            "20 moving frames and the final state"
        );
        assert_eq!(
            text.matches(">a-1</text>").count(),
            1,
            "an unchanged element occurs once"
        );
        assert_eq!(text.matches("<g ").count(), text.matches("</g>").count());
        assert_eq!(
            Some(&text),
            render_film(&session, 0, 20_000_000).ok().as_ref(),
            "the film is deterministic"
        );
        assert!(
            render_film(&session, 30_000_000, 40_000_000).is_err(),
            "the future has not been computed"
        );
    }
}
