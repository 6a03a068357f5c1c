//! Lessons of the first chapters are played with plausible mistakes: other commands than the lesson expects, or the
//! expected commands in another order. What the page replies to a mistake must be true.

use podscope_cluster::SimTime;
use podscope_kubectl::command::parse;
use podscope_session::lessons;
use podscope_session::scenario::Timed;
use podscope_session::timeline::{Session, Slice};

/// A run of a lesson with some commands, and the expected state of the story.
struct StoryCase {
    lesson: &'static str,
    /// Times in seconds, with the commands that run at them.
    timed_commands: &'static [(i64, &'static str)],
    /// Time at which the state of the story is checked, in seconds.
    at: i64,
    /// Expected number of shown steps at that time.
    shown: usize,
    /// Expected part of the reply to the last mistake in the last shown step. `None`: there must be no reply.
    reply: Option<&'static str>,
}

const fn story_case(
    lesson: &'static str,
    timed_commands: &'static [(i64, &'static str)],
    at: i64,
    shown: usize,
    reply: Option<&'static str>,
) -> StoryCase {
    StoryCase {
        lesson,
        timed_commands,
        at,
        shown,
        reply,
    }
}

const STORY_CASES: [StoryCase; 28] = [
    // The pod of the mistaken Deployment stays. It must not be reported as a second pod `hello`.
    story_case(
        "first-pod",
        &[
            (2, "kubectl create deployment hello --image=hello:1"),
            (9, "kubectl run hello --image=hello:1"),
        ],
        15,
        3,
        None,
    ),
    story_case(
        "first-pod",
        &[(2, "kubectl create deployment hello --image=hello:1")],
        5,
        1,
        Some("That made a Deployment"),
    ),
    story_case(
        "first-pod",
        &[
            (2, "kubectl create deployment hello --image=hello:1"),
            (9, "kubectl run hello --image=hello:1"),
            (20, "kubectl delete pod hello"),
        ],
        60,
        4,
        None,
    ),
    story_case(
        "keep-three",
        &[(2, "kubectl create deployment web --image=web:1")],
        10,
        1,
        Some("makes one pod"),
    ),
    // Pods that ended earlier must not be reported as pods that were deleted and replaced.
    story_case(
        "scale-and-watch",
        &[
            (10, "kubectl scale deployment/web --replicas=5"),
            (20, "kubectl scale deployment/web --replicas=4"),
            (30, "kubectl scale deployment/web --replicas=20"),
        ],
        50,
        3,
        None,
    ),
    story_case(
        "scale-and-watch",
        &[
            (10, "kubectl scale deployment/web --replicas=5"),
            (30, "kubectl scale deployment/web --replicas=20"),
            (50, "kubectl delete pods -l app=web"),
        ],
        60,
        3,
        Some("come back at once"),
    ),
    // The annotation of `kubectl rollout restart` is still in the pod template, but the next step must not reply to it.
    story_case(
        "a-new-version",
        &[
            (10, "kubectl rollout restart deployment/web"),
            (30, "kubectl set image deployment/web web=web:2"),
        ],
        60,
        3,
        None,
    ),
    story_case(
        "one-name-many-pods",
        &[(15, "kubectl expose deployment web --port=80 --name=front")],
        20,
        1,
        Some("Another name is another Service"),
    ),
    // The program ends because of the pod's annotation, which a new image does not change.
    story_case(
        "logs-and-describe",
        &[
            (80, "kubectl create configmap api-settings --from-literal=mode=fast"),
            (110, "kubectl set image pod/worker worker=worker:2"),
        ],
        300,
        3,
        Some("still the annotation"),
    ),
    story_case(
        "logs-and-describe",
        &[(80, "kubectl create configmap api --from-literal=mode=fast")],
        90,
        2,
        Some("another ConfigMap"),
    ),
    // The node needs the label and must be uncordoned: one of the two commands alone gets a reply.
    story_case(
        "why-pending",
        &[(20, "kubectl label nodes b-1 disk=ssd")],
        30,
        2,
        Some("which was cordoned"),
    ),
    story_case(
        "why-pending",
        &[(20, "kubectl uncordon b-1")],
        30,
        2,
        Some("You opened `b-1`"),
    ),
    story_case(
        "why-pending",
        &[(20, "kubectl uncordon b-1"), (30, "kubectl label nodes b-1 disk=ssd")],
        40,
        3,
        None,
    ),
    story_case(
        "clean-up",
        &[
            (10, "kubectl delete pods --all"),
            (50, "kubectl delete pods --all"),
            (70, "kubectl scale deployment/web --replicas=0"),
        ],
        90,
        2,
        Some("Scaled to 0"),
    ),
    story_case(
        "clean-up",
        &[
            (10, "kubectl delete pods --all"),
            (50, "kubectl scale deployment/web --replicas=0"),
            (70, "kubectl scale deployment/web --replicas=3"),
        ],
        90,
        2,
        Some("made pods again"),
    ),
    story_case(
        "clean-up",
        &[(10, "kubectl delete deployment web"), (30, "kubectl delete pods --all")],
        60,
        1,
        Some("nobody is left who would make them again"),
    ),
    // Although the Service is deleted first, the later steps are reached.
    story_case(
        "clean-up",
        &[
            (8, "kubectl delete service web"),
            (10, "kubectl delete pods --all"),
            (50, "kubectl delete deployment web"),
        ],
        90,
        4,
        None,
    ),
    story_case(
        "taints-and-tolerations",
        &[(20, "kubectl run train --image=train:1")],
        30,
        2,
        Some("neither a key"),
    ),
    // The scheduler has placed an earlier pod `train`, but not the current one.
    story_case(
        "taints-and-tolerations",
        &[
            (20, "kubectl run train --image=train:1"),
            (30, "kubectl delete pod train --grace-period=0 --force"),
            (
                40,
                "kubectl run train --image=train:1 --overrides='{\"spec\":{\"nodeName\":\"b-1\"}}'",
            ),
        ],
        60,
        2,
        Some("neither a key"),
    ),
    story_case(
        "scheduling-gates",
        &[(10, "kubectl delete pod held"), (15, "kubectl run held --image=app:1")],
        30,
        1,
        Some("Deleted is not let go"),
    ),
    // A new pod template in another Deployment also creates pods.
    story_case(
        "why-not-running",
        &[(30, "kubectl rollout restart deployment/weak")],
        40,
        2,
        Some("`big` asks for 64 cpu as before"),
    ),
    story_case(
        "why-not-running",
        &[
            (60, "kubectl set resources deployment/big --requests=cpu=500m"),
            (90, "kubectl create configmap settings --from-literal=mode=fast"),
            (180, "kubectl scale deployment/weak --replicas=0"),
        ],
        240,
        4,
        None,
    ),
    story_case(
        "graceful-termination",
        &[(15, "kubectl delete pod web --grace-period=8 --wait=false")],
        60,
        1,
        Some("a shorter grace period"),
    ),
    story_case(
        "graceful-termination",
        &[
            (15, "kubectl delete pod web --wait=false"),
            (18, "kubectl delete pod web --grace-period=0 --force"),
        ],
        60,
        2,
        Some("before the process had ended"),
    ),
    story_case(
        "prestop-overrun",
        &[(15, "kubectl delete pod stuck --grace-period=5 --wait=false")],
        60,
        1,
        Some("a shorter grace period"),
    ),
    story_case(
        "prestop-overrun",
        &[(15, "kubectl delete pod stuck --grace-period=0 --force")],
        60,
        1,
        Some("Forced"),
    ),
    story_case(
        "own-stop-signal",
        &[(25, "kubectl delete pod plain --grace-period=0 --force")],
        60,
        1,
        Some("Deleted again"),
    ),
    story_case(
        "node-selector-and-affinity",
        &[(
            10,
            "kubectl run db --image=db:1 --overrides='{\"spec\":{\"nodeSelector\":{\"disk\":\"ssd\"}}}'",
        )],
        30,
        1,
        Some("no node affinity"),
    ),
];

