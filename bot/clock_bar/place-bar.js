// The places of the table above the conversation, what is new in them, and the menu of a message.

import { bars } from "/phone-bars.js";

//: Milliseconds between two looks at the places.
const LOOK = 3000;
//: Milliseconds until the next look while the page opens.
const OPENS = 300;
//: Path of the page's actions, the place bar's own among them.
const ACTIONS = "/api/action";
//: Milliseconds after an act on the page until the place bar looks: the bot works on it meanwhile.
const LOOKS_AFTER_ACT = [300, 1500];
//: Kind of the page's action that begins anew for a viewer; in another place, if it names one.
const SHOW = "viewer";
//: Selectors of a message, and of the parts for which the browser has a menu of its own.
const MESSAGE = "#channel-message-list article[data-message-id]";
const OWN_MENU = "a, button, input, textarea, select, img, video, audio";

const capability = window.location.hash.slice(1);
const viewers = document.querySelector("#viewer-picker");

function make(tag, className, more = {}) {
  return Object.assign(document.createElement(tag), { className, ...more });
}

const bar = make("section", "place-bar");
bar.setAttribute("aria-label", "The table's places");
const picker = make("select", "place-bar-picker", { id: "place-picker" });
picker.setAttribute("aria-label", "Place");
const label = make("label", "place-bar-label", { htmlFor: picker.id, textContent: "Place" });
const opener = make("button", "", {
  type: "button", textContent: "Message menu", id: "message-menu", disabled: true,
});
const news = make("span", "place-bar-row place-bar-news");
const menu = make("div", "place-bar-row place-bar-menu", { id: "message-menu-commands", hidden: true });
const note = make("span", "place-bar-note", { hidden: true });
note.setAttribute("role", "status");
opener.setAttribute("aria-expanded", "false");
opener.setAttribute("aria-controls", menu.id);
bar.append(label, picker, opener, news, note, menu);
bars.append(bar);

//: The local table's last answer, and the part of it that the bar shows already.
let known = { viewer: null, shown: null, places: [], commands: [], notice: "" };
let drawn = "";
//: Why the page shows another place, as far as it was said.
let noticed = "";
//: Id of the place that the page shows next; null if it stays where it is.
let wanted = null;
//: Id of the message whose menu is open; null without one.
let chosen = null;
//: Whether the next press on a message opens its menu.
let choosing = false;

// --- the end of the conversation ------------------------------------------------------------------

const timeline = document.querySelector("#channel-timeline");
//: Milliseconds for which the page stays at its end after you sent something, while answers come.
const STAYS = 5000;
let atEnd = true;
let staysUntil = 0;

// The page follows new messages only from the very end, and a bar that grows moves it away.
function showEnd() {
  atEnd = true;
  timeline.scrollTop = timeline.scrollHeight;
}

timeline?.addEventListener("scroll", () => {
  const below = timeline.scrollHeight - timeline.scrollTop - timeline.clientHeight;
  atEnd = Date.now() < staysUntil || below <= 1;
});
const resizes = new ResizeObserver(() => { if (atEnd) showEnd(); });
for (const part of [timeline, document.querySelector("#channel-message-list")]) {
  if (part) resizes.observe(part);
}
// Your own message is shown, wherever you were reading, and so is the answer to a message's menu.
function stayAtEnd() {
  staysUntil = Date.now() + STAYS;
  showEnd();
}

document.querySelector("#channel-composer")?.addEventListener("submit", stayAtEnd, true);

// --- places -----------------------------------------------------------------------------------

function placeName(place) {
  const name = place.parent ? `${place.parent} › ${place.name}` : `# ${place.name}`;
  const marks = [place.private ? "private" : "", place.archived ? "archived" : ""].filter(Boolean);
  return marks.length ? `${name} (${marks.join(", ")})` : name;
}

function showPlaces() {
  const current = JSON.stringify([known.viewer, known.shown, known.places]);
  if (current !== drawn) {
    drawn = current;
    picker.replaceChildren(...known.places.map((place) => {
      const unread = place.unread ? ` · ${place.unread} new` : "";
      return make("option", "", { value: place.id, textContent: `${placeName(place)}${unread}` });
    }));
    const unread = known.places.filter((place) => place.unread && place.id !== known.shown);
    news.replaceChildren(...unread.map((place) => {
      const text = `${place.unread} new in ${place.name}`;
      const button = make("button", "", { type: "button", textContent: text });
      button.addEventListener("click", () => showPlace(place.id));
      return button;
    }));
  }
  if (wanted === null) picker.value = known.shown ?? "";
  opener.disabled = !known.commands.length;
}

