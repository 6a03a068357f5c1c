//! Requests on the stage: a band below the zones with a plate (labelled box) for each Service, and the path from a
//! plate to each pod that gets requests of the Service.

use podscope_messages::t;

use super::wires::Wire;
use super::{Plan, StageLengths};
use crate::pure::overview::Rect;

/// Maximum number of Services that are drawn as a plate; on a narrow stage it is 1. Further Services are only counted.
pub(crate) const MAX_SERVICE_PLATES: usize = 3;

/// Returns the height of the band below the zones: the plates, and the paths above them.
pub(crate) fn band_height(measures: &StageLengths) -> f64 {
    plate_height(measures) + paths_height(measures) + measures.pad * 0.6
}

fn plate_height(measures: &StageLengths) -> f64 {
    if measures.is_narrow {
        32.0 * measures.unit
    } else {
        34.0 * measures.unit
    }
}

/// Returns the height of the area for the horizontal parts of the paths, between the zones and the plates.
fn paths_height(measures: &StageLengths) -> f64 {
    if measures.is_narrow {
        8.0 * measures.unit
    } else {
        13.0 * measures.unit
    }
}

/// Returns the plates of this number of Services, side by side in the middle of the band.
pub(crate) fn service_plates(plan: &Plan, services: usize) -> Vec<Rect> {
    let measures = &plan.measures;
    let shown = services.min(if measures.is_narrow { 1 } else { MAX_SERVICE_PLATES });
    let inner = plan.room.w - 2.0 * measures.pad;
    let gap = 10.0 * measures.unit;
    let each = ((inner - gap * (shown.max(1) as f64 - 1.0)) / shown.max(1) as f64).min(760.0 * measures.unit);
    let all = each * shown as f64 + gap * (shown.max(1) as f64 - 1.0);
    let left = measures.pad + (inner - all) / 2.0;
    let h = plate_height(measures);
    (0..shown)
        .map(|nth| Rect {
            x: left + nth as f64 * (each + gap),
            y: plan.height - measures.pad * 0.6 - h,
            w: each,
            h,
        })
        .collect()
}

/// Returns the path from a plate to a pod: along the band, up beside the pod's zone, and to the pod from below. The
/// plate has `path_count` paths, and this one has the number `path_index`; paths that lead up side by side keep a small
/// distance.
pub(crate) fn request_path(plan: &Plan, plate: &Rect, mark: &Rect, path_index: usize, path_count: usize) -> Wire {
    let measures = &plan.measures;
    let unit = measures.unit;
    let middle = (mark.x + mark.w / 2.0, mark.y + mark.h / 2.0);
    let holds =
        |zone: &Rect| (zone.x..zone.x + zone.w).contains(&middle.0) && (zone.y..zone.y + zone.h).contains(&middle.1);
    let zone = plan.zones.iter().map(|zone| zone.rect).find(holds).unwrap_or(*mark);
    let step = (path_index % 3) as f64;
    let up = zone.x + zone.w + (2.0 + 2.5 * step) * unit.min(measures.zone_gap / 10.0);
    let along = plate.y - paths_height(measures) * (0.25 + 0.22 * step);
    let out = plate.x + plate.w * (0.15 + 0.7 * (path_index as f64 + 0.5) / path_count.max(1) as f64);
    let below = mark.y + mark.h + 4.0 * unit;
    Wire {
        points: vec![
            (out, plate.y),
            (out, along),
            (up, along),
            (up, below),
            (middle.0, below),
            (middle.0, mark.y + mark.h),
        ],
    }
}

/// Returns the number of dots on a path at once, for a rate in thousandths of a request per second: 1 up to five
/// requests per second, 3 from 25 on, and 2 in between.
pub(crate) const fn dots_per_path(per_second: i64) -> usize {
    match per_second {
        ..=0 => 0,
        1..=5_000 => 1,
        5_001..=24_999 => 2,
        _ => 3,
    }
}

/// Names the sender of requests: `node/a-1` is "node a-1", `pod/shop` is "shop".
pub(crate) fn sender_name(clients: &[String]) -> Option<String> {
    match clients {
        [] => None,
        [one] => Some(match one.split_once('/') {
            Some(("pod", name)) => name.to_owned(),
            Some(("node", name)) => t!(requests::node, name = name),
            Some(("zone", name)) => t!(requests::zone, name = name),
            Some((kind, name)) => format!("{kind} {name}"),
            None if one == "nodes" => t!(requests::every_node),
            None if one == "outside" => t!(requests::outside),
            None => one.clone(),
        }),
        more => Some(t!(requests::clients, count = more.len())),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{StageSize, plan};
    use super::*;

    fn stage_plan(w: f64, h: f64) -> Plan {
        let crowd = vec![vec![2, 2], vec![2, 2], vec![2, 2]];
        let room = StageSize { w, h, unit: 1.0 };
        let mut plan = plan(room, &crowd, 2);
        plan.height += band_height(&plan.measures);
        plan
    }

    #[test]
    fn request_path_leads_to_mark_beside_its_zone() {
        let plan = stage_plan(1366.0, 520.0);
        let plate = service_plates(&plan, 1)[0];
        let (zone, node) = (&plan.zones[1], &plan.zones[1].nodes[0]);
        let inside = node.mark_rect(0);
        let mark = Rect {
            x: zone.rect.x + node.rect.x + inside.x,
            y: zone.rect.y + node.rect.y + inside.y,
            ..inside
        };
        for nth in 0..6 {
            let path = request_path(&plan, &plate, &mark, nth, 6);
            let (first, last) = (path.points[0], *path.points.last().expect("points"));
            assert!(first.0 > plate.x && first.0 < plate.x + plate.w && first.1 == plate.y);
            assert_eq!(last, (mark.x + mark.w / 2.0, mark.y + mark.h));
            let up = path.points[2].0;
            assert!(up > zone.rect.x + zone.rect.w && up < plan.zones[2].rect.x, "{up}");
        }
    }

    #[test]
    fn plates_are_below_zones_and_inside_stage() {
        for (w, h) in [(1366.0, 520.0), (390.0, 600.0)] {
            let plan = stage_plan(w, h);
            for services in 1..5 {
                let plates = service_plates(&plan, services);
                let bottom = plan
                    .zones
                    .iter()
                    .map(|zone| zone.rect.y + zone.rect.h)
                    .fold(0.0, f64::max);
                for plate in plates {
                    assert!(plate.y > bottom && plate.y + plate.h <= plan.height, "{w}×{h}");
                    assert!(plate.x >= 0.0 && plate.x + plate.w <= w, "{w}×{h}");
                }
            }
        }
    }

    #[test]
    fn senders_have_readable_names() {
        let named = |clients: &[&str]| sender_name(&clients.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(named(&[]), None);
        assert_eq!(named(&["nodes"]).as_deref(), Some("every node"));
        assert_eq!(named(&["pod/shop"]).as_deref(), Some("shop"));
        assert_eq!(named(&["zone/a"]).as_deref(), Some("zone a"));
        assert_eq!(named(&["outside", "pod/shop"]).as_deref(), Some("2 clients"));
    }
}
