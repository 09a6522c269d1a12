"use strict";
(() => {
  const find = document.getElementById("find"), order = document.getElementById("order");
  const list = document.getElementById("cards"), shown = document.getElementById("shown");
  const fold = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const cards = [...list.children].map((card, place) => ({
    card, place, text: fold(card.textContent), name: card.querySelector(".name").textContent,
  }));
  const byName = new Intl.Collator(undefined, { numeric: true });
  const orders = {
    oldest: (a, b) => a.place - b.place,
    newest: (a, b) => b.place - a.place,
    name: (a, b) => byName.compare(a.name, b.name) || a.place - b.place,
  };
  const filter = () => {
    const words = fold(find.value).split(/\s+/);
    let count = 0;
    for (const { card, text } of cards) {
      card.hidden = !words.every((word) => text.includes(word));
      count += !card.hidden;
    }
    shown.value = count === cards.length ? "" : `${count} of ${cards.length}`;
  };
  const sort = () => {
    const page = document.createDocumentFragment();
    for (const { card } of [...cards].sort(orders[order.value])) page.append(card);
    list.append(page);
  };
  find.addEventListener("input", filter);
  order.addEventListener("change", sort);
  document.getElementById("tools").hidden = !cards.length;
  if (find.value) filter();  // the browser may have kept what was there before a reload
  if (order.value !== "oldest") sort();
})();
