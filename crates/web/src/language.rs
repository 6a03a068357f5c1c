//! The language of the page: which one it is, and the load of its file. The address chooses (`lang=`), then what this tab
//! showed before a reload, then the kept choice, then the browser.

use podscope_messages::{LANGUAGES, Locale, PSEUDO, Plural, set, t};
use wasm_bindgen::{JsCast, JsValue};
use yew::Callback;

use crate::browser::{self, store};
use crate::state::Act;

/// Attribute of the document's root that holds the folder of the languages' files.
const FOLDER: &str = "data-locales";

/// Returns whether the page has a language of this code.
fn is_known(code: &str) -> bool {
    code == PSEUDO || LANGUAGES.iter().any(|(known, _)| *known == code)
}

/// The language that a visit begins in.
pub(crate) fn first(in_address: Option<String>) -> String {
    let of_browser = || {
        let languages = browser::window()?.navigator().languages();
        let codes = languages.iter().filter_map(|language| language.as_string());
        codes
            .filter_map(|code| Some(code.split('-').next()?.to_owned()))
            .find(|code| is_known(code))
    };
    let kept = || store::language().filter(|code| is_known(code));
    let in_address = in_address
        .filter(|code| is_known(code))
        .inspect(|code| store::note_language(code));
    let chosen = in_address.or_else(kept);
    chosen.or_else(of_browser).unwrap_or_else(|| "en".to_owned())
}

/// Loads a language and makes it the page's; English needs no file. If the file cannot be loaded the language stays.
///
/// # Errors
/// Why the file cannot be loaded.
pub(crate) async fn load(code: &str) -> Result<(), JsValue> {
    let root = browser::root();
    if code == "en" {
        set(None);
    } else {
        let folder = root
            .as_ref()
            .and_then(|root| root.get_attribute(FOLDER))
            .unwrap_or_default();
        let file = browser::file_of_site(&format!("{folder}{code}.txt")).await?;
        set(Some(Locale::new(code, file, plural_rule(code))));
    }
    if let Some(root) = root {
        root.set_attribute("lang", code)?;
    }
    Ok(())
}

/// Changes the language of an open page and keeps the choice.
pub(crate) fn choose(code: String, act: Callback<Act>) {
    store::keep_language(&code);
    show(code, act);
}

/// Changes the language of an open page for this visit, as its address or a course says.
pub(crate) fn show(code: String, act: Callback<Act>) {
    if !is_known(&code) {
        return;
    }
    store::note_language(&code);
    if code == podscope_messages::code() {
        return;
    }
    wasm_bindgen_futures::spawn_local(async move {
        match load(&code).await {
            Ok(()) => act.emit(Act::Language(code)),
            Err(_) => act.emit(Act::Toast(t!(language::cannot_load, code = code))),
        }
    });
}

/// The plural rule of a language: the browser's.
fn plural_rule(code: &str) -> impl Fn(u64) -> Plural + 'static {
    let locales = js_sys::Array::of1(&JsValue::from_str(code));
    let rules = js_sys::Intl::PluralRules::new(&locales, &js_sys::Object::new());
    move |n: u64| {
        #[expect(
            clippy::cast_precision_loss,
            reason = "the category of a number above 2^53 is that of its neighbours"
        )]
        let name = rules.select(n as f64);
        Plural::named(&String::from(name.unchecked_into::<js_sys::JsString>()))
    }
}