// The page opens a place as it opens itself for a viewer, so it forgets what was open before.
function showPlace(id) {
  closeMenu();
  wanted = id;
  viewers.dispatchEvent(new Event("change", { bubbles: true }));
}

function withPlace(options) {
  if (typeof options?.body !== "string") return options;
  const body = JSON.parse(options.body);
  if (body.kind !== SHOW) return options;
  closeMenu();
  if (wanted !== null) body.place = wanted;
  // A page whose place is gone has forgotten its viewer.
  if (!body.viewer_id) body.viewer_id = known.viewer;
  wanted = null;
  return { ...options, body: JSON.stringify(body) };
}

const send = window.fetch.bind(window);
window.fetch = async (resource, options) => {
  if (resource !== ACTIONS) return send(resource, options);
  if (!choosing && chosen === null) say("");
  const response = await send(resource, withPlace(options));
  for (const wait of LOOKS_AFTER_ACT) setTimeout(refresh, wait);
  response.clone().json().then(sayRefusal, () => {});
  return response;
};

// The page itself says no more than that an act wasn't completed.
function sayRefusal(answer) {
  const [reason] = answer.rejected ? answer.diagnostics ?? [] : [];
  if (reason?.category === "command") say(`${reason.message} ${reason.remediation}`);
}

async function ask(body) {
  const response = await send(ACTIONS, {
    method: "POST",
    headers: {
      "X-Simcord-Capability": capability,
      "X-Simcord-Context": window.simcordPreview.contextId,
      "Content-Type": "application/json",
    },
    cache: "no-store",
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${response.status}`);
  return response.json();
}

async function refresh() {
  if (!window.simcordPreview?.contextId) return false;
  try {
    known = await ask({ kind: "places" });
  } catch {
    return true; // the clock bar says that the local table doesn't answer
  }
  if (known.notice !== noticed) {
    noticed = known.notice;
    if (noticed) {
      closeMenu();
      say(noticed);
    }
  }
  showPlaces();
  return true;
}

async function look() {
  setTimeout(look, await refresh() ? LOOK : OPENS);
}

// --- the menu of a message --------------------------------------------------------------------

function say(text) {
  note.textContent = text;
  note.hidden = !text;
}

function messages() {
  return document.querySelectorAll(MESSAGE);
}

function markMessages() {
  bars.parentElement?.classList.toggle("place-bar-choosing", choosing);
  for (const message of messages()) {
    message.toggleAttribute("data-place-bar-chosen", message.dataset.messageId === chosen);
    if (choosing) message.tabIndex = 0;
    else message.removeAttribute("tabindex");
  }
  opener.textContent = choosing || chosen !== null ? "Cancel" : "Message menu";
  opener.setAttribute("aria-expanded", String(chosen !== null));
}

function closeMenu() {
  choosing = false;
  chosen = null;
  menu.hidden = true;
  say("");
  markMessages();
}

function chooseMessage() {
  choosing = true;
  say("Press a message to open its menu.");
  markMessages();
}

function openMenu(message) {
  choosing = false;
  chosen = message.dataset.messageId;
  menu.replaceChildren(...known.commands.map((command) => {
    const button = make("button", "", { type: "button", textContent: command });
    button.addEventListener("click", () => run(command));
    return button;
  }));
  menu.hidden = false;
  say("Menu of the marked message:");
  markMessages();
  menu.querySelector("button")?.focus({ preventScroll: true });
}

async function run(command) {
  const message = chosen;
  closeMenu();
  say(`${command}…`);
  opener.disabled = true;
  try {
    const { error } = await ask({ kind: "message_command", command, message_id: message });
    say(error);
    if (!error) stayAtEnd();
  } catch {
    say("The local table doesn't answer.");
  }
  await refresh();
}

function isBehindDialog() {
  return document.querySelector("#channel-layout")?.inert;
}

function pressMessage(event) {
  const message = event.target instanceof Element ? event.target.closest(MESSAGE) : null;
  if (!choosing || !message || isBehindDialog()) return;
  event.preventDefault();
  event.stopPropagation();
  openMenu(message);
}

opener.addEventListener("click", () => {
  if (choosing || chosen !== null) closeMenu();
  else chooseMessage();
});
picker.addEventListener("change", () => showPlace(picker.value));
document.addEventListener("click", pressMessage, true);
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && (choosing || chosen !== null)) closeMenu();
  else if (event.key === "Enter") pressMessage(event);
}, true);
document.addEventListener("contextmenu", (event) => {
  const message = event.target.closest(MESSAGE);
  const isOwn = event.target.closest(OWN_MENU) || String(window.getSelection());
  if (!message || isOwn || isBehindDialog() || !known.commands.length) return;
  event.preventDefault();
  openMenu(message);
});

look();
