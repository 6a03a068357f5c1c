//! Prints an explanation as plain text, for a terminal.

use std::fmt;

use podscope_messages::{listed, t};
use podscope_protocol::device_words;
use podscope_session::columns;
use podscope_session::explained::{ExplanationJson, NodeJson, NodeVerdictJson, PreemptionJson, SpreadJson, VictimJson};

/// Prints rows with aligned columns; numbers are aligned to the right.
fn fmt_table(f: &mut fmt::Formatter<'_>, rows: &[Vec<String>]) -> fmt::Result {
    let n_columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..n_columns)
        .map(|column| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            columns::widest(cells)
        })
        .collect();
    for row in rows {
        let mut line = String::from(" ");
        for (cell, width) in row.iter().zip(&widths) {
            let gap = columns::cell_padding(cell, *width);
            let is_number = !cell.is_empty() && cell.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
            if is_number {
                line.push_str(&format!(" {gap}{cell} "));
            } else {
                line.push_str(&format!(" {cell}{gap} "));
            }
        }
        writeln!(f, "{}", line.trim_end())?;
    }
    Ok(())
}

fn format_victims(victims: &[VictimJson<'_>]) -> String {
    let texts: Vec<String> = victims
        .iter()
        .map(|pod| {
            let budgets: Vec<String> = pod
                .budgets
                .iter()
                .map(|(name, allowed)| t!(cli_explain::budget, name = name, allowed = allowed))
                .collect();
            t!(
                cli_explain::victim,
                pod = pod.pod,
                priority = pod.priority,
                budgets = budgets.concat()
            )
        })
        .collect();
    if texts.is_empty() {
        t!(cli_explain::no_pods)
    } else {
        listed(texts)
    }
}

/// An explanation that is displayed as text.
pub(crate) struct ExplanationText<'a>(pub(crate) &'a ExplanationJson<'a>);

impl fmt::Display for ExplanationText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let explanation = self.0;
        writeln!(f, "{}", explanation.sentence)?;
        if let Some(why) = &explanation.why {
            writeln!(f, "{}", t!(cli_explain::why, why = why))?;
        }
        if let Some(message) = &explanation.message {
            writeln!(f, "{}", t!(cli_explain::scheduler_says, message = message))?;
        }
        if let Some(sampling) = &explanation.sampling {
            writeln!(f, "{sampling}.")?;
        }
        fmt_nodes(explanation, f)?;
        fmt_devices(explanation, f)?;
        if !explanation.plugins.is_empty() {
            fmt_scores(explanation, f)?;
        }
        for constraint in &explanation.spread {
            fmt_spread(constraint, f)?;
        }
        match &explanation.preemption {
            Some(preemption) => fmt_preemption(preemption, f),
            None => Ok(()),
        }
    }
}

fn fmt_nodes(explanation: &ExplanationJson<'_>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    writeln!(f, "\n{}", t!(cli_explain::nodes))?;
    let row = |node: &NodeJson<'_>| {
        let verdict = match node.verdict {
            NodeVerdictJson::Fits => t!(cli_explain::fits),
            NodeVerdictJson::Refused => t!(cli_explain::refused),
            NodeVerdictJson::NotExamined => return None,
        };
        let cells = [node.name, &verdict, node.plugin.unwrap_or_default(), &node.words];
        Some(cells.map(str::to_owned).to_vec())
    };
    let rows: Vec<Vec<String>> = explanation.nodes.iter().filter_map(row).collect();
    fmt_table(f, &rows)
}

