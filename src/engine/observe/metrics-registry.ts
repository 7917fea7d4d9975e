export type Labels = Readonly<Record<string, string>>;

/** Increments by 1 or by `by`. An increment of 0 exports a label set before its first count. */
export type Counter = (labels?: Labels, by?: number) => void;

/** Exports the values that were set since the last `clear`. */
export interface Gauge {
  readonly set: (value: number, labels?: Labels) => void;
  readonly clear: () => void;
}

/** Metrics in Prometheus' text format, in order of creation. */
export interface MetricsRegistry {
  /** Exports 0 from the start for each label set of `known`, by default for the metric without labels. */
  readonly counter: (name: string, help: string, known?: readonly Labels[]) => Counter;
  readonly gauge: (name: string, help: string) => Gauge;
  /** `bounds` in ascending order. */
  readonly histogram: (name: string, help: string, bounds: readonly number[]) => (value: number) => void;
  /** Count and total duration, without quantiles, which Prometheus cannot aggregate. */
  readonly summary: (name: string, help: string) => (value: number) => void;
  readonly text: () => string;
}

/** Not prom-client: it loads `node:http`, and together they would cost a supervisor 10 MB (docs/internals/decisions/0003). */
export function createMetricsRegistry(): MetricsRegistry {
  const families: (() => string)[] = [];
  const add = (type: string, name: string, help: string, lines: () => readonly string[]): void => {
    families.push(() => `${[`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines()].join('\n')}\n`);
  };
  const valuesOf = (type: string, name: string, help: string): Map<string, number> => {
    const values = new Map<string, number>();
    add(type, name, help, () => [...values].map(([labels, value]) => `${name}${labels} ${value}`));
    return values;
  };
  return {
    counter: (name, help, known = [{}]) => {
      const values = valuesOf('counter', name, help);
      const count: Counter = (labels = {}, by = 1) => {
        const key = textOf(labels);
        values.set(key, (values.get(key) ?? 0) + by);
      };
      for (const labels of known) count(labels, 0);
      return count;
    },
    gauge: (name, help) => {
      const values = valuesOf('gauge', name, help);
      return {
        set: (value, labels = {}) => void values.set(textOf(labels), value),
        clear: () => values.clear(),
      };
    },
    histogram: (name, help, bounds) => {
      const counts = bounds.map(() => 0);
      let sum = 0;
      let count = 0;
      add('histogram', name, help, () => [
        ...bounds.map((bound, index) => `${name}_bucket${textOf({ le: `${bound}` })} ${counts[index]}`),
        `${name}_bucket${textOf({ le: '+Inf' })} ${count}`,
        `${name}_sum ${sum}`,
        `${name}_count ${count}`,
      ]);
      return (value) => {
        sum += value;
        count += 1;
        for (const [index, bound] of bounds.entries())
          if (value <= bound) counts[index] = (counts[index] ?? 0) + 1;
      };
    },
    summary: (name, help) => {
      let sum = 0;
      let count = 0;
      add('summary', name, help, () => [`${name}_sum ${sum}`, `${name}_count ${count}`]);
      return (value) => {
        sum += value;
        count += 1;
      };
    },
    text: () => families.map((family) => family()).join('\n'),
  };
}

/** A gauge without labels, which exports 0 from the start; `true` is 1. */
export function simpleGauge(
  registry: MetricsRegistry,
  name: string,
  help: string,
): (value: number | boolean) => void {
  const { set } = registry.gauge(name, help);
  set(0);
  return (value) => set(Number(value));
}

/** `{vrrp_instance="API",to="MASTER"}`; empty without labels. */
function textOf(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapedLabel(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

/** A label value, escaped for Prometheus' text format. */
export function escapedLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
