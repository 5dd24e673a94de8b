/** Starts the page: link state, figures as they come near, guesses, live numbers in the text, words explained. */
import { followChapters } from "./chapters.ts";
import { startFigures } from "./figures.ts";
import { liveNumbers } from "./live.ts";
import { keepLinkState } from "./permalink.ts";
import { coverAnswers } from "./predict/cover.ts";
import { startGuesses } from "./predict/index.ts";
import { explainTerms } from "./terms.ts";

// First: it asks the address as it came.
coverAnswers();
keepLinkState();
startFigures();
// The rest can wait until the page is seen; each part in a task of its own.
// Words first, before links are taken for places to go to.
for (const start of [explainTerms, startGuesses, liveNumbers, followChapters]) setTimeout(start);
