// What every page of the console runs: htmx, and a few habits of forms. Pages work without it, with plain requests.

import htmx from "htmx.org/dist/htmx.esm.js"

// Nothing that a page holds is ever run, and htmx writes no styles of its own: the server's rules for pages allow neither.
Object.assign(htmx.config, {
  allowEval: false,
  allowScriptTags: false,
  includeIndicatorStyles: false,
  historyEnabled: false,
  selfRequestsOnly: true,
  responseHandling: [
    { code: "204", swap: false },
    { code: "...", swap: true },
  ],
})

// A price of the price list, once chosen, goes into the form.
document.addEventListener("click", event => {
  const chosen = event.target.closest("[data-epsilon]")
  const field = document.getElementById("epsilon")
  if (!chosen || !field) return
  field.value = chosen.dataset.epsilon
  field.dispatchEvent(new Event("input", { bubbles: true }))
  field.focus()
})

// An answer takes its public time: say so, and read it out once it is there.
document.addEventListener("htmx:beforeRequest", event => {
  if (event.target.id !== "asking") return
  document.getElementById("ask-button").setAttribute("aria-disabled", "true")
})
document.addEventListener("htmx:afterRequest", event => {
  if (event.target.id !== "asking") return
  document.getElementById("ask-button").removeAttribute("aria-disabled")
  if (event.detail.failed && !event.detail.xhr.status)
    document.getElementById("answer").textContent =
      "The server cannot be reached. What was paid for is not lost: ask the same again later."
})
document.addEventListener("htmx:afterSettle", event => {
  if (event.target.id !== "answer") return
  const heading = event.target.querySelector("h2")
  if (heading) heading.focus()
})

document.addEventListener("click", async event => {
  const button = event.target.closest("[data-copy]")
  if (!button) return
  try {
    await navigator.clipboard.writeText(button.dataset.copy)
    button.textContent = "Copied"
  } catch {
    button.textContent = "Select and copy it"
  }
})
