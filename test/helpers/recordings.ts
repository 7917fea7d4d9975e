import { readFileSync } from 'node:fs';

export interface RecordedAnswer {
  readonly code: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a real kube-apiserver 1.26 answered, as `curl -i` wrote it down: see test/fixtures/recordings. */
export function readRecording(name: string): RecordedAnswer {
  const text = readFileSync(new URL(`../fixtures/recordings/${name}.http`, import.meta.url), 'utf8');
  const [head = '', ...rest] = text.split(/\r?\n\r?\n/);
  const [statusLine = '', ...headerLines] = head.split(/\r?\n/);
  const headers = headerLines.map((line) => line.split(/: (.*)/s).slice(0, 2));
  return {
    code: Number(statusLine.split(' ')[1]),
    headers: Object.fromEntries(headers),
    body: rest.join('\n\n'),
  };
}
