// The camera of the diagram: scale and offset, and their changes. Pure.
import type { Drawing } from '../../wire/sld';

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

/** The smallest scale at which the bays of a drawing are far enough apart to be distinguished. */
const READABLE = 0.45;

/**
 * The view with which a diagram opens: the whole diagram if it is readable in this size. Otherwise, on a small screen, the part that fits at a readable scale:
 * its middle from left to right, and its upper part, where the supply comes from.
 */
export function opening(drawing: { width: number; height: number }, view: { width: number; height: number }): Camera {
  const whole = fit(drawing, view);
  if (whole.scale >= READABLE || view.width === 0 || view.height === 0) return whole;
  const margin = (part: number, all: number) => Math.max((all - part) / 2, 0);
  const [width, height] = [drawing.width * READABLE, drawing.height * READABLE];
  return { scale: READABLE, x: (view.width - width) / 2, y: margin(height, view.height) };
}

/** The smallest scale at which all names of a feeder have room. The next constant is the largest scale with which a feeder opens. */
const ROW_READABLE = 0.75;
const ROW_LARGEST = 1.25;
const ROW_MARGIN_PX = 8;

/** The view with which a feeder opens: the whole feeder if it is readable in this size. Otherwise its beginning on the left, with the busbar in the middle. */
export function rowOpening({ size, elements }: Pick<Drawing, 'size' | 'elements'>, view: { width: number; height: number }): Camera {
  if (view.width === 0 || view.height === 0) return fit(size, view);
  const whole = Math.min((view.width - 2 * ROW_MARGIN_PX) / size.width, (view.height - 2 * ROW_MARGIN_PX) / size.height);
  if (whole >= ROW_READABLE) {
    const scale = Math.min(whole, ROW_LARGEST);
    return { scale, x: (view.width - size.width * scale) / 2, y: (view.height - size.height * scale) / 2 };
  }
  const busbar = elements.find(({ class: type }) => type === 'busbar');
  const middle = ((busbar?.y1 ?? 0) + (busbar?.y2 ?? size.height)) / 2;
  const isHigh = size.height * ROW_READABLE > view.height;
  return { scale: ROW_READABLE, x: ROW_MARGIN_PX, y: isHigh ? view.height / 2 - middle * ROW_READABLE : (view.height - size.height * ROW_READABLE) / 2 };
}

/** Moves a point of the drawing to the middle of the view. */
export function centred(camera: Camera, at: { x: number; y: number }, view: { width: number; height: number }): Camera {
  return { ...camera, x: view.width / 2 - at.x * camera.scale, y: view.height / 2 - at.y * camera.scale };
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
