// Tests that the form of a rating keeps its values, and that an empty field is unknown.
import { expect, test } from 'vitest';
import type { Rating } from '../../wire/ratings';
import { draftOf, readDraft } from './ratings';

const rating: Rating = {
  ratedMva: 0.315,
  cooling: 'distribution',
  paper: 'upgraded',
  regime: 'long_emergency',
  parameters: {
    lossRatio: 5,
    oilRiseK: null,
    gradientK: 22.5,
    oilExponent: 0.8,
    windingExponent: null,
    oilMinutes: 180,
    windingMinutes: null,
    k11: null,
    k21: 1,
    k22: null,
  },
  limits: { oilAlarmC: 85, oilTripC: null, windingAlarmC: 0, windingTripC: 110 },
  usedLifeYears: 12.25,
};

test('a rating goes through the form and comes back, also its nulls and its 0', () => {
  expect(readDraft(draftOf(rating))).toEqual(rating);
});

test('a transformer without a rating begins empty, and without a rated power there is none', () => {
  const draft = draftOf(null);
  expect(readDraft(draft)).toBeNull();
  const made = readDraft({ ...draft, ratedMva: ' 16 ', oilRiseK: '  ' });
  expect([made?.ratedMva, made?.parameters.oilRiseK, made?.limits.oilAlarmC, made?.usedLifeYears, made?.cooling]).toEqual([
    16,
    null,
    null,
    0,
    'onan',
  ]);
});
