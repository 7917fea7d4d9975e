import { expect, it } from 'vitest';
import { redirectRuleset, redirectTable, removalRuleset } from '../../../../src/api-lb/redirect/ruleset.ts';

it('replaces the whole table in one transaction', () => {
  const ruleset = redirectRuleset({ vips: ['10.0.0.100', 'fd00::100'], apiPort: 6443, lbPort: 9445 });
  expect(ruleset.startsWith(removalRuleset())).toBe(true);
  expect(ruleset).toContain('elements = { 10.0.0.100 . 6443 : 10.0.0.100 . 9445 }');
  expect(ruleset).toContain('elements = { fd00::100 . 6443 : fd00::100 . 9445 }');
});

it('prints no list of elements for a family without a VIP', () => {
  const ruleset = redirectRuleset({ vips: ['fd00::100'], apiPort: 6443, lbPort: 9445 });
  expect(ruleset.match(/elements/g)).toHaveLength(1);
});

it('removes the table, and does not fail if there is no table', () => {
  expect(removalRuleset()).toBe(
    'add table inet hawser_api_redirect\ndelete table inet hawser_api_redirect\n',
  );
});

it('is the same for the same VIPs in any order', () => {
  const ports = { apiPort: 6443, lbPort: 9445 };
  const one = redirectRuleset({ vips: ['10.0.0.101', '10.0.0.100'], ...ports });
  expect(redirectRuleset({ vips: ['10.0.0.100', '10.0.0.101', '10.0.0.100'], ...ports })).toBe(one);
});

it('uses a separate table for each instance', () => {
  const ruleset = redirectRuleset({ vips: ['10.0.0.100'], apiPort: 6443, lbPort: 9445 }, redirectTable('b'));
  expect(ruleset.match(/hawser_api_redirect\S*/g)).toEqual(Array(3).fill('hawser_api_redirect-b'));
});

it('adds one element for each VIP and extra port to the same maps', () => {
  const extraPorts = [{ port: 9345, listenPort: 19_345 }];
  const ruleset = redirectRuleset({ vips: ['10.0.0.100'], apiPort: 6443, lbPort: 9445, extraPorts });
  expect(ruleset).toContain(
    'elements = { 10.0.0.100 . 6443 : 10.0.0.100 . 9445, 10.0.0.100 . 9345 : 10.0.0.100 . 19345 }',
  );
});
