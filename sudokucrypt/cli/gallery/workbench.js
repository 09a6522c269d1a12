"use strict";
(() => {
  const at = (id) => document.getElementById(id);
  const waiting = [];  // files that were dropped, of which one is at work
  let current = null;  // the plain file that is asked about: {file, view, boxes}
  let busy = false;

  const ask = async (task, file, regions = []) => {
    const headers = { "X-Name": encodeURIComponent(file.name), "X-Regions": regions.join(";") };
    const answer = await fetch(task, { method: "POST", body: file, headers });
    if (!answer.ok) throw new Error((await answer.text()).trim() || `${answer.status}`);
    return answer.json();
  };
  const element = (tag, properties, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };
  const tell = (text) => { at("status").textContent = text; };

  const card = ({ index, name, type, kind, size }) => {
    const link = element("a", { className: "name", href: `result/${index}`, textContent: name });
    Object.assign(link, kind === "restored" ? { target: "_blank" } : { download: name });
    const pictured = kind !== "protected" && /^image\/(png|jpeg|webp|gif|avif)$/.test(type ?? "");
    const image = { src: link.href, alt: `The ${kind} picture ${name}` };
    const well = element("span", { className: "well" }, ...(pictured ? [element("img", image)] : []));
    const details = `${kind}, ${size.toLocaleString("en")} bytes`;
    const caption = element("p", { className: "caption" }, link, element("span", {}, details));
    const item = element("li", { className: "card" }, well, caption);
    at("results").prepend(item);
    tell(`${name} was ${kind}`);
  };

  const attempt = async (work) => {
    busy = true;
    at("bench").setAttribute("aria-busy", "true");
    try { await work(); } catch (error) { tell(error.message); }
    busy = false;
    at("bench").removeAttribute("aria-busy");
    next();
  };
  const next = () => {
    if (busy || current || !waiting.length) return;
    const file = waiting.shift();
    tell(`opening ${file.name}`);
    attempt(async () => {
      const answer = await ask("open", file);
      if (answer.kind === "plain") begin(file, answer);
      else card(answer);
    });
  };
  const take = (files) => { waiting.push(...files); next(); };

  // Rectangles are kept as text, which the keyboard can write too; the drawing shows that text.
  const boxes = () => at("numbers").value.split("\n").map((line) => line.trim()).filter(Boolean);
  const valid = (text) => {
    const [x, y, w, h, ...more] = text.split(",").map(Number);
    const { rows, columns } = current.view;
    return !more.length && [x, y, w, h].every(Number.isInteger) && x >= 0 && y >= 0 && w > 0 && h > 0
      && x + w <= columns && y + h <= rows;
  };
  const quoted = (name) => `'${name.replaceAll("'", "'\\''")}'`;
  const draw = () => {
    const list = boxes(), good = list.filter(valid), { file, view } = current;
    at("boxes").replaceChildren(...good.map((text) => {
      const [x, y, w, h] = text.split(",").map(Number);
      const box = document.createElement("div");
      const share = (value, of) => `${100 * value / of}%`;
      box.style.left = share(x, view.columns); box.style.top = share(y, view.rows);
      box.style.width = share(w, view.columns); box.style.height = share(h, view.rows);
      return box;
    }));
    at("cover").disabled = !list.length || good.length < list.length;
    const regions = good.map((text) => ` --region ${text}`).join("");
    at("command").textContent = `sudokucrypt encrypt ${quoted(file.name)}`;
    at("covering").textContent = regions && `sudokucrypt redact ${quoted(file.name)}${regions}`;
  };
  const begin = (file, view) => {
    current = { file, view };
    at("numbers").value = "";
    at("asked").textContent = view.rows
      ? `${file.name} is not protected. Encrypt it, or draw rectangles to cover.`
      : `${file.name} is not protected. Encrypt it as it is?`;
    at("drawing").classList.toggle("plain", !view.rows);
    if (view.rows) at("seen").src = `result/${view.index}`;
    at("drawing").hidden = false;
    draw();
    at("whole").focus();
  };
  const end = () => { current = null; at("drawing").hidden = true; at("seen").removeAttribute("src"); };
  const protect = (regions, task = "protect") => {
    const { file } = current;
    end();
    tell(`protecting ${file.name}`);
    attempt(async () => card(await ask(task, file, regions)));
  };

  let start = null;
  const point = (event) => {
    const { left, top, width, height } = at("seen").getBoundingClientRect();
    const { rows, columns } = current.view;
    const clamp = (value) => Math.min(Math.max(value, 0), 1);
    return [Math.round(clamp((event.clientX - left) / width) * columns),
      Math.round(clamp((event.clientY - top) / height) * rows)];
  };
  at("seen").addEventListener("pointerdown", (event) => {
    start = point(event);
    at("seen").setPointerCapture(event.pointerId);
  });
  at("seen").addEventListener("pointerup", (event) => {
    if (!start) return;
    const end = point(event), [x, y] = start.map((value, i) => Math.min(value, end[i]));
    const [w, h] = start.map((value, i) => Math.abs(end[i] - value));
    start = null;
    if (w && h) at("numbers").value = [...boxes(), `${x},${y},${w},${h}`].join("\n");
    draw();
  });
  at("numbers").addEventListener("input", draw);
  at("whole").addEventListener("click", () => protect([]));
  at("cover").addEventListener("click", () => protect(boxes(), "redact"));
  at("cancel").addEventListener("click", () => { end(); tell(""); next(); });
  at("chosen").addEventListener("change", () => { take([...at("chosen").files]); at("chosen").value = ""; });
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => { event.preventDefault(); take([...event.dataTransfer.files]); });
  at("bench").hidden = false;
})();
