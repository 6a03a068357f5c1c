//! The canonical words of a command. While a command is parsed, each value is passed through a method of [`Words`],
//! which appends its words and returns it for the action. One line thus both parses and prints a value.

use std::fmt;

use podscope_api::{Kind, ObjectKey, Str, ordered};
use podscope_cluster::Span;

use super::flags::Args;
use super::shell::{here_document, quote};
use super::{DryRun, FIELD_MANAGER, Output, Selection, ServerSide, TaintChange, Target, Validation};
use crate::duration::print_duration;

/// The canonical words of a command, as in timelines, links and traces. They parse to the same command.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Words {
    /// All words, including the program.
    words: Vec<String>,
    /// Standard input, printed as a here-document.
    stdin: Option<String>,
}

impl fmt::Display for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, word) in self.words.iter().enumerate() {
            f.write_str(if at > 0 { " " } else { "" })?;
            match is_microseconds(word) {
                true => f.write_str(word)?,
                false => f.write_str(&quote(word))?,
            }
        }
        match &self.stdin {
            Some(text) => write!(f, " {}", here_document(text)),
            None => Ok(()),
        }
    }
}

impl Words {
    /// Starts with the words `PROGRAM VERB`.
    pub(super) fn of(program: &str, verb: &str) -> Self {
        let words = std::iter::once(program).chain(verb.split(' '));
        Self {
            words: words.map(str::to_owned).collect(),
            stdin: None,
        }
    }

    /// Returns the words of a verb as they were typed, with every flag as `--flag=value`.
    pub(super) fn typed(verb: &str, args: &Args) -> Self {
        let mut words = Self::of("kubectl", verb);
        words.positionals_of(args);
        for (flag, value) in args.effective_flags() {
            words.equals(&format!("--{flag}"), Some(value));
        }
        if let Some(rest) = &args.passthrough_args {
            words.word("--");
            words.words.extend(rest.iter().cloned());
        }
        words.stdin.clone_from(&args.stdin);
        words
    }

    /// Returns the words of `kubectl apply` of a manifest.
    #[must_use]
    pub fn apply(manifest: String, namespace: Option<String>) -> Self {
        let mut words = Self::of("kubectl", "apply");
        words.value("-n", namespace);
        words.manifest(manifest);
        words
    }

    /// Returns the words of `kubectl create` of a manifest.
    #[must_use]
    pub fn create(
        manifest: String,
        namespace: Option<String>,
        save_config: bool,
        dry_run: DryRun,
        output: Output,
    ) -> Self {
        let mut words = Self::of("kubectl", "create");
        words.value("-n", namespace);
        words.flag("--save-config", save_config);
        words.dry_run(dry_run);
        words.output(output);
        words.manifest(manifest);
        words
    }

    /// Returns the words after `kubectl VERB`; the verb must be one word.
    pub fn arguments_mut(&mut self) -> &mut [String] {
        self.words.get_mut(2..).unwrap_or_default()
    }

    /// Replaces the value of a flag, which is the word after it.
    pub fn set_value(&mut self, flag: &str, value: String) {
        let mut words = self.words.iter_mut().skip_while(|word| *word != flag).skip(1);
        if let Some(word) = words.next() {
            *word = value;
        }
    }

    /// Replaces the text of the here-document.
    pub fn set_stdin(&mut self, text: String) {
        self.stdin = Some(text);
    }

    /// Appends one word.
    pub(super) fn word(&mut self, word: impl Into<String>) {
        self.words.push(word.into());
    }

    /// Appends the positional arguments as they were typed.
    pub(super) fn positionals_of(&mut self, args: &Args) {
        self.words.extend(args.words().into_iter().map(str::to_owned));
    }

    /// Appends `NAME`, or `NAMESPACE/NAME` outside the default namespace.
    pub(super) fn key(&mut self, key: ObjectKey) -> ObjectKey {
        match &*key.namespace {
            "default" => self.word(&*key.name),
            _ => self.word(key.to_string()),
        }
        key
    }

