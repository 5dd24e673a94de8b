/**
 * A table as RFC 4180 text, or with other line ends; cells that could start a formula in a spreadsheet are ours alone
 * (numbers), so none is escaped.
 */
export function csvText(
  header: readonly string[],
  rows: readonly (readonly (string | number)[])[],
  lineEnd = "\r\n",
): string {
  const cell = (value: string | number) => {
    const text = String(value);
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [header, ...rows]
    .map((row) => row.map(cell).join(","))
    .join(lineEnd)
    .concat(lineEnd);
}
