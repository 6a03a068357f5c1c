//! The command `fault device`, which changes a device of a node.

use podscope_api::{Str, label_value_problems, qualified_name_problems};
use podscope_cluster::fault::{DeviceChange, Fault};

use super::super::CommandError;
use super::super::shell::Word;
use super::{FaultLine, parse_node_name};

/// Effects of device taints.
const TAINT_EFFECTS: [&str; 3] = ["NoSchedule", "NoExecute", "None"];

pub(super) fn parse(line: &mut FaultLine<'_>) -> Result<Fault, CommandError> {
    let (node, device, change) = match line.args.positional.as_slice() {
        [node, device, word] => {
            let change = match word.text.as_str() {
                "gone" => DeviceChange::Gone,
                "back" => DeviceChange::Back,
                "unhealthy" => DeviceChange::Unhealthy,
                _ => return Err(line.usage_error(word.column)),
            };
            (node, device, change)
        }
        [node, device, word, taint] if word.text == "taint" => (node, device, parse_taint(line, taint)?),
        _ => return Err(line.usage_error(line.args.end)),
    };
    let (node, device) = (parse_node_name(node)?, Str::from(device.text.as_str()));
    line.words.push_word(&*node);
    line.words.push_word(&*device);
    change
        .to_string()
        .split(' ')
        .for_each(|word| line.words.push_word(word));
    Ok(Fault::Device { node, device, change })
}

/// Parses `KEY=VALUE:EFFECT`, `KEY:EFFECT`, `KEY:EFFECT-` or `KEY-`.
fn parse_taint(line: &FaultLine<'_>, word: &Word) -> Result<DeviceChange, CommandError> {
    let wrong = |problem: String| CommandError::new(word.column, format!("error: {:?}: {problem}", word.text));
    let (text, removes) = match word.text.strip_suffix('-') {
        Some(text) => (text, true),
        None => (word.text.as_str(), false),
    };
    let (pair, effect) = match text.rsplit_once(':') {
        Some((pair, effect)) => (pair, Some(effect)),
        None => (text, None),
    };
    if let Some(effect) = effect.filter(|effect| !TAINT_EFFECTS.contains(effect)) {
        let known = TAINT_EFFECTS.join(", ");
        return Err(wrong(format!(
            "{effect:?} is not an effect of a device taint; there are {known}"
        )));
    }
    let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
    if let Some(problem) = qualified_name_problems(key).into_iter().next() {
        return Err(wrong(problem));
    }
    if let Some(problem) = label_value_problems(value).into_iter().next() {
        return Err(wrong(problem));
    }
    let key = Str::from(key);
    match (removes, effect) {
        (true, effect) => Ok(DeviceChange::Untaint {
            key,
            effect: effect.map(Str::from),
        }),
        (false, Some(effect)) => Ok(DeviceChange::Taint {
            key,
            value: value.into(),
            effect: effect.into(),
        }),
        (false, None) => Err(line.usage_error(word.column)),
    }
}
