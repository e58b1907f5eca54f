// The camera of the diagram: scale and offset, and their changes. Pure.

export interface Camera {
  scale: number;
  x: number;
  y: number;
}

/** Zoom limits and steps (specification 2, section 9). */
export const SCALE_MIN = 0.1;
export const SCALE_MAX = 5;
export const BUTTON_STEP = 1.2;
export const WHEEL_STEP = 1.1;
const FIT = 0.9;

const clamp = (scale: number) => Math.min(SCALE_MAX, Math.max(SCALE_MIN, scale));

/** Fits the whole drawing into 90 percent of the view. */
export function fit(drawing: { width: number; height: number }, view: { width: number; height: number }): Camera {
  const scale = clamp(Math.min((view.width * FIT) / drawing.width, (view.height * FIT) / drawing.height));
  return { scale, x: (view.width - drawing.width * scale) / 2, y: (view.height - drawing.height * scale) / 2 };
}

/** Zooms around a point of the view, which keeps its position. */
export function zoom(camera: Camera, factor: number, at: { x: number; y: number }): Camera {
  const scale = clamp(camera.scale * factor);
  const change = scale / camera.scale;
  return { scale, x: at.x - (at.x - camera.x) * change, y: at.y - (at.y - camera.y) * change };
}

export function pan(camera: Camera, dx: number, dy: number): Camera {
  return { ...camera, x: camera.x + dx, y: camera.y + dy };
}

/** A point of the view in drawing units. */
export function toDrawing(camera: Camera, at: { x: number; y: number }): { x: number; y: number } {
  return { x: (at.x - camera.x) / camera.scale, y: (at.y - camera.y) / camera.scale };
}
