/** Registers the figures as custom elements. The one module of the package that does something when imported. */
import { GradientFigure } from "./figures/gradient.ts";
import { VarianceFigure } from "./figures/variance.ts";

// A page may load two copies of the package; the first one keeps the names.
function define(name: string, figure: CustomElementConstructor): void {
  if (!customElements.get(name)) customElements.define(name, figure);
}

define("sqrtdk-variance", VarianceFigure);
define("sqrtdk-gradient", GradientFigure);
