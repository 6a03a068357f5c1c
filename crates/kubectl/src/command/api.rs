//! The command `api METHOD PATH [--content-type TYPE]`: an HTTP request to the API server, with its body as a
//! here-document. `podscope serve` records the requests of programs as such commands in the timeline of a session.

use super::shell::{Word, here_document, quote};
use super::{Command, CommandError};
use crate::rest::{ApiCall, Method};

const USAGE: &str = "error: use: api POST|PUT|PATCH|DELETE PATH [--content-type TYPE] <<'EOF'";

/// Parses the words after `api` into a command.
pub(super) fn parse(words: &[Word], stdin: Option<String>) -> Result<Command, CommandError> {
    let (mut positional, mut content_type) = (Vec::new(), String::new());
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word.text == "--content-type" {
            let value = words.next().ok_or_else(|| CommandError::new(word.column, USAGE))?;
            content_type.clone_from(&value.text);
        } else if word.text.starts_with("--") {
            return Err(CommandError::new(
                word.column,
                format!("error: unknown flag: {}", word.text),
            ));
        } else {
            positional.push(word);
        }
    }
    let column = positional.first().map_or(1, |word| word.column);
    let [method, path] = positional.as_slice() else {
        return Err(CommandError::new(column, USAGE));
    };
    let method = Method::named(&method.text).ok_or_else(|| CommandError::new(method.column, USAGE))?;
    if !path.text.starts_with('/') {
        return Err(CommandError::new(
            path.column,
            "error: a path begins with /, e.g. /api/v1/namespaces/default/pods",
        ));
    }
    let body = stdin.unwrap_or_default();
    Ok(Command::Api(ApiCall::new(
        method,
        path.text.as_str(),
        content_type,
        &body,
    )))
}

/// Prints the command as its canonical text.
pub(super) fn print(call: &ApiCall) -> String {
    let mut text = format!("api {} {}", call.method.as_str(), quote(&call.path));
    if !call.content_type.is_empty() {
        text.push_str(&format!(" --content-type {}", quote(&call.content_type)));
    }
    if !call.body.is_empty() {
        text.push(' ');
        text.push_str(&here_document(&call.body));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows: K-01
    #[test]
    fn printed_api_command_parses_to_equal_command() {
        let body = "{\"kind\": \"ConfigMap\", \"data\": {\"a\": \"it's\\n\"}}";
        for call in [
            ApiCall::new(
                Method::Post,
                "/api/v1/namespaces/a/configmaps?x=a%20b",
                "application/json",
                body,
            ),
            ApiCall::new(Method::Delete, "/api/v1/nodes/a-1", "", ""),
            ApiCall::new(
                Method::Patch,
                "/api/v1/nodes/it's",
                "application/merge-patch+json",
                "EOF\n{}",
            ),
        ] {
            let command = Command::Api(call);
            assert_eq!(
                super::super::parse(&command.to_string()),
                Ok(command.clone()),
                "{command}"
            );
        }
    }

    #[test]
    fn invalid_api_command_reports_error_column() {
        for (line, column) in [("api GET /x", 5), ("api POST x", 10), ("api POST /x --odd", 13)] {
            assert_eq!(super::super::parse(line).expect_err(line).column, column, "{line}");
        }
    }
}
