// The page's editor: CodeMirror with YAML, in a shadow root. The styles in the shadow root are constructed style
// sheets, because the page's Content-Security-Policy allows no style elements. The colours are the page's custom
// properties. The page mounts the editor with `window.podscopeEditor.mount`.
/*! CodeMirror and Lezer, MIT License
Copyright (C) 2018 by Marijn Haverbeke <marijn@haverbeke.berlin>, Adrian Heine <mail@adrianheine.de>, and others

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
associated documentation files (the "Software"), to deal in the Software without restriction,
including without limitation the rights to use, copy, modify, merge, publish, distribute,
sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions: The above copyright notice and this
permission notice shall be included in all copies or substantial portions of the Software.
THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT
NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM,
DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE. */
import { autocompletion, closeBrackets, startCompletion } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, foldGutter, foldKeymap, HighlightStyle, indentUnit, syntaxHighlighting, syntaxTree } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const theme = EditorView.theme({
  "&": { height: "100%", color: "var(--ink)", backgroundColor: "var(--raised)", fontSize: "13px" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5" },
  ".cm-content": { caretColor: "var(--accent)" },
  ".cm-cursor": { borderLeftColor: "var(--accent)", borderLeftWidth: "2px" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--accent-soft)" },
  ".cm-activeLine": { backgroundColor: "color-mix(in oklch, var(--ink) 4%, transparent)" },
  ".cm-gutters": { backgroundColor: "var(--panel)", color: "var(--ink-3)", borderRight: "1px solid var(--line)" },
  ".cm-tooltip, .cm-panels": { backgroundColor: "var(--raised)", color: "var(--ink)", border: "1px solid var(--line)", borderRadius: "7px" },
  ".cm-tooltip-autocomplete > ul > li": { padding: "4px 10px" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--accent-soft)", color: "var(--ink)" },
  ".cm-completionDetail": { color: "var(--ink-3)" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "700" },
  ".cm-completionInfo": { padding: "4px 10px", maxWidth: "22rem" },
  ".cm-diagnostic": { padding: "4px 10px" },
  ".cm-button, .cm-textfield": { backgroundImage: "none", backgroundColor: "var(--raised)", color: "var(--ink)", border: "1px solid var(--edge)" },
});

const colours = syntaxHighlighting(HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--accent)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--ok)" },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: "var(--wait)" },
  { tag: tags.comment, color: "var(--ink-3)", fontStyle: "italic" },
  { tag: [tags.meta, tags.separator, tags.punctuation], color: "var(--ink-2)" },
]));

/** Maximum length of a document in which the editor completes fields, in characters. */
const MAX_COMPLETED_DOCUMENT_LENGTH = 200_000;

/** Returns whether a position is inside the brackets of a YAML flow collection. The syntax tree does not tell this for
 *  a manifest that is embedded as a text value, so there any opening bracket in the line before the position counts. */
