// The table's clock above the conversation: its time, what comes next, and buttons that move it.

import { bars, foldButton } from "/phone-bars.js";

const MOVES = [
  ["+1 hour", { seconds: 3600 }],
  ["+12 hours", { seconds: 12 * 3600 }],
  ["+1 day", { seconds: 24 * 3600 }],
  ["Next deadline", { next: true }],
];
//: Milliseconds between two looks at the clock: another window may have moved it.
const LOOK = 10000;
//: Path of the page's actions, the clock bar's own among them.
const ACTIONS = "/api/action";
//: Milliseconds after an act on the page until the clock bar looks: the bot works on it meanwhile.
const LOOKS_AFTER_ACT = [300, 1500];

const capability = window.location.hash.slice(1);
const hours = { weekday: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: "UTC" };
const dates = new Intl.DateTimeFormat("en-US", { ...hours, month: "short", day: "numeric" });
//: The time on the button of a phone.
const shortTimes = new Intl.DateTimeFormat("en-US", hours);

const bar = document.createElement("section");
bar.className = "clock-bar";
bar.setAttribute("aria-label", "The table's clock");
const time = Object.assign(document.createElement("span"), { className: "clock-bar-time" });
const next = Object.assign(document.createElement("span"), { className: "clock-bar-next" });
next.setAttribute("role", "status");
const row = Object.assign(document.createElement("span"), { className: "clock-bar-buttons" });
row.id = "clock-bar-buttons";
const fold = foldButton(bar, "clock-bar-open", row.id);
fold.setAttribute("aria-describedby", "clock-bar-time");
time.id = "clock-bar-time";
const buttons = MOVES.map(([label, move]) => {
  const button = Object.assign(document.createElement("button"), {
    type: "button", textContent: label,
  });
  button.addEventListener("click", () => moveClock(move));
  row.append(button);
  return button;
});
bar.append(fold, time, next, row);
bars.prepend(bar);

// What went wrong is shown on a phone, too, where the sentence is folded away.
function say(text, isWrong = false) {
  next.textContent = text;
  bar.classList.toggle("clock-bar-wrong", isWrong);
}

let ahead = 0;
let moving = false;
let known = null;

function show() {
  time.textContent = `${dates.format(Date.now() + ahead)} UTC`;
  fold.textContent = shortTimes.format(Date.now() + ahead);
  const busy = moving || known === null;
  for (const button of buttons) button.disabled = busy;
  buttons[buttons.length - 1].disabled = busy || known.next === null;
}

const send = window.fetch.bind(window);
window.fetch = async (resource, options) => {
  const response = await send(resource, options);
  if (resource === ACTIONS) {
    for (const wait of LOOKS_AFTER_ACT) setTimeout(refresh, wait);
  }
  return response;
};

async function ask(body) {
  const response = await send(ACTIONS, {
    method: "POST",
    headers: { "X-Simcord-Capability": capability, "Content-Type": "application/json" },
    cache: "no-store",
    body: JSON.stringify({ kind: "clock", ...body }),
  });
  if (!response.ok) throw new Error(`${response.status}`);
  known = await response.json();
  ahead = known.now * 1000 - Date.now();
  say(known.note);
}

async function moveClock(move) {
  if (moving) return;
  moving = true;
  say("Time passes…");
  show();
  try {
    await ask(move);
  } catch {
    say("The clock didn't move. Is the local table still running?", true);
  }
  moving = false;
  show();
}

async function refresh() {
  if (moving) return;
  try {
    await ask({});
  } catch {
    say("The local table doesn't answer.", true);
  }
  show();
}

async function look() {
  await refresh();
  setTimeout(look, LOOK);
}

show();
look();
setInterval(show, 1000);
