//! Images of a machine: which are there, and pulls.
//!
//! ```text
//! (asked for) ─▶ Waiting ──fewer than the limit under way──▶ UnderWay ──took its time──▶ (ended)
//! ```

use std::sync::Arc;

use podscope_api::{Kind, Pod, Str};

use super::{Machine, MachineEvent, MachineTimer, Outcome, PullId};
use crate::{Ctx, SimTime, Subject, Timer, What, subject};

/// A pull that was asked for and has not ended.
#[derive(Debug, Clone)]
pub(super) struct Pull {
    id: PullId,
    pod: Arc<Subject>,
    image: Str,
    outcome: Outcome,
    asked_at: SimTime,
    /// When it began and when it ends; none while others are before it.
    under_way: Option<(SimTime, SimTime)>,
}

impl Machine {
    /// Whether an image is present, under any of the ways to write its name.
    pub fn has_image(&self, image: &str) -> bool {
        self.images.contains(&*full_name(image))
    }
    /// An image is present.
    pub fn add_image(&mut self, image: &str) {
        self.images.insert(full_name(image).into());
    }
    /// Asks for an image; the answer is [`MachineEvent::Pulled`]. At most `limit` pulls are under way at once, in the
    /// order in which they were asked for (LC-070: one).
    pub fn pull(&mut self, pod: &Pod, image: &Str, outcome: Outcome, limit: usize, ctx: &mut Ctx<'_>) -> PullId {
        let id = PullId(self.new_id().0);
        self.pulls.push(Pull {
            id,
            pod: subject(Kind::Pod, pod.metadata.key(), pod.metadata.uid.clone()),
            image: image.clone(),
            outcome,
            asked_at: ctx.now,
            under_way: None,
        });
        self.pull_limit = limit;
        self.begin_pulls(ctx);
        id
    }
    /// Pulls end with the kubelet that asked for them.
    pub fn cancel_pulls(&mut self) {
        self.pulls.clear();
    }
    /// Begins what the limit allows.
    fn begin_pulls(&mut self, ctx: &mut Ctx<'_>) {
        let n_under_way = self.pulls.iter().filter(|pull| pull.under_way.is_some()).count();
        for _ in n_under_way..self.pull_limit {
            let Some(next) = self.pulls.iter().position(|pull| pull.under_way.is_none()) else {
                return;
            };
            let ends_at = self.pull_end(&self.pulls[next], ctx.now);
            self.pulls[next].under_way = Some((ctx.now, ends_at));
            ctx.timer(ends_at, Timer::Machine(MachineTimer::Pull));
        }
    }
    /// When a pull that begins now ends: at once if the image is there, with another pull of the same image if that
    /// one ends earlier (layers are fetched once).
    fn pull_end(&self, pull: &Pull, now: SimTime) -> SimTime {
        let Outcome::Takes(span) = pull.outcome else { return now };
        if self.has_image(&pull.image) {
            return now;
        }
        let others = self.pulls.iter().filter(|other| {
            other.id != pull.id && other.image == pull.image && matches!(other.outcome, Outcome::Takes(_))
        });
        let first = others.filter_map(|other| Some(other.under_way?.1)).min();
        first.map_or(now + span, |first| first.min(now + span))
    }
    pub(super) fn pulls_due(&mut self, ctx: &mut Ctx<'_>) {
        let now = ctx.now;
        let is_due = |pull: &Pull| pull.under_way.is_some_and(|(_, ends_at)| ends_at <= now);
        while let Some(idx) = self.pulls.iter().position(is_due) {
            let pull = self.pulls.remove(idx);
            let succeeded = matches!(pull.outcome, Outcome::Takes(_));
            if succeeded {
                self.add_image(&pull.image);
                let fields = vec![("image", (&*pull.image).into()), ("node", self.node.as_str().into())];
                ctx.record_subject(What::ImagePulled, Some(pull.pod), None, fields);
            }
            let started_at = pull.under_way.map_or(ctx.now, |(started_at, _)| started_at);
            self.events.push(MachineEvent::Pulled {
                pull: pull.id,
                succeeded,
                took: ctx.now - started_at,
                waited: ctx.now - pull.asked_at,
            });
        }
        self.begin_pulls(ctx);
    }
}

/// An image's name with registry and tag, as runtimes and the status of nodes write it.
fn full_name(image: &str) -> String {
    let last = image.rsplit('/').next().unwrap_or(image);
    let tag = if last.contains(':') || image.contains('@') {
        ""
    } else {
        ":latest"
    };
    let registry = match image.split_once('/') {
        None => "docker.io/library/",
        Some((host, _)) if host.contains(['.', ':']) || host == "localhost" => "",
        Some(_) => "docker.io/",
    };
    format!("{registry}{image}{tag}")
}

#[cfg(test)]
mod tests {
    use super::full_name;

    #[test]
    fn names_are_completed_as_runtimes_do() {
        for (short, full) in [
            ("busybox", "docker.io/library/busybox:latest"),
            ("nginx:1.27", "docker.io/library/nginx:1.27"),
            ("grafana/loki:3", "docker.io/grafana/loki:3"),
            ("registry.k8s.io/pause", "registry.k8s.io/pause:latest"),
            ("localhost:5000/a", "localhost:5000/a:latest"),
            ("quay.io/a/b@sha256:1", "quay.io/a/b@sha256:1"),
        ] {
            assert_eq!(full_name(short), full);
            assert_eq!(full_name(full), full);
        }
    }
}
