//! Figures of two compared runs: for each resource a plot of how full the nodes are, and a table.

use podscope_messages::{Message, Sentence, figures, t};
use podscope_protocol::{ComparedFigures, NodeFullness};
use yew::prelude::*;

use super::shown::shown;
use crate::pure::fullness;

/// Names of the two compared runs, for the columns of the table and the lines of the plots.
const RUN_NAMES: [Message; 2] = [figures::this_run, figures::other_run];

/// Renders the plots and the table of two compared runs; renders nothing if there are no figures.
pub(super) fn view(figures: &ComparedFigures) -> Html {
    let mut rows = figures.rows.iter();
    let Some(names) = rows.next() else {
        return Html::default();
    };
    html! {
        <>
            { for figures.fullness.iter().map(fullness_plot) }
            <div class="scroll" tabindex="0" role="region" aria-label={t!(figures::figures)}>
                <table>
                    <thead><tr>{ for names.iter().map(column_name) }</tr></thead>
                    <tbody>{ for rows.map(|row| figure_row(row)) }</tbody>
                </table>
            </div>
        </>
    }
}

/// The head of a column; empty for the column of the figures' names.
fn column_name(name: &Sentence) -> Html {
    match name.is_empty() {
        true => html! { <td></td> },
        false => html! { <th scope="col">{ shown(&name.to_string()) }</th> },
    }
}

fn figure_row(row: &[Sentence]) -> Html {
    let mut cells = row.iter();
    html! {
        <tr>
            <th scope="row">{ for cells.next().map(|title| shown(&title.to_string())) }</th>
            { for cells.map(|cell| html! { <td>{ shown(&cell.to_string()) }</td> }) }
        </tr>
    }
}

/// Draws the plot of one resource: a line for each run, from the fullest node to the emptiest. The table contains the
/// same figures.
fn fullness_plot(one: &NodeFullness) -> Html {
    let title = t!(figures::plot, resource = one.resource);
    html! {
        <figure class="fullness">
            <figcaption>{ title }</figcaption>
            <div>
                <span class="mono" aria-hidden="true">{ "100 %" }</span>
                <svg viewBox={format!("0 0 {} {}", fullness::PLOT_WIDTH, fullness::PLOT_HEIGHT)} preserveAspectRatio="none" aria-hidden="true">
                    { for one.runs.iter().enumerate().map(|(nth, shares)| html! { <path class={format!("run-{nth}")} d={fullness::fullness_line(shares)} /> }) }
                </svg>
                <span class="mono" aria-hidden="true">{ "0" }</span>
            </div>
            <p class="names" aria-hidden="true">{ for RUN_NAMES.iter().enumerate().map(|(nth, name)| html! { <span class={format!("run-{nth}")}>{ name.text() }</span> }) }</p>
        </figure>
    }
}
