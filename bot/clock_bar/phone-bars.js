// On a phone, the page's own toolbar folds to one line, and both bars share another.

const shell = document.querySelector("#preview-shell");
const toolbar = document.querySelector("#toolbar");

/** Element that holds the clock bar and the place bar, in this order. */
export const bars = Object.assign(document.createElement("div"), { className: "table-bars" });
document.querySelector(".channel-header")?.after(bars);

/** Return a button that shows or hides what *controls* names, by a class of *part*. Only phones show it. */
export function foldButton(part, className, controls) {
  const button = Object.assign(document.createElement("button"), {
    type: "button", className: "fold-button",
  });
  button.setAttribute("aria-expanded", "false");
  button.setAttribute("aria-controls", controls);
  button.addEventListener("click", () => {
    const isOpen = part.classList.toggle(className);
    button.setAttribute("aria-expanded", String(isOpen));
  });
  return button;
}

if (shell && toolbar) {
  const tools = foldButton(shell, "tools-open", toolbar.id);
  tools.classList.add("toolbar-button");
  tools.textContent = "Tools";
  toolbar.querySelector(".viewer-control")?.after(tools);
}
