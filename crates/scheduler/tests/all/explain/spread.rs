//! The worked examples of topology spread, and explanations of spread constraints (S-10, S-14).

use super::*;

/// Shows: S-10
#[test]
fn topology_spread_examples_have_documented_feasible_nodes() {
    let c1: &[_] = &[("n1", "A", 1), ("n2", "A", 1), ("n3", "B", 1), ("n4", "B", 0)];
    let c1_typo: &[_] = &[
        ("n1", "A", 1),
        ("n2", "A", 1),
        ("n3", "B", 1),
        ("n4", "B", 0),
        ("n5", "zone-typo=C", 0),
    ];
    let c1_five: &[_] = &[
        ("n1", "A", 1),
        ("n2", "A", 1),
        ("n3", "B", 1),
        ("n4", "B", 0),
        ("n5", "C", 0),
    ];
    let c2: &[_] = &[("n1", "A", 2), ("n2", "A", 1), ("n3", "B", 2)];
    let c2_bare: &[_] = &[("n1", "-", 2), ("n2", "A", 1), ("n3", "B", 2)];
    let z = || constraint_on("zone", json!({}));
    let n = || constraint_on("node", json!({}));
    let skew2 = |key| constraint_on(key, json!({"maxSkew": 2}));
    let soft = |key| constraint_on(key, json!({"whenUnsatisfiable": "ScheduleAnyway"}));
    let not_c = json!({"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": [{"matchExpressions": [{"key": "zone", "operator": "NotIn", "values": ["C"]}]}]}}}});
    let ignoring = constraint_on("zone", json!({"nodeAffinityPolicy": "Ignore"}));
    for (what, nodes, constraints, labelled, more, wanted) in [
        ("C1, Z", c1, vec![z()], true, json!({}), "n3 n4"),
        (
            "C1, Z with maxSkew 2",
            c1,
            vec![skew2("zone")],
            true,
            json!({}),
            "n1 n2 n3 n4",
        ),
        ("C1, N", c1, vec![n()], true, json!({}), "n4"),
        ("C1, Z soft", c1, vec![soft("zone")], true, json!({}), "n1 n2 n3 n4"),
        ("C1, Z and N", c1, vec![z(), n()], true, json!({}), "n4"),
        (
            "C1, Z without the label",
            c1,
            vec![z()],
            false,
            json!({}),
            "n1 n2 n3 n4",
        ),
        ("C1 and a typo", c1_typo, vec![z()], true, json!({}), "n3 n4"),
        ("C1 and zone C", c1_five, vec![z()], true, json!({}), "n5"),
        ("zone C excluded", c1_five, vec![z()], true, not_c.clone(), "n3 n4"),
        ("zone C excluded, counted", c1_five, vec![ignoring], true, not_c, ""),
        ("C2 conflict", c2, vec![z(), n()], true, json!({}), ""),
        (
            "C2, maxSkew 2 on zone",
            c2,
            vec![skew2("zone"), n()],
            true,
            json!({}),
            "n2",
        ),
        (
            "C2, maxSkew 2 on node",
            c2,
            vec![z(), skew2("node")],
            true,
            json!({}),
            "n3",
        ),
        (
            "C2, maxSkew 2 on both",
            c2,
            vec![skew2("zone"), skew2("node")],
            true,
            json!({}),
            "n1 n2 n3",
        ),
        ("C2, soft on zone", c2, vec![soft("zone"), n()], true, json!({}), "n2"),
        ("C2, soft on node", c2, vec![z(), soft("node")], true, json!({}), "n3"),
        ("C2, n1 without zone", c2_bare, vec![z(), n()], true, json!({}), "n2"),
        (
            "2, 2, 1",
            &[("n1", "A", 2), ("n2", "B", 2), ("n3", "C", 1)],
            vec![z()],
            true,
            json!({}),
            "n3",
        ),
        (
            "minDomains 3",
            &[("n1", "A", 1), ("n2", "B", 1)],
            vec![constraint_on("zone", json!({"minDomains": 3}))],
            true,
            json!({}),
            "",
        ),
    ] {
        let explanation = explain_object(&cluster_from_rows(nodes), &mypod(&constraints, labelled, more));
        assert_eq!(feasible_nodes(&explanation), wanted, "{what}");
    }
}

/// Shows: S-14, SCH-076
#[test]
fn too_few_domains_are_explained_with_minimum_of_zero() {
    let objects = cluster_from_rows(&[("n1", "A", 1), ("n2", "B", 1)]);
    let below = constraint_on("zone", json!({"minDomains": 4}));
    let explanation = explain_object(&objects, &mypod(&[below], true, json!({})));
    assert_eq!(
        refusal(&explanation.nodes[0]),
        "zone=A would have 2 matching pods where the fewest is 0 (counts as 0: 2 of 4 domains): a skew of 2, and 1 is allowed"
    );
    let few = explanation.spread[0].too_few_domains.expect("too few domains");
    assert_eq!((explanation.spread[0].min, few.found, few.min_domains), (0, 2, 4));
}

/// Shows: S-14
#[test]
fn spread_is_explained_by_domain_with_skew() {
    let objects = cluster_from_rows(&[("n1", "A", 1), ("n2", "A", 1), ("n3", "B", 1), ("n4", "B", 0)]);
    let explanation = explain_object(&objects, &mypod(&[constraint_on("zone", json!({}))], true, json!({})));
    assert_eq!(
        refusal(&explanation.nodes[0]),
        "zone=A would have 3 matching pods where the fewest is 1: a skew of 2, and 1 is allowed"
    );
    let counts: Vec<_> = explanation.spread[0]
        .domains
        .iter()
        .map(|domain| (domain.value.as_str(), domain.count, domain.skew, domain.allowed))
        .collect();
    assert_eq!(counts, [("A", 2, 2, false), ("B", 1, 1, true)]);
}

/// A domain without a feasible node is not scored, but the explanation shows its true count.
/// Shows: S-14, SCH-080, SCH-081
#[test]
fn soft_spread_explanation_includes_unscored_domains() {
    let mut objects = cluster_from_rows(&[("n1", "A", 0), ("n2", "B", 1), ("n3", "C", 2)]);
    objects.push(object(
        Kind::Pod,
        &json!({"metadata": {"name": "filler", "namespace": "default", "uid": "filler"},
                "spec": {"nodeName": "n2", "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "4"}}}]}}),
    ));
    let soft = constraint_on("zone", json!({"whenUnsatisfiable": "ScheduleAnyway"}));
    let requesting = json!({"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]});
    let explanation = explain_object(&objects, &mypod(&[soft], true, requesting));
    let summarize = |domain: &DomainCount| (domain.value.clone(), domain.count, domain.is_scored);
    let domains: Vec<_> = explanation.spread[0].domains.iter().map(summarize).collect();
    assert_eq!(
        domains,
        [
            ("A".to_owned(), 0, true),
            ("B".to_owned(), 1, false),
            ("C".to_owned(), 2, true)
        ]
    );
    assert_eq!(explanation.spread[0].min, 0);
}
