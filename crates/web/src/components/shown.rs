//! Names, titles and texts that somebody else wrote.

use yew::prelude::*;

/// Such a text: it turns the direction of nothing around it, and what would show nothing is written out.
pub(crate) fn shown(text: &str) -> Html {
    html! { <bdi>{ podscope_api::visible(text).into_owned() }</bdi> }
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
        _ => html! { <>{ part }</> },
    });
    html! { <bdi>{ for parts }</bdi> }
}

/// A name with dots: a line may end after one, rather than inside a word.
pub(crate) fn dotted(text: &str) -> Html {
    let text = podscope_api::visible(text);
    html! { <bdi>{ for text.split_inclusive('.').map(|part| html! { <>{ part }<wbr /></> }) }</bdi> }
}
