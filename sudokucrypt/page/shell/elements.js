// Elements of the document.

/** The element with an id. */
export function byId(id) {
  return document.getElementById(id);
}

/** A new element. Text among the children is shown as it is, never read as HTML. */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("aria-") || name === "role") made.setAttribute(name, value);
    else made[name] = value;
  }
  made.append(...children);
  return made;
}

/** The lines of a field, without spaces around them and empty ones. */
export function readLines(field) {
  return field.value.split("\n").map((line) => line.trim()).filter(Boolean);
}

/** A new button. */
export function makeButton(text, onclick, properties = {}) {
  return element("button", { type: "button", onclick, ...properties }, text);
}
