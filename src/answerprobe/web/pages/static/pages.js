// Pages work without this. It keeps times true, shows how far a run has come without
// anybody loading the page again, opens what a link points to, and ticks all cases.
"use strict";

const STEPS = [[60, 1, "s"], [3600, 60, "min"], [86400, 3600, "h"]];
const POLL_MILLISECONDS = 2000;

function relative(seconds) {
  const size = Math.abs(seconds);
  if (size < 5) return seconds >= 0 ? "just now" : "any moment";
  const step = STEPS.find(([below]) => size < below);
  const days = Math.floor(size / 86400);
  const told = step ? `${Math.floor(size / step[1])} ${step[2]}` : `${days} day${days === 1 ? "" : "s"}`;
  return seconds > 0 ? `${told} ago` : `in ${told}`;
}

function tellTimes() {
  for (const time of document.querySelectorAll("time[datetime]")) {
    time.textContent = relative((Date.now() - Date.parse(time.dateTime)) / 1000);
  }
}

// The clock of whoever looks may be wrong; then what the server wrote stays.
function clockIsRight() {
  const written = document.querySelector("footer time[datetime]");
  return written !== null && Math.abs(Date.now() - Date.parse(written.dateTime)) < 60000;
}

async function follow() {
  const shown = document.getElementById("live");
  if (shown === null || !("live" in shown.dataset)) return;
  let fresh;
  try {
    const response = await fetch(window.location.href, { cache: "no-store" });
    if (!response.ok) throw new Error(response.statusText);
    fresh = new DOMParser().parseFromString(await response.text(), "text/html").getElementById("live");
  } catch {
    window.setTimeout(follow, 5 * POLL_MILLISECONDS);
    return;
  }
  if (fresh === null || !("live" in fresh.dataset)) {
    window.location.reload();
    return;
  }
  if (fresh.innerHTML !== shown.innerHTML) shown.replaceChildren(...fresh.childNodes);
  window.setTimeout(follow, POLL_MILLISECONDS);
}

function openTarget() {
  const target = document.getElementById(decodeURIComponent(window.location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) target.open = true;
}

function offerAll() {
  const boxes = [...document.querySelectorAll('input[type="checkbox"][name="case"]')];
  const place = document.querySelector(".cases thead td");
  if (boxes.length < 2 || place === null) return;
  const all = document.createElement("input");
  all.type = "checkbox";
  all.setAttribute("aria-label", "Choose all cases of this page");
  all.addEventListener("change", () => {
    for (const box of boxes) box.checked = all.checked;
  });
  place.append(all);
}

if (clockIsRight()) window.setInterval(tellTimes, 10000);
window.setTimeout(follow, POLL_MILLISECONDS);
window.addEventListener("hashchange", openTarget);
openTarget();
offerAll();
