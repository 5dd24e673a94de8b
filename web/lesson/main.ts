/** Starts the page: link state, figures as they come near, guesses, live numbers in the text, words explained. */
import { followChapters } from "./chapters.ts";
import { startFigures } from "./figures.ts";
import { liveNumbers } from "./live.ts";
import { keepLinkState } from "./permalink.ts";
import { startGuesses } from "./predict/index.ts";
import { explainTerms } from "./terms.ts";

explainTerms(); // before the links' own state: a word explained is not a place gone to
startFigures();
keepLinkState();
startGuesses();
liveNumbers();
followChapters();
