// Boxes on a picture, in its upright pixels: drawn with mouse, finger and keyboard, in layers.

import { CANNOT_DECODE } from "../engine/drawing.js";
import { makeAddress, revoke } from "./blobs.js";
import { CallError } from "./calls.js";
import { byId, element, readLines, makeButton } from "./elements.js";
import { drawPassphrase } from "./secrets.js";

const NEARBY = 22; // CSS pixels of the corner that resizes a box
const PERMANENT = "permanent";

const sketch = { file: null, size: [0, 0], boxes: [], layers: 1, next: 1 };

const clamp = (value, least, most) => Math.min(Math.max(value, least), most);

/** Show a picture to draw on; null for none, which forgets what was drawn. */
export function beginCover(file) {
  if (file === sketch.file) return;
  Object.assign(sketch, { file, size: [0, 0], boxes: [], layers: 1, next: 1 });
  byId("zoom").value = 1;
  byId("layers").replaceChildren();
  byId("covering").hidden = true;
  showBoxes();
  const seen = byId("seen");
  revoke(seen.src);
  seen.removeAttribute("src");
  if (file === null) return;
  seen.src = makeAddress(file, file.type);
  seen.onload = () => {
    sketch.size = [seen.naturalWidth, seen.naturalHeight]; // browsers turn it upright
    byId("covering").hidden = false;
    zoom();
  };
}

/** What was drawn: a layer for each that has boxes, and what everybody loses. */
export async function collectLayers(file, secret) {
  if (sketch.file !== file || sketch.size[0] === 0) throw new CallError(CANNOT_DECODE);
  if (sketch.boxes.length === 0) {
    const bare = byId("bare").value;
    if (bare === "") throw new CallError("no area was chosen: draw a box on the picture");
    return [{ areas: [], metadata: true, ...(bare === "key" ? await secret() : { permanent: true }) }];
  }
  const areasOf = (layer) => sketch.boxes.filter((box) => box.layer === layer).map(({ x, y, w, h }) => [y, x, h, w]);
  const layers = [];
  for (let layer = 1; layer <= sketch.layers; layer++) {
    const areas = areasOf(layer);
    if (areas.length > 0) layers.push({ areas, ...(layer === 1 ? await secret() : await readLayerSecret(layer)) });
    else if (layer > 1 && hasSecret(layer)) throw new CallError(`layer ${layer} has a key, and no box: choose the layer below the picture, at a box`);
  }
  const gone = areasOf(PERMANENT);
  return gone.length > 0 ? [...layers, { areas: gone, permanent: true }] : layers;
}

const findField = (layer, name) => byId(`layer-${layer}-${name}`);
const hasSecret = (layer) => ["words", "key", "to"].some((name) => findField(layer, name).value.trim());

async function readLayerSecret(layer) {
  const field = (name) => findField(layer, name);
  const keyTexts = await Promise.all([...field("key").files].map((file) => file.text()));
  const recipients = readLines(field("to"));
  const passphrase = field("words").value || null;
  if (keyTexts.length + recipients.length === 0 && passphrase === null) throw new CallError(`layer ${layer} has no key: enter a passphrase, or choose a key file`);
  return { keyTexts, passphrase, recipients };
}

function zoom() {
  byId("sheet").style.width = `${100 * byId("zoom").value}%`;
}

/** Where a pointer is, in pixels of the picture. */
function locate({ clientX, clientY }) {
  const { left, top, width, height } = byId("seen").getBoundingClientRect();
  const [columns, rows] = sketch.size;
  return [clamp(((clientX - left) / width) * columns, 0, columns), clamp(((clientY - top) / height) * rows, 0, rows)];
}

/** Set the place of a box, within the picture. */
function place(box, x, y, w, h) {
  const [columns, rows] = sketch.size;
  box.w = clamp(Math.round(w), 1, columns);
  box.h = clamp(Math.round(h), 1, rows);
  box.x = clamp(Math.round(x), 0, columns - box.w);
  box.y = clamp(Math.round(y), 0, rows - box.h);
  showPlace(box);
}

function showPlace(box) {
  const [columns, rows] = sketch.size;
  const percent = (value, of) => `${(100 * value) / of}%`;
  Object.assign(box.part.style, {
    left: percent(box.x, columns), top: percent(box.y, rows), width: percent(box.w, columns), height: percent(box.h, rows),
  });
  const text = [box.x, box.y, box.w, box.h].join(",");
  if (document.activeElement !== box.numbers) box.numbers.value = text;
  box.part.setAttribute("aria-label", `Box ${sketch.boxes.indexOf(box) + 1}: ${text}`);
}

function addBox(x, y, w, h) {
  const box = { layer: sketch.next };
  box.part = element("button", { type: "button", className: "box" });
  box.numbers = element("input", { type: "text", inputMode: "numeric" });
  box.choice = element("select");
  sketch.boxes.push(box);
  box.numbers.oninput = () => {
    const numbers = box.numbers.value.split(",").map(Number);
    const good = numbers.length === 4 && numbers.every((number) => Number.isInteger(number) && number >= 0);
    box.numbers.setAttribute("aria-invalid", !good);
    if (good) place(box, ...numbers);
  };
  box.choice.onchange = () => {
    box.layer = Number(box.choice.value) || PERMANENT;
    sketch.next = Number(box.choice.value) || 1;
  };
  box.part.onkeydown = (event) => handleKey(box, event);
  box.part.onpointerdown = (event) => grabBox(box, event);
  showBoxes();
  place(box, x, y, w, h);
  return box;
}

