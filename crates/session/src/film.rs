//! A short film of a span of the timeline: one SVG whose elements show themselves at their instants. It is made of the
//! run itself, played once more on a copy, in small pieces.

use std::fmt::Write as _;

use podscope_api::ordered::{Map, StableSort as _};
use podscope_cluster::SimTime;
use podscope_protocol::{Lane, Mark, NoFilm};

use crate::export::{LAYERS, Sheet, WIDTH, document, sheet};
use crate::timeline::{Session, Slice};
use crate::view::{Marks, new_marks};

/// Pictures a second of the film.
const RATE: u32 = 8;
/// Longest film, in seconds.
const LONGEST: u32 = 60;
/// Largest film, in MiB: the browser has to hold and play it.
const LARGEST_MIB: usize = 8;
/// Events in one piece of work.
const PIECE: u64 = 500;
/// Pictures at the end that stand still: how it ended is looked at before it begins again.
const STILL: u32 = 12;
/// Seconds of the film for which a caption stands.
const STANDS: u32 = 2;

/// An element, and the pictures that show it.
type Shown = Map<(usize, String), Vec<u32>>;

/// Elements with the order in which they were first drawn.
type Elements<'a> = Vec<(usize, &'a str)>;

/// A film in the making.
#[derive(Debug)]
pub(crate) struct Film {
    session: Session,
    from: SimTime,
    to: SimTime,
    seconds: u32,
    /// The picture that is drawn next.
    at: u32,
    shown: Shown,
    /// Elements in the order in which they were first drawn.
    order: Map<(usize, String), usize>,
    height: usize,
    bytes: usize,
    /// What happened in the span, for captions.
    told: Vec<Mark>,
}

impl Film {
    /// A film of what has been computed between two instants, so many seconds long.
    ///
    /// # Errors
    /// The span holds nothing.
    pub(crate) fn start(session: &Session, from: SimTime, to: SimTime, seconds: u32) -> Result<Film, NoFilm> {
        let (from, to) = (from.max(SimTime::ZERO), to.min(session.horizon()));
        if from >= to {
            return Err(NoFilm::NothingPlayed);
        }
        let mut session = session.clone();
        let is_told = |mark: &Mark| {
            let spoken = matches!(mark.lane, Lane::Faults | Lane::Commands | Lane::Invariants);
            spoken && mark.from >= from.0 && mark.from <= to.0
        };
        let (mut told, _) = new_marks(&mut Marks::default(), &session);
        told.retain(is_told);
        session.seek(from);
        Ok(Film {
            session,
            from,
            to,
            seconds: seconds.clamp(1, LONGEST),
            at: 0,
            shown: Map::new(),
            order: Map::new(),
            height: 0,
            bytes: 0,
            told,
        })
    }

    fn pictures(&self) -> u32 {
        self.seconds * RATE
    }

    /// How far it is, in thousandths.
    pub(crate) fn per_mille(&self) -> u32 {
        self.at * 1000 / self.pictures()
    }

    /// The first picture that shows the end of the span.
    fn last(&self) -> u32 {
        self.pictures().saturating_sub(STILL).max(1)
    }

    /// The instant of a picture.
    fn instant(&self, picture: u32) -> SimTime {
        let last = i64::from(self.last());
        SimTime(self.from.0 + (self.to.0 - self.from.0) / last * i64::from(picture)).min(self.to)
    }

    /// Does a small piece of the work: the film, once it is finished.
    ///
    /// # Errors
    /// It is too large.
    pub(crate) fn work(&mut self) -> Result<Option<String>, NoFilm> {
        let target = self.instant(self.at);
        if self.session.advance(target, PIECE) == Slice::More {
            return Ok(None);
        }
        let sheet = sheet(&self.session, &self.caption(target));
        self.take(sheet);
        if self.bytes > LARGEST_MIB << 20 {
            return Err(NoFilm::TooLarge { mib: LARGEST_MIB });
        }
        self.at += 1;
        Ok((self.at == self.pictures()).then(|| self.print()))
    }

    /// What happened last, as long as it stands.
    fn caption(&self, at: SimTime) -> String {
        let stands = (self.to.0 - self.from.0) / i64::from(self.seconds) * i64::from(STANDS);
        let near = |mark: &&Mark| mark.from <= at.0 && at.0 - mark.from < stands;
        let last = self.told.iter().filter(near).max_by_key(|mark| (mark.from, mark.id));
        last.map_or_else(String::new, |mark| mark.label.to_string())
    }

