/**
 * m_n, the mean of the largest of n independent standard normals: the constant of the law E[tr J] -> m_n / sqrt(d_k).
 * By parts, E max = integral over x > 0 of (1 - F(x)^n - F(-x)^n), with F the normal distribution function.
 */
export function expectedMaximum(n: number): number {
  // F grows along the grid by Simpson's rule on the density: no approximation of erf is needed. Error below 1e-9.
  const step = 1 / 256;
  const density = (x: number) => Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
  const integrand = (upper: number) => 1 - upper ** n - (1 - upper) ** n;
  let upper = 0.5;
  let sum = 0;
  for (let x = 0; x < 9; x += step) {
    const here = integrand(upper);
    upper = Math.min(1, upper + (step / 6) * (density(x) + 4 * density(x + step / 2) + density(x + step)));
    sum += (step / 2) * (here + integrand(upper));
  }
  return sum;
}