function isInFlowCollection(state, at, textBefore) {
  for (let node = syntaxTree(state).resolveInner(at, -1); node; node = node.parent) {
    if (/^Flow(Mapping|Sequence)$/.test(node.name)) return true;
  }
  return /[{[]/.test(textBefore);
}

/** Returns the function that inserts a completed field: its name, and what begins the first element of a list or the
 *  first field of an object (indentation, or brackets in a flow collection). */
function fieldInserter(name, type) {
  return (view, _, from, to) => {
    const line = view.state.doc.lineAt(from);
    const indent = " ".repeat(from - line.from);
    const isBlock = /^(\[\]|[A-Z]\w*$|map\[|Object)/.test(type) && !/^(Quantity|Time|MicroTime|IntOrString|Duration)$/.test(type);
    const isFlow = isInFlowCollection(view.state, from, line.text.slice(0, from - line.from));
    const [open, close] = /^\[\][A-Z]/.test(type) ? ["[{", "}]"] : type.startsWith("[]") ? ["[", "]"] : ["{", "}"];
    const textAfterName = isBlock && isFlow ? `: ${open}` : isBlock ? `:\n${indent}${type.startsWith("[]") ? "- " : "  "}` : ": ";
    const text = type ? name + textAfterName : name;
    const closingBrackets = isBlock && isFlow ? close : "";
    view.dispatch({ changes: { from, to, insert: text + closingBrackets }, selection: { anchor: from + text.length } });
    // If the field has a fixed set of values, the editor offers them at once.
    if (type && !isBlock) startCompletion(view);
  };
}

/** Mounts an editor in `host`. Calls `onChange` with every new text. When it needs fields for completion, calls
 *  `requestFields` with the text before and after the cursor in its YAML document, and the number of the request. */
function mount(host, text, [onChange, requestFields]) {
  let resolveFields;
  // Number of the last call of `requestFields`. Answers to earlier calls are about another position in the text.
  let lastRequest = 0;
  const completionSource = (context) => {
    const line = context.state.doc.lineAt(context.pos);
    const textBefore = line.text.slice(0, context.pos - line.from);
    // A key, or a value after its key; values are offered before anything is typed.
    const [, key, word] = /(?:^[\s-]*|[{[,]\s*)(?:([\w.]+):\s+)?((?:[\w./][\w./-]*)?)$/.exec(textBefore) ?? [];
    if (word === undefined || (!word && !key && !context.explicit)) return null;
    const doc = context.state.doc.toString();
    const start = doc.lastIndexOf("\n---", context.pos - 1) + 1;
    const end = doc.indexOf("\n---", context.pos);
    const document = doc.slice(start, end < 0 ? undefined : end);
    if (document.length > MAX_COMPLETED_DOCUMENT_LENGTH) return null;
    requestFields(document.slice(0, context.pos - start), document.slice(context.pos - start), ++lastRequest);
    return new Promise((resolve) => {
      resolveFields?.(null);
      resolveFields = resolve;
    }).then((fields) => fields?.length ? {
      from: context.pos - word.length,
      validFor: /^[\w./-]*$/,
      options: fields.map(([label, hint]) => {
        const [type, ...words] = hint.split(" ");
        return { label, detail: type, info: words.join(" ") || undefined, apply: key || !type ? label : fieldInserter(label, type) };
      }),
    } : null);
  };

  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  root.replaceChildren();
  const parent = document.createElement("div");
  parent.style.height = "100%";
  root.append(parent);
  const view = new EditorView({
    parent,
    root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(), foldGutter(), history(), drawSelection(), bracketMatching(), closeBrackets(), highlightActiveLine(),
        highlightSelectionMatches(), yaml(), autocompletion({ override: [completionSource], icons: false }), indentUnit.of("  "), lintGutter(), theme, colours,
        EditorView.contentAttributes.of({ "aria-label": "YAML", spellcheck: "false", tabindex: "0" }),
        // Ctrl-M (Alt-Shift-M on a Mac) lets Tab leave the editor.
        keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap, ...foldKeymap, ...lintKeymap, indentWithTab]),
        EditorView.updateListener.of((update) => { if (update.docChanged) onChange(update.state.doc.toString()); }),
      ],
    }),
  });
  return {
    set(next) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } });
      view.focus();
    },
    /** Shows problems at their positions; line and column count from 1. */
    problems(list) {
      const doc = view.state.doc;
      view.dispatch(setDiagnostics(view.state, list.map(({ line, column, severity, message }) => {
        const at = doc.line(Math.min(Math.max(line, 1), doc.lines));
        const from = Math.min(at.from + Math.max(column - 1, 0), at.to);
        const word = /^[^\s,\]}]+/.exec(doc.sliceString(from, at.to));
        return { from, to: word ? from + word[0].length : at.to, severity, message };
      })));
    },
    /** Receives the answer to a call of `requestFields`: the fields that fit, as pairs of name and hint, and the
     *  number of the call. */
    fields([list, revision]) { if (revision === lastRequest) resolveFields?.(list); },
    destroy() { view.destroy(); },
  };
}

window.podscopeEditor = { mount };
