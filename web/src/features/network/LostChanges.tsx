// Jumpers, cuts and portable earths that have no place in the active network, over the diagram of their substation: what the crews have placed can still be there.
import { Link } from 'react-router';
import { eventTime } from '../../ui/format';
import { kindText } from '../../ui/temporary';
import type { Schemas } from '../../wire/rest';
import { t } from '../../words';

/** Number of changes that are named. The list of temporary changes has them all. */
const NAMED_MAX = 3;

interface Props {
  readonly changes: readonly Schemas['TemporaryChangeRow'][];
  /** Whether the changes could not be read again. */
  readonly isOld: boolean;
  readonly zone: string;
}

export function LostChanges({ changes, isOld, zone }: Props) {
  const more = changes.length - NAMED_MAX;
  return (
    <div className="lost-changes" role="status" data-testid="lost-changes" data-old={isOld}>
      <b>{t('network.lostChanges')}</b>
      <ul>
        {changes.slice(0, NAMED_MAX).map(({ id, kind, place, by, placed, problem }) => (
          <li key={id} data-tip={problem ?? undefined}>
            {isOld && '? '}
            {t('network.lostChange', { kind: kindText(kind), id, place, by, at: eventTime(Date.parse(placed), Date.now(), zone) })}
          </li>
        ))}
      </ul>
      <Link to="/abnormal">{more > 0 ? t('network.moreLostChanges', { n: more }) : t('network.allTemporaryChanges')}</Link>
    </div>
  );
}
