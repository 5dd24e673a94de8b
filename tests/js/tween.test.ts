/** A number on its way: it arrives exactly, turns round where it is, and jumps where motion is not wanted. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { Tween } from "../../web/figures/tween.ts";

let frames: ((now: number) => void)[] = [];
let start = 0;
beforeEach(() => {
  frames = [];
  Object.assign(globalThis, {
    requestAnimationFrame: (callback: (now: number) => void) => frames.push(callback),
    cancelAnimationFrame: () => {
      frames = [];
    },
  });
  start = performance.now();
});
afterEach(() => {
  for (const name of ["requestAnimationFrame", "cancelAnimationFrame"])
    Reflect.deleteProperty(globalThis, name);
});
/** The next frame, so many milliseconds after the test began. */
const frame = (milliseconds: number) => frames.shift()?.(start + milliseconds);

test("it moves on with every frame, half way after half the time, and ends on its goal", () => {
  const seen: number[] = [];
  const tween = new Tween(0, 1e6, () => seen.push(tween.value));
  tween.to(8, true);
  for (const time of [1e5, 5e5, 9e5]) frame(time);
  assert.ok(tween.moving);
  frame(2e6);
  assert.ok(!tween.moving);
  assert.ok(Math.abs((seen[1] as number) - 4) < 0.01);
  assert.deepEqual(
    seen,
    [...seen].sort((a, b) => a - b),
  );
  assert.equal(tween.value, 8);
  assert.equal(frames.length, 0, "and rests");
});

test("the same goal again changes nothing; another one is set out for from where it is", () => {
  const tween = new Tween(0, 1e6, () => {});
  tween.to(8, true);
  frame(5e5);
  const middle = tween.value;
  tween.to(8, true);
  assert.equal(frames.length, 1);
  tween.to(0, true);
  assert.equal(tween.value, middle);
  frame(0);
  assert.ok(Math.abs(tween.value - middle) < 0.01);
});

test("without motion, and when stopped, it is at its goal at once", () => {
  let moves = 0;
  const tween = new Tween(0, 1e6, () => ++moves);
  tween.to(3, false);
  assert.equal(tween.value, 3);
  tween.to(5, true);
  tween.stop();
  assert.equal(tween.value, 5);
  assert.equal(frames.length, 0);
  tween.to(7, true);
  tween.to(7, false);
  assert.equal(tween.value, 7);
  assert.equal(moves, 0);
});
