/**
 * A figure that answers a guess stays covered until the guess is made or skipped: <div class="wide" data-after="ID">, ID
 * being the guess's heading. The figure keeps its place and its height, but neither eye, keyboard nor screen reader gets
 * at it. "Skip" here and "Just show me" there do the same; the focus stays where it was pressed. Without JavaScript, on
 * paper, and where the address says how the figure stands, nothing is covered.
 */
import { figureNames } from "../../state/fields.ts";
import { mentions, readHash } from "../../state/hash.ts";

/** The button that lifts the cover over this part of the page; null where nothing covers it. */
export function coverOver(part: Element): HTMLElement | null {
  return part.closest(".covered")?.querySelector<HTMLElement>(".cover button") ?? null;
}

function lift(place: HTMLElement): void {
  if (!place.classList.contains("covered")) return;
  place.classList.remove("covered");
  place.querySelector(".cover")?.remove();
  for (const child of place.children) (child as HTMLElement).inert = false;
  place.dispatchEvent(new CustomEvent("sqrtdk-uncovered", { bubbles: true }));
}

function lay(place: HTMLElement, title: HTMLElement, skip: () => void): void {
  const link = Object.assign(document.createElement("a"), {
    href: `#${title.id}`,
    textContent: "Make the guess",
  });
  const words = document.createElement("p");
  words.append("This figure shows the answer to a guess. ", link, " first, and then see it here.");
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: "Skip" });
  button.setAttribute("aria-label", "Skip the guess and show the figure");
  button.addEventListener("click", skip);
  const cover = document.createElement("div");
  cover.className = "cover";
  cover.append(words, button);
  for (const child of place.children) (child as HTMLElement).inert = true;
  place.append(cover);
  place.classList.add("covered");
}

export function coverAnswers(): void {
  const places = [...document.querySelectorAll<HTMLElement>("[data-after]")];
  const said = document.createElement("p");
  said.className = "uncovered-note";
  said.setAttribute("role", "status");
  document.querySelector("main")?.append(said);

  const show = (shown: HTMLElement[]) => {
    for (const place of shown) lift(place);
    if (shown.length > 0)
      said.textContent = shown.length === 1 ? "The figure is shown." : "The figures are shown.";
  };
  const holding = (name: string) =>
    places.filter((place) => place.classList.contains("covered") && place.querySelector(`sqrtdk-${name}`));
  const named = () => {
    const reader = readHash(location.hash);
    return figureNames.filter((name) => mentions(reader, name));
  };

  for (const place of places) {
    const title = document.getElementById(place.dataset.after ?? "");
    const form = title?.closest("form");
    if (!title || !form) continue;
    const together = () =>
      places.filter((each) => each.dataset.after === title.id && each.classList.contains("covered"));
    lay(place, title, () => {
      show(together());
      // The pressed button is gone: whoever works by keyboard goes on at the figure.
      place.tabIndex = -1;
      place.setAttribute("role", "group");
      place.setAttribute("aria-label", "The figure");
      place.focus({ preventScroll: true });
      form.dispatchEvent(new CustomEvent("sqrtdk-skip"));
    });
    form.addEventListener("sqrtdk-guess", () => show(together()));
  }
  for (const name of named()) holding(name).forEach(lift);
  addEventListener("hashchange", () => {
    for (const name of named()) show(holding(name));
  });
  // A button in the text that moves a figure asks to see it.
  document.addEventListener("click", (event) => {
    const button = (event.target as Element).closest?.<HTMLElement>("button[data-figure]");
    if (button) show(holding(button.dataset.figure ?? ""));
  });
}
