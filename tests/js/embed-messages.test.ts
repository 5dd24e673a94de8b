/** What a framed figure tells its host of keys, and what it refuses to read. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { handedKeys, unusedKey } from "../../web/embed/keys.ts";
import { maxText, readSet, tooLong } from "../../web/embed/messages.ts";
import { figureSchemas } from "../../web/state/fields.ts";

const press = (key: string, more: object = {}, inside = false) =>
  unusedKey({
    key,
    composedPath: () => [{ matches: () => inside }, {}],
    ...more,
  } as unknown as KeyboardEvent);

test("arrows and Escape that nobody used are the host's; all other keys are not", () => {
  for (const key of handedKeys) assert.equal(press(key), key);
  for (const key of ["a", "Enter", " ", "Tab", "Home", "arrowleft", "toString"])
    assert.equal(press(key), null);
});

test("a key that was used, typed in a field or pressed with another stays here", () => {
  for (const used of ["defaultPrevented", "isComposing", "ctrlKey", "altKey", "metaKey", "shiftKey"])
    assert.equal(press("ArrowLeft", { [used]: true }), null, used);
  assert.equal(press("ArrowLeft", {}, true), null);
});

test("a text too long is refused by name and length, as it is or in a list", () => {
  const long = "1".repeat(maxText + 1);
  assert.equal(tooLong({ seed: "1".repeat(maxText), scores: [1, 2] }), null);
  assert.equal(tooLong({ seed: long }), "set: state.seed has 10001 characters; the most is 10000");
  for (const scores of [[long], [["1", long]], [long.slice(0, 6000), long.slice(0, 6000)]])
    assert.match(tooLong({ scores }) ?? "", /state\.scores has 1\d{4} characters/);
  // What the schema does not know is not looked at, let alone measured.
  const read = readSet({ target: "sqrtdk", type: "set", state: { nobody: long } }, figureSchemas.variance);
  assert.deepEqual(read, {});
});
