/** Words explained where they stand. Without script, or with a modifier key, they are links into the glossary. */

function explanation(link: HTMLAnchorElement): Node[] {
  const entry = document.querySelector(link.hash);
  return entry ? [...entry.cloneNode(true).childNodes] : [];
}

/** Below the word, or above it where there is no room; never beyond the window's edges. */
function place(box: HTMLElement, link: Element): void {
  // A word may be broken over two lines; its first part is what the reader pressed, mostly.
  const word = link.getClientRects()[0] ?? link.getBoundingClientRect();
  const gap = 8;
  const left = Math.min(word.left, innerWidth - box.offsetWidth - gap);
  const below = word.bottom + gap;
  const top = below + box.offsetHeight > innerHeight ? word.top - gap - box.offsetHeight : below;
  box.style.left = `${Math.max(gap, left)}px`;
  box.style.top = `${top}px`;
}

export function explainTerms(): void {
  if (!("popover" in HTMLElement.prototype)) return;
  const box = document.createElement("div");
  box.className = "explained";
  box.popover = "auto"; // Escape and a click elsewhere close it, and focus returns to the word
  box.tabIndex = -1;
  box.setAttribute("role", "dialog");
  document.body.append(box);
  let explained: Element | null = null;

  document.addEventListener(
    "click",
    (event) => {
      const link = (event.target as Element).closest?.<HTMLAnchorElement>("a.term");
      if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
      const content = explanation(link);
      if (content.length === 0) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      const list = document.createElement("dl");
      list.append(...content);
      box.replaceChildren(list);
      box.setAttribute("aria-label", link.textContent ?? "");
      box.showPopover();
      explained = link;
      place(box, link);
      box.focus({ preventScroll: true });
    },
    { capture: true },
  );
  const follow = () => {
    if (explained && box.matches(":popover-open")) place(box, explained);
  };
  addEventListener("scroll", follow, { passive: true });
  addEventListener("resize", follow);
}
