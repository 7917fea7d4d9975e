export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The samples of a page in Prometheus' text format. Throws for an invalid line. */
export function parseExposition(text: string): readonly Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      if (name === undefined) throw new Error(`Cannot read "${line}": expected a sample`);
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
      return {
        name,
        labels: Object.fromEntries(pairs.map(([, label = '', each = '']) => [label, each])),
        value: Number(value),
      };
    });
}

/** Names that exist from the start. A counter with labels exists only after its first count. */
export function plainNames(samples: readonly Sample[]): readonly string[] {
  const plain = samples.filter(({ labels }) => Object.keys(labels).every((label) => label === 'le'));
  return [...new Set(plain.map(({ name }) => name))];
}

export interface Family {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  /** Without the labels of the type itself. */
  readonly labels: readonly string[];
}

/** The families of a page, with the labels of their samples. */
export function familiesOf(text: string): readonly Family[] {
  const samples = parseExposition(text);
  const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]));
  return [...text.matchAll(/^# HELP (\S+) (.*)$/gm)].map(([, name = '', help = '']) => {
    const own = samples.filter((sample) => sample.name.replace(/_(bucket|sum|count)$/, '') === name);
    const labels = new Set(own.flatMap((sample) => Object.keys(sample.labels)));
    labels.delete('le');
    return { name, type: types.get(name) ?? 'untyped', help, labels: [...labels] };
  });
}
