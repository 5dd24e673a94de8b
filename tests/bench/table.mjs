/** Results as tables of text. */

function aligned(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const line = (row) => row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join("  ");
  return rows.map((row) => `  ${line(row).trimEnd()}`).join("\n");
}

const ms = (value) => value.toPrecision(value < 1000 ? 3 : 4).replace(/\.?e.*/, "");
const percent = (share) => (share === undefined ? "" : `${(100 * share).toFixed(0)} %`);
const ratio = (value) => (value === undefined ? "n/a" : value.toFixed(2));

function targetCell(target) {
  if (!target) return "";
  return `${target.text}: ${target.result === "hit" || target.result === "n/a" ? target.result : target.result.toUpperCase()}`;
}

/** Everything measured in one workload. */
export function workloadTable({ name, unit, note, rows, bestPeer, peakRates, notTimed }) {
  const lines = [name];
  const peaks = Object.entries(peakRates).map(([variant, rate]) => `${variant} ${rate.toFixed(1)}`);
  if (peaks.length > 0) lines.push(`  multiply-add peak in this run, GFLOP/s: ${peaks.join(", ")}`);
  const head = ["", "CPU ms", "10 % - 90 %", unit, "of peak", "/ best peer", "target"];
  const cells = rows.map((row) => [
    `${row.name}${row.workScale > 1.001 ? ` (x ${row.workScale.toFixed(1)})` : ""}${row.name === bestPeer ? " *" : ""}`,
    ms(row.ms),
    `${ms(row.spread[0])} - ${ms(row.spread[1])}`,
    row.rate.toPrecision(3),
    percent(row.share),
    ratio(row.ratio),
    targetCell(row.target),
  ]);
  lines.push(aligned([head, ...cells]));
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
        ratio(row.target.value),
        row.target.result === "miss" ? "MISS" : row.target.result,
      ]),
  );
  return rows.length > 0 ? aligned([head, ...rows]) : "  sqrtdk was not timed";
}
