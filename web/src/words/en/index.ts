// Every word that the screens say, by area. The specification's messages stand here word for word; {{…}} is filled in.
import { administration } from './administration';
import { alarms } from './alarms';
import { analytics } from './analytics';
import { app } from './app';
import { charts } from './charts';
import { communication } from './communication';
import { demand } from './demand';
import { diagram } from './diagram';
import { faulttrends } from './faulttrends';
import { help } from './help';
import { hierarchy } from './hierarchy';
import { live } from './live';
import { network } from './network';
import { operate } from './operate';
import { overview } from './overview';
import { palette } from './palette';
import { profiles } from './profiles';
import { reliability } from './reliability';
import { secondFactor } from './secondFactor';
import { session } from './session';
import { signIn } from './signIn';
import { station } from './station';
import { tables } from './tables';
import { trackers } from './trackers';
import { ui } from './ui';
import { wire } from './wire';

export const en = { administration, alarms, analytics, app, charts, communication, demand, diagram, faulttrends, help, hierarchy, live, network, operate, overview, palette, profiles, reliability, secondFactor, session, signIn, station, tables, trackers, ui, wire } as const;
