//! Property test: every command prints as a line that parses to the same command (K-01). Random commands are drawn from
//! a seeded generator; a failure prints its seed.

use podscope_api::Kind;
use podscope_cluster::fault::Targets;
use podscope_cluster::{Rng, Span};

use super::*;

mod fault;

/// Generator of random commands and their parts.
struct Draw(Rng);

impl Draw {
    fn choose<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.0.below(choices.len() as u64) as usize].clone()
    }

    fn bool(&mut self) -> bool {
        self.0.below(2) == 1
    }

    fn optional<T>(&mut self, draw: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.bool() { Some(draw(self)) } else { None }
    }

    fn list_of<T>(&mut self, min: u64, max: u64, mut draw: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let count = min + self.0.below(max - min + 1);
        (0..count).map(|_| draw(self)).collect()
    }

    fn int_below(&mut self, bound: u64) -> i64 {
        self.0.below(bound) as i64
    }

    fn name(&mut self) -> String {
        self.choose(&["web-0", "a-1", "db", "x.y.z", "0", "ledger-7c9d8b5-k2xqp"])
            .to_owned()
    }

    /// Arbitrary text with quotes, blanks, line breaks and characters that are special in a shell.
    fn text(&mut self) -> String {
        const PIECES: &[&str] = &[
            "a", "B c", "'", "\"", "\\", "$HOME", "`", "|", "<<EOF", "\n", "\t", "ü", "=", "-", "#", "&", ";", "{}",
            "*", "EOF",
        ];
        let pieces: Vec<&str> = self.list_of(1, 6, |draw| draw.choose(PIECES));
        pieces.concat()
    }

    /// A manifest text. It ends with a line break, as here-documents do.
    fn document(&mut self) -> String {
        let lines = self.list_of(0, 4, |draw| {
            draw.choose(&["kind: Pod", "EOF", "", "  x: 'y'", "EOFF", "a\tb\r"])
                .to_owned()
        });
        lines.into_iter().map(|line| line + "\n").collect()
    }

    fn kind(&mut self) -> Kind {
        self.choose(Kind::ALL)
    }

    /// Different kinds: a command line that names a kind twice selects it once.
    fn kinds(&mut self, max: u64) -> Vec<Kind> {
        let mut kinds: Vec<Kind> = Vec::new();
        for kind in self.list_of(1, max, Self::kind) {
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        kinds
    }

    /// A selection by name.
    fn named(&mut self) -> Selection {
        if self.bool() {
            Selection::Kinds {
                kinds: self.kinds(2),
                names: self.list_of(1, 3, Self::name),
            }
        } else {
            Selection::Items(self.list_of(1, 3, |draw| (draw.kind(), draw.name())))
        }
    }

    /// A selection of all objects of some kinds.
    fn unnamed(&mut self) -> Selection {
        Selection::Kinds {
            kinds: self.kinds(3),
            names: Vec::new(),
        }
    }

    /// A valid target: never combines names with a selector or with all namespaces, or `--all` with a selector.
    fn target(&mut self, flags: &[&str]) -> Target {
        let mut target = Target {
            namespace: self.namespace(),
            ..Target::of(self.named())
        };
        if self.bool() {
            target.selection = self.unnamed();
            target.all_namespaces = flags.contains(&"-A") && self.bool();
            target.all = flags.contains(&"--all") && self.bool();
            if !target.all && flags.contains(&"-l") {
                target.selector = self.optional(Self::selector);
            }
        }
        target
    }

    /// A target for verbs that require names, `--all` or a selector.
    fn explicit_target(&mut self, flags: &[&str]) -> Target {
        let target = self.target(flags);
        let is_named = match &target.selection {
            Selection::Kinds { names, .. } => !names.is_empty(),
            Selection::Items(_) => true,
        };
        match is_named || target.all || target.selector.is_some() {
            true => target,
            false => Target {
                selector: Some(self.selector()),
                ..target
            },
        }
    }

    /// A target by name, without selectors.
    fn named_target(&mut self) -> Target {
        Target {
            namespace: self.namespace(),
            ..Target::of(self.named())
        }
    }

    fn selector(&mut self) -> String {
        self.choose(&["app=web", "app in (a, b),!x", "tier!=front", "a=b,c"])
            .to_owned()
    }

    fn span(&mut self) -> Span {
        Span(self.choose(&[0, 1, 250_000, 1_500_000, 90_000_000, 3_661_000_000]))
    }

    fn dry_run(&mut self) -> DryRun {
        self.choose(&[DryRun::None, DryRun::Client, DryRun::Server])
    }

    fn namespace(&mut self) -> Option<String> {
        self.optional(Self::name)
    }

    fn pairs(&mut self) -> Vec<(String, String)> {
        let mut pairs: Vec<(String, String)> = Vec::new();
        for key in ["app", "example.com/tier", "zone"] {
            if self.bool() {
                let value = self.choose(&["", "web", "x_1"]);
                pairs.push((key.to_owned(), value.to_owned()));
            }
        }
        pairs
    }

    fn metadata_change(&mut self, labels: bool) -> MetadataChange {
        let list = self.bool();
        let flags = ["-A", "--all", "-l"];
        let target = if list {
            self.target(&flags)
        } else {
            self.explicit_target(&flags)
        };
        let mut changes: Vec<(String, Option<String>)> = Vec::new();
        for key in ["app", "example.com/note", "x"] {
            if self.bool() || (changes.is_empty() && key == "x") {
                let value = if labels {
                    self.optional(Self::name)
                } else {
                    self.optional(Self::text)
                };
                changes.push((key.to_owned(), value));
            }
        }
        let names_several = match &target.selection {
            Selection::Kinds { names, .. } => names.len() > 1,
            Selection::Items(items) => items.len() > 1,
        };
        let version = self.optional(|draw| draw.int_below(9).to_string());
        let output = self.output();
        MetadataChange {
            target,
            changes,
            overwrite: self.bool(),
            list,
            resource_version: version.filter(|_| !names_several),
            dry_run: self.dry_run(),
            output: if list { Output::Table } else { output },
        }
    }

    /// The `-o` flag of a verb that writes.
    fn output(&mut self) -> Output {
        match self.0.below(7) {
            0 => Output::Yaml,
            1 => Output::Json,
            2 => Output::Kyaml,
            3 => Output::Name,
            4 => Output::JsonPath(self.text()),
            5 => Output::GoTemplate(self.text()),
            _ => Output::Table,
        }
    }

    fn delete(&mut self) -> Delete {
        let objects = match self.optional(Self::document) {
            Some(text) => DeleteTarget::Manifest {
                text,
                namespace: self.namespace(),
            },
            None => DeleteTarget::Target(self.explicit_target(&["-A", "--all", "-l"])),
        };
        let force = self.bool();
        let now = !force && self.bool();
        let grace_period = match (force, now) {
            (_, true) => -1,
            (true, _) => self.choose(&[-1, 0]),
            _ => self.choose(&[-1, 0, 1, 60]),
        };
        let answer = match &objects {
            DeleteTarget::Target(_) => self.optional(|draw| draw.choose(&["y\n", ""]).to_owned()),
            DeleteTarget::Manifest { .. } => None,
        };
        Delete {
            objects,
            answer,
            grace_period,
            force,
            now,
            wait: self.optional(Self::bool),
            timeout: self.optional(Self::span),
            cascade: self.optional(|draw| draw.choose(&["foreground", "orphan"]).to_owned()),
            ignore_not_found: self.bool(),
            output_name: self.bool(),
            dry_run: self.dry_run(),
        }
    }

    fn get(&mut self) -> Get {
        let target = self.target(&["-A", "-l"]);
        let is_named = match &target.selection {
            Selection::Kinds { names, .. } => !names.is_empty(),
            Selection::Items(_) => true,
        };
        let fields = self.optional(|_| "status.phase!=Failed".to_owned());
        let field_selector = fields.filter(|_| !is_named);
        let target = Target {
            field_selector,
            ..target
        };
        let is_one = match &target.selection {
            Selection::Kinds { kinds, names } => kinds.len() == 1 && names.len() < 2,
            Selection::Items(items) => items.len() == 1,
        };
        let watch = match is_one {
            true => self.choose(&[Watch::No, Watch::Yes, Watch::Only]),
            false => Watch::No,
        };
        let output = match self.0.below(7) {
            0 => Output::Table,
            1 => Output::Wide,
            2 => Output::Yaml,
            3 => Output::Json,
            4 => Output::Name,
            5 => Output::JsonPath(self.text()),
            _ => Output::CustomColumns("N:.metadata.name,M:{.spec.x}".into()),
        };
        Get {
            show_labels: matches!(output, Output::Table | Output::Wide) && self.bool(),
            show_kind: self.bool(),
            output,
            label_columns: self.list_of(0, 2, Self::name),
            no_headers: self.bool(),
            sort_by: self.optional(|_| "{.metadata.name}".to_owned()),
            ignore_not_found: self.bool(),
            show_managed_fields: self.bool(),
            watch,
            output_watch_events: watch != Watch::No && self.bool(),
            scale: is_named && self.bool(),
            bare_columns: self.bool(),
            ..Get::of(target)
        }
    }

    fn apply(&mut self) -> Kubectl {
        let server_side = self.optional(|draw| ServerSide {
            manager: draw.choose(&["kubectl", "other"]).to_owned(),
            force_conflicts: draw.bool(),
        });
        let dry_run = match self.dry_run() {
            DryRun::Client | DryRun::Bare if server_side.is_some() => DryRun::Server,
            dry_run => dry_run,
        };
        let selector = self.optional(Self::selector);
        Kubectl::Apply(Apply {
            manifest: self.document(),
            namespace: self.namespace(),
            // kubectl rejects `--force` with server-side apply and with a server dry run.
            force: server_side.is_none() && dry_run != DryRun::Server && self.bool(),
            prune: selector.is_some() && self.bool(),
            prune_allowlist: self.choose(&[Vec::new(), vec![Kind::ConfigMap, Kind::Deployment]]),
            selector,
            validation: self.choose(&[Validation::Strict, Validation::Warn, Validation::Ignore]),
            dry_run,
            output: self.output(),
            server_side,
        })
    }

    fn rollout(&mut self) -> Kubectl {
        let action = match self.0.below(6) {
            0 => RolloutAction::Status {
                revision: self.int_below(3),
                watch: self.bool(),
                timeout: self.optional(Self::span),
            },
            1 => RolloutAction::Undo {
                to_revision: self.int_below(4),
                dry_run: self.dry_run(),
            },
            2 => RolloutAction::Restart,
            3 => RolloutAction::Pause,
            4 => RolloutAction::Resume,
            _ => RolloutAction::History {
                revision: self.int_below(4),
            },
        };
        let output = match action {
            RolloutAction::Status { .. } => Output::Table,
            _ => self.output(),
        };
        Kubectl::Rollout {
            action,
            target: self.target(&["-l"]),
            output,
        }
    }

    /// `cordon`, `uncordon` or `drain`.
    fn nodes(&mut self) -> Kubectl {
        let by_name = self.bool();
        let nodes = if by_name {
            self.list_of(1, 3, Self::name)
        } else {
            Vec::new()
        };
        let selector = (!by_name).then(|| self.selector());
        if self.bool() {
            Kubectl::Cordon {
                nodes,
                selector,
                cordon: self.bool(),
                dry_run: self.dry_run(),
            }
        } else {
            Kubectl::Drain(Drain {
                nodes,
                selector,
                ignore_daemonsets: self.bool(),
                delete_emptydir_data: self.bool(),
                force: self.bool(),
                grace_period: self.choose(&[-1, 0, 30]),
                timeout: self.optional(Self::span),
                disable_eviction: self.bool(),
                pod_selector: self.optional(Self::selector),
                skip_wait_for_delete_timeout: self.int_below(3),
                dry_run: self.dry_run(),
            })
        }
    }

    fn taint(&mut self) -> Kubectl {
        let nodes = self.list_of(0, 2, Self::name);
        let all = nodes.is_empty();
        Kubectl::Taint {
            selector: None,
            nodes,
            all,
            changes: ["k", "example.com/gpu", "x"]
                .iter()
                .map(|key| {
                    let remove = self.bool();
                    let effect = self.choose(&["NoSchedule", "PreferNoSchedule", "NoExecute"]);
                    let value = self.choose(&["", "v"]);
                    TaintChange {
                        key: (*key).to_owned(),
                        value: if remove { "" } else { value }.to_owned(),
                        effect: if remove && self.bool() { "" } else { effect }.to_owned(),
                        remove,
                    }
                })
                .collect(),
            overwrite: self.bool(),
            dry_run: self.dry_run(),
            output: self.output(),
        }
    }

    fn top(&mut self) -> Kubectl {
        let name = self.optional(Self::name);
        let selector = name.is_none().then(|| self.optional(Self::selector)).flatten();
        Kubectl::Top(Top {
            name,
            selector,
            nodes: self.bool(),
            namespace: self.namespace(),
            all_namespaces: self.bool(),
            containers: self.bool(),
            sort_by: self.optional(|draw| draw.choose(&["cpu", "memory"]).to_owned()),
            no_headers: self.bool(),
            sum: self.bool(),
        })
    }

    fn logs(&mut self) -> Kubectl {
        let all_containers = self.bool();
        Kubectl::Logs(Logs {
            pod: self.name(),
            selector: None,
            namespace: self.namespace(),
            container: if all_containers {
                None
            } else {
                self.optional(Self::name)
            },
            previous: self.bool(),
            all_containers,
            timestamps: self.bool(),
            prefix: self.bool(),
            follow: self.bool(),
            since: match self.int_below(3) {
                0 => None,
                1 => Some(Since::Ago(Span::seconds(self.int_below(90) + 1))),
                _ => Some(Since::At(podscope_api::Time::from_seconds(
                    self.int_below(2_000_000_000),
                ))),
            },
            limit_bytes: self.int_below(1000).unsigned_abs(),
            tail: self.int_below(5) - 1,
        })
    }

    fn kubectl(&mut self) -> Kubectl {
        match self.0.below(20) {
            0 => Kubectl::Get(self.get()),
            1 => Kubectl::Describe(Describe {
                target: self.target(&["-A", "-l"]),
                show_events: self.optional(Self::bool),
            }),
            2 => self.apply(),
            3 => Kubectl::Create {
                manifest: self.document(),
                namespace: self.namespace(),
                validation: self.choose(&[Validation::Strict, Validation::Warn, Validation::Ignore]),
                save_config: self.bool(),
                dry_run: self.dry_run(),
                output: self.output(),
            },
            4 => Kubectl::Delete(self.delete()),
            5 => Kubectl::Scale {
                target: self.explicit_target(&["--all", "-l"]),
                replicas: self.int_below(9) as i32,
                current_replicas: self.optional(|draw| draw.int_below(9) as i32),
                resource_version: self.optional(|draw| draw.int_below(9).to_string()),
                dry_run: self.dry_run(),
                output: self.output(),
            },
            6 => self.rollout(),
            7 | 8 => self.nodes(),
            9 => self.taint(),
            10 => Kubectl::Label(self.metadata_change(true)),
            11 => Kubectl::Annotate(self.metadata_change(false)),
            12 => Kubectl::Patch {
                target: self.named_target(),
                patch_type: self.choose(&[PatchType::Strategic, PatchType::Merge, PatchType::Json]),
                patch: self.text(),
                subresource: self.optional(|draw| draw.choose(&["status", "scale"]).to_owned()),
                dry_run: self.dry_run(),
                output: self.output(),
            },
            13 => Kubectl::Edit {
                target: self.named_target(),
                text: self.document(),
                subresource: self.optional(|draw| draw.choose(&["status", "resize"]).to_owned()),
            },
            14 => Kubectl::SetImage {
                target: self.explicit_target(&["--all", "-l"]),
                images: self.list_of(1, 2, |draw| (draw.choose(&["*", "app"]).to_owned(), draw.text())),
                dry_run: self.dry_run(),
                output: self.output(),
            },
            15 => Kubectl::Events(Events {
                namespace: self.namespace(),
                all_namespaces: self.bool(),
                involved: self.optional(|draw| (draw.kind(), draw.name())),
                types: self.list_of(0, 2, |draw| draw.choose(&["Normal", "Warning"]).to_owned()),
                no_headers: self.bool(),
                watch: self.bool(),
                output: self.output(),
            }),
            16 => Kubectl::Explain {
                kind: self.kind(),
                path: self.list_of(0, 3, |draw| draw.choose(&["spec", "containers", "x"]).to_owned()),
                recursive: self.bool(),
            },
            17 => self.top(),
            _ => self.logs(),
        }
    }

    fn targets(&mut self) -> Targets {
        if self.bool() {
            Targets::Nodes(self.list_of(1, 3, |draw| draw.name().as_str().into()))
        } else {
            Targets::Zone(self.name().into())
        }
    }
}

// Shows: K-01, K-03
#[test]
fn random_commands_print_and_parse_to_the_same_value() {
    for seed in 0..6_000 {
        let mut draw = Draw(Rng::split(seed, "commands"));
        let command = if draw.0.below(4) == 0 {
            Command::Fault(draw.fault())
        } else {
            Command::Kubectl(draw.kubectl())
        };
        let line = command.to_string();
        assert_eq!(parse(&line), Ok(command), "seed {seed}: {line}");
    }
}
