/** Results as tables of text. */

function aligned(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const line = (row) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join("  ");
  return rows.map((row) => `  ${line(row).trimEnd()}`).join("\n");
}

// Three digits or more, never an exponent.
const ms = (value) => value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3);
const percent = (share) => (share === undefined ? "" : `${(100 * share).toFixed(0)} %`);
const ratio = (value, digits = 2) => (value === undefined ? "n/a" : value.toFixed(digits));

// A miss must catch the eye.
const shown = (result) => (result === "miss" ? "MISS" : result);

function targetCell(target) {
  return target ? `${target.text}: ${shown(target.result)}` : "";
}

/** Everything measured in one workload. */
export function workloadTable({ name, unit, note, rows, bestPeer, peakRates, notTimed }) {
  const lines = [name];
  const peaks = Object.entries(peakRates).map(([variant, rate]) => `${variant} ${rate.toFixed(1)}`);
  if (peaks.length > 0) lines.push(`  multiply-add peak in this run, GFLOP/s: ${peaks.join(", ")}`);
  const ofPeak = (cell) => (peaks.length > 0 ? [cell] : []);
  const head = ["", "CPU ms", "10 % - 90 %", unit, ...ofPeak("of peak"), "/ best peer", "target"];
  const cells = rows.map((row) => [
    `${row.name}${row.workScale > 1.001 ? ` (x ${row.workScale.toFixed(1)})` : ""}${row.name === bestPeer ? " *" : ""}`,
    ms(row.ms),
    `${ms(row.spread[0])} - ${ms(row.spread[1])}`,
    row.rate.toPrecision(3),
    ...ofPeak(percent(row.share)),
    ratio(row.ratio),
    targetCell(row.target),
  ]);
  if (rows.length > 0) lines.push(aligned([head, ...cells]));
  for (const { name, reason } of notTimed) lines.push(`  ${name}: not timed: ${reason}`);
  if (note) lines.push(`  ${note}`);
  return `${lines.join("\n")}\n`;
}

/** Our two variants in every workload, and whether they hit their targets. */
export function summaryTable(results) {
  const head = ["", "variant", "CPU ms", "best peer ms", "/ best peer", "of peak", "target", "measured", ""];
  const rows = results.flatMap(({ name, rows, bestPeer }) =>
    rows
      .filter(({ variant }) => variant)
      .sort((a, b) => a.variant.localeCompare(b.variant))
      .map((row) => [
        name,
        row.variant,
        ms(row.ms),
        bestPeer ? ms(rows.find(({ name }) => name === bestPeer).ms) : "n/a",
        ratio(row.ratio),
        percent(row.share),
        row.target.text,
        ratio(row.target.value, 3),
        shown(row.target.result),
      ]),
  );
  return rows.length > 0 ? aligned([head, ...rows]) : "  sqrtdk was not timed";
}
