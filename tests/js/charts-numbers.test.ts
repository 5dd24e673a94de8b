/** A measured number shows as many digits as its error band supports, and no more. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { count, exact, fixed, measured, percent } from "../../web/charts/numbers.ts";

test("value and error end at the same digit", () => {
  assert.equal(measured(22.6274, 0.038).text, "22.63 ± 0.04");
  assert.equal(measured(0.93117, 0.0121).text, "0.931 ± 0.012");
  assert.equal(measured(512.3, 3.1).text, "512 ± 3");
  assert.equal(measured(512.3, 23).text, "510 ± 20");
  assert.equal(measured(12345.6, 170).text, "12\u202f350 ± 170");
  assert.equal(measured(1, 0.00096).text, "1.0000 ± 0.0010");
});

test("an error that begins with 1 keeps two digits, any other one", () => {
  assert.equal(measured(5, 0.0149).error, "0.015");
  assert.equal(measured(5, 0.0194).error, "0.019");
  assert.equal(measured(5, 0.0196).error, "0.02");
  assert.equal(measured(5, 0.096).error, "0.10");
});

test("an unknown or absent error leaves the value alone", () => {
  assert.equal(measured(0.16, 0).text, "0.1600");
  assert.equal(measured(0.163, Number.NaN).text, "0.16");
  assert.equal(measured(Number.NaN, Number.NaN).text, "n/a");
});

test("minus is a minus, and nothing is ever minus nothing", () => {
  assert.equal(measured(-1.25, 0.03).text, "−1.25 ± 0.03");
  assert.equal(measured(-0.001, 0.03).text, "0.00 ± 0.03");
  assert.equal(fixed(-1234567, 0), "−1\u202f234\u202f567");
});

test("exact numbers: significant digits, whole numbers whole, tiny ones with a power of ten", () => {
  assert.equal(exact(Math.sqrt(512), 4), "22.63");
  assert.equal(exact(10, 4), "10");
  assert.equal(exact(0.0123456, 3), "0.0123");
  assert.equal(exact(4.7e-7, 2), "4.7·10⁻⁷");
  assert.equal(count(262144), "262\u202f144");
});

test("shares as percentages", () => {
  assert.equal(percent(0.5243, 0.0078), "52.4 ± 0.8\u202f%");
  assert.equal(percent(1, 0), "100\u202f%");
});

test("whatever the numbers, the shown value is within half a last digit of the true one", () => {
  const value = fc.double({ min: -1e6, max: 1e6, noNaN: true });
  const half = fc.double({ min: 1e-6, max: 1e4, noNaN: true });
  fc.assert(
    fc.property(value, half, (v, h) => {
      const shown = measured(v, h);
      const number = (text: string) => Number(text.replaceAll("\u202f", "").replace("−", "-"));
      // One or two digits of the error are kept, so rounding moves either by at most a third of the error.
      assert.ok(Math.abs(number(shown.value) - v) <= h / 3 + 1e-9, shown.text);
      assert.ok(Math.abs(number(shown.error) - h) <= h / 3 + 1e-9, shown.text);
    }),
  );
});
