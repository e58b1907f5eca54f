// The properties that all profiles share.

export interface ProfileProps {
  readonly token: string;
  readonly zone: string;
  readonly assetId: number;
  readonly assetName: string;
}
