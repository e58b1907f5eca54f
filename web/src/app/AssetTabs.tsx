// Tabs of an asset that reuse other views: live readings by asset type, and permissible loading.
import { TransformerReadings } from '../features/analysis/TransformerReadings';
import type { ViewProps } from '../features/analysis/view';
import { useConfiguration } from './configuration';
import { t } from '../words';
import { AssetViews } from './AssetViews';

/** Asset types that are transformers (specification 3, section 9). */
const TRANSFORMERS: readonly (number | null)[] = [2, 5];

export function LiveReadingsTab(props: ViewProps) {
  const { node, login } = props;
  return (
    <>
      {TRANSFORMERS.includes(node.assetType) && <TransformerReadings {...props} />}
      <div className="analysis-below">
        <AssetViews login={login} view="readings" asset={node} configuration={null} />
      </div>
    </>
  );
}

export function PermissibleLoadingTab({ node, login }: ViewProps) {
  const { data, problem } = useConfiguration(login);
  if (!data && !problem) return <div className="notice">{t('app.loading')}</div>;
  return <AssetViews login={login} view="loading" asset={node} configuration={data} />;
}
