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
    pub(super) fn as_typed(verb: &str, args: &Args) -> Self {
        let mut words = Self::of("kubectl", verb);
        words.push_positionals(args);
        for (flag, value) in args.effective_flags() {
            words.push_flag_with_equals(&format!("--{flag}"), Some(value));
        }
        if let Some(rest) = &args.passthrough_args {
            words.push_word("--");
            words.words.extend(rest.iter().cloned());
        }
        words.stdin.clone_from(&args.stdin);
        words
    }

    /// Returns the words of `kubectl apply` of a manifest.
    #[must_use]
    pub fn apply(manifest: String, namespace: Option<String>) -> Self {
        let mut words = Self::of("kubectl", "apply");
        words.push_flag_value("-n", namespace);
        words.push_manifest(manifest);
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
        words.push_flag_value("-n", namespace);
        words.push_flag("--save-config", save_config);
        words.push_dry_run(dry_run);
        words.push_output(output);
        words.push_manifest(manifest);
        words
    }

    /// Returns the words after `kubectl VERB`; the verb must be one word.
    pub fn arguments_mut(&mut self) -> &mut [String] {
        self.words.get_mut(2..).unwrap_or_default()
    }

    /// Replaces the value of a flag, which is the word after it.
    pub fn set_flag_value(&mut self, flag: &str, value: String) {
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
    pub(super) fn push_word(&mut self, word: impl Into<String>) {
        self.words.push(word.into());
    }

    /// Appends the positional arguments as they were typed.
    pub(super) fn push_positionals(&mut self, args: &Args) {
        self.words
            .extend(args.positional_texts().into_iter().map(str::to_owned));
    }

    /// Appends `NAME`, or `NAMESPACE/NAME` outside the default namespace. Returns the key.
    pub(super) fn push_object_key(&mut self, key: ObjectKey) -> ObjectKey {
        match &*key.namespace {
            "default" => self.push_word(&*key.name),
            _ => self.push_word(key.to_string()),
        }
        key
    }

    /// Appends `FLAG KEY=VALUE,…`, if there are pairs.
    pub(super) fn push_pairs<T: fmt::Display>(&mut self, flag: &str, pairs: &ordered::Map<Str, T>) {
        let texts: Vec<String> = pairs.iter().map(|(key, value)| format!("{key}={value}")).collect();
        self.push_flag_value(flag, (!texts.is_empty()).then(|| texts.join(",")));
    }

    /// Appends all words of another list.
    pub(super) fn append(&mut self, mut other: Words) {
        self.words.append(&mut other.words);
    }

    /// Appends names, one word each. Returns the names.
    pub(super) fn push_names(&mut self, names: Vec<String>) -> Vec<String> {
        self.words.extend(names.iter().cloned());
        names
    }

    /// Appends node names, and returns them. A name that begins with `-` gets the prefix `node/`, so that it is not
    /// parsed as a flag.
    pub(super) fn push_node_names(&mut self, names: Vec<String>) -> Vec<String> {
        self.words.extend(names.iter().map(|name| match name.starts_with('-') {
            true => format!("node/{name}"),
            false => name.clone(),
        }));
        names
    }

    /// Appends `FLAG`, if the flag is on. Returns whether it is.
    pub(super) fn push_flag(&mut self, flag: &str, is_on: bool) -> bool {
        if is_on {
            self.push_word(flag);
        }
        is_on
    }

    /// Appends `FLAG VALUE`, if there is a value. Returns the value.
    pub(super) fn push_flag_value(&mut self, flag: &str, value: Option<String>) -> Option<String> {
        if let Some(value) = &value {
            self.push_word(flag);
            self.push_word(value);
        }
        value
    }

    /// Appends `FLAG=VALUE`, if there is a value. Returns the value.
    pub(super) fn push_flag_with_equals<T: fmt::Display>(&mut self, flag: &str, value: Option<T>) -> Option<T> {
        if let Some(value) = &value {
            self.push_word(format!("{flag}={value}"));
        }
        value
    }

    /// Appends `FLAG=VALUE`, unless the value is the default. Returns the value.
    pub(super) fn push_unless_default<T: fmt::Display + PartialEq>(&mut self, flag: &str, default: T, value: T) -> T {
        if value != default {
            self.push_word(format!("{flag}={value}"));
        }
        value
    }

    /// Appends `FLAG=DURATION`, if there is a duration. Returns the duration.
    pub(super) fn push_duration(&mut self, flag: &str, value: Option<Span>) -> Option<Span> {
        self.push_flag_with_equals(flag, value.map(print_duration));
        value
    }

    /// Appends `FLAG=A,B`, if there are values. Returns the values.
    pub(super) fn push_list(&mut self, flag: &str, values: Vec<String>) -> Vec<String> {
        self.push_flag_with_equals(flag, (!values.is_empty()).then(|| values.join(",")));
        values
    }

    /// Appends a selection, with kinds in the singular before names and in the plural otherwise: `delete pod web-0`,
    /// `get pods`.
    pub(super) fn push_selection(&mut self, selection: &Selection) {
        match selection {
            Selection::Kinds { kinds, names } if !names.is_empty() => {
                self.push_kinds_and_names(kinds, Kind::singular, names)
            }
            other => self.push_plural_selection(other),
        }
    }

    /// Appends a selection, with kinds in the plural as in kubectl's examples of some verbs: `label nodes a-1`.
    pub(super) fn push_plural_selection(&mut self, selection: &Selection) {
        match selection {
            Selection::Kinds { kinds, names } => self.push_kinds_and_names(kinds, Kind::plural, names),
            // Only an empty manifest gives a selection without items.
            Selection::Items(items) if items.is_empty() => drop(self.push_manifest(String::new())),
            Selection::Items(items) => {
                let items = items.iter().map(|(kind, name)| format!("{}/{name}", kind.singular()));
                self.words.extend(items);
            }
        }
    }

    /// Appends the kinds as one word, joined by commas, then each name. `word` gives the spelling of a kind.
    fn push_kinds_and_names(&mut self, kinds: &[Kind], word: fn(Kind) -> &'static str, names: &[String]) {
        self.push_word(kinds.iter().map(|kind| word(*kind)).collect::<Vec<_>>().join(","));
        self.words.extend(names.iter().cloned());
    }

    /// Appends `-n`, `-A`, `--all` and the selectors.
    pub(super) fn push_namespace_and_selectors(&mut self, target: &Target) {
        self.push_flag_value("-n", target.namespace.clone());
        self.push_flag("-A", target.all_namespaces);
        self.push_flag("--all", target.all);
        self.push_flag_value("-l", target.selector.clone());
        self.push_flag_with_equals("--field-selector", target.field_selector.as_ref());
    }

    /// Appends the selection, namespace and selectors of a target. Returns the target.
    pub(super) fn push_target(&mut self, target: Target) -> Target {
        self.push_selection(&target.selection);
        self.push_namespace_and_selectors(&target);
        target
    }

    /// Appends `--dry-run` with this value, if the flag was given. Returns the value.
    pub(super) fn push_dry_run(&mut self, dry_run: DryRun) -> DryRun {
        self.push_flag("--dry-run", dry_run == DryRun::Bare);
        self.push_flag("--dry-run=client", dry_run == DryRun::Client);
        self.push_flag("--dry-run=server", dry_run == DryRun::Server);
        if let DryRun::Boolean(word) = dry_run {
            self.push_flag_with_equals("--dry-run", Some(word));
        }
        dry_run
    }

    /// Appends `--validate`, unless the value is the default. Returns the value.
    pub(super) fn push_validation(&mut self, validation: Validation) -> Validation {
        self.push_flag("--validate=warn", validation == Validation::Warn);
        self.push_flag("--validate=ignore", validation == Validation::Ignore);
        validation
    }

    /// Appends `--server-side` with its options, if they are given. Returns the options.
    pub(super) fn push_server_side(&mut self, server_side: Option<ServerSide>) -> Option<ServerSide> {
        if let Some(own) = &server_side {
            self.push_word("--server-side");
            self.push_unless_default("--field-manager", FIELD_MANAGER, own.manager.as_str());
            self.push_flag("--force-conflicts", own.force_conflicts);
        }
        server_side
    }

    /// Appends `-o FORMAT`, unless the output is a table. Returns the output.
    pub(super) fn push_output(&mut self, output: Output) -> Output {
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
                self.push_output((**inner).clone());
                self.push_word("--show-managed-fields");
                return output;
            }
        };
        self.push_flag_value("-o", Some(text));
        output
    }

    /// Appends taints as `key=value:effect`, with a final `-` if they are removed. Returns the taints.
    pub(super) fn push_taints(&mut self, changes: Vec<TaintChange>) -> Vec<TaintChange> {
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
            self.push_word(format!("{key}{}{}{end}", before("=", value), before(":", effect)));
        }
        changes
    }

    /// Appends `KEY=VALUE`, or `KEY-` if the key is removed, for each change. Returns the changes.
    pub(super) fn push_key_changes(&mut self, changes: Vec<(String, Option<String>)>) -> Vec<(String, Option<String>)> {
        for (key, value) in &changes {
            match value {
                Some(value) => self.push_word(format!("{key}={value}")),
                None => self.push_word(format!("{key}-")),
            }
        }
        changes
    }

    /// Appends `-f -` and sets the manifest as standard input. Returns the manifest.
    pub(super) fn push_manifest(&mut self, text: String) -> String {
        self.push_flag_value("-f", Some("-".to_owned()));
        self.push_stdin(text)
    }

    /// Sets the standard input, which is printed as a here-document. Returns the text.
    pub(super) fn push_stdin(&mut self, text: String) -> String {
        self.stdin = Some(text.clone());
        text
    }
}

/// Returns whether a word is a duration like `500µs`, which is not quoted although it is not ASCII.
fn is_microseconds(word: &str) -> bool {
    let number = word.strip_suffix("µs").unwrap_or_default();
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}
