/** A number between 0 and 1, set on a slider; the answer on the same line, for both arms, computed by the core. */
import { nothing, render, type SVGTemplateResult, svg, type TemplateResult } from "lit";
import { drawing, label } from "../../charts/drawing.ts";
import { spot } from "../../charts/line.ts";
import { fixed } from "../../charts/numbers.ts";
import { dashed, pageTheme as theme } from "../../charts/theme.ts";
import { sharedCore } from "../../figures/shared-core.ts";
import { commitOrSkip, marked, paragraph } from "./form.ts";

const question = { keys: 8, dimension: 512 } as const;
const equal = 1 / question.keys;

interface Answers {
  guess: number | null;
  raw: number;
  scaled: number;
}

/** Guess and truth on one line from "all equal" to "one takes all". */
function strip({ guess, raw, scaled }: Answers, width: number): TemplateResult {
  const line = 52;
  const x = (value: number) => 10 + value * (width - 20);
  // Names below the line are the reader's and the landmarks', those above it the truth's: they never meet.
  const name = (text: string, at: number, y: number, fill: string): SVGTemplateResult => {
    const room = 5 + text.length * 3.4;
    const middle = Math.min(width - room, Math.max(room, x(at)));
    return label(text, { x: middle, y, fill, anchor: "middle", weight: 600, size: 13 });
  };
  const stem = (at: number, to: number, paint: string, dash?: string) =>
    svg`<path d="M${x(at)} ${line}V${to}" stroke=${paint} stroke-width="2" stroke-dasharray=${dash ?? nothing}></path>`;
  return drawing({ width, height: guess === null ? 84 : 112, theme }, [
    svg`<path d="M${x(0)} ${line}H${x(1)}" stroke=${theme.muted} stroke-width="1.5"></path>`,
    [0, equal, 0.5, 1].map(
      (at) => svg`<path d="M${x(at)} ${line - 4}v8" stroke=${theme.muted} stroke-width="1.5"></path>
        ${label(at === equal ? "all equal" : at === 0 && width < 480 ? "" : String(at), { x: x(at), y: line + 22, fill: theme.muted, anchor: at === 0 ? "start" : at === 1 ? "end" : "middle", size: 12 })}`,
    ),
    stem(raw, 26, theme.raw, dashed),
    stem(scaled, 26, theme.scaled),
    spot({ cx: x(raw), cy: line, paint: theme.raw, theme, mark: "dot", radius: 6 }),
    spot({ cx: x(scaled), cy: line, paint: theme.scaled, theme, mark: "dot", radius: 6 }),
    name(`unscaled ${fixed(raw, 3)}`, raw, 18, theme.raw),
    name(`divided ${fixed(scaled, 3)}`, scaled, 18, theme.scaled),
    guess === null
      ? nothing
      : [
          stem(guess, 86, theme.ink),
          spot({ cx: x(guess), cy: line, paint: theme.ink, theme, mark: "hollow", radius: 6 }),
          name(`your guess ${fixed(guess, 2)}`, guess, 102, theme.ink),
        ],
  ]);
}

function verdict({ guess, raw }: Answers): string {
  if (guess === null) return "";
  if (Math.abs(guess - raw) < 0.05) return "You saw it coming. ";
  return guess < raw ? "Higher than you thought. " : "Not quite so high as you thought. ";
}

export function guessValue(form: HTMLFormElement): void {
  const slider = form.querySelector<HTMLInputElement>("input[type=range]");
  const output = form.querySelector("output");
  if (!slider || !output) return;
  slider.addEventListener("input", () => {
    output.value = fixed(slider.valueAsNumber, 3);
  });
  commitOrSkip(form, {
    async reveal(place, guessed) {
      const { theory } = await sharedCore();
      const largest = (scale: "none" | "rsqrt") =>
        theory.expectedAttentionRow({ ...question, scale }).maxProbability;
      const answers = {
        guess: guessed ? slider.valueAsNumber : null,
        raw: largest("none"),
        scaled: largest("rsqrt"),
      };
      const plot = document.createElement("div");
      plot.className = "strip";
      const width = Math.max(260, Math.min(680, form.clientWidth - 48));
      render(strip(answers, width), plot);
      place.replaceChildren(
        plot,
        paragraph(
          verdict(answers),
          "Without the division one key takes ",
          marked(fixed(answers.raw, 3), "raw"),
          " of everything, on average, and the seven others share the rest, although all eight are random. Divided by \u221a512 it is ",
          marked(fixed(answers.scaled, 3), "scaled"),
          ", and all eight have a say.",
        ),
      );
    },
  });
}
