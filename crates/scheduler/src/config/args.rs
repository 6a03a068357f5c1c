//! Reads `pluginConfig` and passes each entry to its plugin (SCH-133). The fields of an entry are read in the plugin's
//! file.

use podscope_api::ProblemKind;
use serde_json::Value;

use super::Args;
use super::read::{Errors, Fields};
use crate::plugins::Plugin;

pub(super) fn read_args(profile: &mut Fields<'_>, args: &mut Args, errors: &mut Errors) {
    let base = profile.path_of("pluginConfig");
    let mut seen: Vec<String> = Vec::new();
    for (index, value) in profile.list("pluginConfig", errors).into_iter().flatten().enumerate() {
        let path = format!("{base}[{index}]");
        let mut entry = Fields::new(value, &path, errors);
        let name = entry.string("name", errors).unwrap_or("").to_owned();
        let value = entry.get("args");
        entry.finish(errors);
        if seen.contains(&name) {
            errors.push_with_kind(ProblemKind::Duplicate, path, format!("Duplicate value: \"{name}\""));
            continue;
        }
        seen.push(name.clone());
        // Arguments of plugins that do not exist are skipped (SCH-133).
        if let (Some(plugin), Some(value)) = (Plugin::from_name(&name), value) {
            read_plugin_args(plugin, value, &format!("{path}.args"), args, errors);
        }
    }
}

fn read_plugin_args(plugin: Plugin, value: &Value, path: &str, args: &mut Args, errors: &mut Errors) {
    let name = plugin.name();
    let mut fields = Fields::new(value, path, errors);
    fields.string("apiVersion", errors);
    if let Some(kind) = fields.string("kind", errors)
        && kind != format!("{name}Args")
    {
        errors.push(
            path,
            format!("args for plugin {name} were not of type {name}Args, got {kind}"),
        );
        return;
    }
    plugin.extension_points().read_args(&mut fields, args, errors);
    fields.finish(errors);
}
