//! What people see in a cluster, and the lessons that explain it: lessons are found by a symptom as well as by their
//! own words.

/// A symptom: how it is put, other words for it, and the lessons that explain it.
pub(crate) struct Symptom {
    pub(crate) words: &'static str,
    also: &'static str,
    lessons: &'static [&'static str],
}

/// In the order of how often they are met.
pub(crate) const SYMPTOMS: &[Symptom] = &[
    Symptom {
        words: "My pod is Pending",
        also: "unschedulable fits nowhere failedscheduling insufficient stuck",
        lessons: &[
            "first-pod",
            "two-constraints",
            "conflicting-constraints",
            "priorities",
            "scheduling-gates",
            "min-domains",
        ],
    },
    Symptom {
        words: "It restarts again and again",
        also: "crash loop crashloopbackoff restart backoff",
        lessons: &["crashloopbackoff", "startup-liveness-probes", "init-containers"],
    },
    Symptom {
        words: "It hangs in Terminating",
        also: "stuck delete finalizer grace sigkill why was it killed",
        lessons: &[
            "graceful-termination",
            "prestop-overrun",
            "partition-statefulset",
            "out-of-service-taint",
            "namespace-stuck",
        ],
    },
    Symptom {
        words: "The drain does not end",
        also: "drain evict eviction upgrade pdb budget",
        lessons: &["drain-with-pdb", "pdb-best-effort"],
    },
    Symptom {
        words: "A node is NotReady",
        also: "unreachable lost node down kubelet partition network",
        lessons: &[
            "partition-replicaset",
            "partition-statefulset",
            "zone-outage",
            "node-deletion-returning-kubelet",
        ],
    },
    Symptom {
        words: "It runs twice",
        also: "two at once split brain duplicate same name double corrupt data",
        lessons: &["force-delete-split-brain", "corrupting-nfs", "attach-protocol-fencing"],
    },
    Symptom {
        words: "It was evicted",
        also: "evicted memory pressure oom disk node-pressure killed",
        lessons: &["node-pressure-hard", "node-pressure-soft", "preemption-and-grace"],
    },
    Symptom {
        words: "The pods are not spread evenly",
        also: "skew uneven unbalanced all on one node same zone",
        lessons: &[
            "spread-by-zone",
            "scaling-down-unbalances",
            "default-constraints",
            "match-label-keys",
            "spread-against-affinity",
        ],
    },
    Symptom {
        words: "The rollout does not go on",
        also: "imagepullbackoff image rollout stuck progress deadline update",
        lessons: &["rolling-update-bad-image", "readiness-gates", "readiness-and-endpoints"],
    },
];

/// Whether one of the words describes a symptom that the lesson explains.
pub(crate) fn explains(lesson: &str, word: &str) -> bool {
    SYMPTOMS.iter().any(|symptom| {
        symptom.lessons.contains(&lesson)
            && (symptom.words.to_ascii_lowercase().contains(word) || symptom.also.contains(word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// U-18: a symptom leads to lessons, and to lessons that there are.
    #[test]
    fn every_symptom_leads_to_lessons_that_exist() {
        for symptom in SYMPTOMS {
            assert!(!symptom.lessons.is_empty(), "{}", symptom.words);
            for lesson in symptom.lessons {
                let file = format!("{}/../session/lessons/{lesson}.yaml", env!("CARGO_MANIFEST_DIR"));
                assert!(std::path::Path::new(&file).exists(), "{}: {lesson}", symptom.words);
            }
        }
    }

    #[test]
    fn lessons_are_found_by_what_one_sees() {
        assert!(explains("drain-with-pdb", "drain"));
        assert!(explains("first-pod", "pending"));
        assert!(explains("force-delete-split-brain", "twice"));
        assert!(!explains("first-pod", "drain"));
    }
}
