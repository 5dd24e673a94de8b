/** Drawings and tables as files, made in the browser. The drawing code is the one the page uses. */
import { render, type TemplateResult } from "lit";

/** The text of an .svg file: the same template, drawn into a detached element and without Lit's markers. */
export function svgText(template: TemplateResult): string {
  const host = document.createElement("div");
  render(template, host);
  const root = host.querySelector("svg");
  if (!root) throw new Error("the template holds no <svg>");
  return tidy(new XMLSerializer().serializeToString(root));
}

/** Removes the comments that templates leave behind, and the marks that Lit's server leaves where comments were. */
export function tidy(markup: string): string {
  return markup
    .replace(/<!--.*?-->|<\?>/gs, "")
    .replace(/>\s+</g, "><")
    .trim();
}

export async function pngBlob(markup: string, width: number, height: number, scale = 2): Promise<Blob> {
  const image = new Image();
  // A data URL, not a blob URL: Safari taints the canvas for the latter.
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(markup)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext("2d");
  if (!context) throw new Error("this browser gives no 2D canvas");
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error("the canvas gave no image"))),
      "image/png",
    );
  });
}

export function saveBlob(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // Revoked later: some browsers read the blob only after this task.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
