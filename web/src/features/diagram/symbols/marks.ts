// Marks on a symbol: unacknowledged changes, tags, and a pending command.
import { isOpen } from '../../../wire/control';
import { badge, extent, type Sheet } from './sheet';

/** Letters of the tags, the strongest first. */
const LETTER = { inhibit: 'X', caution: 'C' } as const;

export function marks(sheet: Sheet): void {
  const { element, view } = sheet;
  const flash = view.flash(element.position?.pointId);
  // All blinking follows the server's clock, so that it is in step on all screens.
  if (flash && (view.steady || view.phase)) frame(sheet, flash[1] === 'trip');
  const tags = view.tags(element.assetId);
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

function corner({ ctx, palette, element, x, y }: Sheet, kind: 'inhibit' | 'caution', count: number): void {
  const size = extent(element);
  ctx.fillStyle = kind === 'inhibit' ? palette.alarm : palette.warn;
  ctx.fillRect(x + size, y - size - 11, count > 1 ? 22 : 13, 13);
  badge(ctx, palette, `${LETTER[kind]}${count > 1 ? count : ''}`, x + size + (count > 1 ? 11 : 6.5), y - size - 4, palette.onMark);
}

/** Draws a dashed ring with the remaining seconds of a command. All users see it. */
function ring({ ctx, palette, element, view, x, y }: Sheet, until: number | null): void {
  ctx.strokeStyle = palette.focus;
  ctx.lineWidth = 2;
  ctx.setLineDash([4, 3]);
  ctx.beginPath();
  ctx.arc(x, y, extent(element) + 9, 0, Math.PI * 2);
  ctx.stroke();
  ctx.setLineDash([]);
  if (until !== null) badge(ctx, palette, `${Math.max(0, Math.ceil((until - view.serverNow) / 1_000))} s`, x, y + extent(element) + 18, palette.focus);
}
