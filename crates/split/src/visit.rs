//! The requests that the page sends in a first visit. The part of the engine's wasm that is loaded first contains the
//! functions that the engine runs for them.

use podscope_protocol::{FIRST_VISIT_COMMAND, FIRST_VISIT_LESSON, Request, SessionSource, SubjectRef};

/// Returns the requests of three first visits, each request after the milliseconds that pass before it. The first visit
/// watches the cluster, the second takes the guided start, and the third plays freely with the commands of the page's
/// buttons.
pub(crate) fn requests_of_visit() -> Vec<(u32, Request)> {
    [
        requests_of_watching(),
        requests_of_guided_start(),
        requests_of_free_play(),
    ]
    .concat()
}

/// Returns the requests that the page sends when a session opens.
fn requests_to_open(source: SessionSource) -> Vec<(u32, Request)> {
    vec![
        (500, Request::Open { source }),
        (100, Request::Inspect { subject: None }),
        (0, Request::GroupBy { key: String::new() }),
        (100, Request::Play),
    ]
}

/// Returns the requests for a typed command line: its completion, and then its run.
fn requests_to_run_command(line: &str) -> [(u32, Request); 2] {
    let complete = Request::Complete {
        line: line.into(),
        cursor: line.len(),
    };
    [
        (1_000, complete),
        (
            500,
            Request::RunUnlessDangerous {
                lines: vec![line.into()],
            },
        ),
    ]
}

/// Returns the requests that the page sends when the user selects a subject: for its details, for the explanation of a
/// pod, and for the link to share.
fn requests_to_select(subject: SubjectRef) -> Vec<(u32, Request)> {
    let mut all = vec![(
        2_000,
        Request::Inspect {
            subject: Some(subject.clone()),
        },
    )];
    if let SubjectRef::Pod { key, uid } = subject {
        all.push((
            50,
            Request::Explain {
                pod: key,
                uid,
                attempt: None,
            },
        ));
    }
    all.push((
        50,
        Request::Share {
            screen: String::new(),
            anonymise: false,
            revision: 1,
        },
    ));
    all
}

fn pod_subject(key: &str) -> SubjectRef {
    SubjectRef::Pod {
        key: key.into(),
        uid: String::new(),
    }
}

fn node_subject(name: &str) -> SubjectRef {
    SubjectRef::Node { name: name.into() }
}

fn requests_of_watching() -> Vec<(u32, Request)> {
    let mut all = requests_to_open(SessionSource::Welcome);
    all.push((60_000, Request::Pause));
    for subject in [pod_subject("default/db-0"), node_subject("a-1"), node_subject("c-2")] {
        all.extend(requests_to_select(subject));
    }
    all.extend([
        (500, Request::Inspect { subject: None }),
        (500, Request::Step),
        (500, Request::Seek { at: 5_000_000 }),
        (2_000, Request::Seek { at: 40_000_000 }),
        (2_000, Request::NextDecision),
        (2_000, Request::Speed { per_mille: 10_000 }),
        (500, Request::Play),
        (20_000, Request::SkipAhead { to: None }),
    ]);
    all
}

fn requests_of_guided_start() -> Vec<(u32, Request)> {
    let mut all = requests_to_open(SessionSource::Welcome);
    let lesson = SessionSource::Lesson {
        name: FIRST_VISIT_LESSON.into(),
        seed: None,
    };
    all.extend([
        (5_000, Request::Open { source: lesson }),
        (
            50,
            Request::Command {
                line: FIRST_VISIT_COMMAND.into(),
            },
        ),
    ]);
    all.extend([
        (1_000, Request::Play),
        (5_000, Request::SkipToStory),
        (5_000, Request::SkipAhead { to: None }),
    ]);
    let force_delete = "kubectl delete pod db-0 --grace-period=0 --force";
    all.extend(requests_to_run_command(force_delete));
    // The engine asks for confirmation. The page confirms by `Request::Command`, which runs the line without a check
    // for danger.
    all.push((
        1_000,
        Request::Command {
            line: force_delete.into(),
        },
    ));
    all.push((20_000, Request::SkipToStory));
    all.extend(requests_to_select(pod_subject("default/db-0")));
    all.extend([
        (1_000, Request::Undo),
        (2_000, Request::Fork),
        (2_000, Request::Branch { branch: 0 }),
    ]);
    all
}

fn requests_of_free_play() -> Vec<(u32, Request)> {
    let mut all = requests_to_open(SessionSource::Free);
    for line in [
        "kubectl get pods",
        "kubectl get pods -o wide",
        "kubectl get nodes",
        "kubectl cordon a-1",
        "kubectl uncordon a-1",
        "kubectl scale deployment web --replicas=5",
        "kubectl delete pod db-0",
        "fault partition a-1",
        "fault heal a-1",
        "fault crash kubelet b-1",
        "fault restart kubelet b-1",
        "fault poweroff b-2",
        "fault boot b-2",
        "kubectl drain a-2 --ignore-daemonsets --delete-emptydir-data",
        "kubectl get events",
    ] {
        all.extend(requests_to_run_command(line));
    }
    all.extend([
        (60_000, Request::NextDecision),
        (2_000, Request::SkipAhead { to: None }),
    ]);
    all
}

/// Returns requests for which the engine needs functions that no first visit runs, so that it has to load the rest.
pub(crate) fn requests_after_visit() -> Vec<(u32, Request)> {
    let mut all = Vec::new();
    for line in [
        "kubectl describe node a-1",
        "kubectl explain pod.spec",
        "kubectl create cronjob tick --image=app --schedule='* * * * *'",
        "kubectl get cronjobs -o go-template='{{range .items}}{{.metadata.name}}{{end}}'",
    ] {
        all.extend(requests_to_run_command(line));
    }
    all.push((500, Request::Triage { anonymise: false }));
    all
}
