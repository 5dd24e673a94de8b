/** Starts the page: figures, link state, live numbers in the text, the chapter list. */
import "../elements.ts";
import { followChapters } from "./chapters.ts";
import { liveNumbers } from "./live.ts";
import { keepLinkState } from "./permalink.ts";

keepLinkState();
liveNumbers();
followChapters();