function removeBox(box) {
  sketch.boxes.splice(sketch.boxes.indexOf(box), 1);
  showBoxes();
  byId("add-box").focus();
}

/** Show boxes on the picture, and in the list below it. */
function showBoxes() {
  const { boxes, layers } = sketch;
  byId("sheet").replaceChildren(byId("seen"), ...boxes.map(({ part }) => part));
  const options = () => {
    const numbers = Array.from({ length: layers }, (_, i) => element("option", { value: i + 1 }, `Layer ${i + 1}`));
    return [...numbers, element("option", { value: PERMANENT }, "For ever: nobody can lift it")];
  };
  const lines = boxes.map((box, i) => {
    box.choice.replaceChildren(...options());
    box.choice.value = box.layer;
    box.choice.ariaLabel = `Layer of box ${i + 1}`;
    const remove = makeButton("Remove", () => removeBox(box), { "aria-label": `Remove box ${i + 1}` });
    return element("li", {}, element("label", {}, `Box ${i + 1}: X,Y,W,H `, box.numbers), box.choice, remove);
  });
  byId("boxes").replaceChildren(...lines);
  for (const box of boxes) if (box.w) showPlace(box);
}

function handleKey(box, event) {
  const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  if (event.key === "Delete" || event.key === "Backspace") removeBox(box);
  if (!step) return;
  event.preventDefault();
  const unit = Math.max(1, Math.round(Math.max(...sketch.size) / (event.ctrlKey ? sketch.size[0] : 200)));
  const [dx, dy] = step.map((way) => way * unit);
  if (event.shiftKey) place(box, box.x, box.y, box.w + dx, box.h + dy);
  else place(box, box.x + dx, box.y + dy, box.w, box.h);
}

/** Follow a pointer until it is lifted. */
function follow(target, event, moved) {
  event.preventDefault();
  target.setPointerCapture(event.pointerId);
  const start = locate(event);
  target.onpointermove = (next) => moved(start, locate(next));
  target.onpointerup = target.onpointercancel = () => (target.onpointermove = null);
}

/** Move a box, or change its size at its lower right corner. */
function grabBox(box, event) {
  if (byId("pan").checked) return;
  event.stopPropagation();
  const { right, bottom } = box.part.getBoundingClientRect();
  const { x, y, w, h } = box;
  const resizes = right - event.clientX < NEARBY && bottom - event.clientY < NEARBY;
  box.part.focus();
  follow(box.part, event, ([x0, y0], [x1, y1]) => {
    if (resizes) place(box, x, y, w + x1 - x0, h + y1 - y0);
    else place(box, x + x1 - x0, y + y1 - y0, w, h);
  });
}

/** Draw a box, which is seen while it is drawn. */
function drawBox(event) {
  if (byId("pan").checked || event.button !== 0 || sketch.size[0] === 0) return;
  let box = null;
  follow(byId("sheet"), event, ([x0, y0], [x1, y1]) => {
    const sides = [Math.abs(x1 - x0), Math.abs(y1 - y0)];
    if (box === null && Math.min(...sides) < 1) return;
    box ??= addBox(0, 0, 1, 1);
    place(box, Math.min(x0, x1), Math.min(y0, y1), ...sides);
  });
}

function addLayer() {
  const layer = (sketch.next = ++sketch.layers);
  if (layer === 2) byId("layers").append(element("p", { className: "note" }, "New boxes are of the layer that was added or chosen last. Layer 1 takes the key or passphrase below."));
  const field = (name, text, tag, properties) => {
    const id = `layer-${layer}-${name}`;
    const input = element(tag, { id, autocomplete: "off", spellcheck: false, ...properties });
    return element("div", { className: "field" }, element("label", { htmlFor: id }, text), input);
  };
  const words = field("words", "Passphrase", "input", { type: "text" });
  const offer = makeButton("Make six random words", () => (words.lastChild.value = drawPassphrase()));
  const others = [
    field("key", "Key file", "input", { type: "file" }),
    field("to", "Recipients, one a line", "textarea", { rows: 1 }),
  ];
  const fields = element("div", { className: "pair" }, words, ...others);
  byId("layers").append(element("fieldset", {}, element("legend", {}, `Who lifts layer ${layer}`), fields, offer));
  showBoxes();
}

/** Make the controls work. */
export function prepareCover() {
  byId("zoom").oninput = zoom;
  byId("pan").onchange = () => byId("stage").classList.toggle("panning", byId("pan").checked);
  byId("sheet").onpointerdown = drawBox;
  byId("add-layer").onclick = addLayer;
  byId("add-box").onclick = () => {
    const [w, h] = sketch.size;
    const share = 0.4 + 0.05 * (sketch.boxes.length % 8); // no box lies on the one before
    addBox(w * share, h * share, w * 0.2, h * 0.2).part.focus();
  };
}
