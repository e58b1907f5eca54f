// Marks on a symbol: unacknowledged changes, tags, and a pending command.
import { isOpen } from '../../../wire/control';
import { bayOf } from '../state';
import { atLeast } from './labels';
import { badge, extent, type Sheet } from './sheet';

/** Letters of the tags, the strongest first. */
const LETTER = { inhibit: 'X', caution: 'C' } as const;

export function marks(sheet: Sheet): void {
  const { element, view } = sheet;
  const flash = view.flash(element.position?.pointId);
  // All blinking follows the server's clock, so that it is in step on all screens.
  if (flash && (view.steady || view.phase)) frame(sheet, flash[1] === 'trip');
  const tags = view.tags(element.assetId, bayOf(view.drawing, element.position?.pointId));
  if (tags.length > 0) corner(sheet, tags.some(({ kind }) => kind === 'inhibit') ? 'inhibit' : 'caution', tags.length);
  const command = view.command(element.position?.pointId);
  if (command && isOpen(command)) ring(sheet, command.deadline ?? command.selectUntil ?? null);
}

/** Draws one frame for a change, two for a trip. */
function frame({ ctx, palette, element, x, y }: Sheet, isTrip: boolean): void {
  const size = extent(element) + 4;
  ctx.strokeStyle = isTrip ? palette.alarm : palette.warn;
  ctx.lineWidth = 2;
  ctx.strokeRect(x - size, y - size, size * 2, size * 2);
  if (isTrip) ctx.strokeRect(x - size - 4, y - size - 4, size * 2 + 8, size * 2 + 8);
}

function corner(sheet: Sheet, kind: 'inhibit' | 'caution', count: number): void {
  const { ctx, palette, element, x, y } = sheet;
  const size = extent(element);
  // The letter keeps its size on the screen, and its ground with it.
  const height = atLeast(13, sheet.scale, 13);
  const width = height * (count > 1 ? 1.7 : 1);
  ctx.fillStyle = kind === 'inhibit' ? palette.alarm : palette.warn;
  ctx.fillRect(x + size, y - size + 2 - height, width, height);
  badge(sheet, `${LETTER[kind]}${count > 1 ? count : ''}`, x + size + width / 2, y - size + 2.5 - height / 2, palette.onMark);
}

/** Draws a dashed ring with the remaining seconds of a command. All users see it. */
function ring(sheet: Sheet, until: number | null): void {
  const { ctx, palette, element, view, x, y, scale } = sheet;
  ctx.strokeStyle = palette.focus;
  ctx.lineWidth = 2;
  ctx.setLineDash([4, 3]);
  ctx.beginPath();
  ctx.arc(x, y, extent(element) + 9, 0, Math.PI * 2);
  ctx.stroke();
  ctx.setLineDash([]);
  if (until !== null) badge(sheet, `${Math.max(0, Math.ceil((until - view.serverNow) / 1_000))} s`, x, y + extent(element) + 11 + atLeast(7, scale, 7), palette.focus);
}
