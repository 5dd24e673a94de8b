/** The one list of what can be set, from outside or by the reader, for every figure. Each figure's fields have a file. */
import { attention } from "./figures/attention.ts";
import { classroom } from "./figures/classroom.ts";
import { gradient } from "./figures/gradient.ts";
import { jacobian } from "./figures/jacobian.ts";
import { randomWalk } from "./figures/random-walk.ts";
import { hide } from "./figures/shared.ts";
import { softmax } from "./figures/softmax.ts";
import { variance } from "./figures/variance.ts";

export const figureSchemas = {
  attention: { ...attention, hide },
  "random-walk": { ...randomWalk, hide },
  variance: { ...variance, hide },
  gradient: { ...gradient, hide },
  softmax: { ...softmax, hide },
  classroom: { ...classroom, hide },
  jacobian: { ...jacobian, hide },
};

export type FigureName = keyof typeof figureSchemas;
export const figureNames = Object.keys(figureSchemas) as FigureName[];
