// The editor: CodeMirror over the question's text field, with completion from what is public about the tables.

import { autocompletion, completionKeymap } from "@codemirror/autocomplete"
import { SQLDialect, sql } from "@codemirror/lang-sql"
import { HighlightStyle, bracketMatching, syntaxHighlighting, syntaxTree } from "@codemirror/language"
import { Prec } from "@codemirror/state"
import { EditorView, keymap, placeholder } from "@codemirror/view"
import { tags } from "@lezer/highlight"
import { minimalSetup } from "codemirror"
import { StyleModule } from "style-mod"

// The server's pages allow no style elements. Styles that scripts adopt are allowed, so all go into one such sheet.
const sheet = new CSSStyleSheet()
document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
StyleModule.mount = (root, modules) =>
  sheet.replaceSync((Array.isArray(modules) ? modules : [modules]).map(each => each.getRules()).join("\n"))

const KEYWORDS =
  "select from where group by having order limit as and or not in is null between like case when then else end " +
  "join left inner on using with distinct asc desc exists union all filter grouping sets rollup cube interval date " +
  "timestamp true false cast try_cast values"

const dialect = SQLDialect.define({ keywords: KEYWORDS, types: "integer float text date timestamp boolean decimal" })

const style = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--word)", fontWeight: "600" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--text)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--number)" },
  { tag: tags.comment, color: "var(--soft)", fontStyle: "italic" },
])

const theme = EditorView.theme({
  "&": { fontSize: "15px", backgroundColor: "transparent" },
  "&.cm-focused": { outline: "none" },
  ".cm-content": { fontFamily: "var(--mono)", padding: "12px 4px", minHeight: "9em", caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)", borderLeftWidth: "2px" },
  ".cm-placeholder": { color: "var(--soft)" },
  ".cm-scroller": { lineHeight: "1.6", fontFamily: "var(--mono)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { background: "var(--selected) !important" },
  ".cm-matchingBracket": { backgroundColor: "var(--selected) !important", color: "inherit" },
  ".cm-tooltip": { background: "var(--card)", border: "1px solid var(--edge)", borderRadius: "8px", color: "var(--ink)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", fontSize: "14px", maxHeight: "16em" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "4px 10px" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { background: "var(--accent)", color: "var(--on-accent)" },
  ".cm-completionDetail": { fontStyle: "normal", opacity: "0.8", marginLeft: "1.2em" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "700" },
})

const KEYWORDS_SHOWN = "SELECT FROM WHERE GROUP BY HAVING ORDER LIMIT AS AND OR NOT IN IS NULL BETWEEN LIKE CASE WHEN THEN ELSE END JOIN LEFT ON USING WITH DISTINCT ASC DESC FILTER INTERVAL".split(" ")

// One source of completions: what begins with the letters before the cursor, the nearest first. After a point only
// columns, inside quotes only declared values; columns of tables that the question names come before all others.
const makeSource = known => context => {
  const node = syntaxTree(context.state).resolveInner(context.pos, -1)
  if (node.name.endsWith("Comment")) return null
  const quoted = node.name === "String"
  const word = quoted ? { from: node.from + 1, text: context.state.sliceDoc(node.from + 1, context.pos) } : context.matchBefore(/\w*/)
  if (!quoted && !word.text && !context.explicit && context.state.sliceDoc(word.from - 1, word.from) !== ".") return null
  const asked = context.state.doc.toString()
  const isNamed = table => new RegExp(`\\b${table.replace(/\W/g, "\\$&")}\\b`, "i").test(asked)
  const near = new Set(known.tables.filter(isNamed))
  const columns = known.columns.map(each => ({ ...each, type: "property", boost: near.size && !near.has(each.table) ? 0 : 4 }))
  const wantsTable = /\b(from|join)\s+$/i.test(context.state.sliceDoc(0, word.from))
  const pointed = context.state.sliceDoc(word.from - 1, word.from) === "."
  const all = quoted
    ? known.values
    : pointed
      ? columns
      : [
          ...columns,
          ...known.tables.map(label => ({ label, type: "class", detail: "table", boost: wantsTable ? 5 : 3 })),
          ...known.aggregates.map(label => ({ label, type: "function", detail: "aggregate", apply: `${label}(`, boost: 2 })),
          ...KEYWORDS_SHOWN.map(label => ({ label, type: "keyword", boost: 1 })),
          ...known.functions.map(label => ({ label, type: "function", detail: "function", apply: `${label}(`, boost: -1 })),
        ]
  const start = word.text.toLowerCase()
  const seen = new Set()
  const options = all
    .filter(each => each.label.toLowerCase().startsWith(start) && !seen.has(each.label) && seen.add(each.label))
    .sort((one, other) => (other.boost || 0) - (one.boost || 0))
  if (!context.explicit && options.some(each => each.label.toLowerCase() === start)) return null
  return { from: word.from, options, filter: false }
}

function openEditor(field) {
  const known = JSON.parse(field.dataset.schema)
  const ask = () => (field.form.requestSubmit(), true)
  const view = new EditorView({
    doc: field.value,
    extensions: [
      Prec.highest(keymap.of([{ key: "Mod-Enter", run: ask }])),
      keymap.of(completionKeymap),
      minimalSetup,
      sql({ dialect }),
      autocompletion({ override: [makeSource(known)], icons: false, activateOnTypingDelay: 60 }),
      syntaxHighlighting(style),
      bracketMatching(),
      theme,
      EditorView.lineWrapping,
      placeholder(field.placeholder),
      EditorView.contentAttributes.of({ "aria-labelledby": "question-label", "aria-describedby": "question-hint" }),
      EditorView.updateListener.of(update => {
        if (!update.docChanged) return
        field.value = view.state.doc.toString()
        field.dispatchEvent(new Event("input", { bubbles: true }))
      }),
    ],
  })
  field.hidden = true
  field.required = false
  field.before(view.dom)
  view.focus()
}

const field = document.getElementById("question")
if (field && field.dataset.schema) openEditor(field)
