import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const root = join(import.meta.dirname, '../../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const workflows = globSync('.github/workflows/*.yml', { cwd: root }).toSorted();
const { scripts } = JSON.parse(read('package.json'));

interface Step {
  readonly run?: string;
  readonly uses?: string;
}

function stepsOf(path: string): readonly Step[] {
  const { jobs } = parse(read(path));
  return Object.values<{ steps: readonly Step[] }>(jobs).flatMap(({ steps }) => steps);
}

test.each(workflows)('every command of %s exists in the repository', (path) => {
  const steps = stepsOf(path);
  expect(steps.length).toBeGreaterThan(3);
  for (const { run, uses } of steps) {
    if (run === undefined) expect(uses).toMatch(/^actions\/[a-z-]+@v\d+$/);
    const [, script] = /^npm (?:run )?(test|[a-z]+:[a-z]+|release)\b/.exec(run ?? '') ?? [];
    if (script !== undefined) expect(scripts).toHaveProperty([script]);
    else if (run?.startsWith('npm ')) expect(run).toMatch(/^npm ci /);
    if (run?.startsWith('.')) expect(statSync(join(root, run)).mode & 0o111).not.toBe(0);
  }
});

test('a pull request runs the static checks and the unit tests, and the nightly run runs everything', () => {
  const [night = '', change = '', tag = ''] = workflows;
  const commands = (path: string) => stepsOf(path).map(({ run }) => run);
  expect(commands(change)).toEqual(expect.arrayContaining(['npm run check:static', 'npm test']));
  expect(commands(night)).toContain('.ci/run');
  expect(commands(tag)).toContainEqual(expect.stringContaining('npm run release -- '));
});

test('the bug report form asks for the support bundle and the version', () => {
  const text = read('.github/ISSUE_TEMPLATE/bug.yml');
  expect(text).toContain('hawser support-bundle > bundle.tar.gz');
  expect(text).toContain('hawser version');
  expect(text.includes('SECURITY.md') && existsSync(join(root, 'SECURITY.md'))).toBe(true);
});
