/** Brings the page's guesses to life: <form class="predict" data-predict="value"> and its kin. */
import { guessChoice } from "./choice.ts";
import { guessCurve } from "./curve.ts";
import { guessValue } from "./value.ts";

const kinds: Record<string, (form: HTMLFormElement) => void> = {
  choice: guessChoice,
  curve: guessCurve,
  value: guessValue,
};

export function startGuesses(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>("form.predict")) {
    kinds[form.dataset.predict ?? ""]?.(form);
  }
}
