// search.js: the search of the reference's page: within the page, without a network. A test runs `rank` by itself.
"use strict";

// The entries that have every word of the query, best first. entries: [{name, line, text, words}]; a name counts more than
// the first line, that more than the rest.
function rank(entries, query) {
  const words = query.toLowerCase().split(/\s+/).filter((w) => w).map((w) => w.replace(/(?<=.{4})(ing|ed|es|s)$/, ""));
  const starts = (text, word) => {
    let count = 0;
    for (let at = text.indexOf(word); at >= 0 && count < 5; at = text.indexOf(word, at + 1))
      if (at === 0 || !/[a-z0-9_]/.test(text[at - 1])) count += 1;
    return count;
  };
  const found = [];
  for (const entry of entries) {
    const name = entry.name.toLowerCase(), line = entry.line.toLowerCase(), text = entry.text.toLowerCase();
    let score = 0;
    const all = words.every((word) => {
      let one = 2 * starts(text, word) + 20 * (starts(line, word) > 0) + 50 * (starts(entry.words || "", word) > 0);
      if (name === word || name.split(/[.:]/).pop() === word) one += 100;
      else if (name.includes(word)) one += 40;
      score += one;
      return one > 0;
    });
    if (all && words.length > 0) found.push({ entry, score });
  }
  return found.sort((a, b) => b.score - a.score).map((f) => f.entry);
}

if (typeof module !== "undefined") module.exports = { rank };

if (typeof document !== "undefined") {
  const entries = [...document.querySelectorAll("section")].map((section) => {
    const about = section.querySelector("p, dd, pre:not(.signature):not(.example)");
    return {
      id: section.id,
      name: section.querySelector("h3").firstChild.textContent.trim(),
      line: (about ? about.textContent : "").split(/(?<=\.)\s/)[0].slice(0, 120),
      text: section.textContent,
      words: section.dataset.words,
    };
  });
  const input = document.getElementById("search");
  const list = document.getElementById("found");
  const contents = document.getElementById("contents");
  const show = () => {
    const query = input.value.trim();
    list.hidden = !query;
    contents.hidden = !!query;
    list.replaceChildren();
    if (!query) return;
    const found = rank(entries, query);
    for (const entry of found.slice(0, 40)) {
      const item = document.createElement("li"), link = document.createElement("a"), line = document.createElement("small");
      link.href = "#" + entry.id;
      link.textContent = entry.name;
      line.textContent = entry.line;
      item.append(link, line);
      list.append(item);
    }
    if (found.length === 0) list.append("nothing has all of these words");
  };
  input.addEventListener("input", show);
  input.addEventListener("keydown", (event) => {
    const first = list.querySelector("a");
    if (event.key === "Enter" && first) location.hash = first.hash;
    if (event.key === "Escape") {
      input.value = "";
      show();
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target === input) return;
    event.preventDefault();
    input.focus();
  });
  show();
}
