import type { Inks } from "./svg";

const MOST_PIXELS = 40_000_000;
const LONGEST_SIDE = 12_000;

/** The colours of the theme that is shown. */
export function inksNow(): Inks {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string) => style.getPropertyValue(`--${name}`).trim() || "#888888";
  return {
    ground: read("ground"),
    surface: read("surface"),
    line: read("line-strong"),
    ink: read("ink"),
    mute: read("mute"),
    edge: read("edge"),
    added: read("added"),
    removed: read("removed"),
    changed: read("changed"),
  };
}

/** The scale at which a drawing of this size can be painted: twice its size, less where a browser could not hold it. Pure. */
export function scaleFor(width: number, height: number): number {
  return Math.min(2, Math.sqrt(MOST_PIXELS / (width * height)), LONGEST_SIDE / Math.max(width, height));
}

/** Paints an SVG document; rejects where the browser cannot. */
export async function pngOf(svg: { text: string; width: number; height: number }): Promise<Blob> {
  const address = URL.createObjectURL(new Blob([svg.text], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const scale = scaleFor(svg.width, svg.height);
    const canvas = document.createElement("canvas");
    canvas.width = Math.ceil(svg.width * scale);
    canvas.height = Math.ceil(svg.height * scale);
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
    if (!blob) throw new Error("The browser could not paint so large a picture.");
    return blob;
  } finally {
    URL.revokeObjectURL(address);
  }
}