    /// Appends `FLAG KEY=VALUE,…`, if there are pairs.
    pub(super) fn pairs<T: fmt::Display>(&mut self, flag: &str, pairs: &ordered::Map<Str, T>) {
        let texts: Vec<String> = pairs.iter().map(|(key, value)| format!("{key}={value}")).collect();
        self.value(flag, (!texts.is_empty()).then(|| texts.join(",")));
    }

    /// Appends all words of another list.
    pub(super) fn append(&mut self, mut other: Words) {
        self.words.append(&mut other.words);
    }

    /// Appends names, one word each.
    pub(super) fn names(&mut self, names: Vec<String>) -> Vec<String> {
        self.words.extend(names.iter().cloned());
        names
    }

    /// Appends node names. A name that begins with `-` gets the prefix `node/`, so that it is not parsed as a flag.
    pub(super) fn nodes(&mut self, names: Vec<String>) -> Vec<String> {
        self.words.extend(names.iter().map(|name| match name.starts_with('-') {
            true => format!("node/{name}"),
            false => name.clone(),
        }));
        names
    }

    /// Appends `FLAG`, if the flag is on.
    pub(super) fn flag(&mut self, flag: &str, is_on: bool) -> bool {
        if is_on {
            self.word(flag);
        }
        is_on
    }

    /// Appends `FLAG VALUE`, if there is a value.
    pub(super) fn value(&mut self, flag: &str, value: Option<String>) -> Option<String> {
        if let Some(value) = &value {
            self.word(flag);
            self.word(value);
        }
        value
    }

    /// Appends `FLAG=VALUE`, if there is a value.
    pub(super) fn equals<T: fmt::Display>(&mut self, flag: &str, value: Option<T>) -> Option<T> {
        if let Some(value) = &value {
            self.word(format!("{flag}={value}"));
        }
        value
    }

    /// Appends `FLAG=VALUE`, unless the value is the default.
    pub(super) fn number<T: fmt::Display + PartialEq>(&mut self, flag: &str, default: T, value: T) -> T {
        if value != default {
            self.word(format!("{flag}={value}"));
        }
        value
    }

    /// Appends `FLAG=DURATION`, if there is a duration.
    pub(super) fn duration(&mut self, flag: &str, value: Option<Span>) -> Option<Span> {
        self.equals(flag, value.map(print_duration));
        value
    }

    /// Appends `FLAG=A,B`, if there are values.
    pub(super) fn list(&mut self, flag: &str, values: Vec<String>) -> Vec<String> {
        self.equals(flag, (!values.is_empty()).then(|| values.join(",")));
        values
    }

    /// Appends a selection, with kinds in the singular before names and in the plural otherwise: `delete pod web-0`,
    /// `get pods`.
    pub(super) fn selection(&mut self, selection: &Selection) {
        match selection {
            Selection::Kinds { kinds, names } if !names.is_empty() => self.kinds(kinds, Kind::singular, names),
            other => self.plural(other),
        }
    }

    /// Appends a selection, with kinds in the plural as in kubectl's examples of some verbs: `label nodes a-1`.
    pub(super) fn plural(&mut self, selection: &Selection) {
        match selection {
            Selection::Kinds { kinds, names } => self.kinds(kinds, Kind::plural, names),
            // A selection without items is that of an empty manifest.
            Selection::Items(items) if items.is_empty() => drop(self.manifest(String::new())),
            Selection::Items(items) => {
                let items = items.iter().map(|(kind, name)| format!("{}/{name}", kind.singular()));
                self.words.extend(items);
            }
        }
    }

    /// Appends the kinds as one word, joined by commas, then each name. `word` gives the spelling of a kind.
    fn kinds(&mut self, kinds: &[Kind], word: fn(Kind) -> &'static str, names: &[String]) {
        self.word(kinds.iter().map(|kind| word(*kind)).collect::<Vec<_>>().join(","));
        self.words.extend(names.iter().cloned());
    }

