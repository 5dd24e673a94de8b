/** The figures' classes by name, and how they become elements. */
import type { FigureName } from "../state/fields.ts";
import { AttentionFigure } from "./attention.ts";
import { ClassroomFigure } from "./classroom.ts";
import { GradientFigure } from "./gradient.ts";
import { JacobianFigure } from "./jacobian.ts";
import { RandomWalkFigure } from "./random-walk.ts";
import { SoftmaxFigure } from "./softmax.ts";
import { VarianceFigure } from "./variance.ts";

export const figureClasses = {
  attention: AttentionFigure,
  classroom: ClassroomFigure,
  gradient: GradientFigure,
  jacobian: JacobianFigure,
  "random-walk": RandomWalkFigure,
  softmax: SoftmaxFigure,
  variance: VarianceFigure,
} satisfies Record<FigureName, CustomElementConstructor>;

/** <sqrtdk-NAME>. A page may load two copies of the package; the first one keeps the names. */
export function defineFigure(name: FigureName): void {
  const element = `sqrtdk-${name}`;
  if (!customElements.get(element)) customElements.define(element, figureClasses[name]);
}
