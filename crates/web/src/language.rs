//! Chooses the page's language and loads its file. On a reload the tab keeps its language; otherwise the address
//! (`lang=`), the reader's stored choice and the browser's languages are tried in this order.

use std::cell::Cell;

use podscope_messages::{LANGUAGES, Locale, PSEUDO, Plural, set, t};
use wasm_bindgen::{JsCast, JsValue};
use yew::Callback;

use crate::browser::{self, Warn as _, store};
use crate::state::Act;

/// Attribute of the document's root element that names the folder with the language files.
const LOCALES_FOLDER_ATTRIBUTE: &str = "data-locales";

thread_local! {
    /// Number of the latest request for a language. A file that arrives for an earlier request is ignored.
    static LATEST_REQUEST: Cell<u32> = const { Cell::new(0) };
}

/// Returns the page's language for a code: for the code itself, or for the code without its region (`es-MX`). `None`
/// for other languages.
fn supported_code(code: &str) -> Option<&'static str> {
    let language = code.split('-').next().unwrap_or_default();
    let is_it = |known: &&str| known.eq_ignore_ascii_case(language);
    match code {
        PSEUDO => Some(PSEUDO),
        _ => LANGUAGES.iter().map(|(code, _)| *code).find(is_it),
    }
}

/// Returns the language in which a visit begins.
pub(crate) fn first_language(in_address: Option<String>) -> &'static str {
    let of_tab = || store::language_of_tab().filter(|_| browser::is_reload());
    let of_browser = || {
        let languages = browser::window()?.navigator().languages();
        let codes = languages.iter().filter_map(|language| language.as_string());
        codes.filter_map(|code| supported_code(&code)).next()
    };
    let in_address = || in_address.as_deref().and_then(supported_code);
    let kept = || store::language().as_deref().and_then(supported_code);
    let chosen = of_tab()
        .as_deref()
        .and_then(supported_code)
        .or_else(in_address)
        .or_else(kept);
    let code = chosen.or_else(of_browser).unwrap_or("en");
    store::store_language_of_tab(code);
    code
}

/// Loads a language and makes it the language of the page. English needs no file. If the file cannot be loaded, the
/// page keeps its language.
///
/// # Errors
/// Why the file cannot be loaded.
pub(crate) async fn load(code: &str) -> Result<(), JsValue> {
    let locale = fetch_locale(code).await?;
    apply_locale(code, locale);
    Ok(())
}

/// Fetches the file of a language; `None` for English.
async fn fetch_locale(code: &str) -> Result<Option<Locale>, JsValue> {
    if code == "en" {
        return Ok(None);
    }
    let folder = browser::root_element()
        .and_then(|root| root.get_attribute(LOCALES_FOLDER_ATTRIBUTE))
        .unwrap_or_default();
    let path = format!("{folder}{code}.txt");
    let file = browser::fetch_site_file(&path).await?;
    let locale = Locale::new(code, file, plural_rule(code));
    locale
        .map(Some)
        .ok_or_else(|| JsValue::from_str(&format!("{path} is not the file of a language")))
}

fn apply_locale(code: &str, locale: Option<Locale>) {
    set(locale);
    if let Some(root) = browser::root_element() {
        let done = root.set_attribute("lang", code);
        done.warn();
    }
}

/// Changes the language of an open page and stores the choice for later visits.
pub(crate) fn change_and_keep(code: &str, act: Callback<Act>) {
    change_language(code, true, act);
}

/// Changes the language of an open page for this visit only, because its address or a course requests it.
pub(crate) fn change_for_this_visit(code: &str, act: Callback<Act>) {
    change_language(code, false, act);
}

fn change_language(code: &str, is_kept: bool, act: Callback<Act>) {
    let Some(code) = supported_code(code) else { return };
    let number = LATEST_REQUEST.get() + 1;
    LATEST_REQUEST.set(number);
    wasm_bindgen_futures::spawn_local(async move {
        let loaded = fetch_locale(code).await;
        if LATEST_REQUEST.get() != number {
            return;
        }
        match loaded.warn() {
            Some(locale) => {
                apply_locale(code, locale);
                store::store_language_of_tab(code);
                if is_kept {
                    store::store_language(code);
                }
                act.emit(Act::Language(code.to_owned()));
            }
            None => act.emit(Act::Toast(t!(language::cannot_load, code = code))),
        }
    });
}

/// Returns the browser's plural rule of a language.
fn plural_rule(code: &str) -> impl Fn(u64) -> Plural + 'static {
    let locales = js_sys::Array::of1(&JsValue::from_str(code));
    let rules = js_sys::Intl::PluralRules::new(&locales, &js_sys::Object::new());
    move |count: u64| {
        #[expect(
            clippy::cast_precision_loss,
            reason = "the category of a number above 2^53 is that of its neighbours"
        )]
        let name = rules.select(count as f64);
        Plural::named(&String::from(name.unchecked_into::<js_sys::JsString>()))
    }
}
