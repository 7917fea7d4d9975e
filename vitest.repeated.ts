import { appendFileSync } from 'node:fs';
import type { Reporter, TestCase } from 'vitest/node';

/**
 * Tests of complete nodes and pods may be repeated once, because their timing depends on a busy machine. Tests that pass
 * only the second time are listed after the run with their first failure, and by name in the file HAWSER_REPEATS.
 */
export const repeatedOnce = { retry: 1, reporters: [listRepeated(), 'default'] } as const;

function listRepeated(): Reporter {
  const repeated: string[] = [];
  return {
    onTestCaseResult: (test: TestCase) => {
      if ((test.diagnostic()?.retryCount ?? 0) === 0) return;
      const errors = test.result().errors ?? [];
      const causes = errors.map(({ stack, message }) => withoutRunner(stack ?? message));
      const name = `${test.module.relativeModuleId}: ${test.fullName}`;
      repeated.push([name, ...causes].join('\n'));
      const { HAWSER_REPEATS } = process.env;
      if (HAWSER_REPEATS !== undefined) appendFileSync(HAWSER_REPEATS, `${name}\n`);
    },
    onTestRunEnd: () => {
      for (const each of repeated) console.log(`repeated once: ${each}`);
    },
  };
}

function withoutRunner(stack: string): string {
  const lines = stack.split('\n');
  return lines.filter((line) => !/^\s+at .*\/node_modules\//.test(line)).join('\n');
}
