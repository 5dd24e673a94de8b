/** Registers the figures as custom elements. The one module of the package that does something when imported. */
import { defineFigure } from "./figures/define.ts";
import { figureNames } from "./state/fields.ts";

for (const name of figureNames) defineFigure(name);
