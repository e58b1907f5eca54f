// Operations on a device of the diagram: its menu, the buttons beside it, the dialogs, and acknowledging changes.
import { useState, type ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { assetTypes } from '../ui/levels';
import { writePreset } from '../features/hierarchy/preset';
import { CommandLife, useScene } from '../features/operate/CommandLife';
import { Operate } from '../features/operate/Operate';
import { Tags } from '../features/operate/Tags';
import type { Mode } from '../features/operate/flow';
import { choices } from '../features/operate/rules';
import { useRest } from '../features/operate/useRest';
import { bayOf } from '../features/diagram/state';
import type { AssetOption } from '../features/station/Chooser';
import type { Device } from '../features/station/Detail';
import { shownQuality } from '../live/freshness';
import { useLink, useLive, useServerSecond } from '../live/live';
import { statusCode } from '../live/status';
import { MenuList, type Item } from '../ui/Menu';
import { number } from '../ui/format';
import { notice } from '../ui/notice';
import { toast } from '../ui/toast';
import { get, postCommand, type Login, problemOf } from '../wire/rest';
import { lineOf } from './analytics';
import { feederPath } from './feeders';
import { useOutside } from './useAreas';
import type { StationData } from './useStation';
import { t } from '../words';

/** Asset types that the screen behind See Details lists. */
const LINES = assetTypes('ENERGY_EFFICIENCY');

interface Given {
  readonly login: Login;
  readonly location: number;
  readonly division: number | null;
  readonly station: StationData;
  readonly devices: readonly Device[];
  readonly selected: Device | null;
  readonly readOnly: boolean;
  /** The feeder of an asset, whose diagram is offered; absent on that diagram. */
  readonly feederOf?: (asset: number | null) => string | null;
}

export interface Operation {
  readonly openMenu: (id: string, at: { x: number; y: number }) => void;
  /** Buttons for the panel of the selected device. */
  readonly actions: ReactNode;
  readonly acknowledge: ReactNode;
  readonly dialogs: ReactNode;
}

export function useOperation({ login, location, division, station, devices, selected, readOnly, feederOf }: Given): Operation {
  const { scene, drawing, inputs, ready } = station;
  const rows = station.rows ?? [];
  const { points, connection } = useLive();
  const link = useLink();
  useScene(scene);
  useServerSecond();
  const navigate = useNavigate();
  const outside = useOutside();
  const [menu, setMenu] = useState<{ id: string; x: number; y: number } | null>(null);
  const [tagging, setTagging] = useState<Device | 'station' | null>(null);
  const [operating, setOperating] = useState<{ device: Device; mode: Mode } | null>(null);

  const inputOf = (device: Device | undefined) => inputs.find(({ Asset2DiSettingId }) => device !== undefined && Asset2DiSettingId === device.pointId) ?? null;
  const tagsOf = (device: Device) => scene.tags(device.assetId, drawing ? bayOf(drawing, device.pointId) : undefined);
  // The device whose buttons are shown.
  const shownId = menu?.id ?? selected?.id;
  const current = devices.find(({ id }) => id === shownId);
  const rest = useRest(login.token, inputOf(current), scene.command(current?.pointId), current?.pointId == null ? null : (points.get(current.pointId)?.v ?? null), connection.clock.now() ?? Date.now());
  const limitOf = (point: number | null) => (point === null ? null : (drawing?.points[point]?.ageLimitMs ?? null));
  const choicesOf = (device: Device) => {
    const di = inputOf(device);
    const point = device.pointId === null ? undefined : points.get(device.pointId);
    const quality = shownQuality(point, limitOf(device.pointId), connection.clock.now() ?? Date.now(), link.up);
    const status = point?.v == null || device.pointId === null ? '' : statusCode(drawing?.points[device.pointId]?.encoding, point.v);
    const canOperate = login.canOperate && !readOnly;
    return { di, ...choices({ className: device.className, di, status, quality, linkUp: link.up, ready, canOperate, outside: outside(location, device.assetId), tags: tagsOf(device), command: scene.command(device.pointId), restSeconds: device.id === current?.id ? rest : 0 }) };
  };

  const details = async (device: Device) => {
    if (division === null || !device.assetId || !rows.some((row) => row.assetId === device.assetId)) return notice(t('app.noData'));
    if (device.className === 'transformer' || device.className === 'battery') {
      return navigate(`/assetreportsnew${writePreset(division, location, device.className === 'battery' ? null : device.assetId)}`);
    }
    // The analytics cover lines. A breaker opens the line in its bay, or the substation if the bay has no line.
    try {
      const { result: lines } = await get<readonly AssetOption[]>(login.token, `asset/assetsbysubstation/${location}/${LINES}`);
      await navigate(`/eereportsnew${writePreset(division, location, lineOf(device.assetId, rows, lines))}`);
    } catch (error) {
      toast(problemOf(error), 'error');
    }
  };
  // Sends the points that are shown, so that a change the user has not seen is not acknowledged.
  const acknowledge = async (pointIds: readonly number[]) => {
    try {
      await postCommand(login.token, 'sld/acknowledge', { locationId: location, pointIds });
    } catch (error) {
      toast(problemOf(error), 'error');
    }
  };
  const itemsOf = (device: Device): Item[] => {
    const { select, direct } = choicesOf(device);
    const items: Item[] = [
      { name: t('app.selectBeforeOperate'), testId: 'menu-select', disabled: select, onChoose: () => setOperating({ device, mode: 'select' }) },
      { name: t('app.directOperateAsset'), testId: 'menu-direct', disabled: direct, onChoose: () => setOperating({ device, mode: 'direct' }) },
      { name: t('app.seeDetails'), testId: 'menu-details', onChoose: () => void details(device) },
    ];
    const feeder = feederOf?.(device.assetId) ?? null;
    if (feeder !== null) items.push({ name: t('app.feederDiagram'), testId: 'menu-feeder', onChoose: () => void navigate(feederPath(feeder)) });
    const mayTag = (asset: number | null) => (login.canOperate && !readOnly ? outside(location, asset) : t('app.youHaveNoRightTo'));
    if (device.assetId) items.push({ name: t('app.tags'), testId: 'menu-tags', disabled: mayTag(device.assetId), onChoose: () => setTagging(device) });
    items.push({ name: t('app.tagsOfSubstation'), testId: 'menu-station-tags', disabled: mayTag(null), onChoose: () => setTagging('station') });
    const point = device.pointId;
    if (point !== null && scene.flash(point)) items.push({ name: t('app.acknowledge'), testId: 'menu-acknowledge', disabled: readOnly ? t('app.youOnlyReadHere') : link.up ? '' : t('app.theConnectionIsLost'), onChoose: () => void acknowledge([point]) });
    return items;
  };
  const openMenu = (id: string, { x, y }: { x: number; y: number }) => {
    const device = devices.find((candidate) => candidate.id === id);
    if (!device) return;
    if (!device.assetId || !rows.some((row) => row.assetId === device.assetId)) return notice(t('app.noData'));
    setMenu({ id, x: Math.min(x, window.innerWidth - 260), y: Math.min(y, window.innerHeight - 240) });
  };

  const menued = menu && devices.find(({ id }) => id === menu.id);
  const target = operating && { ...choicesOf(operating.device), device: operating.device };
  const waiting = scene.flashes();
  return {
    openMenu,
    actions: selected && (
      <>
        <div className="device-actions">
          {itemsOf(selected)
            .filter(({ testId }) => selected.className === 'breaker' || (testId !== 'menu-select' && testId !== 'menu-direct'))
            .map(({ name, testId, disabled, onChoose }) => (
              <button key={name} type="button" data-testid={testId?.replace('menu', 'action')} disabled={Boolean(disabled)} data-tip={disabled || undefined} onClick={onChoose}>
                {name}
              </button>
            ))}
        </div>
        <CommandLife scene={scene} point={selected.pointId} zone={login.timeZone} />
      </>
    ),
    acknowledge: waiting.length > 0 && (
      <span className="unacknowledged">
        {waiting.length} {waiting.length === 1 ? 'change' : 'changes'} <span>{t('app.notAcknowledged')}{waiting.some(([, kind]) => kind === 'trip') && t('app.withTrips')}</span>{' '}
        <button type="button" className="plain" data-testid="acknowledge-all" disabled={readOnly || !link.up || !ready} onClick={() => void acknowledge(waiting.map(([point]) => point))}>
          {t('app.acknowledgeAll')}
        </button>
      </span>
    ),
    dialogs: (
      <>
        {menu && menued && <MenuList label={t('app.menuOf', { name: menued.name })} items={itemsOf(menued)} onClose={() => setMenu(null)} style={{ position: 'fixed', left: menu.x, top: menu.y, right: 'auto' }} />}
        {tagging === 'station' ? (
          <Tags token={login.token} asset={null} location={location} name={t('app.thisSubstation')} tags={scene.stationTags()} zone={login.timeZone} onClose={() => setTagging(null)} />
        ) : (
          tagging?.assetId && <Tags token={login.token} asset={tagging.assetId} location={location} name={tagging.name} tags={tagsOf(tagging)} zone={login.timeZone} onClose={() => setTagging(null)} />
        )}
        {target?.di && operating && (
          <Operate
            key={`${operating.device.id}-${operating.mode}`}
            token={login.token}
            username={login.username}
            mode={operating.mode}
            target={{ di: target.di, name: operating.device.name, ageLimitMs: limitOf(operating.device.pointId), load: loadOf(operating.device, station, (point) => points.get(point)?.v ?? null), inverted: operating.device.inverted }}
            zone={login.timeZone}
            tags={tagsOf(operating.device)}
            command={scene.command(operating.device.pointId)}
            isSelected={selected?.id === operating.device.id}
            onClose={() => setOperating(null)}
          />
        )}
      </>
    ),
  };
}

/** The present load of a device's bay as text: current of the first phase and power, if they are measured. */
function loadOf({ pointId }: Device, { drawing, rows }: StationData, valueOf: (point: number) => number | null): string {
  const bay = pointId === null ? undefined : drawing?.points[pointId]?.address.split('/')[0];
  if (!bay) return '';
  const of = (code: string) => rows?.find(({ pointName }) => pointName.startsWith(`${bay}/`) && pointName.endsWith(`/${code}`));
  return ['Ir', 'P']
    .map(of)
    .flatMap((row) => (row ? [`${number(valueOf(row.pointId), row.decimals)} ${row.unit}`] : []))
    .join(', ');
}
