// Tests of where a user goes whose role has no page on a path.
import { expect, test } from 'vitest';
import { redirectOf } from './redirect';
import type { Tab } from './tabs';

const tab = (path: string): Tab => ({ key: path, name: path, view: 'V', app: 'A', path, sequence: 1, readonly: false });

test('a role without the dashboard begins on the first screen that it has', () => {
  expect(redirectOf([tab('/exportreports'), tab('/fareportsnew')], '/dashboard')).toBe('/fareportsnew');
  // The screen of the faults has pages on another of its paths.
  expect(redirectOf([tab('/home'), tab('/exportreports')], '/dashboard')).toBe('/faultdashboard');
  expect(redirectOf([tab('/exportreports'), tab('/dashboard')], '/dashboard')).toBeNull();
});

test('any other path without a page says that there is no access', () => {
  expect(redirectOf([tab('/exportreports')], '/administration')).toBe('/unauthorize');
  expect(redirectOf([tab('/exportreports')], '/sldnew')).toBe('/unauthorize');
  expect(redirectOf([tab('/sldnew')], '/sldnew')).toBeNull();
  expect(redirectOf([], '/dashboard')).toBe('/unauthorize');
});

test('the list of abnormal switching belongs to the dashboard', () => {
  expect(redirectOf([tab('/dashboard')], '/abnormal')).toBeNull();
  expect(redirectOf([tab('/exportreports')], '/abnormal')).toBe('/unauthorize');
});

test('the diagrams of feeders belong to the diagrams of substations', () => {
  expect(redirectOf([tab('/dashboard')], '/sld/feeder')).toBeNull();
  expect(redirectOf([tab('/sldnew')], '/sld/feeder')).toBeNull();
  expect(redirectOf([tab('/exportreports')], '/sld/feeder')).toBe('/unauthorize');
});
