//! Names, titles and texts that somebody else wrote.

use yew::prelude::*;

/// Such a text: it turns the direction of nothing around it, and what would show nothing is written out.
pub(crate) fn shown(text: &str) -> Html {
    html! { <bdi>{ unbroken(&podscope_api::visible(text)) }</bdi> }
}

/// A longer name may be broken: a narrow panel has no room for it.
const LONGEST_WHOLE: usize = 28;

/// A text whose lines end neither at a name's hyphen nor between a number and its unit.
fn unbroken(text: &str) -> Html {
    let is_named = |word: &str| word.contains('-') && word.len() <= LONGEST_WHOLE;
    let is_number = |word: &str| word.trim_end().parse::<f64>().is_ok();
    let is_unit = |word: &str| {
        let letters = word.trim_end_matches([' ', '.', ',', ';', ':', ')']);
        letters.len() <= 3 && !letters.is_empty() && letters.chars().all(char::is_alphabetic)
    };
    // A text of one word has its line for itself.
    if !text.contains(' ') {
        return html! { { text } };
    }
    let words: Vec<&str> = text.split_inclusive(' ').collect();
    let mut parts: Vec<Html> = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let unit = words.get(at + 1).filter(|next| is_number(word) && is_unit(next));
        match unit {
            Some(unit) => {
                parts.push(html! { <span class="whole">{ *word }{ *unit }</span> });
                at += 1;
            }
            None if is_named(word) => {
                let (name, space) = word.split_at(word.trim_end().len());
                parts.push(html! { <><span class="whole">{ name }</span>{ space }</> });
            }
            None => parts.push(html! { { *word } }),
        }
        at += 1;
    }
    html! { <>{ for parts }</> }
}

/// The key of words at the right end of a line, or in its middle: where their width changes another element takes their
/// place, which the browser does not count as one that has moved.
pub(crate) fn width_key(words: &str) -> String {
    words.chars().count().to_string()
}

/// A sentence of the engine: what stands between backticks is code.
pub(crate) fn told(text: &str) -> Html {
    let text = podscope_api::visible(text);
    let parts = text.split('`').enumerate().map(|(at, part)| match at % 2 {
        1 => html! { <code>{ part }</code> },
        _ => unbroken(part),
    });
    html! { <bdi>{ for parts }</bdi> }
}

/// A name with dots: a line may end after one, rather than inside a word.
pub(crate) fn dotted(text: &str) -> Html {
    let text = podscope_api::visible(text);
    html! { <bdi>{ for text.split_inclusive('.').map(|part| html! { <>{ part }<wbr /></> }) }</bdi> }
}
