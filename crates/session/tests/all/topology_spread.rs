//! The row of the page's timeline with the number of pods of the selected object per topology domain (U-05).

use podscope_protocol::{Frame, Request, SessionSource, SpreadLane, SubjectRef, Update};
use podscope_session::host::{Host, NextWork};

const CLUSTER: &str = "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {name: spread}\nspec:\n  seed: 4\n  cluster: {zones: [a, b, c], nodesPerZone: 1, node: {cpu: 4, memory: 8Gi, pods: 20}}\n";

fn web_manifest(replicas: u32, more_pod_spec: &str) -> String {
    format!(
        "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web}}\nspec:\n  replicas: {replicas}\n  selector: {{matchLabels: {{app: web}}}}\n  template:\n    metadata: {{labels: {{app: web}}}}\n    spec:\n      containers: [{{name: web, image: web:1}}]\n{more_pod_spec}"
    )
}

const SPREAD_BY_ZONE: &str = "      topologySpreadConstraints:\n      - {maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}\n";

/// A host, with the state of the page that results from its frames.
struct Page {
    host: Host,
    clock: f64,
    lane: SpreadLane,
    groups: Vec<podscope_protocol::GroupView>,
    /// Number of pods of `web` in each zone. The page groups nodes by zone; each group counts its pods.
    zones: Vec<u32>,
}

impl Page {
    fn open(text: String) -> Page {
        let (host, clock) = (Host::new(), 0.0);
        let (lane, groups, zones) = (SpreadLane::default(), Vec::new(), Vec::new());
        let mut page = Page {
            host,
            clock,
            lane,
            groups,
            zones,
        };
        let files = vec![("spread.yaml".to_owned(), text)];
        page.send(Request::Open {
            source: SessionSource::Files { files },
        });
        page
    }

    /// Sends a request, works until the host has no more work, and applies all frames.
    fn send(&mut self, request: Request) {
        let mut updates = self.host.handle(request, self.clock);
        for _ in 0..1_000_000 {
            for update in std::mem::take(&mut updates) {
                if let Update::Frame(frame) = update {
                    self.apply(*frame);
                    self.host.handle(Request::FrameDone, self.clock);
                }
            }
            match self.host.next_work() {
                NextWork::AfterRequest => break,
                NextWork::Now => self.clock += 0.1,
                NextWork::At(at) => self.clock = at.max(self.clock + 0.1),
            }
            updates = self.host.work(self.clock);
        }
    }

    fn apply(&mut self, mut frame: Frame) {
        if let Some(lane) = frame.spread.take() {
            self.lane = lane;
        }
        if let Some(groups) = frame.take_groups(&self.groups) {
            let of_web = |count: &&podscope_protocol::SpreadCount| count.owner.contains("web");
            let pods =
                |group: &podscope_protocol::GroupView| group.counts.iter().find(of_web).map_or(0, |count| count.pods);
            self.zones = groups.iter().map(pods).collect();
            self.groups = groups;
        }
    }

    fn seek(&mut self, millis: i64) {
        self.send(Request::Seek { at: millis * 1000 });
    }

    fn run(&mut self, line: &str) {
        self.send(Request::Command { line: line.into() });
    }

    fn inspect(&mut self, kind: &str, name: &str) {
        let key = format!("default/{name}");
        let subject = match kind {
            "Pod" => SubjectRef::Pod {
                key,
                uid: String::new(),
            },
            kind => SubjectRef::Object { kind: kind.into(), key },
        };
        self.send(Request::Inspect { subject: Some(subject) });
    }

    /// Returns the number of pods in each zone at a time, as counted in the row of the timeline.
    fn pods_by_zone_at(&self, millis: i64) -> Vec<u32> {
        let before = self.lane.points.iter().rev().find(|point| point.at <= millis * 1000);
        before.map_or_else(Vec::new, |point| point.pods.iter().flatten().copied().collect())
    }
}

#[test]
fn workload_pod_counts_in_timeline_equal_those_of_node_groups() {
    let mut page = Page::open(format!("{CLUSTER}{}", web_manifest(4, SPREAD_BY_ZONE)));
    page.seek(10_000);
    page.inspect("Deployment", "web");
    let mut seen = Vec::new();
    let mut step = |page: &mut Page, until: i64| {
        for at in (seen.last().map_or(10_000, |(at, _)| *at)..until).step_by(500) {
            page.seek(at);
            seen.push((at, page.zones.clone()));
        }
    };
    step(&mut page, 12_000);
    page.run("kubectl set image deployment/web web=web:2");
    step(&mut page, 40_000);
    page.run("kubectl scale deployment web --replicas=7");
    step(&mut page, 60_000);
    page.run("fault partition a-1");
    step(&mut page, 460_000);
    page.run("kubectl delete deployment web");
    step(&mut page, 520_000);
    let differing: Vec<_> = (seen.iter())
        .filter(|(at, zones)| page.pods_by_zone_at(*at) != *zones)
        .map(|(at, zones)| (at, zones, page.pods_by_zone_at(*at)))
        .collect();
    assert!(differing.is_empty(), "{differing:?}");
    let (sums, lane) = (seen.iter().map(|(_, zones)| zones.iter().sum::<u32>()), &page.lane);
    assert_eq!((sums.max(), lane.domains.join(" ")), (Some(7), "a b c".to_owned()));
    assert_eq!((lane.of.as_str(), lane.max_skew, lane.hard), ("web", Some(1), true));
}

#[test]
fn new_node_adds_domain_and_min_domains_applies() {
    let constraint = SPREAD_BY_ZONE.replace("maxSkew: 1", "maxSkew: 1, minDomains: 4");
    let mut page = Page::open(format!("{CLUSTER}{}", web_manifest(3, &constraint)));
    page.seek(10_000);
    page.inspect("Deployment", "web");
    let last = |page: &Page| page.lane.points.last().cloned().expect("the lane has points");
    assert_eq!((last(&page).found, last(&page).least, last(&page).most), (3, 0, 1));
    page.run("kubectl scale deployment web --replicas=4");
    page.run("kubectl apply -f - <<'EOF'\napiVersion: v1\nkind: Node\nmetadata: {name: d-1, labels: {topology.kubernetes.io/zone: d, kubernetes.io/hostname: d-1}}\nstatus: {capacity: {cpu: 4, memory: 8Gi, pods: 20}, allocatable: {cpu: 4, memory: 8Gi, pods: 20}}\nEOF\n");
    page.seek(120_000);
    assert_eq!((page.lane.domains.len(), last(&page).found), (4, 4), "{:?}", page.lane);
    assert_eq!(last(&page).pods, [Some(1); 4]);
}

#[test]
fn timeline_counts_pods_by_constraint_selector_or_owner() {
    let alone = |name: &str| {
        format!(
            "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, labels: {{app: web}}}}\nspec:\n  containers: [{{name: c, image: app}}]\n{}",
            SPREAD_BY_ZONE.replace("      ", "  ")
        )
    };
    let mut page = Page::open([CLUSTER, &alone("one"), &alone("two"), &web_manifest(2, "")].concat());
    page.seek(10_000);
    page.inspect("Pod", "one");
    assert_eq!(
        (page.pods_by_zone_at(10_000).iter().sum::<u32>(), page.lane.max_skew),
        (4, Some(1))
    );
    page.inspect("Deployment", "web");
    assert_eq!(
        (page.pods_by_zone_at(10_000).iter().sum::<u32>(), page.lane.max_skew),
        (4, None)
    );
    page.send(Request::Inspect { subject: None });
    assert_eq!(page.lane, SpreadLane::default(), "nothing is selected");
}
