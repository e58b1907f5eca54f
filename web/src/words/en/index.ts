// Every word that the screens say, by area. The specification's messages stand here word for word; {{…}} is filled in.
import { administration } from './administration';
import { app } from './app';
import { charts } from './charts';
import { diagram } from './diagram';
import { help } from './help';
import { hierarchy } from './hierarchy';
import { live } from './live';
import { operate } from './operate';
import { palette } from './palette';
import { profiles } from './profiles';
import { secondFactor } from './secondFactor';
import { session } from './session';
import { signIn } from './signIn';
import { station } from './station';
import { tables } from './tables';
import { ui } from './ui';
import { wire } from './wire';

export const en = { administration, app, charts, diagram, help, hierarchy, live, operate, palette, profiles, secondFactor, session, signIn, station, tables, ui, wire } as const;
