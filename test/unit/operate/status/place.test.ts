import { expect, test } from 'vitest';
import { statusProducts } from '../../../../src/commands/status-products.ts';
import { answersHere, productsAt } from '../../../../src/operate/status/place.ts';

const ofNodes = ['haproxy-supervisor', 'haproxy-monitor', 'keepalived-supervisor', 'keepalived-monitor'];

/** The answers if every program with a page was queried and only these are present. */
function answersOf(...there: readonly string[]) {
  return statusProducts
    .flatMap(({ inputs }) => inputs.programs)
    .map((asked) => ({
      asked,
      status: null,
      isThere: there.includes(asked.name),
      program: { name: asked.name, state: 'silent' as const, address: null, problem: null },
    }));
}

const namesHere = (there: readonly string[], isInstalled = false) =>
  answersHere(answersOf(...there), statusProducts, isInstalled).map(({ asked }) => asked.name);

test('on a node all four programs are expected, and no router', () => {
  expect(namesHere(ofNodes)).toEqual(ofNodes);
  expect(namesHere(['keepalived-monitor'])).toEqual(ofNodes);
  expect(namesHere([])).toEqual(ofNodes);
});

test("in a router's pod only its own programs are expected", () => {
  expect(namesHere(['router'])).toEqual(['router']);
});

test("in a pod proxy's pod HAProxy's supervisor is expected as well", () => {
  expect(namesHere(['pod-proxy'])).toEqual(['haproxy-supervisor', 'pod-proxy']);
  expect(namesHere(['pod-proxy', 'haproxy-supervisor'])).toEqual(['haproxy-supervisor', 'pod-proxy']);
});

test("a router on a control-plane node hides none of the node's programs", () => {
  expect(namesHere(['router', 'haproxy-monitor'])).toEqual([...ofNodes, 'router']);
  expect(namesHere(['router'], true)).toEqual([...ofNodes, 'router']);
});

test('only products with a program on the machine are shown', () => {
  const at = (...names: readonly string[]) =>
    productsAt(
      { programs: names.map((name) => ({ name, state: 'answers', address: null, problem: null })) },
      statusProducts,
    ).flatMap(({ inputs }) => inputs.programs.map(({ name }) => name));
  expect(at('router')).toEqual(['router']);
  expect(at('haproxy-supervisor', 'router')).toEqual(['haproxy-supervisor', 'haproxy-monitor', 'router']);
});
