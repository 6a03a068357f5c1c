use super::fit::DetailLevel;
use super::slots::Slots;
use super::wires::{Wires, rail, wires};
use super::*;

/// Sizes of the stage on a first visit, for common window sizes: the window without the bar, the timeline and, on a
/// phone, the transport buttons.
const FIRST_VISIT_STAGES: [(f64, f64, f64); 18] = [
    (320.0, 330.0, 1.0),
    (340.0, 390.0, 1.0),
    (360.0, 330.0, 1.0),
    (390.0, 520.0, 1.0),
    (414.0, 570.0, 1.0),
    (600.0, 640.0, 1.0),
    (768.0, 800.0, 1.0),
    (820.0, 950.0, 1.0),
    (844.0, 180.0, 1.0),
    (1024.0, 560.0, 1.0),
    (1280.0, 530.0, 1.0),
    (1366.0, 460.0, 1.0),
    (1440.0, 700.0, 1.0),
    (1536.0, 660.0, 1.0),
    (1920.0, 850.0, 1.143),
    (2560.0, 1200.0, 1.43),
    (3440.0, 1200.0, 1.43),
    (3840.0, 1800.0, 2.286),
];

fn stage_size((w, h, unit): (f64, f64, f64)) -> StageSize {
    StageSize { w, h, unit }
}

/// A cluster of three zones with two nodes each; one node has three pods, as in the middle of a rollout.
fn first_visit_slots() -> SlotsByNode {
    vec![vec![2, 1], vec![4, 2], vec![1, 2]]
}

fn is_inside(outer: Rect, inner: Rect) -> bool {
    inner.x >= -0.01 && inner.y >= -0.01 && inner.x + inner.w <= outer.w + 0.01 && inner.y + inner.h <= outer.h + 0.01
}

/// On a first visit every pod is visible without scrolling, at each window size.
/// Shows: U-13, U-10
#[test]
fn first_visit_fits_every_window() {
    for size in FIRST_VISIT_STAGES {
        let plan = plan(stage_size(size), &first_visit_slots(), 2);
        assert!(plan.height <= size.1, "{size:?} scrolls: {}", plan.height);
        for zone in &plan.zones {
            assert!(
                zone.rect.x + zone.rect.w <= size.0 && zone.rect.y + zone.rect.h <= size.1,
                "{size:?}"
            );
            for node in &zone.nodes {
                assert!(is_inside(zone.rect, node.rect), "{size:?} {node:?}");
                let slots = 2;
                for slot in 0..slots {
                    let mark = node.mark_rect(slot);
                    assert!(is_inside(node.rect, mark), "{size:?} {mark:?} in {node:?}");
                    assert!(mark.w >= 8.0, "{size:?}: {mark:?}");
                }
            }
        }
    }
}

#[test]
fn few_pods_are_large_cards_on_a_laptop() {
    for (size, detail) in [
        ((1366.0, 460.0, 1.0), DetailLevel::Large),
        ((1440.0, 700.0, 1.0), DetailLevel::Large),
        ((820.0, 900.0, 1.0), DetailLevel::Large),
        ((390.0, 520.0, 1.0), DetailLevel::Square),
    ] {
        let plan = plan(stage_size(size), &first_visit_slots(), 2);
        let actual = plan.zones[0].nodes[0].fit.detail;
        assert!(actual >= detail, "{size:?}: {actual:?}");
    }
}

/// As the number of pods grows, their marks (icons) shrink in steps, and all stay inside their node.
/// Shows: U-09
#[test]
fn marks_shrink_in_steps() {
    let mut last = DetailLevel::Huge;
    for slots in [1, 2, 4, 9, 20, 56, 120] {
        let slots_by_node = vec![vec![slots; 2]; 3];
        let plan = plan(stage_size((1366.0, 520.0, 1.0)), &slots_by_node, slots);
        let node = plan.zones[2].nodes[1];
        assert!(node.fit.detail <= last, "{slots}");
        last = node.fit.detail;
        assert!(is_inside(node.rect, node.mark_rect(slots - 1)), "{slots}");
    }
    assert_eq!(last, DetailLevel::Dot);
}

#[test]
fn empty_and_single_node_stages_are_laid_out() {
    let none = plan(stage_size((0.0, 0.0, 1.0)), &Vec::new(), 2);
    assert!(none.zones.is_empty());
    let empty = plan(stage_size((900.0, 500.0, 1.0)), &vec![Vec::new()], 2);
    assert_eq!(empty.zones.len(), 1);
    let one = plan(stage_size((1440.0, 760.0, 1.0)), &vec![vec![2]], 2);
    assert_eq!(one.zones[0].nodes[0].fit.detail, DetailLevel::Huge);
    assert!(one.zones[0].nodes[0].is_bar_tall);
}