/// Shows: E-07
#[test]
fn replies_to_mistakes_are_true_in_any_order_of_commands() {
    let mut complaints = Vec::new();
    for case in &STORY_CASES {
        let loaded = lessons::load(case.lesson).unwrap_or_else(|problems| panic!("{}: {problems:?}", case.lesson));
        let mut session = Session::new(loaded).expect("the lesson starts");
        session.schedule(
            (case.timed_commands.iter())
                .map(|(at, line)| Timed {
                    at: SimTime::from_seconds(*at),
                    command: parse(line).unwrap_or_else(|error| panic!("{line}: {error:?}")),
                })
                .collect(),
        );
        while session.advance(SimTime::from_seconds(case.at), 100_000) == Slice::More {}
        let story = session.progress().story();
        let shown = story.shown();
        let reply = shown.last().and_then(|last| last.reply).map(|reply| {
            let step = &session.loaded().scenario.steps[shown.len() - 1];
            step.mistakes[reply].say.as_str()
        });
        let is_said = match (case.reply, reply) {
            (Some(want), Some(said)) => said.contains(want),
            (None, None) => true,
            _ => false,
        };
        if !is_said || shown.len() != case.shown {
            complaints.push(format!(
                "{}, {:?}: {} steps shown, not {}; replied {reply:?}, not {:?}",
                case.lesson,
                case.timed_commands,
                shown.len(),
                case.shown,
                case.reply
            ));
        }
        if case.lesson == "why-not-running" && case.shown == 4 && story.finished().is_some() {
            complaints.push("a Deployment of no pods is not available".to_owned());
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
