// Rows of the monitoring streams: alarms, faults, the overview of substations, and the utility's geography.

export type AlarmState = 'active_unacked' | 'active_acked' | 'cleared_unacked' | 'suppressed' | 'normal';

export interface AlarmRow {
  readonly id: number;
  readonly kind: string;
  readonly priority: number;
  readonly state: AlarmState;
  readonly pointId: number | null;
  readonly assetId: number | null;
  readonly assetName: string | null;
  readonly locationId: number;
  readonly locationName: string;
  readonly text: string;
  readonly value: number | null;
  readonly limit: number | null;
  readonly unit: string;
  readonly customers: number;
  readonly raised: string | null;
  readonly cleared: string | null;
  readonly acknowledged: string | null;
  readonly acknowledgedBy: string | null;
  readonly shelvedUntil: string | null;
  readonly shelvedBy: string | null;
  readonly shelvedReason: string | null;
  readonly owner: string | null;
  readonly note: string | null;
  readonly count: number;
  /** The alarm from which a suppressed alarm follows. */
  readonly causeId: number | null;
  readonly offset: number;
}

export interface FaultRow {
  readonly id: number;
  readonly FaultStatus: string;
  readonly AssetName: string;
  readonly Location: string;
  readonly CustomersAffected: number;
  readonly Severity: string;
  readonly StartTime: string;
  readonly EndTime: string | null;
  readonly Duration: number | null;
  readonly FaultType: string;
  readonly tripType: string;
  readonly AssetId: number;
  readonly LocationId: number;
  readonly momentary: boolean;
}

export interface OverviewRow {
  readonly locationId: number;
  readonly name: string;
  readonly kv: string | null;
  readonly lat: number | null;
  readonly lon: number | null;
  readonly breadCrumbName: string;
  readonly online: boolean;
  readonly since: string | number | null;
  readonly loadMw: number | null;
  readonly hz: number | null;
  readonly feeders: number;
  readonly feedersDead: number;
  readonly customersWithoutSupply: number;
  /** Whether the server has not the active network in memory, so that neither the states nor the customers without supply are known. */
  readonly networkUnavailable: boolean;
  /** Null customers: their number was not entered. */
  readonly deadFeeders: readonly { readonly assetId: number; readonly assetName: string; readonly customers: number | null; readonly feedsSubstation: boolean }[];
  readonly energised: 'energised' | 'dead' | 'earthed' | 'unknown' | null;
  readonly quality: number;
  readonly reportedDateTime: string | null;
  readonly ageLimitMs: number | null;
}

export type Position = readonly [lon: number, lat: number];

export interface NetworkFeature {
  readonly geometry: { readonly type: 'Point'; readonly coordinates: Position } | { readonly type: 'LineString'; readonly coordinates: readonly Position[] };
  readonly properties: { readonly kind: 'substation' | 'line' | 'feeder'; readonly name?: string; readonly kv?: number | string | null; readonly locationId?: number; readonly assetId?: number; readonly fromLocationId?: number; readonly toLocationId?: number };
}

export interface Network {
  readonly features: readonly NetworkFeature[];
}


export interface AlertRow {
  readonly kind: string;
  readonly priority: number;
  readonly alarmId: number | null;
  readonly assetId: number | null;
  readonly assetName: string | null;
  readonly locationId: number;
  readonly locationName: string;
  readonly text: string;
  readonly value: number | null;
  readonly limit: number | null;
  readonly unit: string;
  readonly since: string | null;
}

export type TrackerState = 'planned' | 'in_progress' | 'done' | 'cancelled';

export interface TrackerRow {
  readonly id: number;
  readonly locationId: number;
  readonly locationName: string;
  readonly assetId: number | null;
  readonly assetName: string | null;
  readonly text: string;
  readonly owner: string;
  readonly dueDate: string;
  readonly state: TrackerState;
  readonly overdue: boolean;
  readonly createdBy: string;
  readonly created: string;
  readonly changed: string;
}

export interface AlarmRule {
  readonly kind: string;
  readonly enabled: boolean;
  readonly limit: number | null;
  readonly deadband: number;
  readonly stateValue: number | null;
  readonly onDelayS: number;
  readonly offDelayS: number;
  readonly priority: number;
  readonly text: string;
}
