//! Names, titles and texts that somebody else wrote.

use yew::prelude::*;

/// Such a text: it turns the direction of nothing around it, and what would show nothing is written out.
pub(crate) fn shown(text: &str) -> Html {
    html! { <bdi>{ podscope_api::visible(text).into_owned() }</bdi> }
}
