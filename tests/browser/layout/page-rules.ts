/** What can be wrong with texts and controls around drawings. Runs inside the page. */
import { beyond, contentOf, nameOf, type Place, pairs, seen, shared } from "./boxes.ts";
import { slackPx, smallestIndexPx, smallestTextPx } from "./drawing-rules.ts";

/** WCAG 2.5.8 for a mouse; for fingers what figures/style.ts promises, but for marks in a drawing, which lie as close as their numbers. */
const smallestTargetPx = (target: Element) =>
  matchMedia("(pointer: coarse)").matches && !(target instanceof SVGElement) ? 44 : 24;

interface Line {
  node: Text;
  block: Element;
  place: Place;
}

const isInline = (element: Element) =>
  /^inline$|^contents$|^math|^ruby/.test(getComputedStyle(element).display);

/** Lines of text with the block that each belongs to. */
function linesOf(scope: Element): Line[] {
  const lines: Line[] = [];
  const walker = document.createTreeWalker(contentOf(scope), NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode() as Text | null; node; node = walker.nextNode() as Text | null) {
    let block = node.parentElement;
    if (!block || !node.data.trim() || block.closest("svg, math, style, script, noscript")) continue;
    if (!seen(block)) continue;
    while (isInline(block) && block.parentElement) block = block.parentElement;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const place of range.getClientRects()) if (place.width > 0) lines.push({ node, block, place });
  }
  return lines;
}

const controls =
  "button, input, select, summary, [role=slider], [role=button], .segments label, .chip, nav a";

/** The box a finger has to meet: a small box to tick counts with its words. */
function targetOf(control: Element): Element {
  return (control as HTMLInputElement).type?.match(/^(radio|checkbox)$/)
    ? (control.closest("label") ?? control)
    : control;
}

/** What scrolls sideways may be wider than its place. */
const scrolls = (element: Element) => {
  for (let at: Element | null = element; at; at = at.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(at).overflowX)) return true;
  }
  return false;
};

function* wrongLines(lines: readonly Line[], frame: Place): Generator<string> {
  for (const { node, block, place } of lines) {
    const parent = node.parentElement as Element;
    const size = Number.parseFloat(getComputedStyle(parent).fontSize);
    const least = parent.closest("sub, sup") ? smallestIndexPx : smallestTextPx;
    if (size < least - 0.01) yield `${nameOf(node)} is ${size.toFixed(1)} px small`;
    if (!scrolls(block)) {
      const out = beyond(place, { ...frame, top: place.top, bottom: place.bottom });
      if (out > slackPx) yield `${nameOf(node)} leaves its place by ${out.toFixed(1)} px`;
    }
    const control = parent.closest(controls);
    const narrow = control ? beyond(place, control.getBoundingClientRect()) : 0;
    if (control && narrow > slackPx)
      yield `${nameOf(node)} leaves ${nameOf(control)} by ${narrow.toFixed(1)} px`;
  }
  for (const [one, other] of pairs(lines)) {
    if (one.block === other.block || one.block.contains(other.block) || other.block.contains(one.block))
      continue;
    const { wide, high } = shared(one.place, other.place);
    // Lines of text have room above and below their ink.
    if (wide > slackPx && high > 3)
      yield `${nameOf(one.node)} and ${nameOf(other.node)} overlap by ${high.toFixed(0)} px`;
  }
}

function* wrongControls(scope: Element, frame: Place): Generator<string> {
  const targets = [...new Set([...contentOf(scope).querySelectorAll(controls)].map(targetOf))].filter(seen);
  for (const target of targets) {
    const { width, height, left, right } = target.getBoundingClientRect();
    const least = smallestTargetPx(target);
    if (Math.min(width, height) < least - 0.01) {
      yield `${nameOf(target)} is ${width.toFixed(0)} × ${height.toFixed(0)} px, less than ${least}`;
    }
    const out = Math.max(frame.left - left, right - frame.right);
    if (out > slackPx && !scrolls(target)) yield `${nameOf(target)} leaves its place by ${out.toFixed(1)} px`;
  }
  for (const [one, other] of pairs(targets)) {
    if (one.contains(other) || other.contains(one)) continue;
    const { wide, high } = shared(one.getBoundingClientRect(), other.getBoundingClientRect());
    if (wide > slackPx && high > slackPx) yield `${nameOf(one)} and ${nameOf(other)} overlap`;
  }
}

export function* wrongPage(scope: Element): Generator<string> {
  const overflow = document.documentElement.scrollWidth - innerWidth;
  if (overflow > 0) yield `the page is ${overflow} px wider than the window`;
  const frame = scope.getBoundingClientRect();
  yield* wrongLines(linesOf(scope), frame);
  yield* wrongControls(scope, frame);
}
