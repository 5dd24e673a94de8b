/** Names beside bars and cells: how much room they take, and which of them are shown where there is little. */

/** Font size of names and values. */
export const nameSize = 11.5;

/** About how wide a text is, where nothing can be measured; marks that set an index low take no room. */
export function roughWidth(text: string): number {
  return 0.62 * nameSize * text.replace(/[_^]/g, "").length;
}

/**
 * Which of the names are shown, so many pixels apart, if each needs `room`: every one, every second, ... The one that is
 * looked at is always among them, and its neighbours make way.
 */
export function namesWithRoom(room: number, apart: number, selected?: number): (index: number) => boolean {
  const step = Math.max(1, Math.ceil(room / Math.max(1, apart)));
  return (index) =>
    index === selected ||
    (index % step === 0 && (selected === undefined || Math.abs(index - selected) >= step));
}

/** The room the widest of these needs beside the next. */
export function widest(names: readonly string[]): number {
  return Math.max(0, ...names.map(roughWidth)) + 3;
}