/// A stage that is too small for its nodes scrolls instead of hiding them.
#[test]
fn eighty_nodes_on_a_phone_scroll() {
    let slots_by_node = vec![vec![8; 27]; 3];
    let plan = plan(stage_size((390.0, 520.0, 1.0)), &slots_by_node, 9);
    assert!(plan.height > 520.0);
    for zone in &plan.zones {
        assert!(zone.rect.y + zone.rect.h <= plan.height);
        assert!(zone.nodes.iter().all(|node| is_inside(zone.rect, node.rect)));
    }
}

#[test]
fn pods_keep_their_slots_when_others_are_removed() {
    let mut slots = Slots::default();
    slots.assign("a-1", ["p", "q", "r"].into_iter());
    slots.assign("a-1", ["p", "r", "s"].into_iter());
    let at = |pod| slots.slot("a-1", pod);
    assert_eq!(
        (at("p"), at("r"), at("s")),
        (0, 2, 1),
        "the new one takes the free slot"
    );
}

#[test]
fn shown_slots_change_rarely() {
    let mut slots = Slots::default();
    let names: Vec<String> = (0..12).map(|nth| format!("p{nth}")).collect();
    let mut rooms = Vec::new();
    for count in [1, 2, 3, 4, 3, 2, 5, 6, 2, 1] {
        slots.assign("a-1", names[..count].iter().map(String::as_str));
        let usual = 2;
        rooms.push(slots.shown_slot_count("a-1", usual));
    }
    assert_eq!(rooms, [2, 2, 4, 4, 4, 2, 6, 6, 2, 2]);
}

/// After the peak of a rollout the remaining pods move into the slots that are still shown.
#[test]
fn pods_in_hidden_slots_move_to_free_ones() {
    let mut slots = Slots::default();
    slots.assign("a-1", ["p", "q", "r"].into_iter());
    assert_eq!(slots.shown_slot_count("a-1", 2), 4);
    slots.assign("a-1", ["q", "r"].into_iter());
    assert_eq!(slots.shown_slot_count("a-1", 2), 2);
    assert_eq!(
        (slots.slot("a-1", "q"), slots.slot("a-1", "r")),
        (1, 0),
        "only the pod in the hidden slot moves"
    );
}

/// Wires end at their nodes, and the gap of a cut lies inside the wire.
#[test]
fn wires_lead_from_the_api_server_to_nodes() {
    for size in FIRST_VISIT_STAGES {
        let plan = plan(stage_size(size), &first_visit_slots(), 2);
        let api = rail(&plan.measures, size.0).api;
        let Wires::PerNode(all) = wires(&plan) else {
            panic!("six nodes have wires")
        };
        for (zone, wires) in plan.zones.iter().zip(&all) {
            for (node, wire) in zone.nodes.iter().zip(wires) {
                let (first, last) = (wire.points[0], wire.points[wire.points.len() - 1]);
                assert!(first.0 >= api.x && first.0 <= api.x + api.w && (first.1 - api.y - api.h).abs() < 0.1);
                assert!((last.0 - zone.rect.x - node.rect.x).abs() < 0.1);
                assert!(
                    wire.points.iter().all(|(x, _)| *x > 0.0 && *x < size.0),
                    "{size:?} {wire:?}"
                );
                let (from, to) = wire.cut_gap(plan.measures.unit);
                assert!(0.0 < from && from < to && to < wire.length());
            }
        }
    }
    let many = plan(stage_size((1440.0, 700.0, 1.0)), &vec![vec![2; 10]; 3], 2);
    assert!(matches!(wires(&many), Wires::PerZone(zones) if zones.len() == 3));
}

#[test]
fn part_of_wire_keeps_its_corners() {
    let wire = wires::Wire {
        points: vec![(0.0, 0.0), (0.0, 10.0), (10.0, 10.0)],
    };
    assert_eq!(wire.length(), 20.0);
    assert_eq!(wire.part_between(5.0, 15.0), [(0.0, 5.0), (0.0, 10.0), (5.0, 10.0)]);
    assert_eq!(wire.point_at(15.0), (5.0, 10.0, 0.0));
    assert_eq!(wire.point_at(99.0).0, 10.0);
}
