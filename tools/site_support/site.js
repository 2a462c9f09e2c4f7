// SPDX-License-Identifier: MIT
// Before the theme's own script: what it looks for under the name __search, and its colours.
var __search = {
  // The index holds section and key as two words, and so must the question.
  transform: (query) => query.replace(/[\s\-,:!=\[\]()"/.<>`|*+~^]+/g, " ").trim(),
};

// Colours follow the system until somebody chooses; the theme would keep those of the first visit.
(() => {
  const base = new URL(document.currentScript.dataset.base, location);
  const key = (name) => `${base.pathname}.${name}`;
  try {
    if (!localStorage.getItem(key("chosen"))) localStorage.removeItem(key("__palette"));
    addEventListener("change", (event) => {
      if (event.isTrusted && event.target.name === "__color") localStorage.setItem(key("chosen"), "1");
    });
  } catch (error) { /* a browser that keeps nothing */ }
})();

// Search in a site that is opened from a disk: a browser then neither fetches files nor starts workers. The index comes as a
// script, and what should run in a worker runs in a frame that is not seen.
if (location.protocol === "file:") {
  const base = document.currentScript.dataset.base;

  const addScript = (target, url) => new Promise((resolve, reject) => {
    const script = target.createElement("script");
    script.onload = resolve;
    script.onerror = reject;
    script.src = url;
    target.head.append(script);
  });

  __search.index = addScript(document, `${base}/search/search_index.js`).then(() => __index);

  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      const loaded = document.readyState === "loading"
        ? new Promise((resolve) => addEventListener("DOMContentLoaded", resolve)) : Promise.resolve();
      this.ready = loaded.then(() => {
        document.body.append(frame);
        const inside = frame.contentWindow;
        inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
        inside.importScripts = (...urls) =>
          urls.reduce((before, next) => before.then(() => addScript(frame.contentDocument, next)), Promise.resolve());
        this.frame = frame;
        return addScript(frame.contentDocument, new URL(url, location.href));
      });
    }
    postMessage(data) {
      this.ready.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data })));
    }
    terminate() { this.ready.then(() => this.frame.remove()); }
  };
}
