/** What all guesses share: the reader commits or skips, then sees. Nothing is kept beyond the page. */
import { troubleSentence } from "../../figures/trouble.ts";

export interface Guess {
  /** Looks at the form as it stands and fills the place for the answer; `guessed` is false where the reader skipped. */
  reveal(place: HTMLElement, guessed: boolean): Promise<void> | void;
}

export function commitOrSkip(form: HTMLFormElement, guess: Guess): void {
  const place = form.querySelector<HTMLElement>(".reveal");
  const buttons = form.querySelector<HTMLElement>(".commit");
  if (!place || !buttons) return;

  let finished = false;
  const finish = async (guessed: boolean, goOnHere = true) => {
    if (finished) return;
    finished = true;
    try {
      await guess.reveal(place, guessed);
    } catch (error) {
      // The buttons stay, and work: what computes the answer may be there the next time.
      finished = false;
      place.replaceChildren(paragraph(troubleSentence(error)));
      place.hidden = false;
      return;
    }
    for (const control of form.querySelectorAll<HTMLInputElement>("input")) control.disabled = true;
    buttons.hidden = true;
    place.hidden = false;
    form.classList.add("revealed");
    // The pressed button is gone: whoever works by keyboard goes on at the answer.
    if (goOnHere) place.focus({ preventScroll: true });
    form.dispatchEvent(new CustomEvent("sqrtdk-guess", { bubbles: true, detail: { guessed } }));
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void finish(true);
  });
  form.querySelector("[data-skip]")?.addEventListener("click", () => void finish(false));
  // Skipped elsewhere: at the figure that shows the answer.
  form.addEventListener("sqrtdk-skip", () => void finish(false, false));
}

export function paragraph(...parts: (string | HTMLElement)[]): HTMLParagraphElement {
  const element = document.createElement("p");
  element.append(...parts);
  return element;
}

export function marked(text: string, kind: "raw" | "scaled" | "strong"): HTMLElement {
  const element = document.createElement(kind === "strong" ? "b" : "span");
  if (kind !== "strong") element.className = kind;
  element.textContent = text;
  return element;
}