/// Prints the devices of the pod's claims by node. Nodes with the same devices are printed once.
fn fmt_devices(explanation: &ExplanationJson<'_>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut groups: Vec<(Vec<&str>, Vec<String>)> = Vec::new();
    for node in &explanation.nodes {
        let Some(devices) = &node.devices else { continue };
        let mut lines: Vec<String> = devices
            .error
            .iter()
            .map(|error| t!(cli_explain::device_error, error = error))
            .collect();
        for pool in devices.unusable_pools {
            let name = format!("{}/{}", pool.driver, pool.pool);
            lines.push(if pool.is_incomplete {
                t!(cli_explain::incomplete_pool, pool = name)
            } else {
                t!(cli_explain::invalid_pool, pool = name)
            });
        }
        for request in &devices.requests {
            lines.push(request.words.clone());
            let others = request.unsuitable.iter();
            lines.extend(
                others.map(|group| format!("  {}: {}", device_words::device_names(group.devices), group.words)),
            );
        }
        match groups.iter_mut().find(|(_, known)| *known == lines) {
            Some((nodes, _)) => nodes.push(node.name),
            None => groups.push((vec![node.name], lines)),
        }
    }
    if !groups.is_empty() {
        writeln!(f, "\n{}", t!(cli_explain::devices))?;
    }
    for (nodes, lines) in groups {
        writeln!(f, "  {}", listed(nodes))?;
        for line in lines {
            writeln!(f, "    {line}")?;
        }
    }
    Ok(())
}

fn fmt_scores(explanation: &ExplanationJson<'_>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    writeln!(f, "\n{}", t!(cli_explain::scores))?;
    let mut head = vec![t!(cli_explain::node)];
    head.extend(
        explanation
            .plugins
            .iter()
            .map(|plugin| format!("{} ×{}", plugin.name, plugin.weight)),
    );
    head.push(t!(cli_explain::total));
    let mut rows = vec![head];
    for node in &explanation.nodes {
        let Some(total) = node.total else { continue };
        let mut row = vec![node.name.to_owned()];
        row.extend(node.scores.iter().map(ToString::to_string));
        row.push(total.to_string());
        rows.push(row);
    }
    fmt_table(f, &rows)
}

fn fmt_spread(constraint: &SpreadJson<'_>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let kind = if constraint.hard {
        "DoNotSchedule"
    } else {
        "ScheduleAnyway"
    };
    let (key, skew, fewest) = (&constraint.topology_key, constraint.max_skew, constraint.min);
    let head = match constraint.too_few_domains {
        None => t!(
            cli_explain::spread,
            key = key,
            kind = kind,
            skew = skew,
            fewest = fewest
        ),
        Some(few) => t!(
            cli_explain::spread_too_few,
            key = key,
            kind = kind,
            skew = skew,
            fewest = fewest,
            found = few.found,
            least = few.min_domains
        ),
    };
    writeln!(f, "\n{head}")?;
    let rows: Vec<Vec<String>> = constraint
        .domains
        .iter()
        .map(|domain| {
            let verdict = match (domain.allowed, constraint.hard) {
                _ if !domain.is_scored => t!(cli_explain::not_scored),
                (true, _) => t!(cli_explain::within_limit),
                (false, true) => t!(cli_explain::too_many),
                (false, false) => t!(cli_explain::above_limit),
            };
            vec![
                domain.value.clone(),
                domain.count.to_string(),
                if domain.is_scored {
                    t!(cli_explain::skew, skew = domain.skew)
                } else {
                    String::new()
                },
                verdict,
            ]
        })
        .collect();
    fmt_table(f, &rows)
}

fn fmt_preemption(preemption: &PreemptionJson<'_>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    writeln!(f, "\n{}", t!(cli_explain::preemption, what = preemption.words))?;
    for candidate in &preemption.candidates {
        let mark = if preemption.chosen.iter().any(|node| node == candidate.node) {
            "*"
        } else {
            " "
        };
        let candidate = t!(
            cli_explain::candidate,
            node = candidate.node,
            victims = format_victims(&candidate.victims),
            reprieved = format_victims(&candidate.reprieved),
            violations = candidate.pdb_violations
        );
        writeln!(f, " {mark}{candidate}")?;
    }
    for one in &preemption.not_helped_nodes {
        writeln!(f, "  {}: {}", one.node, one.words)?;
    }
    Ok(())
}
