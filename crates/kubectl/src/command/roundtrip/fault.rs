//! Random faults and traffic commands.

use podscope_api::{ObjectKey, Rate};
use podscope_cluster::fault::{ControlPlaneProcess, CutFrom, DeviceChange, Direction, Fault, FenceMechanism, Targets};
use podscope_cluster::{RequestClient, Span, StartTraffic, TrafficCommand};

use super::Draw;

impl Draw {
    fn traffic(&mut self) -> TrafficCommand {
        let service = ObjectKey::new(self.choose(&["default", "web"]), self.name());
        if self.bool() {
            return TrafficCommand::Stop(service);
        }
        let pod = ObjectKey::new(self.choose(&["default", "web"]), self.name());
        let node = self.name();
        let clients = [
            RequestClient::Nodes,
            RequestClient::Zone(self.name().into()),
            RequestClient::Node(node.into()),
            RequestClient::Pod(pod),
            RequestClient::Outside,
        ];
        TrafficCommand::Start(StartTraffic {
            service,
            rate: self.choose(&["1/s", "50/s", "7/m", "1/h"].map(|text| Rate::parse(text).expect("a rate"))),
            client: self.choose(&clients),
            timeout: self.bool().then(|| Span(self.span().0 + 1_000)),
            keep_alive: self.bool(),
            retries: self.int_below(4) as u32,
        })
    }

    fn device_change(&mut self) -> DeviceChange {
        self.choose(&[
            DeviceChange::Gone,
            DeviceChange::Back,
            DeviceChange::Unhealthy,
            DeviceChange::Taint {
                key: "example.com/bad".into(),
                value: "1".into(),
                effect: "NoExecute".into(),
            },
            DeviceChange::Untaint {
                key: "bad".into(),
                effect: Some("NoSchedule".into()),
            },
            DeviceChange::Untaint {
                key: "bad".into(),
                effect: None,
            },
        ])
    }

    pub(super) fn fault(&mut self) -> Fault {
        let node = self.name().as_str().into();
        let key = |draw: &mut Self| ObjectKey::new(draw.choose(&["default", "web"]), draw.name());
        let process = |draw: &mut Self, server: bool| {
            let all = [
                ControlPlaneProcess::Scheduler,
                ControlPlaneProcess::ControllerManager,
                ControlPlaneProcess::ApiServer,
            ];
            let count = if server { 3 } else { 2 };
            draw.choose(&all[..count])
        };
        match self.0.below(20) {
            0 => Fault::Partition {
                targets: self.targets(),
                from: self.choose(&[
                    CutFrom::Everything,
                    CutFrom::ControlPlane,
                    CutFrom::Nodes,
                    CutFrom::Storage,
                    CutFrom::Node("b-9".into()),
                ]),
                direction: self.choose(&[Direction::Both, Direction::In, Direction::Out]),
            },
            1 => Fault::Heal(if self.bool() { Targets::All } else { self.targets() }),
            2 => Fault::Join {
                node,
                count: self.optional(|draw| draw.choose(&[1, 3, 1_000])),
                like: self.optional(|_| "a-1".into()),
                labels: self
                    .pairs()
                    .into_iter()
                    .map(|(key, value)| (key.into(), value.into()))
                    .collect(),
                capacity: self
                    .optional(|_| {
                        [
                            ("cpu".into(), "4".parse().expect("a quantity")),
                            ("memory".into(), "8Gi".parse().expect("a quantity")),
                        ]
                        .into()
                    })
                    .unwrap_or_default(),
            },
            3 => Fault::Leave(node),
            4 => Fault::Kubelet { node, up: self.bool() },
            5 => Fault::Runtime { node, up: self.bool() },
            6 => Fault::Power { node, on: self.bool() },
            7 => Fault::ControlPlane {
                process: process(self, true),
                up: self.bool(),
            },
            8 => Fault::Second(process(self, false)),
            9 => Fault::Etcd { up: self.bool() },
            10 => Fault::Slow(node, self.span()),
            11 => Fault::Exit {
                pod: key(self),
                container: self.name().into(),
                code: self.int_below(256) as i32,
            },
            12 => Fault::Sandbox(key(self)),
            13 => Fault::Fence(
                node,
                self.choose(&[FenceMechanism::Power, FenceMechanism::Storage, FenceMechanism::Network]),
            ),
            14 => Fault::Detach(self.name().into()),
            15 => Fault::Unfence(node),
            16 => Fault::Traffic(self.traffic()),
            17 => Fault::Driver { node, up: self.bool() },
            18 => Fault::Device {
                node,
                device: self.choose(&["gpu-0", "gpu.example.com/gpu-0"]).into(),
                change: self.device_change(),
            },
            _ => Fault::Member {
                group: self.name().into(),
                member: self.name().into(),
                add: self.bool(),
            },
        }
    }
}
