// The search that Ctrl+K opens on any screen, for substations, devices and screens. Its entries are loaded when it opens.
import { useEffect, useMemo, useState } from 'react';
import { useNavigate } from 'react-router';
import { Palette, type Entry } from '../features/palette/Palette';
import { useAsk } from '../ui/useAsk';
import { get, type Login, type Schemas } from '../wire/rest';
import { SCREENS, pathsOf } from './screens';
import { mayOpen } from './tabs';
import { usePages } from './usePages';

/** All asset types that a diagram can show. */
const TYPES = '1,2,3,4,5,6,7,8,9,10,11,12';

type Substation = Schemas['LocationRow'];
type Asset = Schemas['AssetRow'];

export function Jump({ login }: { login: Login }) {
  const [open, setOpen] = useState(false);
  const navigate = useNavigate();
  const { tabs } = usePages();
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      // An open dialog has priority.
      if (!document.querySelector('dialog[open]')) setOpen(true);
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
  const asked = useAsk(open ? `jump-${login.clientId}` : null, async (asking) => {
    const [substations, assets] = await Promise.all([get<Substation[]>(login.token, `substation/substationsbyuser/${login.id}`, asking), get<Asset[]>(login.token, `asset/assetsbyuser/${login.id}/${TYPES}`, asking)]);
    return { result: { substations: substations.result, assets: assets.result } };
  });
  const entries = useMemo<readonly Entry[] | null>(() => {
    if (!asked.data) return null;
    const { substations, assets } = asked.data;
    const names = new Map(substations.map((row) => [row.AssetPointId, row.AssetPointName]));
    return [
      ...substations.map((row): Entry => ({ key: `s${row.AssetPointId}`, kind: 'substation', name: row.AssetPointName, detail: row.BreadCrumbName, path: `/dashboard?location=${row.AssetPointId}&tab=sld` })),
      ...assets.map((row): Entry => ({ key: `a${row.assetId}`, kind: 'device', name: row.assetName, detail: names.get(row.assetPointId) ?? '', path: `/dashboard?location=${row.assetPointId}&tab=sld&asset=${row.assetId}` })),
      ...SCREENS.filter((screen) => tabs && pathsOf(screen).some((path) => mayOpen(tabs, path))).map(({ path, title }): Entry => ({ key: path, kind: 'screen', name: title, detail: 'screen', path })),
    ];
  }, [asked.data, tabs]);
  if (!open) return null;
  return <Palette entries={entries} problem={asked.problem} onGo={(path) => void navigate(path)} onClose={() => setOpen(false)} />;
}
