// What every profile needs to know.

export interface ProfileProps {
  readonly token: string;
  readonly zone: string;
  readonly assetId: number;
  readonly assetName: string;
}
