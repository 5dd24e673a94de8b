/** One of a few answers; the answer itself is part of the page. */
import { commitOrSkip, paragraph } from "./form.ts";

export function guessChoice(form: HTMLFormElement): void {
  commitOrSkip(form, {
    reveal(place, guessed) {
      const chosen = form.querySelector<HTMLInputElement>("input:checked");
      const right = form.querySelector<HTMLInputElement>(`input[value="${form.dataset.answer}"]`);
      right?.closest("label")?.classList.add("right");
      if (!guessed || !chosen) return;
      place.prepend(paragraph(chosen === right ? "You had it." : "A natural guess, and not so."));
    },
  });
  // Nothing chosen is no guess.
  for (const input of form.querySelectorAll("input")) input.required = true;
}
