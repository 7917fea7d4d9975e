import type { Document } from 'yaml';
import { ConfigError } from '../../engine/system/errors.ts';
import type { Path } from './manifest-probes.ts';

const FACTORS: Readonly<Record<string, number>> = {
  ...{ n: 1e-9, u: 1e-6, m: 1e-3, '': 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18 },
  ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60 },
};
const QUANTITY = /^\+?(\d+(?:\.\d*)?|\.\d+)(?:[eE]([+-]?\d+)|([numkMGTPE]|[KMGTPE]i)?)$/;

/** The number behind a quantity such as `250m` or `128Mi`; undefined if it is not a quantity of at least 0. */
export function quantityOf(value: unknown): number | undefined {
  const [, digits, exponent, suffix = ''] = QUANTITY.exec(String(value)) ?? [];
  const factor = exponent === undefined ? FACTORS[suffix] : 10 ** Number(exponent);
  return digits === undefined || factor === undefined ? undefined : Number(digits) * factor;
}

/**
 * Throws a ConfigError with every limit that is below its request: the kubelet refuses such a pod after it has removed the one that
 * ran, and the node is without it.
 */
export function checkResources(document: Document, pod: string, containers: readonly Path[]): void {
  const problems = containers.flatMap((path) => {
    const container = String(document.getIn([...path, 'name']));
    return ['cpu', 'memory', 'ephemeral-storage'].flatMap((resource) => {
      const [request, limit] = ['requests', 'limits'].map((kind) => ({
        key: `resources.${kind}.${resource}`,
        value: document.getIn([...path, 'resources', kind, resource]),
      }));
      const given = [request, limit].filter((each) => each !== undefined && each.value !== undefined);
      const wrong = given.find((each) => quantityOf(each?.value) === undefined);
      const about = `of container "${container}" in pod "${pod}"`;
      if (wrong !== undefined)
        return [
          `Cannot use ${wrong.key} "${wrong.value}" ${about}: it is not a quantity such as 250m or 128Mi`,
        ];
      const [requested, limited] = given.map((each) => quantityOf(each?.value));
      if (requested === undefined || limited === undefined || limited >= requested) return [];
      return [
        `Cannot use ${limit?.key} "${limit?.value}" ${about}: it is below the request (${request?.value}), and the kubelet would refuse the pod; raise the limit, or lower ${request?.key} too`,
      ];
    });
  });
  if (problems.length > 0) throw new ConfigError(problems);
}