    fn take(&mut self, sheet: Sheet) {
        self.height = self.height.max(sheet.height);
        for (layer, elements) in sheet.layers.into_iter().enumerate() {
            for element in elements {
                let key = (layer, element);
                let next = self.order.len();
                if !self.order.contains_key(&key) {
                    self.bytes += key.1.len() + 100;
                    self.order.insert(key.clone(), next);
                }
                let shown = self.shown.entry(key).or_default();
                // Two elements may be alike in one picture.
                if shown.last() != Some(&self.at) {
                    shown.push(self.at);
                }
            }
        }
    }

    /// Elements of one layer that come and go together are one group.
    fn print(&self) -> String {
        let mut body = String::new();
        for layer in 0..LAYERS {
            let mut groups = Map::<(usize, &[u32]), Elements<'_>>::new();
            let mut first: Map<&[u32], usize> = Map::new();
            for (key, shown) in self.shown.iter().filter(|(key, _)| key.0 == layer) {
                let order = self.order.get(key).copied().unwrap_or_default();
                let begun = first.entry(shown).or_insert(order);
                *begun = (*begun).min(order);
            }
            for (key, shown) in self.shown.iter().filter(|(key, _)| key.0 == layer) {
                let order = self.order.get(key).copied().unwrap_or_default();
                let begun = first.get(shown.as_slice()).copied().unwrap_or_default();
                groups.entry((begun, shown)).or_default().push((order, &key.1));
            }
            for ((_, shown), elements) in &mut groups {
                elements.stable_sort_by_key(|(order, _)| *order);
                let drawn: Vec<&str> = elements.iter().map(|(_, element)| *element).collect();
                let drawn = drawn.join("\n");
                if shown.len() == self.pictures() as usize {
                    body.push_str(&drawn);
                } else {
                    let _ = write!(body, "{}\n{drawn}\n</g>", self.timing(shown));
                }
                body.push('\n');
            }
        }
        let line = self.height + 8;
        let _ = write!(
            body,
            "<rect y=\"{line}\" width=\"{WIDTH}\" height=\"4\" fill=\"#026fd7\"><animate attributeName=\"width\" values=\"0;{WIDTH};{WIDTH}\" keyTimes=\"0;{:.4};1\" dur=\"{}s\" repeatCount=\"indefinite\"/></rect>",
            f64::from(self.last()) / f64::from(self.pictures()),
            self.seconds
        );
        document(line + 4, &body)
    }

    /// The opening of a group that is seen in these pictures.
    fn timing(&self, shown: &[u32]) -> String {
        let is_first = shown.first() == Some(&0);
        let word = |is: bool| if is { "visible" } else { "hidden" };
        let (mut values, mut times) = (word(is_first).to_owned(), "0".to_owned());
        let mut change = |at: u32, is: bool| {
            if at > 0 && at < self.pictures() {
                let _ = write!(values, ";{}", word(is));
                let _ = write!(times, ";{:.4}", f64::from(at) / f64::from(self.pictures()));
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
            word(is_first),
            self.seconds
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use podscope_kubectl::command;

    const SCENARIO: &str = "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {name: film}\nspec:\n  title: Film\n  seed: 3\n  cluster: {zones: [a], nodesPerZone: 2}\n";

    fn film(session: &Session, from: i64, to: i64) -> Result<String, NoFilm> {
        let mut film = Film::start(session, SimTime(from), SimTime(to), 4)?;
        loop {
            if let Some(text) = film.work()? {
                return Ok(text);
            }
        }
    }

    #[test]
    fn what_happens_in_the_span_comes_and_goes_in_the_film() {
        let loaded = crate::scenario::load(&[("film.yaml".to_owned(), SCENARIO.to_owned())]).expect("it is a scenario");
        let mut session = Session::new(loaded).expect("it opens");
        while session.advance(SimTime(5_000_000), PIECE) == Slice::More {}
        let run = command::parse("kubectl run web --image=app").expect("a command");
        session.command(run).expect("it is given");
        while session.advance(SimTime(20_000_000), PIECE) == Slice::More {}
        let before = session.now();
        let text = film(&session, 0, 20_000_000).expect("the span was played");
        assert_eq!(session.now(), before, "the session stays where it is");
        assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"));
        assert!(text.contains("default/web Running"), "the pod is drawn as it runs");
        assert!(text.contains("kubectl run web"), "a caption says why");
        assert_eq!(
            text.matches("at 0:0").count() + text.matches("at 0:1").count() + text.matches("at 0:2").count(),
            21,
            "twenty instants and the end, which stands"
        );
        assert_eq!(text.matches(">a-1</text>").count(), 1, "what stays is there once");
        assert_eq!(text.matches("<g ").count(), text.matches("</g>").count());
        assert_eq!(
            Some(&text),
            film(&session, 0, 20_000_000).ok().as_ref(),
            "it is the same each time"
        );
        assert!(
            film(&session, 30_000_000, 40_000_000).is_err(),
            "nobody sees the future"
        );
    }
}
