// The substations that a user may see, with the circles and divisions by which they are selected.
import { useEffect, useState } from 'react';
import { get, type CircleRow, type DivisionRow, type LocationRow } from '../../wire/rest';

export interface Places {
  circles: CircleRow[];
  divisions: DivisionRow[];
  locations: LocationRow[];
}

/** Loads all places (some hundred in a utility), and loads them again when a gateway is discovered. `failed` is the error; the old places remain. */
export function usePlaces(token: string, client: number, gateways: number): { places: Places | null; failed: string } {
  const [places, setPlaces] = useState<Places | null>(null);
  const [failed, setFailed] = useState('');
  useEffect(() => {
    let gone = false;
    const read = async () => {
      const circles = (await get<CircleRow[]>(token, `circle/circlesbyclient/${client}`)).result;
      const [divisions, locations] = await Promise.all([
        Promise.all(circles.map((circle) => get<DivisionRow[]>(token, `division/divisionsbycircle/${circle.circleId}`).then(({ result }) => result))),
        get<LocationRow[]>(token, `substation/substationsbyclient/${client}`).then(({ result }) => result),
      ]);
      if (!gone) setPlaces({ circles, divisions: divisions.flat(), locations });
    };
    read().then(
      () => setFailed(''),
      (error: Error) => !gone && setFailed(error.message),
    );
    return () => {
      gone = true;
    };
    // A renewed token does not change the places.
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the token only authorises the request
  }, [client, gateways]);
  return { places, failed };
}
