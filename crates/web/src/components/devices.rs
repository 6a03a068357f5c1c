//! Devices of a node: small squares in the header of its card, and the list in the inspector.

use podscope_messages::{listed, t};
use podscope_protocol::{DeviceView, SubjectRef};
use yew::prelude::*;

use super::shown::shown;
use crate::ctl::Ctl;

/// Maximum number of devices that are drawn as one square each.
const MAX_DEVICE_SQUARES: usize = 8;
/// Device states in the order in which the text counts them.
const DEVICE_STATES: [&str; 5] = ["held", "shared", "blocked", "tainted", "free"];

/// Renders the devices of a node for its card's header: a square for each device if there are few and `available_width`
/// (in pixels at the default font size) suffices, otherwise the number of used devices and of all.
pub(super) fn device_chip(devices: &[DeviceView], available_width: f64) -> Html {
    if devices.is_empty() {
        return Html::default();
    }
    let words = state_counts(devices);
    let n_used = devices
        .iter()
        .filter(|device| matches!(device.state(), "held" | "shared"))
        .count();
    html! {
        <span class="devices" role="img" aria-label={words.clone()} title={words}>
            if devices.len() <= MAX_DEVICE_SQUARES && available_width > 130.0 {
                { for devices.iter().map(|device| html! { <i class={device.state()}></i> }) }
            } else {
                { format!("{n_used}/{}", devices.len()) }
            }
        </span>
    }
}

/// Describes the number of devices in each state: `4 devices: 1 held, 3 free`.
fn state_counts(devices: &[DeviceView]) -> String {
    let counted = DEVICE_STATES.iter().filter_map(|state| {
        let count = devices.iter().filter(|device| device.state() == *state).count();
        (count > 0).then(|| match *state {
            "held" => t!(devices::held, count = count),
            "shared" => t!(devices::shared, count = count),
            "blocked" => t!(devices::blocked, count = count),
            "tainted" => t!(devices::tainted, count = count),
            _ => t!(devices::free, count = count),
        })
    });
    let counts: Vec<String> = counted.collect();
    t!(devices::counted, count = devices.len(), counts = listed(counts))
}

/// The devices of a node in the inspector: each with its state, its properties and its holders.
pub(super) fn device_list(ctl: &Ctl, devices: &[DeviceView]) -> Html {
    if devices.is_empty() {
        return Html::default();
    }
    html! {
        <section class="device-list" aria-label={t!(devices::devices)}>
            <h3 class="eyebrow">{ state_counts(devices) }</h3>
            <ul>
                { for devices.iter().map(|device| html! {
                    <li>
                        <span class="devices"><i class={device.state()}></i></span>
                        <div>
                            <b class="mono">{ shown(&device.name) }</b>{ " " }<span class="of">{ shown(&format!("{} · {}", device.driver, device.properties.join(" · "))) }</span>
                            { for device.taints.iter().map(|taint| html! { <p>{ t!(devices::taint) }{ " " }<code>{ shown(taint) }</code></p> }) }
                            if let Some(counter) = &device.exhausted { <p>{ t!(devices::blocked_other_devices) }{ " " }<code>{ shown(&counter.to_string()) }</code></p> }
                            { for device.holders.iter().map(|holder| {
                                let pods = match holder.pods.as_slice() {
                                    [] => t!(devices::reserved_for_none),
                                    pods => t!(devices::for_pods, pods = listed(pods)),
                                };
                                let subject = SubjectRef::Object { kind: "ResourceClaim".to_owned(), key: holder.claim.clone() };
                                html! { <p>{ if holder.is_share { t!(devices::share_held_by) } else { t!(devices::held_by) } }{ " " }<button type="button" class="link" onclick={ctl.select(subject)}>{ shown(&holder.claim) }</button>{ ", " }{ shown(&pods) }</p> }
                            }) }
                        </div>
                    </li>
                }) }
            </ul>
        </section>
    }
}