    /// Appends `-n`, `-A`, `--all` and the selectors.
    pub(super) fn namespace_and_selectors(&mut self, target: &Target) {
        self.value("-n", target.namespace.clone());
        self.flag("-A", target.all_namespaces);
        self.flag("--all", target.all);
        self.value("-l", target.selector.clone());
        self.equals("--field-selector", target.field_selector.as_ref());
    }

    /// Appends the selection, namespace and selectors of a target.
    pub(super) fn target(&mut self, target: Target) -> Target {
        self.selection(&target.selection);
        self.namespace_and_selectors(&target);
        target
    }

    /// Appends `--dry-run` with this value, if the flag was given.
    pub(super) fn dry_run(&mut self, dry_run: DryRun) -> DryRun {
        self.flag("--dry-run", dry_run == DryRun::Bare);
        self.flag("--dry-run=client", dry_run == DryRun::Client);
        self.flag("--dry-run=server", dry_run == DryRun::Server);
        if let DryRun::Boolean(word) = dry_run {
            self.equals("--dry-run", Some(word));
        }
        dry_run
    }

    /// Appends `--validate`, unless the value is the default.
    pub(super) fn validation(&mut self, validation: Validation) -> Validation {
        self.flag("--validate=warn", validation == Validation::Warn);
        self.flag("--validate=ignore", validation == Validation::Ignore);
        validation
    }

    /// Appends `--server-side` with its options, if they are given.
    pub(super) fn server_side(&mut self, server_side: Option<ServerSide>) -> Option<ServerSide> {
        if let Some(own) = &server_side {
            self.word("--server-side");
            self.number("--field-manager", FIELD_MANAGER, own.manager.as_str());
            self.flag("--force-conflicts", own.force_conflicts);
        }
        server_side
    }

    pub(super) fn output(&mut self, output: Output) -> Output {
        let text = match &output {
            Output::Table => return output,
            Output::Wide => "wide".to_owned(),
            Output::Yaml => "yaml".to_owned(),
            Output::Json => "json".to_owned(),
            Output::Kyaml => "kyaml".to_owned(),
            Output::Name => "name".to_owned(),
            Output::JsonPath(path) => format!("jsonpath={path}"),
            Output::JsonPathAsJson(path) => format!("jsonpath-as-json={path}"),
            Output::GoTemplate(text) => format!("go-template={text}"),
            Output::CustomColumns(spec) => format!("custom-columns={spec}"),
            Output::WithManagedFields(inner) => {
                self.output((**inner).clone());
                self.word("--show-managed-fields");
                return output;
            }
        };
        self.value("-o", Some(text));
        output
    }

    /// Appends taints as `key=value:effect`, with a final `-` if they are removed.
    pub(super) fn taints(&mut self, changes: Vec<TaintChange>) -> Vec<TaintChange> {
        for change in &changes {
            let TaintChange {
                key,
                value,
                effect,
                remove,
            } = change;
            let before = |sign: &str, text: &str| match text {
                "" => String::new(),
                text => format!("{sign}{text}"),
            };
            let end = if *remove { "-" } else { "" };
            self.word(format!("{key}{}{}{end}", before("=", value), before(":", effect)));
        }
        changes
    }

    /// Appends `KEY=VALUE`, or `KEY-` if the key is removed.
    pub(super) fn changes(&mut self, changes: Vec<(String, Option<String>)>) -> Vec<(String, Option<String>)> {
        for (key, value) in &changes {
            match value {
                Some(value) => self.word(format!("{key}={value}")),
                None => self.word(format!("{key}-")),
            }
        }
        changes
    }

    /// Appends `-f -` and sets the manifest as standard input.
    pub(super) fn manifest(&mut self, text: String) -> String {
        self.value("-f", Some("-".to_owned()));
        self.document(text)
    }

    /// Sets the standard input.
    pub(super) fn document(&mut self, text: String) -> String {
        self.stdin = Some(text.clone());
        text
    }
}

/// Returns whether a word is a duration like `500µs`, which is not quoted although it is not ASCII.
fn is_microseconds(word: &str) -> bool {
    let number = word.strip_suffix("µs").unwrap_or_default();
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}
