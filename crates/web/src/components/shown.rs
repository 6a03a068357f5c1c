//! Renders texts that Podscope did not write: names, titles, messages.

use yew::prelude::*;

use crate::pure::markdown::{self, Span};

/// Renders an untrusted text: its writing direction does not affect the surrounding text, and invisible characters are
/// escaped.
pub(crate) fn shown(text: &str) -> Html {
    html! { <bdi>{ with_unbroken_names(&podscope_api::visible(text)) }</bdi> }
}

/// Maximum length of a name that is kept on one line, in bytes: in a narrow panel a longer name may have to break.
const MAX_UNBROKEN_NAME_BYTES: usize = 28;

/// Renders a text without line breaks at the hyphens of names and between a number and its unit.
pub(super) fn with_unbroken_names(text: &str) -> Html {
    let is_named = |word: &str| word.contains('-') && word.len() <= MAX_UNBROKEN_NAME_BYTES;
    let is_number = |word: &str| word.trim_end().parse::<f64>().is_ok();
    let is_unit = |word: &str| {
        let letters = word.trim_end_matches([' ', '.', ',', ';', ':', ')']);
        letters.len() <= 3 && !letters.is_empty() && letters.chars().all(char::is_alphabetic)
    };
    // A text without spaces is not protected: a line break in it is acceptable.
    if !text.contains(' ') {
        return html! { { text } };
    }
    let words: Vec<&str> = text.split_inclusive(' ').collect();
    let mut parts: Vec<Html> = Vec::new();
    // The text since the last part that is kept on one line.
    let mut plain = String::new();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let unit = words.get(at + 1).filter(|next| is_number(word) && is_unit(next));
        if unit.is_some() || is_named(word) {
            let whole = format!("{word}{}", unit.copied().unwrap_or_default());
            let name = whole.trim_end();
            parts.push(html! { { std::mem::take(&mut plain) } });
            parts.push(html! { <span class="whole">{ name }</span> });
            plain.push_str(&whole[name.len()..]);
            at += usize::from(unit.is_some());
        } else {
            plain.push_str(word);
        }
        at += 1;
    }
    parts.push(html! { { plain } });
    html! { <>{ for parts }</> }
}

/// Returns the key of an element whose text is centred or right-aligned. A text of another width gets another key and
/// so a new element, which browsers do not count as a layout shift.
pub(crate) fn key_of_text_width(words: &str) -> String {
    words.chars().count().to_string()
}

/// Renders a sentence of the engine: text between backticks becomes code.
pub(crate) fn text_with_code(text: &str) -> Html {
    let text = podscope_api::visible(text);
    let parts = text.split('`').enumerate().map(|(at, part)| match at % 2 {
        1 => code(part, MAX_UNBROKEN_NAME_BYTES),
        _ => with_unbroken_names(part),
    });
    html! { <bdi>{ for parts }</bdi> }
}

/// Renders code within a sentence. Code of at most `max_unbroken_bytes` is kept on one line.
pub(super) fn code(text: &str, max_unbroken_bytes: usize) -> Html {
    html! { <code class={(text.len() <= max_unbroken_bytes).then_some("whole")}>{ shown(text) }</code> }
}

/// Renders a long name: lines may break after a dot, or before a word of a name in camel case, instead of inside a word.
pub(crate) fn breakable_name(text: &str) -> Html {
    let text = podscope_api::visible(text);
    let mut parts = Vec::new();
    let (mut begin, mut before) = (0, ' ');
    for (at, letter) in text.char_indices() {
        if before == '.' || before.is_ascii_lowercase() && letter.is_ascii_uppercase() {
            parts.push(&text[begin..at]);
            begin = at;
        }
        before = letter;
    }
    parts.push(&text[begin..]);
    html! { <bdi>{ for parts.into_iter().map(|part| html! { <>{ part }<wbr /></> }) }</bdi> }
}

/// Renders a message of Podscope's own with `*emphasis*`, `**strong**` parts and code in backticks.
pub(crate) fn rich_text(text: &str) -> Html {
    let spans = markdown::spans(text).into_iter().map(|span| match span {
        Span::Text(text) | Span::Term(_, text) => html! { { text } },
        Span::Emphasis(text) => html! { <em>{ text }</em> },
        Span::Strong(text) => html! { <strong>{ text }</strong> },
        Span::Code(text) => code(&text, MAX_UNBROKEN_NAME_BYTES),
    });
    html! { <>{ for spans }</> }
}
