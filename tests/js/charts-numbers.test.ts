/** A measured number shows as many digits as its error band supports, and no more. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { count, exact, fixed, measured, rough, share, shareInterval } from "../../web/charts/numbers.ts";

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

test("shares: a band, a lopsided interval as it is, and all or none of so many", () => {
  assert.equal(share(8520, 16384), "52.0 ± 0.8\u202f%");
  assert.equal(share(2, 40), "1 to 17\u202f%");
  assert.equal(share(0, 2000), "none of 2000");
  assert.equal(share(4, 4), "all of 4");
});

test("Wilson's interval agrees with tables and has a width at 0 and 1", () => {
  const near = (value: number, wanted: number) => assert.ok(Math.abs(value - wanted) < 5e-4, String(value));
  near(shareInterval(15, 148).low, 0.0624);
  near(shareInterval(15, 148).high, 0.1605);
  near(shareInterval(0, 20).high, 0.1611);
  assert.equal(shareInterval(0, 20).low, 0);
  near(shareInterval(20, 20).low, 0.8389);
});

test("what has no band is shown with one digit", () => {
  assert.equal(rough(3.13), "about 3");
  assert.equal(rough(0.0219), "about 0.02");
  assert.equal(rough(23), "about 20");
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
